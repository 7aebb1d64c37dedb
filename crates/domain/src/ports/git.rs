//! The port to git: one shared bare store, one workbench (quarantine repository) per recipient (docs/OUTSIDE.md).

use std::fmt;

use async_trait::async_trait;

use crate::clock::Millis;
use crate::ids::{ProjectId, SourceId};
use crate::lease::LeaseGuard;
use crate::names::{BranchName, Oid};
use crate::outcome::Reason;
use crate::stop::StopSignal;

/// Where git reaches a repository. The credential is handed to git through a private channel: never argv, environment,
/// URL or log.
#[derive(Clone)]
pub struct Remote {
    /// `https://host/owner/name.git`; plain http only on loopback.
    pub url: String,
    /// User name for basic authentication.
    pub user: String,
    /// Token.
    pub password: String,
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Remote({})", self.url)
    }
}

/// What can go wrong with git, named by what the caller can do. Texts hold no token and no local path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GitError {
    /// Install git.
    #[error("git was not found")]
    Missing,
    /// Update git.
    #[error("git {found} is too old: Lockstep needs 2.38 or later")]
    TooOld {
        /// Version found.
        found: String,
    },
    /// The repository does not exist or cannot be seen.
    #[error("the repository was not found")]
    NotFound,
    /// Credentials refused.
    #[error("the credentials were refused")]
    BadCredentials,
    /// Read only, or no write permission; the text says which.
    #[error("{0}")]
    Refused(String),
    /// Network or server trouble; nothing is known to have happened.
    #[error("the server did not answer: {0}")]
    Unavailable(String),
    /// The local store cannot be used (disk full, permissions).
    #[error("the local git store cannot be used: {0}")]
    StoreUnusable(String),
    /// An object that was needed is not there.
    #[error("an object is missing: {0}")]
    MissingObject(String),
    /// Stopped because the lease is lost.
    #[error("stopped: the lease is lost")]
    LeaseLost,
    /// git answered something unexpected; a bug or a broken repository.
    #[error("git failed: {0}")]
    Unexpected(String),
}

/// Author and committer are Lockstep's fixed identity; the date makes a retry yield the same commit.
#[derive(Debug, Clone)]
pub struct CommitSpec {
    /// Tree of the new commit.
    pub tree: Oid,
    /// Parents, in order.
    pub parents: Vec<Oid>,
    /// Constant text without any sha.
    pub message: String,
    /// The run's start by the database's clock; used in whole seconds, raised to the parents' newest if earlier.
    pub at: Millis,
}

/// A commit for people (staff only).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitInfo {
    /// Its id.
    pub oid: Oid,
    /// First line.
    pub subject: String,
    /// Author's name.
    pub author: String,
    /// Author's e-mail.
    pub email: String,
    /// Committer time.
    pub at: Millis,
}

/// What a tree holds, in numbers, and its fingerprint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeFacts {
    /// Number of files.
    pub files: u32,
    /// Largest blob: path and bytes.
    pub largest: Option<(String, u64)>,
    /// sha256 over (mode, path, blob id), sorted by path bytes, NUL-separated; lower-case hex.
    pub fingerprint: String,
}

/// A path that differs between two trees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathChange {
    /// `A`, `M`, `D`, `R`, `T`.
    pub status: char,
    /// Path bytes, lossily UTF-8; `lossy` tells.
    pub path: String,
    /// Whether the path was not clear UTF-8.
    pub lossy: bool,
}

/// How two heads relate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ancestry {
    /// `old` is an ancestor of `new`, which has this many commits more.
    Forward(u32),
    /// It is not.
    Diverged,
    /// An object is missing.
    Unknown,
}

/// One ref to move by compare-and-swap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefMove {
    /// Full ref name.
    pub name: String,
    /// Value it must have; `None`: it must not exist.
    pub old: Option<Oid>,
    /// Value it gets; forty zeros delete it (never in a distribution).
    pub new: Oid,
}

impl RefMove {
    /// Whether the ref is to be deleted.
    #[must_use]
    pub fn deletes(&self) -> bool {
        self.new.to_string().bytes().all(|digit| digit == b'0')
    }
}

/// What became of one ref, judged alone; after anything but success the ref was read again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefResult {
    /// Moved by us, or found at the new value.
    Pushed,
    /// Was there already before the push.
    AlreadyThere,
    /// Somebody moved it: where it is now (`None`: it does not exist).
    Moved(Option<Oid>),
    /// Refused by a rule, a permission or an archive.
    Refused {
        /// Which code that is.
        reason: Reason,
        /// In plain words, names the rule.
        cause: String,
    },
    /// Not pushed, try again later.
    Unavailable(String),
}

/// What to decide about one branch of one recipient (docs/SYNC.md).
#[derive(Debug, Clone)]
pub struct DecideRequest {
    /// The recipient's base branch head.
    pub base: Oid,
    /// The full name of the base branch, for fetching.
    pub base_ref: String,
    /// Head of its sync branch.
    pub sync: Option<Oid>,
    /// The full name of the sync branch, for fetching.
    pub sync_ref: String,
    /// The new distribution head (in the store).
    pub new: Oid,
    /// Merged pull requests of ours: number, head oid, merge commit.
    pub merged: Vec<(i64, Oid, Option<Oid>)>,
    /// Heads that we recorded as our own for this recipient.
    pub own: Vec<Oid>,
    /// Date for a merge commit on top of foreign work.
    pub at: Millis,
}

