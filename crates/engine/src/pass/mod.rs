//! The pass: two stages over the recipients (docs/SYNC.md).
//!
//! Decide and push run for a few recipients at a time; announce runs one at a time through the pacing gate, in the same
//! order, so that throttling never stops pushes.

mod announce;
mod cache;
mod close;
mod decide;
mod gate;
mod outcome;
pub(crate) mod owed;
mod push;
mod read;
pub(crate) mod select;
mod work;
mod write;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::StreamExt as _;
use lockstep_domain::code::Code;
use lockstep_domain::ids::{ConnectionId, RecipientId};
use lockstep_domain::model::{Project, PullRow};
use lockstep_domain::names::BranchName;
use lockstep_domain::stop::StopReason;
use lockstep_store::StoreError;
use tokio::sync::mpsc;

use crate::error::EngineError;
use crate::privacy::Finder;
use crate::request::Prepared;
use crate::request::build::BuiltBranch;
use crate::request::end::Done;
use crate::run::{Halt, RunContext};
use announce::Handed;
use outcome::Tally;
pub(crate) use outcome::pull_row;
use select::Planned;

/// Recipients per batched read.
const BATCH: usize = 50;
/// Unanswered calls in a row after which the forge counts as down for all.
const DOWN_AFTER: u32 = 5;
/// Attempts of a guarded write while the database is busy.
const WRITE_ATTEMPTS: u32 = 4;

/// What all workers of a pass share.
pub(crate) struct Pass {
    ctx: Arc<RunContext>,
    project: Project,
    branches: Vec<BuiltBranch>,
    finder: Option<Finder>,
    send_again: bool,
    pulls: HashMap<(RecipientId, BranchName), PullRow>,
    /// Name of the pacing gate per connection.
    gates: HashMap<ConnectionId, String>,
    tally: Mutex<Tally>,
    fault: Mutex<Option<EngineError>>,
    unanswered: AtomicU32,
}

/// Runs the pass to its end, whatever that is.
pub(crate) async fn run(
    ctx: &Arc<RunContext>,
    prepared: Prepared,
    plan: Vec<Planned>,
    send_again: bool,
) -> Result<Done, Halt> {
    ctx.progress(|progress| "pass".clone_into(&mut progress.step));
    let pass = Arc::new(Pass::new(ctx, &prepared, &plan, send_again).await?);
    let (feed, todo) = mpsc::unbounded_channel();
    let announcing = tokio::spawn(announce::run(pass.clone(), todo));
    let decided = decide_all(&pass, plan, feed).await;
    let announced = announcing.await.unwrap_or_else(|panic| {
        tracing::error!(%panic, "announcing panicked");
        Err(Halt::Refused(EngineError::new(Code::Bug, "Lockstep made an error while announcing.")))
    });
    for halt in [decided, announced].into_iter().filter_map(Result::err) {
        pass.halt(halt);
    }
    pass.done(&prepared).await
}

/// The first stage.
async fn decide_all(
    pass: &Arc<Pass>,
    plan: Vec<Planned>,
    feed: mpsc::UnboundedSender<Handed>,
) -> Result<(), Halt> {
    for batch in select::batches(plan, BATCH) {
        pass.ctx.fence().await?;
        let jobs = read::read(pass, batch).await?;
        let parallel = pass.ctx.parts.settings.parallel.max(1);
        let mut working = futures::stream::iter(jobs)
            .map(|job| {
                let pass = pass.clone();
                async move { Box::pin(work::work(&pass, job)).await }
            })
            .buffered(parallel);
        let mut halted = None;
        while let Some(worked) = working.next().await {
            match worked {
                Ok(Some(handed)) => {
                    // The announcer outlives this stage; if it is gone, its own error is the one that counts.
                    let _ended = feed.send(handed);
                }
                Ok(None) => {}
                // The others of this batch come to their own end: they meet the same stop.
                Err(halt) => {
                    pass.halt(halt.clone());
                    halted.get_or_insert(halt);
                }
            }
        }
        if let Some(halt) = halted {
            return Err(halt);
        }
    }
    Ok(())
}

impl Pass {
    async fn new(
        ctx: &Arc<RunContext>,
        prepared: &Prepared,
        plan: &[Planned],
        send_again: bool,
    ) -> Result<Self, Halt> {
        let project = prepared.project.clone();
        let pulls = ctx.store().pulls(project.id).await.map_err(EngineError::from)?;
        let connections = ctx.store().connections().await.map_err(EngineError::from)?;
        Ok(Self {
            ctx: ctx.clone(),
            branches: prepared.built.branches.clone(),
            finder: prepared.finder.clone(),
            send_again,
            pulls: pulls.into_iter().map(|p| ((p.recipient, p.branch.clone()), p)).collect(),
            gates: connections.iter().map(|c| (c.id, gate::name(c))).collect(),
            tally: Mutex::new(Tally::of(plan)),
            fault: Mutex::new(None),
            unanswered: AtomicU32::new(0),
            project,
        })
    }

    fn branch(&self, name: &BranchName) -> Result<&BuiltBranch, Halt> {
        self.branches.iter().find(|branch| branch.branch == *name).ok_or_else(|| {
            Halt::Refused(EngineError::new(Code::Bug, format!("The branch {name} was not built.")))
        })
    }

    /// Passes a reason to stop on to everybody; the first one stays, a lost lease outranks.
    fn halt(&self, halt: Halt) {
        let reason = match halt {
            Halt::Lost => StopReason::LeaseLost,
            Halt::Cancelled { by, reason } => StopReason::Cancelled { by, reason },
            Halt::Quit => StopReason::Quit,
            Halt::Refused(error) => {
                let code = error.code;
                self.fault.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                StopReason::Fault(code)
            }
        };
        self.ctx.stop().stop(reason);
    }

    /// An answer of the forge arrived.
    fn answered(&self) {
        self.unanswered.store(0, Ordering::Relaxed);
    }

    /// The forge did not answer once more: after a few in a row that concerns all.
    fn unanswered(&self, why: &str) -> Result<(), Halt> {
        if self.unanswered.fetch_add(1, Ordering::Relaxed) + 1 < DOWN_AFTER {
            return Ok(());
        }
        let text = format!("GitHub does not answer: {why}. The rest is left as planned; press again later.");
        Err(Halt::Refused(EngineError::new(Code::ForgeUnreachable, text)))
    }

    /// A guarded write of the run's own rows: tried again while the database is busy, lost when it says so.
    async fn guarded<F>(&self, write: impl Fn() -> F) -> Result<(), Halt>
    where
        F: Future<Output = Result<(), StoreError>>,
    {
        let mut attempt = 1;
        loop {
            if self.ctx.stop().is_lost() {
                return Err(Halt::Lost);
            }
            match write().await {
                Ok(()) => return Ok(()),
                Err(StoreError::LeaseLost) => return Err(Halt::Lost),
                // These writes say what is, so that repeating one that landed changes nothing.
                Err(StoreError::Busy | StoreError::Unclear) if attempt < WRITE_ATTEMPTS => {
                    tokio::time::sleep(Duration::from_millis(50) * attempt).await;
                    attempt += 1;
                }
                Err(error) => return Err(EngineError::from(error).into()),
            }
        }
    }
}
