//! What the rest of the house may ask of a database. Both backends answer alike.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use lockstep_domain::ahead::Ahead;
use lockstep_domain::clock::{BootMillis, Clock, Millis};
use lockstep_domain::code::Code;
use lockstep_domain::ids::{ConnectionId, DatabaseId, Ids, ProjectId, RecipientId, RunId, SourceId};
use lockstep_domain::lease::{CancelAsk, Fence, Holder, LeaseGuard, LeaseView, OwnerToken, Progress, Window};
use lockstep_domain::model::{
    AuditRow, BranchMapping, Connection, ConnectionKind, ConnectionState, Counts, FeedRow, Item, LastOutcome,
    Project, ProjectState, PullRow, Recipient, RepoIdent, Run, Selection, Source, Spent, Strategy,
};
use lockstep_domain::names::{BranchName, Oid, RepoSlug};
use lockstep_domain::outcome::{Outcome, Reason, RunKind, RunStatus};
use lockstep_domain::skip::RecipientState;

/// What can go wrong at the database, named by what the caller can do. Texts hold no SQL and no password.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The guarded write found another owner, or an expired lease: rolled back whole, stop.
    #[error("the lease is lost")]
    LeaseLost,
    /// Something with this name exists already.
    #[error("{0} exists already")]
    AlreadyExists(String),
    /// What was named does not exist (any more).
    #[error("{0} does not exist")]
    NotFound(String),
    /// A live lease forbids it; the holder is named.
    #[error("a sync is running, held by {} on {}", .0.holder.as_ref().map_or("?", |h| &h.person), .0.holder.as_ref().map_or("?", |h| &h.host))]
    Held(Box<LeaseView>),
    /// One local transaction does not cover all run tables; the text names which.
    #[error("the tables do not share one database: {0}")]
    Split(String),
    /// Busy or timed out; nothing was written; try again.
    #[error("the database is busy")]
    Busy,
    /// A COMMIT whose answer was lost: re-read before repeating.
    #[error("the database's answer was lost")]
    Unclear,
    /// Cannot be opened, read or written; the text says why and what to do.
    #[error("{0}")]
    Unusable(String),
    /// The schema is newer than this program.
    #[error(
        "the database was upgraded by Lockstep {app} (schema {found}); this program knows schema {known}: install that version or newer"
    )]
    Newer {
        /// Schema found.
        found: i64,
        /// Schema known here.
        known: i64,
        /// Version that upgraded it.
        app: String,
    },
    /// A stored value that no version of Lockstep writes.
    #[error("the database holds an unreadable value in {place}: {value}")]
    Corrupt {
        /// Table and column.
        place: &'static str,
        /// The value.
        value: String,
    },
    /// Anything else of the driver; a bug or a broken server.
    #[error("the database failed: {0}")]
    Failed(String),
}

/// Shorthand.
pub type Result<T> = std::result::Result<T, StoreError>;

/// Which database.
#[derive(Clone)]
pub enum Place {
    /// One file.
    Sqlite(PathBuf),
    /// A server: `postgres://...`; may hold a password.
    Postgres(String),
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "Sqlite({})", path.display()),
            Self::Postgres(_) => f.write_str("Postgres(hidden)"),
        }
    }
}

/// Tells whether a process of this machine still exists; the host gives the real one.
pub trait Processes: Send + Sync + fmt::Debug {
    /// Id of this boot; empty where no dependable one exists.
    fn boot_id(&self) -> String;
    /// Whether a process with this id and start exists on this boot. When in doubt: true.
    fn exists(&self, pid: u32, start: u64) -> bool;
}

/// What a store needs of its host.
#[derive(Debug, Clone)]
pub struct Host {
    /// This machine's clocks.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub ids: Arc<dyn Ids>,
    /// Processes of this machine.
    pub processes: Arc<dyn Processes>,
    /// Version of this program.
    pub app_version: String,
}

