//! What crosses between the core and a window or a script. One place, so that a later move is cheap.
//!
//! 64-bit numbers do not cross as numbers: counts are `u32`, fences and ids are strings, times are milliseconds in an
//! `f64`. Types sent out only serialise, types that come in only deserialise.

use lockstep_domain::ahead::AheadKind;
use lockstep_domain::code::Code;
use lockstep_domain::lease::LeaseState;
use lockstep_domain::model::{
    ConnectionKind, ConnectionState, Counts, Mergeable, ProjectState, PullState, Spent, Strategy,
};
use lockstep_domain::outcome::{ItemStep, Outcome, Reason, RunKind, RunStatus};
use lockstep_domain::skip::RecipientState;
use serde::{Deserialize, Serialize};
use specta::Type;

/// Milliseconds since the Unix epoch by the database's clock (or this machine's where said).
pub type TimeMs = f64;

/// The one error of every use case.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ApiError {
    /// Stable code; the window has words for each.
    pub code: Code,
    /// What happened, to whom, in plain words; names the value.
    pub message: String,
    /// What to do.
    pub hint: String,
    /// Whether the same call may work later unchanged.
    pub retryable: bool,
    /// Names the log line of this error; the forge's request id where there is one.
    pub ref_id: Option<String>,
    /// Who holds the lease, when that is the reason.
    pub holder: Option<LeaseCard>,
    /// For `not_reclaimable` and rate limits: milliseconds until it may work.
    pub wait_ms: Option<u32>,
}

/// What kind of data changed: queries carry tags, changes name them.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Type)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Tag {
    /// The list of projects.
    Projects,
    /// One project's head, lease, run.
    Project {
        /// Project id.
        id: String,
    },
    /// A project's recipients.
    Recipients {
        /// Project id.
        project: String,
    },
    /// A project's runs.
    Runs {
        /// Project id.
        project: String,
    },
    /// Sources.
    Sources,
    /// Leases.
    Leases,
    /// Connections.
    Connections,
}

/// Where the program runs and what it stands on.
#[derive(Debug, Clone, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct AppInfo {
    /// Version of the program.
    pub version: String,
    /// Self-declared person.
    pub person: String,
    /// Operating-system user.
    pub os_user: String,
    /// Host name.
    pub host: String,
    /// The database.
    pub database: DatabaseInfo,
    /// git's version, or why it cannot be used.
    pub git: Probe,
    /// Where secrets rest, as a sentence.
    pub secrets: String,
    /// No connection was made yet: show the first start.
    pub first_start: bool,
    /// Whether the practice course can be started here.
    pub practice: bool,
}

/// A value or the words why not.
#[derive(Debug, Clone, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Probe {
    /// The value.
    pub ok: Option<String>,
    /// Why there is none.
    pub problem: Option<String>,
}

/// The database, for people.
#[derive(Debug, Clone, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct DatabaseInfo {
    /// `sqlite` or `postgres`.
    pub kind: String,
    /// "On this computer" or the server's host and database name; no password.
    pub place: String,
    /// Version of the engine.
    pub engine: String,
    /// Round trip of a small read.
    pub latency_ms: u32,
    /// The database's clock at the read.
    pub now: TimeMs,
    /// Difference between this machine's clock and the database's.
    pub skew_ms: i32,
}

/// A connection.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ConnectionView {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// REST base.
    pub base_url: String,
    /// Token or App.
    pub kind: ConnectionKind,
    /// Login there.
    pub login: String,
    /// As last known.
    pub state: ConnectionState,
}

/// To make a connection with a token.
#[derive(Debug, Clone, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ConnectInput {
    /// Unique name; empty: taken from the host.
    pub name: String,
    /// REST base; empty: github.com.
    pub base_url: String,
    /// The token, or the App's private key as PEM. Never comes back.
    pub secret: String,
    /// App id and installation id, for an App.
    pub app_id: Option<String>,
    /// Installation id.
    pub installation_id: Option<String>,
}

/// How far one branch is ahead.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct AheadView {
    /// The branch.
    pub branch: String,
    /// Kind.
    pub kind: AheadKind,
    /// Number, for `ahead`.
    pub number: Option<u32>,
    /// Source sha handed out.
    pub handed_out: Option<String>,
    /// Newest seen source head.
    pub seen: Option<String>,
    /// Head of the distribution.
    pub dist_head: Option<String>,
    /// Update number.
    pub update_number: u32,
    /// When the head was seen.
    pub seen_at: Option<TimeMs>,
}

