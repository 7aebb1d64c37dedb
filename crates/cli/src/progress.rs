//! Waiting for a run: a bar on a terminal, silence in a pipe, and a clean end on Ctrl-C.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use lockstep_api::wire::{ApiError, ProgressView, RunView};
use lockstep_api::{App, runs};

use crate::output::Output;
use crate::times;

/// How often the bar moves.
const TICK: Duration = Duration::from_millis(250);
/// What a shell reports for a program that Ctrl-C ended.
const ENDED_BY_CTRL_C: i32 = 130;

/// Waits for the end of a run of this process. The first Ctrl-C (or SIGTERM) lets it finish what is under way and gives
/// the lease back; the second ends the process at once, and the lease expires by itself.
pub(crate) async fn wait(app: &App, run: &str, output: &Output) -> Result<RunView, ApiError> {
    let bar = output.is_watched().then(bar);
    let end = runs::wait(app, run);
    tokio::pin!(end);
    let mut stops = Stops::new();
    let mut asked = 0;
    let ended = loop {
        tokio::select! {
            ended = &mut end => break ended,
            () = tokio::time::sleep(TICK), if bar.is_some() => {
                if let (Some(bar), Ok(now)) = (&bar, runs::get(app, run).await) {
                    show(bar, now.progress.as_ref());
                }
            }
            () = stops.next() => {
                asked += 1;
                if asked > 1 {
                    std::process::exit(ENDED_BY_CTRL_C);
                }
                let note = "Finishing what is under way, then giving the lease back. Ctrl-C again ends at once.";
                match &bar {
                    Some(bar) => bar.suspend(|| output.note(note)),
                    None => output.note(note),
                }
                runs::quit_all(app);
            }
        }
    };
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    ended
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::new(0);
    // The template is constant and was tried.
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos} of {len}  {msg}") {
        bar.set_style(style);
    }
    bar
}

fn show(bar: &ProgressBar, progress: Option<&ProgressView>) {
    let Some(progress) = progress else {
        bar.set_message("starting");
        return;
    };
    bar.set_length(progress.planned.into());
    bar.set_position(progress.done.into());
    bar.set_message(words(progress));
}

fn words(progress: &ProgressView) -> String {
    let left = progress.planned.saturating_sub(progress.done);
    if let Some(until) = progress.waiting_until {
        return format!("waiting for GitHub until {}, {left} left", times::clock(until));
    }
    let step = match progress.step.as_str() {
        "collect" => "reading the source",
        "build" => "building the update",
        "push_distribution" => "updating the distribution",
        "publish" => "recording",
        "finish" => "finishing",
        _ => progress.current.as_str(),
    };
    let failed = if progress.failed > 0 { format!(", {} failed", progress.failed) } else { String::new() };
    let end = progress.ends_at.map(|at| format!(", done about {}", times::clock(at))).unwrap_or_default();
    format!("{step}{failed}{end}")
}

/// Asks to stop, from a person or the system.
pub(crate) struct Stops {
    #[cfg(unix)]
    terminate: Option<tokio::signal::unix::Signal>,
}

impl Stops {
    pub(crate) fn new() -> Self {
        Self {
            #[cfg(unix)]
            terminate: tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()).ok(),
        }
    }

    pub(crate) async fn next(&mut self) {
        let ctrl_c = async {
            if tokio::signal::ctrl_c().await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        #[cfg(unix)]
        if let Some(terminate) = &mut self.terminate {
            tokio::select! {
                () = ctrl_c => {}
                _ = terminate.recv() => {}
            }
            return;
        }
        ctrl_c.await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_told_as_a_wait_and_not_as_an_error() {
        let mut progress = ProgressView {
            step: "pass".to_owned(),
            done: 87,
            planned: 212,
            failed: 2,
            current: "org/lab4-ada".to_owned(),
            waiting_until: Some(0.0),
            ends_at: None,
            call: None,
        };
        assert!(words(&progress).ends_with("125 left"));
        progress.waiting_until = None;
        assert_eq!(words(&progress), "org/lab4-ada, 2 failed");
    }
}
