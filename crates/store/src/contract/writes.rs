//! What a run reads and writes under its lease, and its pace.

use lockstep_domain::ahead::Ahead;
use lockstep_domain::clock::Millis;
use lockstep_domain::code::Code;
use lockstep_domain::ids::RecipientId;
use lockstep_domain::model::{Counts, ProjectState, PullRow, Recipient, RepoIdent, Spent};
use lockstep_domain::names::{BranchName, Oid};
use lockstep_domain::outcome::{Outcome, Reason, RunStatus};

use super::RecipientPatch;

/// What the distribution step publishes: one transaction (docs/SYNC.md).
#[derive(Debug, Clone, Default)]
pub struct Publication {
    /// The distribution, when this run built or adopted it.
    pub distribution: Option<RepoIdent>,
    /// Per branch.
    pub branches: Vec<PublishedBranch>,
    /// Items planned for the pass; a pair (recipient, branch) once.
    pub items: Vec<(RecipientId, BranchName)>,
}

/// One branch of a publication.
#[derive(Debug, Clone)]
pub struct PublishedBranch {
    /// The branch.
    pub branch: BranchName,
    /// Source sha handed out; `None`: unknown (adopted).
    pub handed_out: Option<Oid>,
    /// Head of the distribution.
    pub dist_head: Oid,
    /// Update number.
    pub update_number: u32,
    /// Fingerprint.
    pub fingerprint: String,
    /// Ahead after it.
    pub ahead: Ahead,
    /// Paths that are new in the distribution (first handed out now, or un-orphaned).
    pub added: Vec<String>,
    /// Paths that the source dropped (orphaned, never deleted).
    pub removed: Vec<String>,
}

/// How a run ends.
#[derive(Debug, Clone)]
pub struct Ending {
    /// Computed status, never mapped again.
    pub status: RunStatus,
    /// Code and plain text of an early end.
    pub error: Option<(Code, String)>,
    /// Per-recipient counts.
    pub counts: Counts,
    /// What was spent.
    pub spent: Spent,
    /// Ahead recomputed against the newest seen heads.
    pub ahead: Vec<(BranchName, Ahead)>,
}

/// The head that an item is about to push: recorded before any ref moves.
#[derive(Debug, Clone)]
pub struct ItemRecord {
    /// Recipient.
    pub recipient: RecipientId,
    /// Branch.
    pub branch: BranchName,
    /// Expected old value of the sync branch.
    pub expected_old: Option<Oid>,
    /// Value it gets.
    pub new: Oid,
}

/// The end of an item, with everything learned about its recipient.
#[derive(Debug, Clone)]
pub struct ItemDone {
    /// Recipient.
    pub recipient: RecipientId,
    /// Branch.
    pub branch: BranchName,
    /// How it ended.
    pub outcome: Outcome,
    /// Why.
    pub reason: Option<Reason>,
    /// In plain words.
    pub cause: String,
    /// Decisive request id.
    pub request_id: Option<String>,
    /// Distribution head that now counts as delivered; `None` keeps the old one.
    pub delivered: Option<Oid>,
    /// Forecast number of conflicting paths.
    pub conflicts: Option<u32>,
    /// The pull request as now known; `None` leaves the row.
    pub pull: Option<PullRow>,
    /// State and name of the recipient when they changed.
    pub patch: RecipientPatch,
}

/// What the pass reads just before a push, in one statement with the database's clock.
#[derive(Debug, Clone)]
pub struct PassRead {
    /// The database's clock.
    pub db_now: Millis,
    /// State of the project now.
    pub project_state: ProjectState,
    /// Whether the project or its source was deleted meanwhile.
    pub deleted: bool,
    /// Deadline of the project.
    pub deadline: Option<Millis>,
    /// The recipient; `None` when it vanished.
    pub recipient: Option<Recipient>,
}

/// A verdict of the decision, immutable for its key.
#[derive(Debug, Clone)]
pub struct Verdict {
    /// Recipient.
    pub recipient: RecipientId,
    /// Branch.
    pub branch: BranchName,
    /// Everything that decided, as one text (base oid, sync oid, new head, merged heads).
    pub key: String,
    /// The decision as JSON.
    pub value: String,
}

/// The answer of the pacing gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    /// Reserved: send after this many milliseconds (0: now).
    Granted {
        /// Milliseconds to wait before sending.
        wait_ms: i64,
    },
    /// Blocked until then, by the database's clock; nothing was reserved.
    Blocked {
        /// When it may be asked again.
        until: Millis,
    },
}

/// Pace of content writes for one identity; limits that apply besides what was learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// Start to start, milliseconds.
    pub min_interval_ms: i64,
    /// Most in any sliding hour.
    pub per_hour: u32,
}