/// What kind of database answers, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreInfo {
    /// `sqlite` or `postgres`.
    pub kind: &'static str,
    /// Its id, used in the owner mark of distributions.
    pub database: DatabaseId,
    /// Schema version.
    pub schema: i64,
    /// Version string of the engine.
    pub engine: String,
    /// The database's clock.
    pub now: Millis,
}

/// A connection to insert.
#[derive(Debug, Clone)]
pub struct NewConnection {
    /// Its id, chosen by the caller (the secret is stored under it first).
    pub id: ConnectionId,
    /// Unique name.
    pub name: String,
    /// REST base.
    pub base_url: String,
    /// Token or App.
    pub kind: ConnectionKind,
    /// App id and installation id.
    pub app: Option<(i64, i64)>,
    /// Login told by the forge.
    pub login: String,
}

/// A project to insert, with its branches and its lease row.
#[derive(Debug, Clone)]
pub struct NewProject {
    /// Unique name.
    pub name: String,
    /// Its source.
    pub source: SourceId,
    /// Fixed for life.
    pub strategy: Strategy,
    /// First state.
    pub state: ProjectState,
    /// Deadline for all.
    pub deadline: Option<Millis>,
    /// Staff's note.
    pub note: String,
    /// Handed-out branches and their names at the source, ordered.
    pub branches: Vec<(BranchName, BranchName)>,
}

/// A recipient to import; the key is (project, connection, repository id).
#[derive(Debug, Clone)]
pub struct NewRecipient {
    /// The repository.
    pub repo: RepoIdent,
    /// Person or team.
    pub label: String,
    /// Own deadline.
    pub deadline: Option<Millis>,
    /// First state.
    pub state: RecipientState,
    /// Renamed branches.
    pub mapping: Vec<BranchMapping>,
    /// Our open pull requests found in it (adopting a living course): recipient and branch are filled by the store.
    pub pulls: Vec<PullRow>,
}

/// What an import did. Nothing is ever removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Imported {
    /// New ones.
    pub added: u32,
    /// Known ones whose label, deadline or name changed.
    pub updated: u32,
    /// Known and equal.
    pub unchanged: u32,
}

/// A change that staff make to one recipient; `None` leaves as is.
#[derive(Debug, Clone, Default)]
pub struct RecipientPatch {
    /// State.
    pub state: Option<RecipientState>,
    /// Lock.
    pub locked: Option<bool>,
    /// Own deadline (`Some(None)` removes it).
    pub deadline: Option<Option<Millis>>,
    /// Person or team.
    pub label: Option<String>,
    /// Mapping.
    pub mapping: Option<Vec<BranchMapping>>,
    /// Current name.
    pub slug: Option<RepoSlug>,
}

/// Who acts, for audit rows.
#[derive(Debug, Clone)]
pub struct Actor {
    /// Person, self-declared.
    pub person: String,
    /// Machine, as `user@host`.
    pub machine: String,
}

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

/// What the distribution step publishes: one transaction (sync.md section 3, step 7).
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

/// A line of its own for one lease: renewals never wait behind work. Open it on the runtime that uses it.
#[async_trait]
pub trait LeaseLine: Send + Sync + fmt::Debug {
    /// Renews: lock by token and fence, then test LIVE and not deleted (lease.md sections 4 and 6).
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

/// The database.
#[async_trait]
pub trait Store: Send + Sync + fmt::Debug {
    /// What answers.
    async fn info(&self) -> Result<StoreInfo>;
    /// Refuses with [`StoreError::Split`] when one transaction does not cover all run tables.
    async fn check_whole(&self) -> Result<()>;
    /// Closes all connections.
    async fn close(&self);

    // connections
    /// Inserts a connection (audit, feed).
    async fn connection_insert(&self, new: &NewConnection, actor: &Actor) -> Result<Connection>;
    /// All, by name.
    async fn connections(&self) -> Result<Vec<Connection>>;
    /// State and login as last known.
    async fn connection_note(&self, id: ConnectionId, state: ConnectionState, login: &str) -> Result<()>;

