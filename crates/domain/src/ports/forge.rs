//! The port to GitHub: what the product asks of it, named by meaning. Writes take the lease guard.

use async_trait::async_trait;

use crate::clock::Millis;
use crate::ids::RepoId;
use crate::lease::LeaseGuard;
use crate::model::{Mergeable, PullState, RepoIdent, Spent};
use crate::names::{BranchName, Oid, RepoSlug};

use super::git::Remote;

/// What can go wrong at the forge, named by what the caller can do. Texts are for people: no token, no raw page.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ForgeError {
    /// Wait until then, then repeat; nothing was written.
    #[error("GitHub asks to wait until {until:?}")]
    RateLimited {
        /// Wall time when it may be tried again.
        until: Millis,
        /// Whether the content-creation limit fired (slower pace needed).
        secondary: bool,
    },
    /// Give other credentials.
    #[error("GitHub refused the credentials: {0}")]
    BadCredentials(String),
    /// The installation is suspended: its owner has to lift that.
    #[error("the installation of the App is suspended")]
    Suspended,
    /// The App is not installed (any more).
    #[error("the App is not installed there")]
    NotInstalled,
    /// Grant this permission.
    #[error("the permission {0} is missing")]
    PermissionMissing(String),
    /// It does not exist, or this connection cannot see it.
    #[error("{0} was not found, or this connection cannot see it")]
    NotFound(String),
    /// Read only.
    #[error("the repository is archived")]
    Archived,
    /// The repository has no commit.
    #[error("the repository is empty")]
    Empty,
    /// Right after a push: not visible yet, try again shortly (`No commits between`, head invalid).
    #[error("GitHub does not see the pushed branch yet: {0}")]
    NotYet(String),
    /// There is one already (owner:branch told by the server).
    #[error("a pull request exists already")]
    AlreadyExists,
    /// GitHub refused the content.
    #[error("GitHub refused the request: {0}")]
    Validation(String),
    /// The write may or may not have happened: look it up before repeating.
    #[error("GitHub's answer was lost: {0}")]
    Unclear(String),
    /// Nothing was written; try later.
    #[error("GitHub is not reachable: {0}")]
    Unavailable(String),
    /// What answered is not GitHub.
    #[error("{0} did not answer like GitHub")]
    NotAForge(String),
    /// The lease does not allow a write any more; nothing was sent.
    #[error("the lease is lost")]
    LeaseLost,
}

/// The account behind a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Login; `slug[bot]` for an App.
    pub login: String,
    /// Numeric id, for sharing one pacing gate per identity.
    pub id: i64,
}

/// A repository as the forge tells it now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepoInfo {
    /// Numeric id.
    pub id: RepoId,
    /// GraphQL node id.
    pub node_id: String,
    /// Current name.
    pub slug: RepoSlug,
    /// Private?
    pub private: bool,
    /// Archived?
    pub archived: bool,
    /// Default branch, if it has one.
    pub default_branch: Option<String>,
    /// Page for people.
    pub html_url: String,
}

/// A repository with the heads of all its branches, read together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepoRead {
    /// The repository.
    pub repo: RepoInfo,
    /// Branch name and head; empty for a repository without a commit.
    pub heads: Vec<(String, Oid)>,
}

/// One batched question about many recipients that share base names. GraphQL, at most 50 a request (docs/OUTSIDE.md).
#[derive(Debug, Clone)]
pub struct RecipientsQuery {
    /// Node ids of the repositories.
    pub node_ids: Vec<String>,
    /// One entry per handed-out branch.
    pub branches: Vec<BranchQuery>,
}

/// What to read of one branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchQuery {
    /// The handed-out branch (names the sync branch).
    pub branch: BranchName,
    /// Its name in these recipients.
    pub base: BranchName,
    /// The new distribution head, for the compare.
    pub head: Oid,
}

/// What one recipient looks like now. Same order as asked; `repo` is `None` when it cannot be seen.
#[derive(Debug, Clone)]
pub struct RecipientRead {
    /// The node id that was asked for.
    pub node_id: String,
    /// `None`: gone or out of reach.
    pub repo: Option<RecipientRepo>,
}

/// The readable part.
#[derive(Debug, Clone)]
pub struct RecipientRepo {
    /// Numeric id.
    pub id: RepoId,
    /// Current name.
    pub slug: RepoSlug,
    /// Archived, disabled or locked: no write is possible.
    pub archived: bool,
    /// No commit at all.
    pub empty: bool,
    /// Whether merge commits are allowed (else squash-mergers will conflict later).
    pub merge_commit_allowed: bool,
    /// Default branch.
    pub default_branch: Option<String>,
    /// One per asked branch, same order.
    pub branches: Vec<RecipientBranch>,
}

/// One branch of one recipient.
#[derive(Debug, Clone)]
pub struct RecipientBranch {
    /// Head and tree of the base branch; `None`: it does not exist.
    pub base: Option<(Oid, Oid)>,
    /// Commits by which the asked head is ahead of base; `None`: not comparable (head unknown there, or unrelated).
    pub ahead_by: Option<u32>,
    /// Head of the sync branch.
    pub sync: Option<Oid>,
    /// Newest first, our own only by head name and repository; at most five.
    pub pulls: Vec<PullInfo>,
}

