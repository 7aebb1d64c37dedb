//! Importing recipients: all or nothing, by repository, nothing removed.

use std::collections::{HashMap, HashSet};

use lockstep_domain::ids::{ProjectId, RecipientId};
use lockstep_domain::model::{PullRow, Recipient};
use serde_json::json;

use super::on::On;
use super::{audit, projects, pulls, recipients};
use crate::contract::{Actor, Imported, NewRecipient, Result, StoreError};

/// Imports under a lock on the project, so that two imports never race.
pub(super) async fn import(
    on: &mut On,
    project: ProjectId,
    new: &[NewRecipient],
    actor: &Actor,
) -> Result<Imported> {
    refuse_twins(new)?;
    projects::hold(on, project).await?;
    let known: HashMap<_, _> = recipients::of_project(on, project)
        .await?
        .into_iter()
        .map(|recipient| ((recipient.repo.connection, recipient.repo.id), recipient))
        .collect();
    let mut done = Imported::default();
    let (mut born, mut changed) = (Vec::new(), Vec::new());
    let mut found_pulls = Vec::new();
    for entry in new {
        let id = match known.get(&(entry.repo.connection, entry.repo.id)) {
            Some(old) => {
                let merged = merged(old, entry);
                if merged == *old {
                    done.unchanged += 1;
                } else {
                    changed.push(merged);
                    done.updated += 1;
                }
                old.id
            }
            None => {
                let id = RecipientId(on.fresh());
                born.push((id, entry));
                done.added += 1;
                id
            }
        };
        found_pulls.extend(entry.pulls.iter().map(|pull| PullRow { recipient: id, ..pull.clone() }));
    }
    recipients::update(on, &changed).await?;
    recipients::insert(on, project, &born).await?;
    for pull in &found_pulls {
        pulls::put(on, project, pull).await?;
    }
    let detail = json!({ "added": done.added, "updated": done.updated, "unchanged": done.unchanged });
    audit::write(on, actor, Some(project), "recipients.imported", &detail).await?;
    if done.added + done.updated > 0 {
        // One row for all of them: an empty key means the whole list.
        on.feed("recipient", Some(project), &"");
        on.feed("project", Some(project), &project);
    }
    Ok(done)
}

fn refuse_twins(new: &[NewRecipient]) -> Result<()> {
    let mut seen = HashSet::new();
    match new.iter().find(|entry| !seen.insert((entry.repo.connection, entry.repo.id))) {
        Some(twin) => {
            Err(StoreError::AlreadyExists(format!("the recipient {} in this list", twin.repo.slug)))
        }
        None => Ok(()),
    }
}

/// What a list does not say stays: an import removes nothing.
fn merged(old: &Recipient, new: &NewRecipient) -> Recipient {
    let mut merged = old.clone();
    merged.repo = new.repo.clone();
    if !new.label.is_empty() {
        merged.label.clone_from(&new.label);
    }
    if new.deadline.is_some() {
        merged.deadline = new.deadline;
    }
    if !new.mapping.is_empty() {
        merged.mapping.clone_from(&new.mapping);
    }
    merged
}