    // sources
    /// Registers a source; the same repository twice is [`StoreError::AlreadyExists`].
    async fn source_insert(&self, repo: &RepoIdent, actor: &Actor) -> Result<Source>;
    /// All that are not deleted, by name, with their heads.
    async fn sources(&self) -> Result<Vec<Source>>;
    /// One, also when deleted.
    async fn source(&self, id: SourceId) -> Result<Option<Source>>;
    /// Records a whole read of its heads (missing ones become gone) or its trouble, and its current name.
    async fn source_note(
        &self,
        id: SourceId,
        heads: Option<&[(BranchName, Oid)]>,
        trouble: Option<Code>,
        slug: Option<&RepoSlug>,
    ) -> Result<()>;
    /// Soft-deletes a source: locks the lease rows of its projects in id order, refuses while one is live.
    async fn source_retire(&self, id: SourceId, actor: &Actor) -> Result<()>;

    // projects
    /// Inserts a project with its branches and its (free) lease row.
    async fn project_insert(&self, new: &NewProject, actor: &Actor) -> Result<Project>;
    /// All that are not deleted, by name.
    async fn projects(&self) -> Result<Vec<Project>>;
    /// One, also when deleted.
    async fn project(&self, id: ProjectId) -> Result<Option<Project>>;
    /// Changes state (publish, archive, unarchive); refuses while its lease is live.
    async fn project_set_state(&self, id: ProjectId, state: ProjectState, actor: &Actor) -> Result<()>;
    /// Deadline and staff's note.
    async fn project_edit(
        &self,
        id: ProjectId,
        deadline: Option<Option<Millis>>,
        note: Option<&str>,
        actor: &Actor,
    ) -> Result<()>;
    /// Soft-deletes; refuses while its lease is live.
    async fn project_delete(&self, id: ProjectId, actor: &Actor) -> Result<()>;
    /// Records how far the source is ahead.
    async fn project_note_ahead(&self, id: ProjectId, ahead: &[(BranchName, Ahead)]) -> Result<()>;

    // recipients
    /// Imports all or nothing; updates by repository, removes nothing.
    async fn recipients_import(
        &self,
        project: ProjectId,
        new: &[NewRecipient],
        actor: &Actor,
    ) -> Result<Imported>;
    /// All of a project, by repository name.
    async fn recipients(&self, project: ProjectId) -> Result<Vec<Recipient>>;
    /// A change by staff (audit, feed).
    async fn recipient_edit(&self, id: RecipientId, patch: &RecipientPatch, actor: &Actor) -> Result<()>;
    /// What the pass must know just before it pushes.
    async fn pass_read(&self, project: ProjectId, recipient: RecipientId) -> Result<PassRead>;
    /// Last outcomes of a project.
    async fn last_outcomes(&self, project: ProjectId) -> Result<Vec<LastOutcome>>;
    /// Pull requests of a project.
    async fn pulls(&self, project: ProjectId) -> Result<Vec<PullRow>>;
    /// These recipients of a project, by repository name; for one changed row of thousands.
    async fn recipients_some(&self, project: ProjectId, some: &[RecipientId]) -> Result<Vec<Recipient>>;
    /// Last outcomes of these recipients.
    async fn last_outcomes_some(&self, project: ProjectId, some: &[RecipientId]) -> Result<Vec<LastOutcome>>;
    /// Pull requests of these recipients.
    async fn pulls_some(&self, project: ProjectId, some: &[RecipientId]) -> Result<Vec<PullRow>>;
    /// Heads recorded as our own, for these recipients.
    async fn own_commits(
        &self,
        project: ProjectId,
        recipients: &[RecipientId],
    ) -> Result<Vec<(RecipientId, Oid)>>;
    /// Verdicts of these recipients.
    async fn verdicts(&self, project: ProjectId, recipients: &[RecipientId]) -> Result<Vec<Verdict>>;

