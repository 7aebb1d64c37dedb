//! What changed, batch by batch.

use serde::Serialize;
use specta::Type;

use super::{LeaseCard, RecipientRow, RunView, Tag, TimeMs};

/// What changed, coalesced to at most four a second.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct FeedBatch {
    /// Cursor after this batch, as text.
    pub cursor: String,
    /// The database's clock.
    #[specta(type = super::Told)]
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
