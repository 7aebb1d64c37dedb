//! Projects: the list, a project's page, making and archiving one.

use lockstep_domain::code::Code;
use lockstep_domain::ids::{ConnectionId, ProjectId, RecipientId};
use lockstep_domain::lease::{Holder, LeaseState};
use lockstep_domain::model::{Project, ProjectState, Source};
use lockstep_domain::names::RepoSlug;
use lockstep_domain::outcome::{RunKind, RunStatus};
use lockstep_engine::{AdoptRequest, BuildRequest, Press};
use lockstep_store::NewProject;

use crate::app::App;
use crate::error::Result;
use crate::rows::{Facts, count};
use crate::wire::{
    ApiError, NewProjectInput, PressForecast, PressKind, ProjectCreated, ProjectRow, ProjectView, RunView,
};
use crate::words::ms;
use crate::{input, leases, pages, runs};

/// All projects, by name.
///
/// # Errors
/// The database's trouble.
pub async fn list(app: &App) -> Result<Vec<ProjectRow>> {
    let sources = app.store().sources().await?;
    let leases = app.store().leases().await?;
    let ours = app.holder();
    let mut rows = Vec::new();
    for project in app.store().projects().await? {
        // A project that came in between the two reads shows up at the next one.
        let Some(lease) = leases.iter().find(|lease| lease.project == project.id) else { continue };
        let source = sources.iter().find(|source| source.id == project.source).cloned();
        let facts = Facts::read(app, project, source, lease.clone(), None).await?;
        let recent = runs::of_project(app, &facts.project, &facts.lease).await?;
        rows.push(row(&facts, &recent, &ours));
    }
    Ok(rows)
}

/// A project's page: its row, what a press would do, the live or last run, what stands behind "ahead".
///
/// # Errors
/// `project_missing`, the database's trouble. What git or the forge cannot tell is left out.
pub async fn get(app: &App, project: &str) -> Result<ProjectView> {
    let facts = facts(app, input::project(project)?, None).await?;
    let connections = app.store().connections().await?;
    let recent = runs::of_project(app, &facts.project, &facts.lease).await?;
    let row = row(&facts, &recent, &app.holder());
    let press = forecast(app, &facts, row.press).await?;
    let project = &facts.project;
    let source = facts.source.as_ref();
    let connection = project.distribution.as_ref().or_else(|| source.map(|source| &source.repo));
    Ok(ProjectView {
        row,
        connection: connection.map(|repo| repo.connection.to_string()),
        distribution: project.distribution.as_ref().map(|repo| repo.slug.to_string()),
        distribution_url: project.distribution.as_ref().map(|repo| pages::repository(&connections, repo)),
        source_url: source.map_or_else(String::new, |source| pages::repository(&connections, &source.repo)),
        source_id: project.source.to_string(),
        source_checked_at: source.and_then(|source| source.checked_at).map(ms),
        source_trouble: source.and_then(|source| source.trouble),
        pending: crate::pending::of(app, project).await,
        note: project.note.clone(),
        press,
        run: recent.into_iter().next(),
    })
}

/// Makes a project: its row, then a `build` run that builds or adopts the distribution, awaited. A refusal takes the
/// row away again.
///
/// # Errors
/// `bad_input`, `already_exists`, `source_missing`, and every refusal of a press.
pub async fn create(app: &App, new: NewProjectInput) -> Result<ProjectCreated> {
    let slug = input::slug(&new.distribution)?;
    let source = source(app, &new.source).await?;
    let connection = match new.connection.as_deref().map(str::trim).filter(|id| !id.is_empty()) {
        Some(id) => input::connection(id)?,
        None => source.repo.connection,
    };
    let branches = input::branches(&new.branches)?;
    let row = NewProject {
        name: input::name("the project", &new.name)?,
        source: source.id,
        strategy: input::strategy(&new.strategy)?,
        state: ProjectState::Draft,
        deadline: input::deadline(new.deadline)?,
        note: String::new(),
        branches: branches.into_iter().map(|branch| (branch.clone(), branch)).collect(),
    };
    let project = app.store().project_insert(&row, &app.actor()).await?.id;
    match make_distribution(app, project, connection, slug, new.adopt).await {
        Ok(run) => {
            let made = app.store().project(project).await?.ok_or_else(missing)?;
            if made.state == ProjectState::Draft {
                app.store().project_set_state(project, ProjectState::Published, &app.actor()).await?;
            }
            Ok(ProjectCreated { project: project.to_string(), run })
        }
        Err(error) => {
            if let Err(stays) = app.store().project_delete(project, &app.actor()).await {
                tracing::warn!(error = %stays, project.id = %project, "a project without distribution stays behind");
            }
            Err(error)
        }
    }
}

/// Runs the `build` run to its end.
async fn make_distribution(
    app: &App,
    project: ProjectId,
    connection: ConnectionId,
    slug: RepoSlug,
    adopt: bool,
) -> Result<String> {
    let engine = app.engine();
    let press: Press = if adopt {
        engine.adopt(AdoptRequest { project, connection, slug, take_over: false }).await?
    } else {
        engine.build(BuildRequest { project, connection, slug }).await?
    };
    app.presses().keep(project, press.clone());
    let end = press.finished().await;
    match end.error {
        Some(error) => Err(error.into()),
        None if end.status == RunStatus::Succeeded => Ok(end.run.to_string()),
        None => Err(ApiError::new(
            Code::DistributionFailed,
            format!("The distribution was not made: the run ended as {}.", end.status),
        )),
    }
}