/// One project in the list.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ProjectRow {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The source's name.
    pub source: String,
    /// Draft, published, archived.
    pub state: ProjectState,
    /// Strategy.
    pub strategy: Strategy,
    /// Ahead per branch.
    pub ahead: Vec<AheadView>,
    /// Its lease.
    pub lease: LeaseCard,
    /// Last outcomes, per recipient.
    pub counts: Counts,
    /// Recipients.
    pub recipients: u32,
    /// Owed recipients.
    pub owed: u32,
    /// Open, merged and closed pull requests.
    pub pulls: PullCounts,
    /// End of the last run.
    pub last_synced: Option<TimeMs>,
    /// Deadline.
    pub deadline: Option<TimeMs>,
}

/// Pull requests by state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct PullCounts {
    /// Open.
    pub open: u32,
    /// Merged.
    pub merged: u32,
    /// Closed unmerged.
    pub closed: u32,
}

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
}

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
}

/// A project's page.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ProjectView {
    /// The row of the list.
    pub row: ProjectRow,
    /// Name of the distribution, once there is one.
    pub distribution: Option<String>,
    /// Its page at the forge.
    pub distribution_url: Option<String>,
    /// The source's page at the forge (staff only).
    pub source_url: String,
    /// Source id.
    pub source_id: String,
    /// When the source was last looked at.
    pub source_checked_at: Option<TimeMs>,
    /// What was wrong at the last look.
    pub source_trouble: Option<Code>,
    /// Commits behind the number, newest first, at most 20 per branch.
    pub pending: Vec<PendingBranch>,
    /// Staff's note.
    pub note: String,
    /// What the primary button would do.
    pub press: PressForecast,
    /// The live or last run.
    pub run: Option<RunView>,
    /// Interrupted run that can be resumed.
    pub resumable: Option<RunView>,
}

/// Commits that a press would hand out; staff only.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct PendingBranch {
    /// The branch.
    pub branch: String,
    /// Newest first, at most 20.
    pub commits: Vec<CommitView>,
    /// Number of files that differ in the end.
    pub net_files: Option<u32>,
}

/// A commit of the source; staff only.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct CommitView {
    /// Seven digits.
    pub short: String,
    /// First line.
    pub subject: String,
    /// Author.
    pub author: String,
    /// When.
    pub at: TimeMs,
}

/// What a press would do, in numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct PressForecast {
    /// `sync` (something new), `owed` (only what is owed), `again` (nothing to send), `watch` (someone is live),
    /// `resume` (an interrupted run), `none` (not possible: draft without distribution, archived).
    pub kind: PressKind,
    /// Commits ahead over all branches, when known.
    pub commits: Option<u32>,
    /// Recipients it would send to.
    pub recipients: u32,
    /// Requests it needs.
    pub requests: u32,
    /// Seconds until the end at the known pace.
    pub seconds: u32,
}

/// See [`PressForecast::kind`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum PressKind {
    /// Something new to hand out.
    Sync,
    /// Only what is owed.
    Owed,
    /// Nothing to send.
    Again,
    /// Someone's run is live.
    Watch,
    /// An interrupted run.
    Resume,
    /// Not possible.
    None,
}

/// One recipient's row.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RecipientRow {
    /// Its id.
    pub id: String,
    /// `owner/name`.
    pub repo: String,
    /// Its page at the forge.
    pub url: String,
    /// Person or team.
    pub label: String,
    /// State.
    pub state: RecipientState,
    /// Effective deadline.
    pub deadline: Option<TimeMs>,
    /// Whether the deadline is its own.
    pub own_deadline: bool,
    /// Whether the deadline has passed by the database's clock.
    pub past_deadline: bool,
    /// Locked.
    pub locked: bool,
    /// Owed on some branch.
    pub owed: bool,
    /// The strongest branch's outcome.
    pub outcome: Option<Outcome>,
    /// Per handed-out branch.
    pub branches: Vec<RecipientBranchRow>,
    /// Last activity.
    pub last_at: Option<TimeMs>,
}

/// One branch of a recipient.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RecipientBranchRow {
    /// The branch.
    pub branch: String,
    /// Last outcome.
    pub outcome: Option<Outcome>,
    /// Its reason.
    pub reason: Option<Reason>,
    /// In plain words.
    pub cause: String,
    /// Forecast number of conflicting files.
    pub conflicts: Option<u32>,
    /// Step of the live run's item, when there is one.
    pub step: Option<ItemStep>,
    /// The pull request.
    pub pull: Option<PullView>,
}

/// A pull request chip.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct PullView {
    /// Number.
    pub number: u32,
    /// State.
    pub state: PullState,
    /// Whether it merges.
    pub mergeable: Mergeable,
    /// Page.
    pub url: String,
    /// Opened at.
    pub opened_at: TimeMs,
    /// Whether its head is behind the distribution.
    pub behind: bool,
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
    pub started_at: TimeMs,
    /// End.
    pub ended_at: Option<TimeMs>,
    /// Counts per recipient.
    pub counts: Counts,
    /// Spent.
    pub spent: Spent,
    /// Code of an early end.
    pub error: Option<Code>,
    /// Its words.
    pub error_text: String,
    /// Progress while live.
    pub progress: Option<ProgressView>,
}

