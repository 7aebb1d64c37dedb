//! Recipients: their rows, their import, and what staff change about them.

use std::collections::HashSet;

use lockstep_domain::code::Code;
use lockstep_domain::ids::{ConnectionId, ProjectId, RecipientId};
use lockstep_domain::model::{Item, Project};
use lockstep_engine::{ImportRequest, Wanted};
use lockstep_store::RecipientPatch;

use crate::app::App;
use crate::error::Result;
use crate::rows::Facts;
use crate::wire::{ApiError, ImportedView, RecipientEdit, RecipientRow, RosterInput};
use crate::{input, projects, roster};

/// All recipients of a project, by repository name.
///
/// # Errors
/// `project_missing`, the database's trouble.
pub async fn list(app: &App, project: &str) -> Result<Vec<RecipientRow>> {
    rows(app, input::project(project)?, None).await
}

/// The rows of these recipients, or of all. Of a large course only what was asked for is read.
pub(crate) async fn rows(
    app: &App,
    project: ProjectId,
    only: Option<&[RecipientId]>,
) -> Result<Vec<RecipientRow>> {
    let facts = projects::facts(app, project, only).await?;
    let connections = app.store().connections().await?;
    let items = live_items(app, &facts, only).await?;
    Ok(facts.recipient_rows(&connections, &items))
}

/// Items of the run that holds the lease, if one does.
async fn live_items(app: &App, facts: &Facts, only: Option<&[RecipientId]>) -> Result<Vec<Item>> {
    Ok(match (facts.lease.run.filter(|_| facts.lease.held), only) {
        (Some(run), None) => app.store().items(run).await?,
        (Some(run), Some(only)) => app.store().items_some(run, only).await?,
        (None, _) => Vec::new(),
    })
}

/// Imports recipients, all or nothing; known ones are updated, nothing is removed.
///
/// # Errors
/// `bad_roster` names the line or the repository; `bad_input` for a pattern that names no owner; the forge's or the
/// database's trouble.
pub async fn import(app: &App, project: &str, roster: RosterInput) -> Result<ImportedView> {
    let project = projects::one(app, input::project(project)?).await?;
    let connection = connection_of(app, &project).await?;
    let (wanted, asked) = match roster {
        RosterInput::Csv { text } => (Wanted::Listed(roster::read(&text)?), String::new()),
        RosterInput::Pattern { pattern } => {
            let whole = whole_pattern(&project, pattern.trim());
            let (owner, name) = input::pattern(&whole)?;
            (Wanted::Like { owner, pattern: name }, whole)
        }
    };
    let request = ImportRequest { project: project.id, connection, wanted };
    let imported = app.engine().import_recipients(request).await?;
    let view =
        ImportedView { added: imported.added, updated: imported.updated, unchanged: imported.unchanged };
    if view == (ImportedView { added: 0, updated: 0, unchanged: 0 }) {
        return Err(ApiError::new(Code::BadRoster, format!("No repository matches {asked}."))
            .hinted("Check owner and pattern, and that the connection may see those repositories."));
    }
    Ok(view)
}

/// A pattern without an owner is meant for the owner of the distribution.
fn whole_pattern(project: &Project, pattern: &str) -> String {
    match &project.distribution {
        Some(distribution) if !pattern.contains('/') => format!("{}/{pattern}", distribution.slug.owner),
        _ => pattern.to_owned(),
    }
}

/// The account that reaches the recipients: that of the distribution, else that of the source.
async fn connection_of(app: &App, project: &Project) -> Result<ConnectionId> {
    if let Some(distribution) = &project.distribution {
        return Ok(distribution.connection);
    }
    let source = app.store().source(project.source).await?;
    source
        .map(|source| source.repo.connection)
        .ok_or_else(|| ApiError::new(Code::SourceMissing, "The source of this project does not exist."))
}

/// Locks, unlocks, gives or takes own deadlines.
///
/// # Errors
/// `bad_input` for a change that changes nothing or a recipient of another project; the database's trouble.
pub async fn edit(app: &App, project: &str, edit: RecipientEdit) -> Result<()> {
    let project = input::project(project)?;
    let deadline = input::deadline(edit.deadline)?;
    let patch = RecipientPatch {
        locked: edit.locked,
        deadline: match (edit.clear_deadline, deadline) {
            (true, Some(_)) => {
                return Err(ApiError::bad_input("A deadline cannot be set and removed at once. Choose one."));
            }
            (true, None) => Some(None),
            (false, given) => given.map(Some),
        },
        ..RecipientPatch::default()
    };
    if patch.locked.is_none() && patch.deadline.is_none() {
        return Err(ApiError::bad_input("Nothing was changed. Choose a lock or a deadline."));
    }
    let known: HashSet<_> = app.store().recipients(project).await?.into_iter().map(|r| r.id).collect();
    let mut chosen = Vec::with_capacity(edit.recipients.len());
    for text in &edit.recipients {
        let id = input::recipient(text)?;
        if !known.contains(&id) {
            return Err(ApiError::new(Code::NotFound, "One of the recipients is not part of this project."));
        }
        chosen.push(id);
    }
    if chosen.is_empty() {
        return Err(ApiError::bad_input("No recipient was chosen. Choose at least one."));
    }
    let actor = app.actor();
    for id in chosen {
        app.store().recipient_edit(id, &patch, &actor).await?;
    }
    Ok(())
}