async fn source(app: &App, id: &str) -> Result<Source> {
    let source = app.store().source(input::source(id)?).await?.filter(|source| source.deleted_at.is_none());
    source.ok_or_else(|| ApiError::new(Code::SourceMissing, "This source does not exist or was retired."))
}

/// Archives a project, or takes it out of the archive.
///
/// # Errors
/// `project_missing`; `sync_in_progress` with the holder.
pub async fn archive(app: &App, project: &str, archived: bool) -> Result<()> {
    let project = one(app, input::project(project)?).await?;
    let state = match (archived, &project.distribution) {
        (true, _) => ProjectState::Archived,
        (false, Some(_)) => ProjectState::Published,
        (false, None) => ProjectState::Draft,
    };
    if project.state == ProjectState::Archived || archived {
        let wanted = if archived { "it cannot be archived now" } else { "it stays in the archive for now" };
        if let Err(error) = app.store().project_set_state(project.id, state, &app.actor()).await {
            return Err(leases::in_the_way(app, error, wanted).await);
        }
    }
    Ok(())
}

/// Soft-deletes a project. Nothing is deleted at the forge, and its history stays.
///
/// # Errors
/// `project_missing`; `sync_in_progress` with the holder.
pub async fn delete(app: &App, project: &str) -> Result<()> {
    let project = one(app, input::project(project)?).await?;
    match app.store().project_delete(project.id, &app.actor()).await {
        Ok(()) => Ok(()),
        Err(error) => Err(leases::in_the_way(app, error, "it cannot be deleted now").await),
    }
}

/// The project with this name, or id, as a script calls it.
///
/// # Errors
/// `project_missing`.
pub async fn named(app: &App, name: &str) -> Result<String> {
    let wanted = name.trim();
    let all = app.store().projects().await?;
    let exact = all.iter().find(|project| project.name == wanted || project.id.to_string() == wanted);
    let found = exact.or_else(|| all.iter().find(|project| project.name.eq_ignore_ascii_case(wanted)));
    found.map(|project| project.id.to_string()).ok_or_else(|| {
        ApiError::new(Code::ProjectMissing, format!("There is no project {wanted:?}."))
            .hinted("lockstep project list shows all of them.")
    })
}

/// A project that is not deleted.
pub(crate) async fn one(app: &App, id: ProjectId) -> Result<Project> {
    let project = app.store().project(id).await?.filter(|project| project.deleted_at.is_none());
    project.ok_or_else(missing)
}

fn missing() -> ApiError {
    ApiError::new(Code::ProjectMissing, "This project does not exist or was deleted.")
}

/// Everything about one project.
pub(crate) async fn facts(app: &App, id: ProjectId, only: Option<&[RecipientId]>) -> Result<Facts> {
    let project = one(app, id).await?;
    let source = app.store().source(project.source).await?.filter(|source| source.deleted_at.is_none());
    let lease = app.store().lease(id).await?.ok_or_else(missing)?;
    Facts::read(app, project, source, lease, only).await
}

/// The newest run, when it was interrupted and nobody has taken over.
fn resumable(recent: &[RunView], lease: LeaseState) -> Option<RunView> {
    let free = matches!(lease, LeaseState::Free | LeaseState::Reclaimable);
    recent
        .first()
        .filter(|run| free && run.status == RunStatus::Interrupted && run.kind == RunKind::Sync)
        .cloned()
}

/// The row in the list; `recent` are the project's newest runs.
fn row(facts: &Facts, recent: &[RunView], ours: &Holder) -> ProjectRow {
    let resumable = resumable(recent, facts.lease.state());
    facts.project_row(kind(facts, resumable.is_some()), resumable, ours)
}

/// What the primary button would do, in numbers.
async fn forecast(app: &App, facts: &Facts, kind: PressKind) -> Result<PressForecast> {
    let cost = app.engine().forecast(facts.project.id).await?;
    let recipients = match kind {
        PressKind::Owed => facts.owed(),
        PressKind::None => 0,
        _ => cost.takes_part.min(count(facts.recipients.len())),
    };
    Ok(PressForecast {
        kind,
        commits: cost.commits,
        recipients,
        requests: cost.requests,
        seconds: cost.seconds,
    })
}

fn kind(facts: &Facts, resumable: bool) -> PressKind {
    let live = matches!(facts.lease.state(), LeaseState::Live | LeaseState::Late | LeaseState::ClockAhead);
    if live {
        PressKind::Watch
    } else if facts.project.state == ProjectState::Archived || facts.project.distribution.is_none() {
        PressKind::None
    } else if resumable {
        PressKind::Resume
    } else if facts.project.branches.iter().any(|branch| branch.ahead.wants_a_press()) {
        PressKind::Sync
    } else if facts.owed() > 0 {
        PressKind::Owed
    } else {
        PressKind::Again
    }
}