/// What would happen to the base branch when the pull request is merged on GitHub.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Forecast {
    /// Merges cleanly.
    Clean,
    /// Conflicts in these paths.
    Conflict(Vec<String>),
    /// Could not be told (a missing object).
    Unknown,
}

/// The decision for one branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// Nothing would change. `undone`: the recipient reverted it or kept theirs.
    UpToDate {
        /// See above.
        undone: bool,
    },
    /// The sync branch holds N already.
    Unchanged(Forecast),
    /// Push this oid to the sync branch (N itself, or a merge of N on top of the recipient's commits).
    Push {
        /// The oid to push; present in the workbench.
        oid: Oid,
        /// Whether it is a merge on top of foreign commits.
        on_top: bool,
        /// Forecast of the merge into base.
        forecast: Forecast,
        /// Paths under `.github/workflows/` differ between base and the pushed commits.
        workflows: bool,
    },
    /// Foreign commits that do not merge; untouched.
    ForeignCommits(Vec<String>),
    /// Unrelated histories.
    NoCommonHistory,
}

/// The git program over the shared bare store.
#[async_trait]
pub trait Git: Send + Sync {
    /// Version, checked against the minimum.
    async fn version(&self) -> Result<String, GitError>;

    /// Fetches all heads of a source into `refs/lockstep/src/<id>/heads/*`; what is there afterwards.
    async fn fetch_source(
        &self,
        source: SourceId,
        remote: &Remote,
        stop: &StopSignal,
    ) -> Result<Vec<(String, Oid)>, GitError>;

    /// Fetches the distribution's heads into `refs/lockstep/dist/<project>/<branch>` and its `refs/lockstep/owner`.
    async fn fetch_distribution(
        &self,
        project: ProjectId,
        remote: &Remote,
        stop: &StopSignal,
    ) -> Result<DistributionRefs, GitError>;

    /// Tree of a commit.
    async fn tree_of(&self, commit: Oid) -> Result<Oid, GitError>;

    /// Facts and fingerprint of a commit's tree.
    async fn tree_facts(&self, commit: Oid) -> Result<TreeFacts, GitError>;

    /// Makes a commit in the store and keeps it under `refs/lockstep/dist/<project>/<branch>/n` style refs of its own
    /// until it is published.
    async fn commit(
        &self,
        project: ProjectId,
        branch: &BranchName,
        spec: &CommitSpec,
    ) -> Result<Oid, GitError>;

    /// A parentless commit whose message is `message`, on the empty tree: the owner mark.
    async fn mark_commit(&self, message: &str, at: Millis) -> Result<Oid, GitError>;

    /// The message of a commit.
    async fn message_of(&self, commit: Oid) -> Result<String, GitError>;

    /// How `new` relates to `old`.
    async fn ancestry(&self, old: Oid, new: Oid) -> Result<Ancestry, GitError>;

    /// The newest commit reachable from `tip` whose tree is `tree`.
    async fn newest_with_tree(&self, tip: Oid, tree: Oid) -> Result<Option<Oid>, GitError>;

    /// Commits in `new` that are not in `old`, newest first, at most `limit`.
    async fn log(&self, old: Option<Oid>, new: Oid, limit: u32) -> Result<Vec<CommitInfo>, GitError>;

    /// Paths that differ, with renames found. `old` `None`: against the empty tree.
    async fn changes(&self, old: Option<Oid>, new: Oid) -> Result<Vec<PathChange>, GitError>;

    /// Bytes that pushing `new` would send when the other side has `old`.
    async fn push_bytes(&self, old: Option<Oid>, new: Oid) -> Result<u64, GitError>;

    /// Names and e-mails of every author and committer reachable from `tip`, for the privacy check.
    async fn people_of(&self, tip: Oid) -> Result<Vec<(String, String)>, GitError>;

    /// Pushes all refs of the distribution in ONE atomic push by compare-and-swap; each new head was checked to descend
    /// from the known one. Refs that are not heads (the owner mark) may be among them.
    async fn push_distribution(
        &self,
        guard: &LeaseGuard,
        remote: &Remote,
        moves: &[RefMove],
    ) -> Result<Vec<RefResult>, GitError>;

    /// A quarantine repository for one recipient, borrowing from the store; removed when dropped.
    async fn workbench(&self) -> Result<Box<dyn Workbench>, GitError>;

    /// Removes leftovers of dead processes.
    async fn sweep(&self) -> Result<(), GitError>;
}

/// What a distribution holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DistributionRefs {
    /// Branch names and heads.
    pub heads: Vec<(String, Oid)>,
    /// The owner mark (`refs/lockstep/owner`), fetched too.
    pub owner: Option<Oid>,
}

/// One recipient's quarantine repository.
#[async_trait]
pub trait Workbench: Send + Sync {
    /// Decides each branch, in order. Fetches what it needs, at most once for all of them; results are immutable for
    /// the same oids. The recipient's objects stay here.
    async fn decide(
        &mut self,
        remote: &Remote,
        requests: &[DecideRequest],
        stop: &StopSignal,
    ) -> Result<Vec<Decision>, GitError>;

    /// ONE push of several refs, not atomic, compare-and-swap per ref, each judged alone by reading it again.
    /// `negotiate`: set when the sync branch is absent.
    async fn push(
        &mut self,
        guard: &LeaseGuard,
        remote: &Remote,
        moves: &[RefMove],
        negotiate: bool,
    ) -> Result<Vec<RefResult>, GitError>;

    /// Fetches made by this workbench.
    fn fetches(&self) -> u32;
}
