//! The audit and the change log.

use crate::clock::Millis;
use crate::code::Code;
use crate::codes;
use crate::ids::{ProjectId, RunId};
use crate::lease::Fence;
use crate::outcome::{RunKind, RunStatus};

/// One append-only audit row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditRow {
    /// Position.
    pub seq: i64,
    /// Database time.
    pub at: Millis,
    /// Person.
    pub actor: String,
    /// Machine.
    pub machine: String,
    /// Project concerned.
    pub project: Option<ProjectId>,
    /// Stable name of the event, as `lease.claimed`.
    pub event: String,
    /// Details as JSON.
    pub detail: String,
}

/// One row of the change log that windows follow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedRow {
    /// Cursor.
    pub seq: i64,
    /// Database time.
    pub at: Millis,
    /// What kind of thing changed: `project`, `lease`, `run`, `item`, `recipient`, `source`, `connection`, `pull`.
    pub topic: String,
    /// The project concerned.
    pub project: Option<ProjectId>,
    /// Id of the thing, as text.
    pub key: String,
}

codes! {
    /// What can happen to a lease.
    pub enum LeaseEvent {
        /// Claimed: a run was born with it.
        Claimed = "claimed",
        /// Renewed by a heartbeat that came when the lease was already late.
        RenewedLate = "renewed_late",
        /// A holder found that it holds it no more, and wrote nothing else.
        Lost = "lost",
        /// Taken back from a holder that is gone.
        Reclaimed = "reclaimed",
        /// A person asked the holder to stop.
        CancelAsked = "cancel_asked",
        /// Given back before the end of the work.
        Released = "released",
        /// Given back with the last write of a run.
        Finished = "finished",
    }
}

impl LeaseEvent {
    /// Its name in the audit.
    #[must_use]
    pub const fn audit_name(self) -> &'static str {
        match self {
            Self::Claimed => "lease.claimed",
            Self::RenewedLate => "lease.renewed_late",
            Self::Lost => "lease.lost",
            Self::Reclaimed => "lease.reclaimed",
            Self::CancelAsked => "lease.cancel_asked",
            Self::Released => "lease.released",
            Self::Finished => "run.finished",
        }
    }
}

/// One event in the life of a lease, as the audit keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseEntry {
    /// Position in the audit: the cursor.
    pub seq: i64,
    /// Database time.
    pub at: Millis,
    /// What happened.
    pub event: LeaseEvent,
    /// Whose lease.
    pub project: ProjectId,
    /// The fence concerned; of a loser its own.
    pub fence: Fence,
    /// The run of that fence.
    pub run: Option<RunId>,
    /// Who did it: the holder, or the person who reclaimed or asked.
    pub person: String,
    /// Where, as `user@host`.
    pub machine: String,
    /// The other side as (person, host): who was replaced, taken back from, or asked to stop.
    pub other: Option<(String, String)>,
    /// Claims: the kind of press.
    pub kind: Option<RunKind>,
    /// Ends: the status of the run.
    pub status: Option<RunStatus>,
    /// Ends: why it ended early.
    pub code: Option<Code>,
    /// Late renewals and reclaims: age of the last heartbeat in milliseconds; negative: it lay in the future.
    pub beat_ms: Option<i64>,
    /// Reclaims: the holder was proven dead on this machine.
    pub proven_dead: bool,
    /// In a person's words, or why a lease was lost.
    pub text: String,
}
