//! A project's distribution: built anew, or taken as it is (docs/SYNC.md).

mod build;
mod take;

use std::sync::Arc;

use lockstep_domain::code::Code;
use lockstep_domain::ids::{ConnectionId, ProjectId};
use lockstep_domain::model::{ProjectState, RepoIdent, Selection};
use lockstep_domain::names::RepoSlug;
use lockstep_domain::outcome::RunKind;
use lockstep_domain::ports::RepoInfo;

use crate::engine::EngineParts;
use crate::error::EngineError;
use crate::press::Press;
use crate::request::end::Done;
use crate::request::open::{self, Start};
use crate::request::{Prepared, publish};
use crate::run::RunContext;

/// A distribution to build.
#[derive(Debug, Clone)]
pub struct BuildRequest {
    /// The project.
    pub project: ProjectId,
    /// Through which account it is written.
    pub connection: ConnectionId,
    /// Its name; when taken, a number is appended.
    pub slug: RepoSlug,
}

/// A distribution that exists.
#[derive(Debug, Clone)]
pub struct AdoptRequest {
    /// The project.
    pub project: ProjectId,
    /// Through which account it is written.
    pub connection: ConnectionId,
    /// The repository.
    pub slug: RepoSlug,
    /// Take it over although another database drives it.
    pub take_over: bool,
}

pub(crate) async fn build(parts: &Arc<EngineParts>, request: BuildRequest) -> Result<Press, EngineError> {
    let start = ready(parts, request.project, request.connection).await?;
    open::start(parts, start, move |ctx| build::drive(ctx, request)).await
}

pub(crate) async fn adopt(parts: &Arc<EngineParts>, request: AdoptRequest) -> Result<Press, EngineError> {
    let start = ready(parts, request.project, request.connection).await?;
    open::start(parts, start, move |ctx| take::drive(ctx, request)).await
}

/// What is refused before the claim.
async fn ready(
    parts: &Arc<EngineParts>,
    project: ProjectId,
    connection: ConnectionId,
) -> Result<Start, EngineError> {
    let (found, source) = open::exists(parts, project).await?;
    parts.store.check_whole().await?;
    if found.state == ProjectState::Archived {
        return Err(open::archived(&found));
    }
    if let Some(dist) = &found.distribution {
        return Err(EngineError::new(
            Code::AlreadyExists,
            format!("{:?} has the distribution {} already. Press Sync instead.", found.name, dist.slug),
        ));
    }
    open::usable(parts, &[source.repo.connection, connection]).await?;
    Ok(Start { project, kind: RunKind::Build, selection: Selection::Nobody, resumes: None })
}

/// The end of both: the project learns its distribution and its branches in one transaction.
async fn done(ctx: &RunContext, prepared: &Prepared, connection: ConnectionId, dist: RepoInfo) -> Done {
    let mut publication = publish::publication(&prepared.built, &[]);
    let ident = RepoIdent { connection, id: dist.id, node_id: dist.node_id, slug: dist.slug };
    publication.distribution = Some(ident);
    Done::early(ctx, prepared, Some(publication)).await
}
