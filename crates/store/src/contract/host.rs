//! Where the database is and what it needs of its host.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use lockstep_domain::clock::{Clock, Millis};
use lockstep_domain::ids::{DatabaseId, Ids};

/// Which database.
#[derive(Clone)]
pub enum Place {
    /// One file.
    Sqlite(PathBuf),
    /// A server: `postgres://...`; may hold a password.
    Postgres(String),
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "Sqlite({})", path.display()),
            Self::Postgres(_) => f.write_str("Postgres(hidden)"),
        }
    }
}

/// Tells whether a process of this machine still exists; the host gives the real one.
pub trait Processes: Send + Sync + fmt::Debug {
    /// Id of this boot; empty where no dependable one exists.
    fn boot_id(&self) -> String;
    /// Whether a process with this id and start exists on this boot. When in doubt: true.
    fn exists(&self, pid: u32, start: u64) -> bool;
}

/// What a store needs of its host.
#[derive(Debug, Clone)]
pub struct Host {
    /// This machine's clocks.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub ids: Arc<dyn Ids>,
    /// Processes of this machine.
    pub processes: Arc<dyn Processes>,
    /// Version of this program.
    pub app_version: String,
}

/// What kind of database answers, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreInfo {
    /// `sqlite` or `postgres`.
    pub kind: &'static str,
    /// Its id, used in the owner mark of distributions.
    pub database: DatabaseId,
    /// Schema version.
    pub schema: i64,
    /// Version string of the engine.
    pub engine: String,
    /// The database's clock.
    pub now: Millis,
}

/// Who acts, for audit rows.
#[derive(Debug, Clone)]
pub struct Actor {
    /// Person, self-declared.
    pub person: String,
    /// Machine, as `user@host`.
    pub machine: String,
}
