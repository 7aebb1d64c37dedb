//! `lockstep recipients`.

use std::io::Read as _;
use std::path::Path;

use lockstep_api::wire::{ApiError, RecipientEdit, RecipientRow, RosterInput};
use lockstep_api::{App, projects, recipients};
use lockstep_domain::code::Code;
use lockstep_domain::skip::RecipientState;
use serde_json::json;

use super::Ended;
use crate::args::{Chosen, Import};
use crate::output::Done;
use crate::table::{counted, table};
use crate::times;

/// Far above any roster.
const MOST_BYTES: u64 = 8 * 1024 * 1024 + 1;

pub(super) async fn import(app: &App, arguments: Import) -> Ended {
    let project = projects::named(app, &arguments.project).await?;
    let roster = match (arguments.csv, arguments.pattern) {
        (Some(file), _) => RosterInput::Csv { text: read(&file)? },
        (None, Some(pattern)) => RosterInput::Pattern { pattern },
        (None, None) => {
            return Err(ApiError::bad_input("No roster was named.").hinted("Give --csv or --pattern."));
        }
    };
    let imported = recipients::import(app, &project, roster).await?;
    let text = format!(
        "Imported into {:?}: {} new, {} changed, {} as they were.",
        arguments.project, imported.added, imported.updated, imported.unchanged
    );
    Ok(Done::new(text, imported))
}

fn read(file: &Path) -> Result<String, ApiError> {
    let mut bytes = Vec::new();
    let read = if file == Path::new("-") {
        std::io::stdin().take(MOST_BYTES).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(file).and_then(|file| file.take(MOST_BYTES).read_to_end(&mut bytes))
    };
    read.map_err(|error| {
        ApiError::new(Code::BadRoster, format!("The roster cannot be read ({}).", error.kind()))
            .hinted("Name a CSV file, or - for standard input.")
    })?;
    String::from_utf8(bytes).map_err(|_not_text| {
        ApiError::new(Code::BadRoster, "The roster is not UTF-8 text.")
            .hinted("Save it as CSV (UTF-8) in the spreadsheet.")
    })
}

pub(super) async fn list(app: &App, project: &str) -> Ended {
    let project = projects::named(app, project).await?;
    let rows = recipients::list(app, &project).await?;
    Ok(Done::new(list_text(&rows), rows))
}

pub(super) async fn lock(app: &App, chosen: &Chosen, locked: bool) -> Ended {
    let project = projects::named(app, &chosen.project).await?;
    let ids = ids(app, &project, &chosen.repos).await?;
    let edit = RecipientEdit { recipients: ids, locked: Some(locked), deadline: None, clear_deadline: false };
    recipients::edit(app, &project, edit).await?;
    let number = u32::try_from(chosen.repos.len()).unwrap_or(u32::MAX);
    let what = if locked { "Locked" } else { "Unlocked" };
    let text = format!("{what} {}.", counted(number, "recipient", "recipients"));
    Ok(Done::new(text, json!({ "recipients": chosen.repos, "locked": locked })))
}

/// Recipient ids by repository name; all of them, or none.
pub(super) async fn ids(app: &App, project: &str, repos: &[String]) -> Result<Vec<String>, ApiError> {
    let known = recipients::list(app, project).await?;
    let of = |repo: &String| {
        let found = known.iter().find(|row| row.repo.eq_ignore_ascii_case(repo.trim()) || row.id == *repo);
        found.map(|row| row.id.clone()).ok_or_else(|| {
            ApiError::new(Code::NotFound, format!("{repo} is no recipient of this project."))
                .hinted("lockstep recipients list --project NAME shows all of them.")
        })
    };
    repos.iter().map(of).collect()
}

/// A table of recipients.
pub(super) fn list_text(rows: &[RecipientRow]) -> String {
    if rows.is_empty() {
        return "There is no recipient. lockstep recipients import brings them in.".to_owned();
    }
    let rows: Vec<_> = rows.iter().map(row).collect();
    table(["recipient", "label", "state", "owed", "last outcome", "pull requests", "last activity"], &rows)
}

fn row(row: &RecipientRow) -> [String; 7] {
    let outcomes = row.branches.iter().filter_map(|branch| {
        let outcome = branch.outcome?;
        let reason = branch.reason.map(|reason| format!(": {reason}")).unwrap_or_default();
        Some(format!("{} {outcome}{reason}", branch.branch))
    });
    let pulls = row.branches.iter().filter_map(|branch| {
        let pull = branch.pull.as_ref()?;
        Some(format!("#{} {}", pull.number, pull.state))
    });
    [
        row.repo.clone(),
        row.label.clone(),
        state(row),
        if row.owed { "yes".to_owned() } else { "no".to_owned() },
        outcomes.collect::<Vec<_>>().join(", "),
        pulls.collect::<Vec<_>>().join(", "),
        times::shown(row.last_at),
    ]
}

fn state(row: &RecipientRow) -> String {
    match row.state {
        RecipientState::Live if row.locked => "locked".to_owned(),
        RecipientState::Live if row.past_deadline => "past deadline".to_owned(),
        state => state.to_string(),
    }
}
