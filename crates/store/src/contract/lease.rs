//! The lease: what is asked and how it ends.

use std::fmt;

use async_trait::async_trait;
use lockstep_domain::clock::BootMillis;
use lockstep_domain::ids::{ProjectId, RunId};
use lockstep_domain::lease::{CancelAsk, Holder, LeaseGuard, LeaseView, OwnerToken, Progress, Window};
use lockstep_domain::model::{Run, Selection};
use lockstep_domain::outcome::RunKind;

use super::{Ending, Result};

/// A claim attempt.
#[derive(Debug)]
pub struct ClaimRequest {
    /// Whose lease.
    pub project: ProjectId,
    /// Id of the run that is born with it.
    pub run: RunId,
    /// Kind of press.
    pub kind: RunKind,
    /// Who and where.
    pub holder: Holder,
    /// Whom the run covers.
    pub selection: Selection,
    /// Window of this claim.
    pub window: Window,
    /// Run it resumes.
    pub resumes: Option<RunId>,
    /// Fresh token of this attempt.
    pub token: OwnerToken,
    /// Boot clock just before the call.
    pub sent: BootMillis,
}

/// How a claim ended.
#[derive(Debug)]
pub enum Claim {
    /// Ours.
    Claimed {
        /// The proof.
        guard: LeaseGuard,
        /// The run born with it.
        run: Box<Run>,
        /// Whose dead lease was replaced, if any.
        replaced: Option<Box<LeaseView>>,
    },
    /// Somebody live holds it.
    InProgress(Box<LeaseView>),
    /// No such project, or deleted.
    ProjectMissing,
    /// Its source does not exist or was retired.
    SourceMissing,
}

/// How a renewal ended. An `Err` is *unknown*, not lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Renewal {
    /// Still ours; what is left by the database's clock, and a cancel asked for this fence.
    Held {
        /// Milliseconds until expiry.
        left_ms: i64,
        /// Asked to cancel.
        cancel: Option<CancelAsk>,
    },
    /// Not ours, or expired: stop.
    Lost,
}

/// How an ask to cancel ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CancelResult {
    /// Stamped now.
    Asked,
    /// Somebody was first.
    AlreadyAsked(CancelAsk),
    /// Already finished or replaced: no such fence is held.
    NotRunning,
}

/// How a reclaim ended.
#[derive(Debug)]
pub enum Reclaim {
    /// The lease is free, the run `interrupted`.
    Reclaimed,
    /// The rule does not allow it; state and seconds left are in the view.
    Refused(Box<LeaseView>),
    /// Another fence or no owner by now.
    AlreadyFinished,
}

/// A line of its own for one lease: renewals never wait behind work. Open it on the runtime that uses it.
#[async_trait]
pub trait LeaseLine: Send + Sync + fmt::Debug {
    /// Renews: lock by token and fence, then test LIVE and not deleted (docs/LEASES.md sections 4 and 6).
    async fn renew(&self, guard: &LeaseGuard, progress: Option<&Progress>) -> Result<Renewal>;
    /// Read only; authorises nothing by itself.
    async fn fence_check(&self, guard: &LeaseGuard) -> Result<Renewal>;
    /// Writes a progress snapshot without extending the lease; `false`: not ours.
    async fn progress(&self, guard: &LeaseGuard, progress: &Progress) -> Result<bool>;
    /// Gives the lease back also when expired but not replaced; `false`: harmless no-op.
    async fn release(&self, guard: &LeaseGuard, ending: &Ending) -> Result<bool>;
    /// Resolves when this lease may have changed by another hand (cancel asked), or after `poll_ms`.
    async fn nudged(&self, guard: &LeaseGuard, poll_ms: u64) -> Result<()>;
    /// Closes its connections.
    async fn close(&self);
}