    // the lease
    /// The ONE conditional update, with the run born in the same transaction (lease.md section 4).
    async fn claim(&self, request: &ClaimRequest) -> Result<Claim>;
    /// Opens a line for renewals on the CURRENT runtime.
    async fn lease_line(&self) -> Result<Arc<dyn LeaseLine>>;
    /// Asks a live holder to stop; the first ask wins; a successor is never hit.
    async fn ask_cancel(
        &self,
        project: ProjectId,
        fence: Fence,
        actor: &Actor,
        reason: &str,
    ) -> Result<CancelResult>;
    /// Ends a lease whose heartbeat proves that its holder is gone.
    async fn reclaim(&self, project: ProjectId, fence: Fence, actor: &Actor) -> Result<Reclaim>;
    /// One lease.
    async fn lease(&self, project: ProjectId) -> Result<Option<LeaseView>>;
    /// All leases of projects that are not deleted.
    async fn leases(&self) -> Result<Vec<LeaseView>>;

    // run-owned writes: each begins by locking the lease row by token and fence
    /// Records the distribution's coming heads as our own commits, before they are pushed.
    async fn record_distribution(&self, guard: &LeaseGuard, heads: &[(BranchName, Oid)]) -> Result<()>;
    /// The publication; keeps the lease, heartbeat renewed; once per fence.
    async fn publish(&self, guard: &LeaseGuard, publication: &Publication) -> Result<()>;
    /// Own commits and step `recorded`, before any ref moves.
    async fn items_record(&self, guard: &LeaseGuard, items: &[ItemRecord]) -> Result<()>;
    /// Step `pushed`.
    async fn items_pushed(&self, guard: &LeaseGuard, items: &[(RecipientId, BranchName)]) -> Result<()>;
    /// Step `announced` with the pull request as opened or commented (its `announced` head is set).
    async fn item_announced(&self, guard: &LeaseGuard, pull: &PullRow) -> Result<()>;
    /// Outcome, last outcome, pull request and recipient state in one transaction.
    async fn items_done(&self, guard: &LeaseGuard, items: &[ItemDone]) -> Result<()>;
    /// Keeps verdicts.
    async fn verdicts_put(&self, guard: &LeaseGuard, verdicts: &[Verdict]) -> Result<()>;
    /// All terminal writes; clears the owner; once per fence. With a publication for drafts and empty selections.
    async fn finish(
        &self,
        guard: &LeaseGuard,
        ending: &Ending,
        publication: Option<&Publication>,
    ) -> Result<()>;
    /// One insert-only audit row of a loser that names its own fence (lease.md section 5).
    async fn audit_loss(&self, guard: &LeaseGuard, detail: &str) -> Result<()>;

    // runs
    /// Newest first. Status `running` is turned into `interrupted` where the lease proves it.
    async fn runs(&self, project: Option<ProjectId>, limit: u32) -> Result<Vec<Run>>;
    /// One.
    async fn run(&self, id: RunId) -> Result<Option<Run>>;
    /// Its items.
    async fn items(&self, run: RunId) -> Result<Vec<Item>>;

    // pacing
    /// Reserves the next instant for a content write of this identity by one conditional update.
    async fn gate_reserve(&self, identity: &str, pace: Pace) -> Result<Slot>;
    /// Notes that the forge asked to wait (`until` by the database's clock is derived from `for_ms`) or halved the pace.
    async fn gate_block(&self, identity: &str, for_ms: i64, slower: bool) -> Result<()>;

    // feed and audit
    /// Newest cursor.
    async fn feed_head(&self) -> Result<i64>;
    /// Rows after a cursor, oldest first.
    async fn feed_after(&self, cursor: i64, limit: u32) -> Result<Vec<FeedRow>>;
    /// Resolves when the feed may have grown by any process, or after `poll_ms` at the latest.
    async fn feed_wait(&self, cursor: i64, poll_ms: u64) -> Result<()>;
    /// Newest first.
    async fn audit(&self, project: Option<ProjectId>, limit: u32) -> Result<Vec<AuditRow>>;
}
