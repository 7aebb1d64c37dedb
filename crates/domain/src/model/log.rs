//! The audit and the change log.

use crate::clock::Millis;
use crate::ids::ProjectId;

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
