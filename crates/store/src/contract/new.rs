//! What people add and change.

use lockstep_domain::clock::Millis;
use lockstep_domain::ids::{ConnectionId, SourceId};
use lockstep_domain::model::{BranchMapping, ConnectionKind, ProjectState, PullRow, RepoIdent, Strategy};
use lockstep_domain::names::{BranchName, RepoSlug};
use lockstep_domain::skip::RecipientState;

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
