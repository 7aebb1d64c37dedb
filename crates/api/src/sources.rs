//! Sources: repositories that staff registered.

use lockstep_domain::code::Code;
use lockstep_domain::ids::SourceId;
use lockstep_domain::model::{Connection, Project, RepoIdent, Source};

use crate::app::App;
use crate::error::Result;
use crate::rows::ahead_views;
use crate::wire::{ApiError, SourceHeadView, SourceProject, SourceView};
use crate::words::ms;
use crate::{input, leases, pages};

/// All sources that were not retired, by name.
///
/// # Errors
/// The database's trouble.
pub async fn list(app: &App) -> Result<Vec<SourceView>> {
    let connections = app.store().connections().await?;
    let projects = app.store().projects().await?;
    let sources = app.store().sources().await?;
    Ok(sources.iter().map(|source| view(source, &connections, &projects)).collect())
}

/// Registers a repository as a source and looks at it for the first time.
///
/// # Errors
/// `repository_not_found`, `already_exists`, the forge's or the database's trouble.
pub async fn add(app: &App, connection: &str, repo: &str) -> Result<SourceView> {
    let connection = input::connection(connection)?;
    let forge = app.forges().of(connection).await?;
    let found = forge.repository_by_name(&input::slug(repo)?).await?;
    let ident = RepoIdent { connection, id: found.id, node_id: found.node_id, slug: found.slug };
    let source = app.store().source_insert(&ident, &app.actor()).await?;
    // It is registered; trouble at the first look is shown on it.
    if let Err(error) = app.engine().check_source(source.id).await {
        tracing::info!(code = error.code.as_str(), source.id = %source.id, "the first look failed");
    }
    one(app, source.id).await
}

/// Looks at a source now: heads, name, trouble, and how far it is ahead of each of its projects.
///
/// # Errors
/// `source_missing`; the forge's trouble, recorded first.
pub async fn check(app: &App, source: &str) -> Result<SourceView> {
    let id = input::source(source)?;
    app.engine().check_source(id).await?;
    one(app, id).await
}

/// Soft-deletes a source; its projects can be synced no more.
///
/// # Errors
/// `sync_in_progress` with the holder while one of its projects is being synced.
pub async fn retire(app: &App, source: &str) -> Result<()> {
    match app.store().source_retire(input::source(source)?, &app.actor()).await {
        Ok(()) => Ok(()),
        Err(error) => Err(leases::in_the_way(app, error, "its source cannot be retired now").await),
    }
}

/// The source with this name, as a script calls it: `owner/name`, or its id.
///
/// # Errors
/// `source_missing`; `bad_input` when several connections know that name.
pub async fn named(app: &App, name: &str) -> Result<SourceView> {
    let wanted = input::slug(name).map(|slug| slug.to_string()).unwrap_or_else(|_| name.to_owned());
    let mut found: Vec<SourceView> = list(app)
        .await?
        .into_iter()
        .filter(|source| source.name.eq_ignore_ascii_case(&wanted) || source.id == name)
        .collect();
    match (found.pop(), found.is_empty()) {
        (Some(source), true) => Ok(source),
        (Some(_), false) => Err(ApiError::bad_input(format!(
            "{wanted} is registered through several connections. Name it by its id."
        ))),
        (None, _) => Err(ApiError::new(Code::SourceMissing, format!("There is no source {wanted}."))
            .hinted("Register it first: lockstep source add OWNER/NAME.")),
    }
}

async fn one(app: &App, id: SourceId) -> Result<SourceView> {
    let source = app.store().source(id).await?.filter(|source| source.deleted_at.is_none());
    let source =
        source.ok_or_else(|| ApiError::new(Code::SourceMissing, "This source was retired meanwhile."))?;
    let connections = app.store().connections().await?;
    let projects = app.store().projects().await?;
    Ok(view(&source, &connections, &projects))
}

fn view(source: &Source, connections: &[Connection], projects: &[Project]) -> SourceView {
    let connection = connections.iter().find(|connection| connection.id == source.repo.connection);
    SourceView {
        id: source.id.to_string(),
        name: source.repo.slug.to_string(),
        url: pages::repository(connections, &source.repo),
        connection: connection.map_or_else(String::new, |connection| connection.name.clone()),
        heads: source
            .heads
            .iter()
            .map(|head| SourceHeadView {
                branch: head.branch.to_string(),
                oid: head.oid.map(|oid| oid.to_string()),
                seen_at: ms(head.seen_at),
            })
            .collect(),
        checked_at: source.checked_at.map(ms),
        trouble: source.trouble,
        projects: projects
            .iter()
            .filter(|project| project.source == source.id)
            .map(|project| SourceProject {
                id: project.id.to_string(),
                name: project.name.clone(),
                ahead: ahead_views(project, Some(source)),
            })
            .collect(),
    }
}
