//! The things of product.md as rows, as the store gives them out.

use serde::{Deserialize, Serialize};

use crate::ahead::Ahead;
use crate::clock::Millis;
use crate::code::Code;
use crate::codes;
use crate::ids::{ConnectionId, ProjectId, RecipientId, RepoId, RunId, SourceId};
use crate::lease::{Fence, Holder};
use crate::names::{BranchName, Oid, RepoSlug};
use crate::outcome::{ItemStep, Outcome, Reason, RunKind, RunStatus};
use crate::skip::RecipientState;

/// A repository as (connection, numeric id) with its node id and last known name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepoIdent {
    /// Through which account it is reached.
    pub connection: ConnectionId,
    /// Numeric id: identity.
    pub id: RepoId,
    /// GraphQL node id.
    pub node_id: String,
    /// Last known `owner/name`.
    pub slug: RepoSlug,
}

codes! {
    /// How a connection proves itself.
    pub enum ConnectionKind {
        /// A personal (fine-grained or classic) token.
        Token = "token",
        /// A GitHub App installation.
        App = "app",
    }
}

codes! {
    /// Whether a connection can be used, as last known.
    pub enum ConnectionState {
        /// It worked last time.
        Usable = "usable",
        /// The installation is suspended.
        Suspended = "suspended",
        /// The App is not installed any more.
        NotInstalled = "not_installed",
        /// The credentials were refused.
        Refused = "refused",
    }
}

/// An account at one forge. The base URL never changes; credentials rest in the secret store under the id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connection {
    /// Its id, also its name in the secret store.
    pub id: ConnectionId,
    /// Name for people, unique.
    pub name: String,
    /// REST base, as in `https://api.github.com` or `https://host/api/v3`.
    pub base_url: String,
    /// Token or App.
    pub kind: ConnectionKind,
    /// App id and installation id, for an App.
    pub app: Option<(i64, i64)>,
    /// The login that the forge told, `slug[bot]` for an App.
    pub login: String,
    /// As last known.
    pub state: ConnectionState,
    /// When it was made.
    pub created_at: Millis,
}

/// The newest seen head of one branch of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceHead {
    /// Branch of the source.
    pub branch: BranchName,
    /// Its head; `None` when the branch is gone.
    pub oid: Option<Oid>,
    /// Our receipt time.
    pub seen_at: Millis,
}

/// A repository that staff registered; read only for Lockstep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Its id.
    pub id: SourceId,
    /// The repository.
    pub repo: RepoIdent,
    /// Newest seen heads.
    pub heads: Vec<SourceHead>,
    /// When it was last looked at.
    pub checked_at: Option<Millis>,
    /// What was wrong at the last look: `source_gone`, `permission_missing` ...
    pub trouble: Option<Code>,
    /// Soft-delete mark.
    pub deleted_at: Option<Millis>,
    /// When it was registered.
    pub created_at: Millis,
}

codes! {
    /// How the distribution's commits come about; fixed for the life of a project.
    pub enum Strategy {
        /// One commit per sync, history hidden.
        Squash = "squash",
        /// The source's own commits.
        Whole = "whole",
    }
}

codes! {
    /// Where a project is in its life.
    pub enum ProjectState {
        /// Prepared; recipients get nothing yet.
        Draft = "draft",
        /// Handed out.
        Published = "published",
        /// Closed; nothing is synced.
        Archived = "archived",
    }
}

/// One handed-out branch of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectBranch {
    /// Name in the distribution and (unless mapped) in the recipients.
    pub branch: BranchName,
    /// Name at the source (differs after a rename there).
    pub source_branch: BranchName,
    /// Source sha that the distribution last published; `None`: never, or unknown after adopting.
    pub handed_out: Option<Oid>,
    /// Head of the distribution.
    pub dist_head: Option<Oid>,
    /// 1, 2, 3 ...; 0 before the first.
    pub update_number: u32,
    /// sha256 over (mode, path, blob id) sorted by path bytes, lower-case hex.
    pub fingerprint: Option<String>,
    /// How far the source is ahead.
    pub ahead: Ahead,
}

