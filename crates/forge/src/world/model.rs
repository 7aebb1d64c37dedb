//! The records of the state file.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::git::hook::PushRule;

/// Everything that the forge remembers besides git.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct World {
    pub(crate) last_id: u64,
    pub(crate) tokens_made: u64,
    pub(crate) accounts: BTreeMap<u64, Account>,
    pub(crate) apps: BTreeMap<u64, App>,
    pub(crate) installations: BTreeMap<u64, Installation>,
    pub(crate) tokens: BTreeMap<String, Token>,
    pub(crate) repositories: BTreeMap<u64, Repository>,
    /// Former `owner/name` in lower case.
    pub(crate) redirects: BTreeMap<String, u64>,
    /// By repository, then by number.
    pub(crate) pulls: BTreeMap<u64, BTreeMap<u64, Pull>>,
    pub(crate) comments: BTreeMap<u64, Comment>,
    pub(crate) demo: Option<DemoState>,
}

/// User or organization.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum AccountKind {
    User,
    Organization,
}

/// An account.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Account {
    pub(crate) id: u64,
    pub(crate) login: String,
    pub(crate) kind: AccountKind,
    /// Users who own this organization.
    #[serde(default)]
    pub(crate) members: BTreeSet<u64>,
    pub(crate) created_at: DateTime<Utc>,
}

/// How much a permission allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Nothing.
    #[default]
    None,
    /// Reading.
    Read,
    /// Reading and writing.
    Write,
    /// Everything.
    Admin,
}

impl Level {
    /// The word in permission lists.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Read => "read",
            Self::Write => "write",
            Self::Admin => "admin",
        }
    }
}

/// Permission names with levels.
pub(crate) type Grants = BTreeMap<String, Level>;

/// A GitHub App.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct App {
    pub(crate) id: u64,
    pub(crate) slug: String,
    pub(crate) name: String,
    pub(crate) owner: u64,
    pub(crate) client_id: String,
    /// The public half of the key that signs its JSON web tokens, PEM.
    pub(crate) public_key: String,
    pub(crate) permissions: Grants,
    /// The number of its bot account.
    pub(crate) bot: u64,
    pub(crate) created_at: DateTime<Utc>,
}

/// Which repositories an installation covers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Selection {
    /// All of the account, also later ones.
    All,
    /// These, by numeric id.
    Selected(BTreeSet<u64>),
}

impl Selection {
    /// Does it cover the repository with this id?
    pub fn covers(&self, repository: u64) -> bool {
        match self {
            Self::All => true,
            Self::Selected(ids) => ids.contains(&repository),
        }
    }
}

/// An App installed on an account.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Installation {
    pub(crate) id: u64,
    pub(crate) app: u64,
    pub(crate) account: u64,
    pub(crate) permissions: Grants,
    pub(crate) selection: Selection,
    pub(crate) suspended_at: Option<DateTime<Utc>>,
    pub(crate) created_at: DateTime<Utc>,
}

/// Whose token it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum TokenOwner {
    User(u64),
    Installation(u64),
}

/// A token.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Token {
    pub(crate) owner: TokenOwner,
    pub(crate) expires_at: Option<DateTime<Utc>>,
    /// Narrowed permissions; `None`: all that the owner has.
    pub(crate) grants: Option<Grants>,
    /// Narrowed repositories.
    pub(crate) selection: Selection,
}

/// A repository's settings. Its content is the bare repository `repos/<id>.git`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Repository {
    pub(crate) id: u64,
    pub(crate) owner: u64,
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    pub(crate) private: bool,
    pub(crate) default_branch: String,
    pub(crate) archived_at: Option<DateTime<Utc>>,
    pub(crate) merge_commit: bool,
    pub(crate) squash: bool,
    pub(crate) rebase: bool,
    pub(crate) delete_branch_on_merge: bool,
    /// Users with a role of their own.
    pub(crate) collaborators: BTreeMap<u64, Level>,
    pub(crate) rules: Vec<PushRule>,
    /// The last number given to a pull request.
    pub(crate) last_number: u64,
    pub(crate) created_at: DateTime<Utc>,
    pub(crate) updated_at: DateTime<Utc>,
    pub(crate) pushed_at: Option<DateTime<Utc>>,
}

/// Who did something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Author {
    User(u64),
    App(u64),
}

/// Where a pull request stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PullState {
    Open,
    Closed,
    Merged,
}

/// A pull request. Heads and bases live in one repository: the practice forge has no forks.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Pull {
    pub(crate) id: u64,
    pub(crate) number: u64,
    pub(crate) repository: u64,
    pub(crate) title: String,
    pub(crate) body: Option<String>,
    pub(crate) draft: bool,
    pub(crate) state: PullState,
    pub(crate) author: Author,
    pub(crate) head_ref: String,
    pub(crate) head_sha: String,
    pub(crate) base_ref: String,
    pub(crate) base_sha: String,
    pub(crate) created_at: DateTime<Utc>,
    pub(crate) updated_at: DateTime<Utc>,
    pub(crate) closed_at: Option<DateTime<Utc>>,
    pub(crate) closed_by: Option<Author>,
    pub(crate) merged_at: Option<DateTime<Utc>>,
    pub(crate) merged_by: Option<Author>,
    pub(crate) merge_commit: Option<String>,
}

/// A comment on a pull request.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Comment {
    pub(crate) id: u64,
    pub(crate) repository: u64,
    pub(crate) number: u64,
    pub(crate) author: Author,
    pub(crate) body: String,
    pub(crate) created_at: DateTime<Utc>,
    pub(crate) updated_at: DateTime<Utc>,
}

/// Where the demo course stands, so that its source can be advanced later.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct DemoState {
    pub(crate) source: u64,
    pub(crate) seed: u64,
    /// Commits made on the source after the distribution's state.
    pub(crate) advanced: u64,
    /// Date of the newest commit, seconds since 1970.
    pub(crate) clock: i64,
}
