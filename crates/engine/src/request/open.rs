//! Steps 1 to 4: what is refused here left nothing behind. And the task that a run is.

use std::future::Future;
use std::sync::Arc;

use lockstep_domain::code::Code;
use lockstep_domain::ids::{ConnectionId, ProjectId, RunId};
use lockstep_domain::lease::{LeaseGuard, LeaseState};
use lockstep_domain::model::{ConnectionState, Counts, Project, ProjectState, Run, Selection, Source, Spent};
use lockstep_domain::outcome::{RunKind, RunStatus};
use lockstep_store::{Claim, ClaimRequest, Ending};
use tokio::sync::watch;
use tracing::Instrument as _;

use crate::engine::EngineParts;
use crate::error::EngineError;
use crate::heartbeat::{Heart, HeartParts};
use crate::press::{Press, RunEnd};
use crate::request::end::{self, Done};
use crate::run::{Halt, RunContext};

/// The project and its source, neither deleted.
pub(crate) async fn exists(
    parts: &EngineParts,
    project: ProjectId,
) -> Result<(Project, Source), EngineError> {
    let found = parts.store.project(project).await?.filter(|p| p.deleted_at.is_none());
    let project = found.ok_or_else(project_missing)?;
    let source = parts.store.source(project.source).await?.filter(|s| s.deleted_at.is_none());
    let source = source.ok_or_else(source_missing)?;
    Ok((project, source))
}

/// Not archived, a distribution, connections usable as last known.
pub(crate) async fn can_sync(
    parts: &EngineParts,
    project: &Project,
    source: &Source,
) -> Result<(), EngineError> {
    if project.state == ProjectState::Archived {
        return Err(archived(project));
    }
    let Some(distribution) = &project.distribution else {
        return Err(EngineError::new(
            Code::DistributionMissing,
            format!(
                "{:?} has no distribution yet. Build one, or adopt an existing repository.",
                project.name
            ),
        ));
    };
    usable(parts, &[source.repo.connection, distribution.connection]).await
}

/// The connections are usable as last known.
pub(crate) async fn usable(parts: &EngineParts, wanted: &[ConnectionId]) -> Result<(), EngineError> {
    for connection in parts.store.connections().await?.iter().filter(|c| wanted.contains(&c.id)) {
        let name = &connection.name;
        match connection.state {
            ConnectionState::Suspended => {
                return Err(EngineError::new(
                    Code::InstallationSuspended,
                    format!(
                        "The installation behind {name:?} is suspended. An owner of the organisation has to lift that."
                    ),
                ));
            }
            ConnectionState::NotInstalled => {
                return Err(EngineError::new(
                    Code::AppNotInstalled,
                    format!("The App behind {name:?} is not installed any more. Install it again."),
                ));
            }
            // Refused credentials are tried again: a new token may have been given since.
            ConnectionState::Usable | ConnectionState::Refused => {}
        }
    }
    Ok(())
}

pub(crate) fn archived(project: &Project) -> EngineError {
    EngineError::new(
        Code::ProjectArchived,
        format!("{:?} is archived, so nothing is synced. Unarchive it first.", project.name),
    )
}

fn project_missing() -> EngineError {
    EngineError::new(
        Code::ProjectMissing,
        "The project does not exist any more. Reload the list of projects.",
    )
}

fn source_missing() -> EngineError {
    EngineError::new(
        Code::SourceMissing,
        "The project's source was retired, so nothing is synced. Register it again for a new project.",
    )
}

/// A claim to make.
pub(crate) struct Start {
    pub(crate) project: ProjectId,
    pub(crate) kind: RunKind,
    pub(crate) selection: Selection,
    pub(crate) resumes: Option<RunId>,
}

/// Claims, starts the heart, and lets `work` run in a task of its own.
pub(crate) async fn start<W, F>(parts: &Arc<EngineParts>, start: Start, work: W) -> Result<Press, EngineError>
where
    W: FnOnce(Arc<RunContext>) -> F + Send + 'static,
    F: Future<Output = Result<Done, Halt>> + Send + 'static,
{
    let (guard, run) = claim(parts, &start).await?;
    let guard = Arc::new(guard);
    let heart_parts = HeartParts {
        store: parts.store.clone(),
        clock: parts.clock.clone(),
        ids: parts.ids.clone(),
        guard: guard.clone(),
    };
    let heart = match Heart::start(heart_parts).await {
        Ok(heart) => heart,
        Err(error) => return Err(give_back(parts, &guard, error.into()).await),
    };
    let (told, end) = watch::channel(None);
    let press = Press { run: run.id, fence: run.fence, stop: guard.stop().clone(), end };
    let span = tracing::info_span!("engine.run", project.id = %run.project, run.id = %run.id, lease.fence = run.fence.0);
    let ctx = Arc::new(RunContext::new(parts.clone(), guard, run, heart));
    let task = tokio::spawn(work(ctx.clone()).instrument(span.clone()));
    tokio::spawn(
        async move {
            let result = task.await.unwrap_or_else(|panic| {
                tracing::error!(%panic, "a run panicked");
                Err(Halt::Refused(EngineError::new(Code::Bug, "Lockstep made an error and ended the run.")))
            });
            let ended = end::end(&ctx, result).await;
            told.send_replace(Some(ended));
        }
        .instrument(span),
    );
    Ok(press)
}

async fn claim(parts: &EngineParts, start: &Start) -> Result<(LeaseGuard, Run), EngineError> {
    let mut again = true;
    loop {
        let request = ClaimRequest {
            project: start.project,
            run: RunId(parts.ids.uuid()),
            kind: start.kind,
            holder: parts.holder.clone(),
            selection: start.selection.clone(),
            window: parts.settings.window,
            resumes: start.resumes,
            token: parts.ids.token(),
            sent: parts.clock.boot(),
        };
        match parts.store.claim(&request).await? {
            Claim::Claimed { guard, run, replaced } => {
                if let Some(dead) = replaced {
                    tracing::info!(project.id = %start.project, lease.fence = dead.fence.0, "a dead lease was replaced");
                }
                return Ok((guard, *run));
            }
            Claim::InProgress(view) if again && view.state() == LeaseState::Free => again = false,
            Claim::InProgress(view) => return Err(EngineError::held(*view)),
            Claim::ProjectMissing => return Err(project_missing()),
            Claim::SourceMissing => return Err(source_missing()),
        }
    }
}

/// Gives a lease back whose heart did not start.
async fn give_back(parts: &EngineParts, guard: &LeaseGuard, error: EngineError) -> EngineError {
    let ending = Ending {
        status: RunStatus::Failed,
        error: Some((error.code, error.text.clone())),
        counts: Counts::default(),
        spent: Spent::default(),
        ahead: Vec::new(),
    };
    match parts.store.lease_line().await {
        Ok(line) => {
            if let Err(error) = line.release(guard, &ending).await {
                tracing::warn!(%error, "the lease was not given back; it runs out by itself");
            }
            line.close().await;
        }
        Err(error) => tracing::warn!(%error, "the lease was not given back; it runs out by itself"),
    }
    error
}

/// The end of a run that ended before anything was published.
pub(crate) fn ended_early(ctx: &RunContext, status: RunStatus, error: Option<EngineError>) -> RunEnd {
    RunEnd { run: ctx.run.id, status, error, counts: Counts::default(), spent: ctx.spent() }
}
