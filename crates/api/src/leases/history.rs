//! What happened to leases, page by page.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use lockstep_domain::clock::Millis;
use lockstep_domain::ids::ProjectId;
use lockstep_domain::model::LeaseEntry;

use crate::app::App;
use crate::error::Result;
use crate::input;
use crate::wire::{ApiError, LeaseEventView, LeaseHistory};
use crate::words::ms;

/// Most events of one page.
const MOST: u32 = 500;

/// Events of one lease or of all, newest first: at most `limit` (1 to 500) of them, older than the position `before`.
///
/// # Errors
/// `bad_input` for a position that is none; the database's trouble.
pub async fn history(
    app: &App,
    project: Option<&str>,
    before: Option<&str>,
    limit: u32,
) -> Result<LeaseHistory> {
    let project = project.map(input::project).transpose()?;
    let before = before.map(position).transpose()?;
    let limit = limit.clamp(1, MOST);
    let entries = app.store().lease_history(project, before, limit).await?;
    let full = entries.len() == usize::try_from(limit).unwrap_or_default();
    let next = entries.last().filter(|_| full).map(|entry| entry.seq.to_string());
    let names = names(app, &entries).await?;
    let rows = entries.into_iter().map(|entry| view(entry, &names)).collect();
    Ok(LeaseHistory { rows, before: next })
}

fn position(text: &str) -> Result<i64> {
    text.parse().map_err(|_| {
        ApiError::bad_input(format!("{text:?} is no position. Take the one that the last page gave."))
    })
}

/// Names also of projects that were deleted since.
async fn names(app: &App, entries: &[LeaseEntry]) -> Result<HashMap<ProjectId, String>> {
    let mut names: HashMap<_, _> =
        app.store().projects().await?.into_iter().map(|project| (project.id, project.name)).collect();
    for entry in entries {
        if let Entry::Vacant(unknown) = names.entry(entry.project) {
            let project = app.store().project(entry.project).await?;
            unknown.insert(project.map_or_else(String::new, |project| project.name));
        }
    }
    Ok(names)
}

fn view(entry: LeaseEntry, names: &HashMap<ProjectId, String>) -> LeaseEventView {
    let (other_person, other_host) = entry.other.unwrap_or_default();
    LeaseEventView {
        seq: entry.seq.to_string(),
        at: ms(entry.at),
        event: entry.event,
        project: entry.project.to_string(),
        project_name: names.get(&entry.project).cloned().unwrap_or_default(),
        fence: entry.fence.to_string(),
        run: entry.run.map(|run| run.to_string()),
        person: entry.person,
        machine: entry.machine,
        other_person,
        other_host,
        kind: entry.kind,
        status: entry.status,
        code: entry.code,
        beat_ms: entry.beat_ms.map(|age| ms(Millis(age))),
        proven_dead: entry.proven_dead,
        text: entry.text,
    }
}
