//! Projects and their handed-out branches.

use super::RepoIdent;
use crate::ahead::Ahead;
use crate::clock::Millis;
use crate::codes;
use crate::ids::{ProjectId, SourceId};
use crate::names::{BranchName, Oid};

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
