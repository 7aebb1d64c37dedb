//! The practice course: a program beside ours that simulates GitHub on this machine. To the rest of the product it is
//! just another connection.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use lockstep_domain::code::Code;
use serde::Deserialize;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::Mutex;

use crate::app::App;
use crate::connections;
use crate::error::Result;
use crate::wire::{ApiError, ConnectInput, ConnectionView, PracticeHint};

/// A course of 30 is built in seconds; a slow machine gets more.
const PATIENCE: Duration = Duration::from_secs(120);
/// How long it may take to end after its input closed.
const GRACE: Duration = Duration::from_secs(5);
const NAME: &str = "Practice course";

/// The practice forge of this process, when one was started.
#[derive(Debug)]
pub(crate) struct Practice {
    program: Option<PathBuf>,
    running: Mutex<Option<Running>>,
}

#[derive(Debug)]
struct Running {
    child: Child,
    /// Closing it ends the forge; it closes by itself when we die.
    input: Option<ChildStdin>,
    connection: ConnectionView,
    hint: PracticeHint,
}

/// What the forge says in its first line.
#[derive(Deserialize)]
struct Offer {
    base_url: String,
    token: String,
    source: String,
    distribution: String,
    pattern: String,
    #[serde(default)]
    project: Option<String>,
}

impl Offer {
    /// `owner/pattern`. The forge may tell the names alone; they belong to the owner of the distribution.
    fn whole_pattern(&self) -> String {
        match self.distribution.split_once('/') {
            Some((owner, _)) if !self.pattern.contains('/') => format!("{owner}/{}", self.pattern),
            _ => self.pattern.clone(),
        }
    }
}

impl Practice {
    pub(crate) fn new(program: Option<PathBuf>) -> Self {
        Self { program, running: Mutex::new(None) }
    }

    pub(crate) fn is_packaged(&self) -> bool {
        self.program.is_some()
    }

    /// Ends what this process started, and nothing else.
    pub(crate) async fn end(&self) {
        if let Some(running) = self.running.lock().await.take() {
            running.end().await;
        }
    }
}

impl Running {
    async fn end(mut self) {
        drop(self.input.take());
        if tokio::time::timeout(GRACE, self.child.wait()).await.is_err() {
            tracing::warn!("the practice forge did not end by itself");
            if let Err(error) = self.child.kill().await {
                tracing::warn!(%error, "the practice forge cannot be ended");
            }
        }
    }
}

/// Starts the practice course, or finds the one that this process started, and connects to it.
///
/// # Errors
/// `not_found` when it was not packaged; `forge_unreachable` when it does not start; the errors of a connection.
pub async fn start(app: &App) -> Result<ConnectionView> {
    let practice = app.practice();
    let mut running = practice.running.lock().await;
    if let Some(live) = running.as_mut() {
        if matches!(live.child.try_wait(), Ok(None)) {
            return Ok(live.connection.clone());
        }
        *running = None;
    }
    let program = practice.program.as_ref().ok_or_else(|| {
        ApiError::new(Code::NotFound, "The practice course was not installed with this program.")
            .hinted("Install the complete package, or connect to GitHub.")
    })?;
    let (child, input, offer) = spawn(program).await?;
    let connection = connect(app, &offer).await;
    let connection = match connection {
        Ok(connection) => connection,
        Err(error) => {
            drop(input);
            return Err(error);
        }
    };
    let pattern = offer.whole_pattern();
    let hint = PracticeHint {
        connection: connection.id.clone(),
        source: offer.source,
        distribution: offer.distribution,
        pattern,
        project: offer.project.unwrap_or_else(|| "Lab 4".to_owned()),
    };
    *running = Some(Running { child, input: Some(input), connection: connection.clone(), hint });
    Ok(connection)
}

/// What the running practice course offers; none when this process runs none.
///
/// # Errors
/// None so far.
pub async fn hint(app: &App) -> Result<Option<PracticeHint>> {
    Ok(app.practice().running.lock().await.as_ref().map(|running| running.hint.clone()))
}

async fn spawn(program: &std::path::Path) -> Result<(Child, ChildStdin, Offer)> {
    let failed = |why: &str| {
        ApiError::new(Code::ForgeUnreachable, format!("The practice course did not start: {why}."))
            .hinted("Try again; the log has its own words.")
    };
    let mut child = Command::new(program)
        .args(["demo", "--recipients", "30", "--seed", "1", "--ahead", "3", "--json", "--until-stdin-closes"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| {
            tracing::warn!(%error, "the practice forge cannot be started");
            failed("its program cannot be run")
        })?;
    let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(failed("it has no pipes"));
    };
    let mut output = BufReader::new(output);
    let mut line = String::new();
    match tokio::time::timeout(PATIENCE, output.read_line(&mut line)).await {
        Err(_elapsed) => return Err(failed("it said nothing for two minutes")),
        Ok(Err(_)) | Ok(Ok(0)) => return Err(failed("it ended at once")),
        Ok(Ok(_)) => {}
    }
    // The line holds a token: an error may not repeat it.
    let offer =
        serde_json::from_str(&line).map_err(|_unreadable| failed("its first line is not what was agreed"))?;
    // It may go on writing.
    tokio::spawn(async move { tokio::io::copy(&mut output, &mut tokio::io::sink()).await });
    Ok((child, input, offer))
}

async fn connect(app: &App, offer: &Offer) -> Result<ConnectionView> {
    let known = app.store().connections().await?;
    let free = |name: &String| known.iter().all(|connection| connection.name != *name);
    // Each start is another address, and an address never changes: earlier ones stay as they were.
    let numbered = (2..10_000).map(|number| format!("{NAME} {number}"));
    let name = std::iter::once(NAME.to_owned()).chain(numbered).find(free).unwrap_or_else(|| NAME.to_owned());
    let input = ConnectInput {
        name,
        base_url: offer.base_url.clone(),
        secret: offer.token.clone(),
        app_id: None,
        installation_id: None,
    };
    connections::add(app, input).await
}
