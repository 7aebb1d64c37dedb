//! Runs and their progress.

use lockstep_domain::code::Code;
use lockstep_domain::model::{Counts, Spent};
use lockstep_domain::outcome::{RunKind, RunStatus};
use serde::{Deserialize, Serialize};
use specta::Type;

use super::TimeMs;

/// Progress of a live run. Counters never go backwards.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ProgressView {
    /// `collect`, `build`, `push_distribution`, `publish`, `pass`, `finish`.
    pub step: String,
    /// Items done.
    pub done: u32,
    /// Items planned.
    pub planned: u32,
    /// Failed so far.
    pub failed: u32,
    /// What is worked on.
    pub current: String,
    /// Throttled until.
    pub waiting_until: Option<TimeMs>,
    /// Honest end time, once it can be told.
    pub ends_at: Option<TimeMs>,
    /// The call under way that ends last: what a stop has to wait for.
    pub call: Option<CallView>,
}

/// A call under way.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct CallView {
    /// `fetch`, `push`, `request`, `wait`.
    pub call: String,
    /// To which repository or at which host.
    pub target: String,
    /// When it ends at the latest.
    #[specta(type = super::Told)]
    pub until: TimeMs,
}

/// A run.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RunView {
    /// Its id.
    pub id: String,
    /// Project id.
    pub project: String,
    /// Kind.
    pub kind: RunKind,
    /// Status; `interrupted` is derived from the lease.
    pub status: RunStatus,
    /// Fence, as text.
    pub fence: String,
    /// Person.
    pub person: String,
    /// Host.
    pub host: String,
    /// Whether it runs in this very process.
    pub mine: bool,
    /// Start.
    #[specta(type = super::Told)]
    pub started_at: TimeMs,
    /// End.
    pub ended_at: Option<TimeMs>,
    /// Counts per recipient.
    pub counts: Counts,
    /// Spent.
    pub spent: Spent,
    /// Whom it covers.
    pub selection: SelectionKind,
    /// How many were chosen, for `these`.
    pub chosen: u32,
    /// Id of the run it resumes.
    pub resumes: Option<String>,
    /// Code of an early end.
    pub error: Option<Code>,
    /// Its words in English, for whoever looks into it.
    pub error_text: String,
    /// Whether the same press may work later unchanged, for an early end.
    pub retryable: bool,
    /// Names the log lines of an early end: the last eight digits of the run's id, which each of them carries.
    pub ref_id: Option<String>,
    /// Progress while live.
    pub progress: Option<ProgressView>,
}

/// Whom a run covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum SelectionKind {
    /// Every recipient.
    All,
    /// Those that are owed.
    Owed,
    /// The distribution only.
    Nobody,
    /// Chosen ones.
    These,
}

/// What to sync.
#[derive(Debug, Clone, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct SyncInput {
    /// Project id.
    pub project: String,
    /// `all`, `owed`, or `these` with recipients.
    pub selection: String,
    /// Recipient ids, for `these`.
    pub recipients: Vec<String>,
    /// Run to resume.
    pub resumes: Option<String>,
}

/// A press that got the lease.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct SyncStarted {
    /// Run id.
    pub run: String,
    /// Fence, as text.
    pub fence: String,
}
