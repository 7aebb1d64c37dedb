//! Time, the one error, and the tags that say what changed.

use lockstep_domain::code::Code;
use serde::Serialize;
use specta::Type;

use super::LeaseCard;

/// Milliseconds since the Unix epoch by the database's clock (or this machine's where said).
pub type TimeMs = f64;

/// How a time that always has a value looks to the window: a plain number. An `f64` would be told as `number | null`,
/// because JSON knows no NaN; a time of the database is never one.
pub(super) type Told = u32;

/// The one error of every use case.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ApiError {
    /// Stable code; the window has words for each.
    pub code: Code,
    /// What happened, to whom, in plain words; names the value.
    pub message: String,
    /// What to do.
    pub hint: String,
    /// Whether the same call may work later unchanged.
    pub retryable: bool,
    /// Names the log line of this error; the forge's request id where there is one.
    pub ref_id: Option<String>,
    /// Who holds the lease, when that is the reason.
    pub holder: Option<Box<LeaseCard>>,
    /// For `not_reclaimable` and rate limits: milliseconds until it may work.
    pub wait_ms: Option<u32>,
}

/// What kind of data changed: queries carry tags, changes name them.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Type)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Tag {
    /// The list of projects.
    Projects,
    /// One project's head, lease, run.
    Project {
        /// Project id.
        id: String,
    },
    /// A project's recipients.
    Recipients {
        /// Project id.
        project: String,
    },
    /// A project's runs.
    Runs {
        /// Project id.
        project: String,
    },
    /// Sources.
    Sources,
    /// Leases.
    Leases,
    /// Connections.
    Connections,
}

/// A value or the words why not.
#[derive(Debug, Clone, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Probe {
    /// The value.
    pub ok: Option<String>,
    /// Why there is none.
    pub problem: Option<String>,
}
