//! Every way out of a run goes through here: finish, release, or, for a loser, one audit row and nothing else.

use std::time::Duration;

use lockstep_domain::code::Code;
use lockstep_domain::model::Counts;
use lockstep_domain::outcome::RunStatus;
use lockstep_domain::stop::StopReason;
use lockstep_store::{Ending, Publication, StoreError};

use crate::ahead;
use crate::error::EngineError;
use crate::press::RunEnd;
use crate::request::Prepared;
use crate::request::open::ended_early;
use crate::run::{Halt, RunContext};

/// Attempts to finish while the database is busy or its answer was lost.
const FINISH_ATTEMPTS: u32 = 5;

/// The computed end of a run whose distribution step stands (or is written with it).
pub(crate) struct Done {
    pub(crate) ending: Ending,
    /// For drafts, empty selections, build and adopt: written in the same transaction.
    pub(crate) publication: Option<Publication>,
    pub(crate) error: Option<EngineError>,
}

impl Done {
    /// An end without a pass.
    pub(crate) async fn early(
        ctx: &RunContext,
        prepared: &Prepared,
        publication: Option<Publication>,
    ) -> Self {
        let ahead = ahead::after(ctx, prepared).await;
        let ending = Ending {
            status: RunStatus::Succeeded,
            error: None,
            counts: Counts::default(),
            spent: ctx.spent(),
            ahead,
        };
        Self { ending, publication, error: None }
    }
}

/// Ends the run as it ended.
pub(crate) async fn end(ctx: &RunContext, result: Result<Done, Halt>) -> RunEnd {
    match result {
        // Quitting gives the lease back; everything else that went through the pass is a finish.
        Ok(done) if done.ending.status == RunStatus::Interrupted => release(ctx, done).await,
        Ok(done) => finish(ctx, done).await,
        Err(halt) => halted(ctx, halt).await,
    }
}

async fn halted(ctx: &RunContext, halt: Halt) -> RunEnd {
    let (status, error) = match halt {
        Halt::Lost => return lost(ctx, "stopped before the end").await,
        Halt::Cancelled { by, reason } => (RunStatus::Cancelled, cancelled(&by, &reason)),
        Halt::Quit => (RunStatus::Interrupted, quit()),
        Halt::Refused(error) => {
            tracing::warn!(code = %error.code, text = %error.text, "the run was refused");
            (RunStatus::Failed, error)
        }
    };
    let ending = Ending {
        status,
        error: Some((error.code, error.text.clone())),
        counts: Counts::default(),
        spent: ctx.spent(),
        ahead: Vec::new(),
    };
    release(ctx, Done { ending, publication: None, error: Some(error) }).await
}

async fn release(ctx: &RunContext, done: Done) -> RunEnd {
    let Done { ending, error, .. } = done;
    let (status, counts, spent) = (ending.status, ending.counts, ending.spent);
    match ctx.heart.release(ending).await {
        Ok(true) => RunEnd { run: ctx.run.id, status, error, counts, spent },
        Ok(false) => audit_loss(ctx, "the lease was replaced before it was given back").await,
        Err(failure) => {
            tracing::error!(error = %failure, "the lease was not given back; it runs out by itself");
            let error = error.or_else(|| Some(failure.into()));
            RunEnd { run: ctx.run.id, status: RunStatus::Interrupted, error, counts, spent }
        }
    }
}

async fn finish(ctx: &RunContext, done: Done) -> RunEnd {
    ctx.progress(|progress| "finish".clone_into(&mut progress.step));
    ctx.heart.pause().await;
    let mut attempt = 1;
    loop {
        let answer = ctx.store().finish(&ctx.guard, &done.ending, done.publication.as_ref()).await;
        match answer {
            Ok(()) => return finished(ctx, done).await,
            Err(StoreError::LeaseLost) if ended_already(ctx, &done).await => {
                return finished(ctx, done).await;
            }
            // A project deleted under us, or an expiry that nobody used: the lease may still be ours to give back.
            Err(StoreError::LeaseLost) => return give_up(ctx, done, EngineError::lost()).await,
            Err(StoreError::Busy | StoreError::Unclear) if attempt < FINISH_ATTEMPTS => {
                if ended_already(ctx, &done).await {
                    return finished(ctx, done).await;
                }
                tokio::time::sleep(Duration::from_millis(200) * attempt).await;
                attempt += 1;
            }
            Err(error) => {
                tracing::error!(%error, "the end of the run was rolled back");
                let mut error = EngineError::from(error);
                if done.publication.is_some() {
                    error = publication_failed(&error);
                }
                return give_up(ctx, done, error).await;
            }
        }
    }
}

/// Whether an earlier attempt whose answer was lost had landed.
async fn ended_already(ctx: &RunContext, done: &Done) -> bool {
    let run = ctx.store().run(ctx.run.id).await;
    run.ok().flatten().is_some_and(|run| run.ended_at.is_some() && run.status == done.ending.status)
}

async fn finished(ctx: &RunContext, done: Done) -> RunEnd {
    ctx.heart.stop().await;
    let Ending { status, counts, spent, .. } = done.ending;
    tracing::info!(%status, opened = counts.opened, updated = counts.updated, failed = counts.failed, "the run ended");
    RunEnd { run: ctx.run.id, status, error: done.error, counts, spent }
}

/// Rolled back whole: every counter zero, and the conditional release as failed.
async fn give_up(ctx: &RunContext, done: Done, error: EngineError) -> RunEnd {
    let lost = error.code == Code::LeaseLost;
    let counts = if done.publication.is_some() { Counts::default() } else { done.ending.counts };
    let ending = Ending {
        status: if lost { RunStatus::Interrupted } else { RunStatus::Failed },
        error: Some((error.code, error.text.clone())),
        counts,
        spent: ctx.spent(),
        ahead: Vec::new(),
    };
    release(ctx, Done { ending, publication: None, error: Some(error) }).await
}

/// The loser writes nothing more, save one audit row that names its own fence.
async fn lost(ctx: &RunContext, detail: &str) -> RunEnd {
    ctx.stop().stop(StopReason::LeaseLost);
    ctx.heart.stop().await;
    audit_loss(ctx, detail).await
}

async fn audit_loss(ctx: &RunContext, detail: &str) -> RunEnd {
    // Told already, unless the loss came out only when the lease was to be given back.
    ctx.stop().stop(StopReason::LeaseLost);
    let detail = ctx.heart.why_lost().unwrap_or(detail);
    if let Err(error) = ctx.store().audit_loss(&ctx.guard, detail).await {
        tracing::warn!(%error, "the loss was not audited");
    }
    ended_early(ctx, RunStatus::Interrupted, Some(EngineError::lost()))
}

pub(crate) fn publication_failed(error: &EngineError) -> EngineError {
    let text = format!("{} Nothing was recorded; press again.", error.text);
    EngineError::new(Code::PublicationFailed, text)
}

pub(crate) fn cancelled(by: &str, reason: &str) -> EngineError {
    let why = if reason.is_empty() { String::new() } else { format!(" ({reason})") };
    EngineError::new(
        Code::Cancelled,
        format!("Cancelled by {by}{why}. What was done stays; press again for the rest."),
    )
}

pub(crate) fn quit() -> EngineError {
    EngineError::new(Code::Quit, "Lockstep was closed before the end. Resume the run for the rest.")
}
