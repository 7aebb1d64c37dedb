//! `lockstep sync`: press, wait, say what happened.

use lockstep_api::wire::{ApiError, RecipientRow, RunView, SyncInput};
use lockstep_api::{App, projects, recipients as all, runs};
use lockstep_domain::code::Code;
use lockstep_domain::outcome::{Outcome, RunStatus};
use serde_json::json;

use super::{Ended, recipients};
use crate::args::Sync;
use crate::exit;
use crate::output::{Done, Output};
use crate::progress;
use crate::table::table;
use crate::times;

pub(super) async fn sync(app: &App, arguments: Sync, output: &Output) -> Ended {
    let project = projects::named(app, &arguments.project).await?;
    let resumes = match arguments.resume.as_deref() {
        None => None,
        Some("last") => Some(last_interrupted(app, &project).await?),
        Some(id) => Some(id.to_owned()),
    };
    let chosen = recipients::ids(app, &project, &arguments.only).await?;
    let selection = match (arguments.owed, chosen.is_empty()) {
        (true, _) => "owed",
        (false, false) => "these",
        (false, true) => "all",
    };
    let input =
        SyncInput { project: project.clone(), selection: selection.to_owned(), recipients: chosen, resumes };
    let started = runs::start(app, input).await?;
    let run = progress::wait(app, &started.run, output).await?;
    let rows = all::list(app, &project).await?;
    let exit = exit::of_run(run.status, run.error);
    let text = text(&arguments.project, &run, &rows);
    Ok(Done::new(text, json!({ "run": run, "recipients": rows })).ending(exit))
}

async fn last_interrupted(app: &App, project: &str) -> Result<String, ApiError> {
    let run = projects::get(app, project).await?.row.resumable.map(|run| run.id);
    run.ok_or_else(|| {
        ApiError::new(Code::NotFound, "The last run of this project was not interrupted.")
            .hinted("lockstep runs PROJECT shows all runs; a plain sync sends what is owed.")
    })
}

fn text(project: &str, run: &RunView, rows: &[RecipientRow]) -> String {
    let took =
        run.ended_at.map(|end| format!(" in {}", times::span(end - run.started_at))).unwrap_or_default();
    let mut text = match run.status {
        RunStatus::Succeeded => format!("Synced {project:?}{took}."),
        RunStatus::Incomplete => format!("Synced {project:?}{took}, but not everybody could be reached."),
        RunStatus::Failed => format!("The sync of {project:?} was refused; nothing was sent."),
        RunStatus::Cancelled => format!("The sync of {project:?} was cancelled{took}."),
        RunStatus::Interrupted | RunStatus::Running => {
            format!("The sync of {project:?} was interrupted{took}.")
        }
    };
    let counts = counts(run);
    text.push_str(&format!(
        "\n\n{}",
        if counts.is_empty() { "No recipient was concerned." } else { &counts }
    ));
    if let Some(code) = run.error {
        text.push_str(&format!(
            "\n\n{}\n\nhint: {}\n\ncode: {code}",
            run.error_text,
            lockstep_api::hint(code)
        ));
    }
    let failed = failures(rows);
    if run.counts.failed > 0 && !failed.is_empty() {
        text.push_str(&format!("\n\n{}", table(["failed", "branch", "code", "cause"], &failed)));
    }
    text
}

/// Only what is not zero.
pub(super) fn counts(run: &RunView) -> String {
    let counts = run.counts;
    let all = [
        (counts.opened, "opened"),
        (counts.updated, "updated"),
        (counts.handed_out, "handed out"),
        (counts.unchanged, "unchanged"),
        (counts.up_to_date, "up to date"),
        (counts.skipped, "skipped"),
        (counts.failed, "failed"),
        (counts.waiting, "waiting"),
    ];
    let some: Vec<_> = all.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect();
    some.join(", ")
}

fn failures(rows: &[RecipientRow]) -> Vec<[String; 4]> {
    let mut failed = Vec::new();
    for row in rows {
        for branch in row.branches.iter().filter(|branch| branch.outcome == Some(Outcome::Failed)) {
            failed.push([
                row.repo.clone(),
                branch.branch.clone(),
                branch.reason.map(|reason| reason.to_string()).unwrap_or_default(),
                branch.cause.clone(),
            ]);
        }
    }
    failed
}