/// One source.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct SourceView {
    /// Its id.
    pub id: String,
    /// `owner/name`.
    pub name: String,
    /// Its page.
    pub url: String,
    /// Name of the connection.
    pub connection: String,
    /// Heads.
    pub heads: Vec<SourceHeadView>,
    /// Last look.
    pub checked_at: Option<TimeMs>,
    /// What was wrong.
    pub trouble: Option<Code>,
    /// Projects that hand it out, with their ahead.
    pub projects: Vec<SourceProject>,
}

/// One head of a source.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct SourceHeadView {
    /// Branch.
    pub branch: String,
    /// Head; none: the branch is gone.
    pub oid: Option<String>,
    /// Seen at.
    pub seen_at: TimeMs,
}

/// A project below its source.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct SourceProject {
    /// Project id.
    pub id: String,
    /// Name.
    pub name: String,
    /// Ahead per branch.
    pub ahead: Vec<AheadView>,
}

/// A repository found at the forge.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RepoHit {
    /// `owner/name`.
    pub name: String,
    /// Private.
    pub private: bool,
    /// Archived.
    pub archived: bool,
}

/// To make a project.
#[derive(Debug, Clone, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct NewProjectInput {
    /// Unique name.
    pub name: String,
    /// Source id.
    pub source: String,
    /// Handed-out branches, ordered.
    pub branches: Vec<String>,
    /// `squash` or `whole`.
    pub strategy: String,
    /// Adopt this private repository (`owner/name`), or build a new one of that name.
    pub distribution: String,
    /// Whether to adopt (else build).
    pub adopt: bool,
    /// Connection that writes the distribution and the recipients; absent: that of the source.
    #[serde(default)]
    pub connection: Option<String>,
    /// Deadline.
    pub deadline: Option<TimeMs>,
}

/// Where recipients come from.
#[derive(Debug, Clone, Deserialize, Type)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum RosterInput {
    /// All repositories of an owner whose name matches: `owner/lab4-*`.
    Pattern {
        /// `owner/pattern`.
        pattern: String,
    },
    /// CSV text with a header: repository, label, deadline.
    Csv {
        /// The text.
        text: String,
    },
}

/// What an import did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ImportedView {
    /// New.
    pub added: u32,
    /// Changed.
    pub updated: u32,
    /// Equal.
    pub unchanged: u32,
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

/// A change that staff make to recipients.
#[derive(Debug, Clone, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RecipientEdit {
    /// Recipient ids.
    pub recipients: Vec<String>,
    /// Lock or unlock.
    pub locked: Option<bool>,
    /// Own deadline; with `clear_deadline` it is removed.
    pub deadline: Option<TimeMs>,
    /// Remove the own deadline.
    pub clear_deadline: bool,
}

/// What changed, coalesced to at most four a second.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct FeedBatch {
    /// Cursor after this batch, as text.
    pub cursor: String,
    /// The database's clock.
    pub now: TimeMs,
    /// Whether the database answered; `false`: show the last state with its age.
    pub online: bool,
    /// What to read again.
    pub stale: Vec<Tag>,
    /// Recipient rows that changed, with their project, ready to show.
    pub rows: Vec<ChangedRow>,
    /// Lease cards that changed.
    pub leases: Vec<LeaseCard>,
    /// Runs that changed.
    pub runs: Vec<RunView>,
}

/// One changed recipient.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ChangedRow {
    /// Project id.
    pub project: String,
    /// The row.
    pub row: RecipientRow,
}

/// What the window remembers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Preferences {
    /// `system`, `light` or `dark`.
    pub theme: String,
    /// Person, self-declared.
    pub person: String,
    /// `en` or `fr`.
    pub language: String,
}

/// A change of preferences; absent leaves as is.
#[derive(Debug, Clone, Default, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct PreferencesInput {
    /// `system`, `light` or `dark`.
    pub theme: Option<String>,
    /// Person.
    pub person: Option<String>,
    /// Language.
    pub language: Option<String>,
}

/// What the practice course offers, to prefill the form of a new project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct PracticeHint {
    /// Connection id.
    pub connection: String,
    /// `owner/name` of the source.
    pub source: String,
    /// `owner/name` of the living distribution.
    pub distribution: String,
    /// `owner/pattern` of the recipients.
    pub pattern: String,
    /// Proposed project name.
    pub project: String,
}

/// A project that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ProjectCreated {
    /// Project id.
    pub project: String,
    /// Its build run.
    pub run: String,
}
