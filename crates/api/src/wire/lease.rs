//! Leases and what happened to them.

use lockstep_domain::code::Code;
use lockstep_domain::lease::LeaseState;
use lockstep_domain::model::LeaseEvent;
use lockstep_domain::outcome::{RunKind, RunStatus};
use lockstep_domain::standing::LeaseReason;
use serde::Serialize;
use specta::Type;

use super::{ProgressView, TimeMs};

/// The lease as people see it. Never the token.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct LeaseCard {
    /// Project id.
    pub project: String,
    /// Project name.
    pub project_name: String,
    /// State by the database's clock.
    pub state: LeaseState,
    /// Why it can or cannot be taken.
    pub reason: LeaseReason,
    /// Fence, as text.
    pub fence: String,
    /// Person.
    pub person: String,
    /// Operating-system user.
    pub os_user: String,
    /// Host.
    pub host: String,
    /// Process id.
    pub pid: u32,
    /// When the holder's program was started, by its machine's clock.
    pub process_start: Option<TimeMs>,
    /// Program version.
    pub app_version: String,
    /// Whether it is this very process.
    pub mine: bool,
    /// Claimed at.
    pub since: Option<TimeMs>,
    /// Last heartbeat.
    pub heartbeat_at: Option<TimeMs>,
    /// The holder's window.
    pub window_ms: u32,
    /// The database's clock at the read.
    #[specta(type = super::Told)]
    pub now: TimeMs,
    /// Milliseconds until another may claim; 0: now.
    pub left_ms: u32,
    /// Whether the holder was proven dead on this machine.
    pub proven_dead: bool,
    /// One sentence: who holds it, since when, why it can or cannot be taken and when.
    pub sentence: String,
    /// Running run.
    pub run: Option<String>,
    /// Progress.
    pub progress: Option<ProgressView>,
    /// Asked to cancel by, with reason.
    pub cancel_by: Option<String>,
    /// When that was asked.
    pub cancel_at: Option<TimeMs>,
    /// How the last run that gave the lease back ended.
    pub last_status: Option<RunStatus>,
    /// When.
    pub last_at: Option<TimeMs>,
}

/// One sentence on a lease, and the same as fields. Times in milliseconds by the database's clock.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LeaseExplained {
    /// Who holds it, since when, when it was heard, on what it works, why it can or cannot be taken and when.
    pub sentence: String,
    /// Project name.
    pub project_name: String,
    /// State for people.
    pub state: LeaseState,
    /// Why it can or cannot be taken.
    pub reason: LeaseReason,
    /// Whether another may take it now.
    pub takeable: bool,
    /// Until another may take it, if no heartbeat comes; 0: now; absent: unknown.
    pub left_ms: Option<u32>,
    /// Age of the last heartbeat; negative: it lies in the future.
    pub beat_ms: Option<TimeMs>,
    /// How long it has been held.
    pub held_ms: Option<TimeMs>,
    /// Age of the read; absent: it never could be read.
    pub read_ms: Option<TimeMs>,
    /// The lease itself, when it could be read.
    pub lease: Option<LeaseCard>,
}

/// One event in the life of a lease.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct LeaseEventView {
    /// Position, as text.
    pub seq: String,
    /// When.
    #[specta(type = super::Told)]
    pub at: TimeMs,
    /// What happened.
    pub event: LeaseEvent,
    /// Project id.
    pub project: String,
    /// Its name, also when it was deleted since.
    pub project_name: String,
    /// The fence concerned, as text; of a loser its own.
    pub fence: String,
    /// The run of that fence.
    pub run: Option<String>,
    /// Who did it.
    pub person: String,
    /// Where, as `user@host`.
    pub machine: String,
    /// The other side: who was replaced, taken back from, or asked to stop; empty when nobody.
    pub other_person: String,
    /// Their machine.
    pub other_host: String,
    /// Claims: the kind of press.
    pub kind: Option<RunKind>,
    /// Ends: the status of the run.
    pub status: Option<RunStatus>,
    /// Ends: why it ended early.
    pub code: Option<Code>,
    /// Late renewals and reclaims: age of the heartbeat before; negative: it lay in the future.
    pub beat_ms: Option<TimeMs>,
    /// Reclaims: the holder was proven dead on this machine.
    pub proven_dead: bool,
    /// In a person's words, or why a lease was lost.
    pub text: String,
}

/// A page of the history of leases, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct LeaseHistory {
    /// The events.
    pub rows: Vec<LeaseEventView>,
    /// Where the next page begins; absent: this was the last one.
    pub before: Option<String>,
}