/// A pull request as the forge tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullInfo {
    /// Number.
    pub number: i64,
    /// Author's login.
    pub author: String,
    /// Open, merged, closed.
    pub state: PullState,
    /// Head branch name.
    pub head_ref: String,
    /// Head oid as last known to the forge.
    pub head: Option<Oid>,
    /// Numeric id of the head repository; `None` when deleted.
    pub head_repo: Option<RepoId>,
    /// Base branch name.
    pub base: String,
    /// Merge commit.
    pub merge_commit: Option<Oid>,
    /// Whether it merges cleanly.
    pub mergeable: Mergeable,
    /// When opened.
    pub created_at: Millis,
    /// When merged.
    pub merged_at: Option<Millis>,
    /// When closed.
    pub closed_at: Option<Millis>,
    /// GitHub's `updated_at`.
    pub updated_at: Millis,
    /// Page for people.
    pub url: String,
}

/// A pull request to open.
#[derive(Debug, Clone)]
pub struct NewPull {
    /// Head branch (`sync/<branch>`), without owner.
    pub head: String,
    /// Base branch.
    pub base: String,
    /// Title.
    pub title: String,
    /// Body.
    pub body: String,
}

/// A write that went through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written<T> {
    /// What came back.
    pub value: T,
    /// The forge's request id.
    pub request_id: Option<String>,
}

/// A forge, seen through one connection.
#[async_trait]
pub trait Forge: Send + Sync {
    /// Who we are there; also the cheapest test of credentials and base URL.
    async fn identity(&self) -> Result<Identity, ForgeError>;

    /// By id; follows renames.
    async fn repository(&self, id: RepoId) -> Result<RepoInfo, ForgeError>;

    /// By name, when a person typed it.
    async fn repository_by_name(&self, slug: &RepoSlug) -> Result<RepoInfo, ForgeError>;

    /// Repositories of an owner whose name matches a `*` pattern, sorted by name. At most `limit`.
    async fn repositories_like(
        &self,
        owner: &str,
        pattern: &str,
        limit: usize,
    ) -> Result<Vec<RepoInfo>, ForgeError>;

    /// Repositories with the heads of all their branches, in the order asked: one GraphQL request for a few of them, no
    /// REST. Renames are followed. `None`: deleted, or out of this connection's reach; that is said only after the
    /// numeric id led nowhere either, because node ids change (docs/OUTSIDE.md).
    async fn repositories(&self, asked: &[&RepoIdent]) -> Result<Vec<Option<RepoRead>>, ForgeError>;

    /// Heads of all branches of a repository.
    async fn heads(&self, repo: &RepoInfo) -> Result<Vec<(String, Oid)>, ForgeError>;

    /// The batched read; splits, halves and regrows batches by itself.
    async fn recipients(&self, query: &RecipientsQuery) -> Result<Vec<RecipientRead>, ForgeError>;

    /// The open pull request from `head` (same repository) to `base`, checked again on the hit.
    async fn find_open_pull(
        &self,
        repo: &RecipientAt,
        head: &str,
        base: &str,
    ) -> Result<Option<PullInfo>, ForgeError>;

    /// Whether a comment (or the body) of this pull request contains `marker`.
    async fn has_marker(&self, repo: &RecipientAt, number: i64, marker: &str) -> Result<bool, ForgeError>;

    /// Creates a private repository below `owner` (organisation or the connection's user).
    async fn create_private_repository(
        &self,
        guard: &LeaseGuard,
        slug: &RepoSlug,
    ) -> Result<RepoInfo, ForgeError>;

    /// Opens a pull request. Sent once; [`ForgeError::Unclear`] when the answer was lost.
    async fn open_pull(
        &self,
        guard: &LeaseGuard,
        repo: &RecipientAt,
        pull: &NewPull,
    ) -> Result<Written<PullInfo>, ForgeError>;

    /// Comments on a pull request. Sent once.
    async fn comment(
        &self,
        guard: &LeaseGuard,
        repo: &RecipientAt,
        number: i64,
        body: &str,
    ) -> Result<Written<()>, ForgeError>;

    /// Closes a pull request.
    async fn close_pull(
        &self,
        guard: &LeaseGuard,
        repo: &RecipientAt,
        number: i64,
    ) -> Result<Written<()>, ForgeError>;

    /// Where git reaches a repository, with the credential for it. Not a request unless a token must be minted.
    async fn git_remote(&self, slug: &RepoSlug) -> Result<Remote, ForgeError>;

    /// Permissions of this connection as far as known: `workflows`, `contents` ... `None` when it cannot be told.
    async fn may(&self, permission: &str) -> Option<bool>;

    /// Requests sent since this value was made (for the run's figures; git parts stay 0).
    fn spent(&self) -> Spent;
}

/// A recipient's repository as a write addresses it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecipientAt {
    /// Numeric id.
    pub id: RepoId,
    /// Current name.
    pub slug: RepoSlug,
}
