//! `lockstep-forge`: the practice forge as a program.

use std::io::Read as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use lockstep_forge::demo::{self, DemoCourse, DemoOptions};
use lockstep_forge::{BaseStyle, Forge, ForgeError, ForgeHandle, ForgeOptions};
use tracing_subscriber::EnvFilter;

/// The practice forge: a simulated GitHub on this computer only.
#[derive(Debug, Parser)]
#[command(name = "lockstep-forge", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Builds the practice course and serves it.
    Demo(Demo),
    /// Serves what the data folder holds, an empty forge at first.
    Serve(Serve),
}

#[derive(Debug, Args)]
struct Serve {
    /// Port on 127.0.0.1; 0 lets the system choose.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Folder for state and repositories; a temporary one when left out.
    #[arg(long)]
    data: Option<PathBuf>,
    /// Print one JSON line instead of words.
    #[arg(long)]
    json: bool,
    /// Print addresses in the style of GitHub Enterprise Server (/api/v3).
    #[arg(long)]
    enterprise: bool,
    /// Stop when standard input closes, for programs that start this one.
    #[arg(long)]
    until_stdin_closes: bool,
}

#[derive(Debug, Args)]
struct Demo {
    #[command(flatten)]
    serve: Serve,
    /// Number of recipient repositories.
    #[arg(long, default_value_t = 30)]
    recipients: u32,
    /// Varies what the students did; the same seed gives the same commits.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many commits the source is ahead of the distribution.
    #[arg(long, default_value_t = 3)]
    ahead: u32,
    /// The teacher's token; a random one when left out.
    #[arg(long)]
    token: Option<String>,
}

#[tokio::main]
async fn main() -> ExitCode {
    let filter = EnvFilter::try_new("lockstep_forge=warn").unwrap_or_default();
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    match run(Cli::parse().command).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&mut std::io::stderr(), &format!("lockstep-forge: {error}\n"));
            ExitCode::FAILURE
        }
    }
}

async fn run(command: Command) -> Result<(), ForgeError> {
    match command {
        Command::Serve(serve) => {
            let forge = start(&serve).await?;
            let line = if serve.json {
                serde_json::json!({ "base_url": forge.base_url(), "api_root": forge.api_root() }).to_string()
            } else {
                format!("Simulated GitHub at {}\nControl endpoints below {0}/_forge/", forge.base_url())
            };
            say(&mut std::io::stdout(), &format!("{line}\n"));
            until_stopped(&serve).await;
            forge.shutdown().await;
        }
        Command::Demo(asked) => {
            let forge = start(&asked.serve).await?;
            let options = DemoOptions {
                recipients: asked.recipients,
                seed: asked.seed,
                ahead: asked.ahead,
                token: asked.token.clone(),
            };
            let course = demo::build(&forge, &options)?;
            let text = if asked.serve.json {
                serde_json::to_string(&course).map_err(|error| ForgeError::State(error.to_string()))?
            } else {
                words(&course)
            };
            say(&mut std::io::stdout(), &format!("{text}\n"));
            until_stopped(&asked.serve).await;
            forge.shutdown().await;
        }
    }
    Ok(())
}

async fn start(serve: &Serve) -> Result<ForgeHandle, ForgeError> {
    let random = getrandom::u64().map_err(|error| ForgeError::State(format!("no randomness: {error}")))?;
    let base = if serve.enterprise { BaseStyle::ApiV3 } else { BaseStyle::Root };
    let options = ForgeOptions {
        data: serve.data.clone(),
        port: serve.port,
        base,
        token_seed: random,
        ..ForgeOptions::default()
    };
    Forge::start(options).await
}

fn words(course: &DemoCourse) -> String {
    format!(
        "Simulated GitHub (practice forge), on this computer only.\n\n\
         Look around      {base}/\n\
         Address          {api}\n\
         Token            {token}   (user {user})\n\
         App              {slug}, id {app}, installation {installation}\n\
         Source           {source}   (branches main, solutions)\n\
         Distribution     {distribution}\n\
         Recipients       {org}/{pattern}   ({count})\n\n\
         Advance the source: curl -X POST {base}/_forge/demo/advance -d '{{\"commits\":1}}'\n\
         Stop with Ctrl-C.",
        base = course.base_url,
        api = course.api_root,
        token = course.token,
        user = course.user,
        slug = course.app.slug,
        app = course.app.id,
        installation = course.app.installation,
        source = course.source,
        distribution = course.distribution,
        org = course.org,
        pattern = course.pattern,
        count = course.recipients.len(),
    )
}

/// Writes and flushes; a closed pipe is not worth dying for.
fn say(to: &mut impl std::io::Write, text: &str) {
    if to.write_all(text.as_bytes()).and_then(|()| to.flush()).is_err() {
        tracing::debug!("nobody reads the output");
    }
}

/// Waits for Ctrl-C, SIGTERM, or (when asked) the end of standard input.
async fn until_stopped(serve: &Serve) {
    let stdin = async {
        if serve.until_stdin_closes {
            drop(stdin_closed().await);
        } else {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        () = stdin => {}
        _ = tokio::signal::ctrl_c() => {}
        () = terminated() => {}
    }
}

/// A thread of its own reads: a blocked read inside the runtime would keep the program from ending.
fn stdin_closed() -> tokio::sync::oneshot::Receiver<()> {
    let (closed, wait) = tokio::sync::oneshot::channel();
    std::thread::spawn(move || {
        let mut sink = [0_u8; 256];
        while matches!(std::io::stdin().read(&mut sink), Ok(count) if count > 0) {}
        // Nobody waits any more when a signal came first.
        let _late = closed.send(());
    });
    wait
}

#[cfg(unix)]
async fn terminated() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut stream) => {
            stream.recv().await;
        }
        Err(_) => std::future::pending().await,
    }
}

#[cfg(not(unix))]
async fn terminated() {
    std::future::pending().await
}
