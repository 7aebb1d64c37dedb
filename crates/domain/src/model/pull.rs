//! Pull requests of recipients.

use crate::clock::Millis;
use crate::codes;
use crate::ids::RecipientId;
use crate::names::{BranchName, Oid};

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
