//! Recipients, their branches and their pull requests.

use lockstep_domain::model::{Mergeable, PullState};
use lockstep_domain::outcome::{ItemStep, Outcome, Reason};
use lockstep_domain::skip::RecipientState;
use serde::{Deserialize, Serialize};
use specta::Type;

use super::TimeMs;

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
    #[specta(type = super::Told)]
    pub opened_at: TimeMs,
    /// Whether its head is behind the distribution.
    pub behind: bool,
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