/// A project: one source handed out to many recipients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// Its id.
    pub id: ProjectId,
    /// Name for people, unique among those not deleted.
    pub name: String,
    /// Its source.
    pub source: SourceId,
    /// Fixed for life.
    pub strategy: Strategy,
    /// Draft, published, archived.
    pub state: ProjectState,
    /// Deadline of recipients without an own one.
    pub deadline: Option<Millis>,
    /// Staff's note in pull request texts.
    pub note: String,
    /// The distribution, once built or adopted.
    pub distribution: Option<RepoIdent>,
    /// 1 to 10, ordered; the first is the recipients' default.
    pub branches: Vec<ProjectBranch>,
    /// Soft-delete mark.
    pub deleted_at: Option<Millis>,
    /// When it was made.
    pub created_at: Millis,
}

/// A recipient's own name for a handed-out branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BranchMapping {
    /// The handed-out branch.
    pub branch: String,
    /// Its name in the recipient.
    pub theirs: String,
}

/// One repository that gets the updates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recipient {
    /// Its id.
    pub id: RecipientId,
    /// Its project.
    pub project: ProjectId,
    /// The repository.
    pub repo: RepoIdent,
    /// Person or team.
    pub label: String,
    /// Own deadline; else the project's counts.
    pub deadline: Option<Millis>,
    /// Locked by staff.
    pub locked: bool,
    /// As last known.
    pub state: RecipientState,
    /// Renamed branches.
    pub mapping: Vec<BranchMapping>,
}

impl Recipient {
    /// The recipient's name of a handed-out branch.
    ///
    /// # Errors
    /// When the stored mapping is no branch name.
    pub fn base_of(&self, branch: &BranchName) -> Result<BranchName, crate::names::BadName> {
        match self.mapping.iter().find(|m| m.branch == branch.as_str()) {
            Some(mapping) => mapping.theirs.parse(),
            None => Ok(branch.clone()),
        }
    }
}

/// Whom a run covers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Selection {
    /// Every recipient.
    #[default]
    All,
    /// Those that are owed.
    Owed,
    /// Nobody: the distribution only.
    Nobody,
    /// These recipients.
    These {
        /// Recipient ids.
        recipients: Vec<uuid::Uuid>,
    },
}

/// Counts of outcomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, specta::Type)]
pub struct Counts {
    /// See [`Outcome::Opened`].
    pub opened: u32,
    /// See [`Outcome::Updated`].
    pub updated: u32,
    /// See [`Outcome::Unchanged`].
    pub unchanged: u32,
    /// See [`Outcome::UpToDate`].
    pub up_to_date: u32,
    /// See [`Outcome::HandedOut`].
    pub handed_out: u32,
    /// See [`Outcome::Skipped`].
    pub skipped: u32,
    /// See [`Outcome::Failed`].
    pub failed: u32,
    /// See [`Outcome::Waiting`].
    pub waiting: u32,
}

impl Counts {
    /// Counts one more.
    pub fn add(&mut self, outcome: Outcome) {
        let slot = match outcome {
            Outcome::Opened => &mut self.opened,
            Outcome::Updated => &mut self.updated,
            Outcome::Unchanged => &mut self.unchanged,
            Outcome::UpToDate => &mut self.up_to_date,
            Outcome::HandedOut => &mut self.handed_out,
            Outcome::Skipped => &mut self.skipped,
            Outcome::Failed => &mut self.failed,
            Outcome::Waiting => &mut self.waiting,
        };
        *slot = slot.saturating_add(1);
    }

    /// All of them together.
    #[must_use]
    pub const fn total(&self) -> u32 {
        self.opened
            + self.updated
            + self.unchanged
            + self.up_to_date
            + self.handed_out
            + self.skipped
            + self.failed
            + self.waiting
    }
}

