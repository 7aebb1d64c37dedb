//! Where repositories are: connections and sources.

use crate::clock::Millis;
use crate::code::Code;
use crate::codes;
use crate::ids::{ConnectionId, RepoId, SourceId};
use crate::names::{BranchName, Oid, RepoSlug};

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
