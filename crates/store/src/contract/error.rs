//! What can go wrong, named by what the caller can do.

use lockstep_domain::lease::LeaseView;

/// What can go wrong at the database, named by what the caller can do. Texts hold no SQL and no password.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The guarded write found another owner, or an expired lease: rolled back whole, stop.
    #[error("the lease is lost")]
    LeaseLost,
    /// Something with this name exists already.
    #[error("{0} exists already")]
    AlreadyExists(String),
    /// What was named does not exist (any more).
    #[error("{0} does not exist")]
    NotFound(String),
    /// A live lease forbids it; the holder is named.
    #[error("a sync is running, held by {} on {}", .0.holder.as_ref().map_or("?", |h| &h.person), .0.holder.as_ref().map_or("?", |h| &h.host))]
    Held(Box<LeaseView>),
    /// One local transaction does not cover all run tables; the text names which.
    #[error("the tables do not share one database: {0}")]
    Split(String),
    /// Busy or timed out; nothing was written; try again.
    #[error("the database is busy")]
    Busy,
    /// A COMMIT whose answer was lost: re-read before repeating.
    #[error("the database's answer was lost")]
    Unclear,
    /// Cannot be opened, read or written; the text says why and what to do.
    #[error("{0}")]
    Unusable(String),
    /// The schema is newer than this program.
    #[error(
        "the database was upgraded by Lockstep {app} (schema {found}); this program knows schema {known}: install that version or newer"
    )]
    Newer {
        /// Schema found.
        found: i64,
        /// Schema known here.
        known: i64,
        /// Version that upgraded it.
        app: String,
    },
    /// A stored value that no version of Lockstep writes.
    #[error("the database holds an unreadable value in {place}: {value}")]
    Corrupt {
        /// Table and column.
        place: &'static str,
        /// The value.
        value: String,
    },
    /// Anything else of the driver; a bug or a broken server.
    #[error("the database failed: {0}")]
    Failed(String),
}

/// Shorthand.
pub type Result<T> = std::result::Result<T, StoreError>;
