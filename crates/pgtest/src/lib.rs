//! A private PostgreSQL server for tests: start, use, gone.
//!
//! **Lives here:** finding the server programs, a cluster in a temporary folder that listens on a Unix socket only,
//! readiness, the stop, and the sweep of what a killed owner left behind. Works as root (the server then runs as the
//! user `postgres`) and as a plain user. On Linux the server also ends when its owner is killed.
//!
//! **Must not live here:** SQL, schemas, connection pools, reading the environment. Callers bring their own client and
//! pass the value of `LOCKSTEP_TEST_POSTGRES` in ([`Postgres::shared`]).
//!
//! **Usual use:** one server for a whole test run, a database per test:
//!
//! ```no_run
//! # fn main() -> Result<(), lockstep_pgtest::PgError> {
//! let server = lockstep_pgtest::PgServer::start(lockstep_pgtest::Options::default())?;
//! let admin = server.url("postgres"); // create a database per test from here
//! # let _ = admin;
//! # Ok(())
//! # }
//! ```

mod cluster;
mod error;
mod folder;
mod programs;
mod url;

use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread::JoinHandle;

pub use error::PgError;
pub use url::with_database;

use folder::Folder;
use programs::Programs;

/// How the server treats the disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options {
    /// `true` keeps fsync and everything that depends on it, as a real server would; for durability figures.
    /// `false` (the default) trades all of it for speed.
    pub durable: bool,
}

/// A running private server. Stopped, and its folder removed, when the value is dropped.
///
/// Authentication is `trust` for the one superuser `postgres`; only the owner of the folder (and root) can reach the
/// socket.
#[derive(Debug)]
pub struct PgServer {
    folder: Folder,
    pid: u32,
    stop: Option<mpsc::Sender<()>>,
    keeper: Option<JoinHandle<()>>,
}

impl PgServer {
    /// Makes a cluster and starts its server; returns when the server takes connections (1 to 2 seconds).
    ///
    /// # Errors
    /// [`PgError::Missing`] names the package to install; [`PgError::Failed`] carries the end of the server's log;
    /// [`PgError::Io`] says what could not be done in the temporary folder.
    pub fn start(options: Options) -> Result<Self, PgError> {
        let programs = Programs::find()?;
        folder::sweep();
        let folder = Folder::create(programs.server_user())?;
        cluster::init(&programs, &folder, options)?;
        let (stop, stopped) = mpsc::channel();
        let (pid, keeper) = cluster::spawn(&programs, &folder, options, stopped)?;
        let server = Self { folder, pid, stop: Some(stop), keeper: Some(keeper) };
        cluster::wait_until_ready(&server.folder, server.keeper.as_ref())?;
        Ok(server)
    }

    /// The URL of `database` on this server: `postgres://postgres@localhost/DB?host=FOLDER`.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        url::socket_url(self.socket_folder(), database)
    }

    /// The folder that holds the socket `.s.PGSQL.5432`.
    #[must_use]
    pub fn socket_folder(&self) -> &Path {
        self.folder.path()
    }

    /// The socket itself.
    #[must_use]
    pub fn socket(&self) -> PathBuf {
        self.folder.path().join(".s.PGSQL.5432")
    }

    /// Process id of the server's first process.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.pid
    }
}

impl Drop for PgServer {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(keeper) = self.keeper.take() {
            // A keeper that panicked has nothing left to wait for; the folder goes either way.
            let _ended = keeper.join();
        }
    }
}

/// A server to test against: the one that the whole run shares, or one of our own.
#[derive(Debug)]
pub enum Postgres {
    /// Somebody else started it; the URL names some database on it.
    Given(String),
    /// Started here, gone with this value.
    Own(PgServer),
}

impl Postgres {
    /// Uses `given` (the value of `LOCKSTEP_TEST_POSTGRES`, read by the caller) when it is there and not empty, else
    /// starts a server.
    ///
    /// # Errors
    /// As [`PgServer::start`]; never when `given` is used.
    pub fn shared(given: Option<&str>) -> Result<Self, PgError> {
        match given {
            Some(url) if !url.trim().is_empty() => Ok(Self::Given(url.trim().to_owned())),
            _ => PgServer::start(Options::default()).map(Self::Own),
        }
    }

    /// The URL of `database` on this server.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        match self {
            Self::Given(url) => with_database(url, database),
            Self::Own(server) => server.url(database),
        }
    }
}
