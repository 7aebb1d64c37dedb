//! Opening a database, whichever it is.

use std::sync::Arc;

use lockstep_domain::lease::Window;
use sqlx::migrate::{MigrateError, Migrator};

use crate::contract::{Host, Place, Result, Store, StoreError};

/// What debug builds accept, so that tests need not wait.
const SHORTEST_MS: i64 = 300;

/// How far SQLite goes to keep a committed change over a power failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Synchronous {
    /// Every COMMIT reaches the disk: what a lease and a publication need.
    #[default]
    Full,
    /// The last changes may be lost with the power; for benches that compare.
    Normal,
}

/// How to open. Take [`OpenOptions::default`] and change what differs.
#[derive(Debug, Clone, Copy)]
pub struct OpenOptions {
    /// Whether this host may create the database and upgrade its schema.
    pub migrate: bool,
    /// Shortest lease window that a claim may ask for, in milliseconds; by default 180 s, in debug builds 300 ms.
    pub min_window_ms: i64,
    /// SQLite only.
    pub sqlite_synchronous: Synchronous,
    /// Called with a publication or a finish written and not yet committed; it may block. Shipped programs leave it empty.
    pub before_commit: Option<fn()>,
    /// Whether the clock inside the database can be set by [`crate::test_clock::TestClock`].
    #[cfg(feature = "test-clock")]
    pub test_clock: bool,
    /// One guard altered, to prove that it is missed.
    #[cfg(feature = "mutants")]
    pub mutant: Option<&'static crate::mutants::Mutant>,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self {
            migrate: true,
            min_window_ms: if cfg!(debug_assertions) { SHORTEST_MS } else { Window::MIN_MS },
            sqlite_synchronous: Synchronous::Full,
            before_commit: None,
            #[cfg(feature = "test-clock")]
            test_clock: false,
            #[cfg(feature = "mutants")]
            mutant: None,
        }
    }
}

/// Opens a database: checks its place, brings its schema up (when allowed) and connects.
///
/// # Errors
/// [`StoreError::Unusable`] says what is wrong with the place and what to do; [`StoreError::Newer`] names the version
/// that upgraded it; [`StoreError::Held`] when an upgrade is due while a lease is live; [`StoreError::Split`] when its
/// tables are not one whole.
pub async fn open(place: &Place, host: Host, options: OpenOptions) -> Result<Arc<dyn Store>> {
    match place {
        Place::Sqlite(path) => crate::sqlite::open(path, host, options).await,
        Place::Postgres(url) => crate::postgres::open(url, host, options).await,
    }
}

/// The newest schema that a program knows.
pub(crate) fn newest(migrator: &Migrator) -> i64 {
    migrator.iter().map(|migration| migration.version).max().unwrap_or_default()
}

/// Names a failed migration by what the caller can do.
pub(crate) fn migration_failed(
    error: &MigrateError,
    classify: impl FnOnce(&sqlx::Error) -> StoreError,
) -> StoreError {
    match error {
        MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => match classify(error) {
            StoreError::Failed(text) => StoreError::Failed(format!("the upgrade failed: {text}")),
            other => other,
        },
        other => StoreError::Failed(format!("the upgrade failed: {other}")),
    }
}