/// What a run spent at the forge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, specta::Type)]
pub struct Spent {
    /// GraphQL requests.
    pub graphql: u32,
    /// REST requests.
    pub rest: u32,
    /// git fetches.
    pub fetches: u32,
    /// git pushes.
    pub pushes: u32,
}

/// One press.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// Its id.
    pub id: RunId,
    /// Its project.
    pub project: ProjectId,
    /// The fence it was born with.
    pub fence: Fence,
    /// What kind of press.
    pub kind: RunKind,
    /// Who pressed, where.
    pub holder: Holder,
    /// Whom it covers.
    pub selection: Selection,
    /// Database time of the claim; also the date of the distribution commits.
    pub started_at: Millis,
    /// Database time of the end.
    pub ended_at: Option<Millis>,
    /// `running` until it ends; the reader derives `interrupted` from the lease.
    pub status: RunStatus,
    /// Code and text of a refusal or an early end.
    pub error: Option<(Code, String)>,
    /// Outcome counts, per recipient.
    pub counts: Counts,
    /// What it spent.
    pub spent: Spent,
    /// The run it resumes.
    pub resumes: Option<RunId>,
}

/// One recipient × branch within a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Its run.
    pub run: RunId,
    /// Its recipient.
    pub recipient: RecipientId,
    /// The handed-out branch.
    pub branch: BranchName,
    /// How far it got.
    pub step: ItemStep,
    /// The sync branch's oid before the push; `None`: it must not exist.
    pub expected_old: Option<Oid>,
    /// The oid that the sync branch gets.
    pub new: Option<Oid>,
    /// Pull request number.
    pub pull: Option<i64>,
    /// How it ended.
    pub outcome: Option<Outcome>,
    /// Why.
    pub reason: Option<Reason>,
    /// In plain words; no raw error text.
    pub cause: String,
    /// The forge's request id of the decisive answer.
    pub request_id: Option<String>,
    /// When it was last written, by the database's clock.
    pub at: Millis,
}

/// The last outcome of a recipient × branch; retention never removes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastOutcome {
    /// Recipient.
    pub recipient: RecipientId,
    /// Handed-out branch.
    pub branch: BranchName,
    /// How it ended.
    pub outcome: Outcome,
    /// Why.
    pub reason: Option<Reason>,
    /// In plain words.
    pub cause: String,
    /// The run that wrote it.
    pub run: RunId,
    /// When.
    pub at: Millis,
    /// The distribution head that counts as delivered.
    pub delivered: Option<Oid>,
    /// Forecast number of conflicting paths; `None` unknown.
    pub conflicts: Option<u32>,
}

codes! {
    /// State of a pull request.
    pub enum PullState {
        /// Open.
        Open = "open",
        /// Merged; terminal for its number.
        Merged = "merged",
        /// Closed without merging.
        Closed = "closed",
    }
}

codes! {
    /// Whether GitHub can merge it.
    pub enum Mergeable {
        /// It can.
        Mergeable = "mergeable",
        /// There are conflicts.
        Conflicting = "conflicting",
        /// Not computed yet.
        Unknown = "unknown",
    }
}

/// The pull request of a recipient × branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullRow {
    /// Recipient.
    pub recipient: RecipientId,
    /// Handed-out branch.
    pub branch: BranchName,
    /// Number in the recipient's repository.
    pub number: i64,
    /// Author's login.
    pub author: String,
    /// Base branch in the recipient.
    pub base: String,
    /// Open, merged, closed.
    pub state: PullState,
    /// When it was opened.
    pub opened_at: Millis,
    /// When it was merged.
    pub merged_at: Option<Millis>,
    /// When it was closed.
    pub closed_at: Option<Millis>,
    /// Head of the sync branch as GitHub last told.
    pub head: Option<Oid>,
    /// The commit that merged it.
    pub merge_commit: Option<Oid>,
    /// Whether it merges cleanly.
    pub mergeable: Mergeable,
    /// The distribution head last announced (opening text or comment).
    pub announced: Option<Oid>,
    /// GitHub's `updated_at`.
    pub updated_at: Millis,
    /// Page for people.
    pub url: String,
}

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
