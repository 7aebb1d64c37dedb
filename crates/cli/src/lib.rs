//! `lockstep`: the headless command, over the same core as the window.
//!
//! Here live the command line ([`args`]), what it prints ([`output`], the only place that prints), exit codes
//! ([`exit`]), and one file per noun in [`commands`]. No decision is made here. A token never comes from the command
//! line: lists of processes show it.
//!
//! To add a command: a variant in [`args`], a function in its noun's file that returns a
//! [`output::Done`], and a test of its exit code and JSON.

mod args;
mod commands;
mod exit;
mod output;
mod progress;
mod table;
mod times;

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser as _;
use lockstep_api::App;
use lockstep_api::seams::Seams;
use lockstep_api::wire::ApiError;
use lockstep_config::{Config, Overrides, variables};

use args::Cli;
use output::{Done, Output};

/// Runs one command line, the program's name first, to its exit code. The program passes
/// [`lockstep_api::seams::Plain`].
pub fn main_through(arguments: impl IntoIterator<Item = OsString>, seams: Arc<dyn Seams>) -> ExitCode {
    let cli = Cli::parse_from(arguments);
    let output = Output::new(cli.json);
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            output.plain_error(&format!("the program cannot start: {error}"));
            return exit::BUG.into();
        }
    };
    let ended = runtime.block_on(run(cli, &output, seams));
    let code = match &ended {
        Ok(done) => {
            output.done(done);
            done.exit
        }
        Err(error) => {
            output.error(error);
            exit::of(error.code)
        }
    };
    // Threads that wait for standard input or a keychain may not hold the end up.
    runtime.shutdown_background();
    code.into()
}

async fn run(cli: Cli, output: &Output, seams: Arc<dyn Seams>) -> Result<Done, ApiError> {
    let config = Config::load(variables::of_process, Overrides { data: cli.data.clone(), practice: None })?;
    lockstep_api::logs::start(Some(&config), lockstep_api::logs::Also::Nowhere);
    let app = match App::open_through(config, seams).await {
        Ok(app) => app,
        Err(error) => {
            let told =
                commands::without_database(&cli.command).filter(|_| exit::of(error.code) == exit::DATABASE);
            let Some(done) = told else { return Err(error) };
            output.note(&format!("{error}"));
            return Ok(done.ending(exit::DATABASE));
        }
    };
    let ended = Box::pin(commands::run(&app, cli.command, output)).await;
    app.shutdown().await;
    ended
}
