//! Opening a file: its place, its migrations, its pools.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use sqlx::ConnectOptions as _;
use sqlx::migrate::Migrator;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};

use super::both::{Database, Lane, On, Upkeep, check_whole, get, stamp, upkeep};
use super::driver::{self, Keep};
use super::place;
use crate::context::Context;
use crate::contract::{Host, Result, Store, StoreError};
use crate::open::{OpenOptions, Synchronous, migration_failed, newest};
use crate::sql::Dialect;

static MIGRATOR: Migrator = sqlx::migrate!("../../migrations/sqlite");

/// Two writers in WAL mode can damage an older one's file.
const OLDEST: (u32, u32, u32) = (3, 51, 3);
const BUSY: Duration = Duration::from_secs(5);
const QUEUE: Duration = Duration::from_secs(20);

pub(crate) async fn open(path: &Path, host: Host, options: OpenOptions) -> Result<Arc<dyn Store>> {
    open_with(path, host, options, &MIGRATOR).await
}

async fn open_with(
    path: &Path,
    host: Host,
    options: OpenOptions,
    migrator: &'static Migrator,
) -> Result<Arc<dyn Store>> {
    place::check(path)?;
    if !options.migrate && !path.exists() {
        return Err(StoreError::Unusable(format!("the database {} does not exist", path.display())));
    }
    let ctx = Arc::new(Context::new(host, Dialect::Sqlite, &options));
    let connect = connect_options(path, options.migrate, options.sqlite_synchronous);
    let work = lane(&connect, 1, &ctx);
    migrate(&work, path, &options, migrator).await?;
    let reads = lane(&connect.clone().create_if_missing(false).pragma("query_only", "ON"), 4, &ctx);
    let lease = lane(&connect.create_if_missing(false), 1, &ctx);
    Ok(Arc::new(Database::new(work, reads, Keep { lease })))
}

pub(super) fn connect_options(path: &Path, create: bool, synchronous: Synchronous) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(create)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(match synchronous {
            Synchronous::Full => SqliteSynchronous::Full,
            Synchronous::Normal => SqliteSynchronous::Normal,
        })
        .busy_timeout(BUSY)
        .foreign_keys(true)
        .disable_statement_logging()
}

pub(super) fn lane(connect: &SqliteConnectOptions, most: u32, ctx: &Arc<Context>) -> Lane {
    let pool = SqlitePoolOptions::new()
        .max_connections(most)
        .acquire_timeout(QUEUE)
        .idle_timeout(None)
        .max_lifetime(None)
        .connect_lazy_with(connect.clone());
    Lane::new(pool, Arc::clone(ctx), driver::PATIENCE)
}

/// Brings the file to the schema of this program, under a lock of the operating system.
async fn migrate(work: &Lane, path: &Path, options: &OpenOptions, migrator: &'static Migrator) -> Result<()> {
    let lock = match options.migrate {
        true => {
            let path = path.to_path_buf();
            let locked = tokio::task::spawn_blocking(move || place::lock(&path)).await;
            Some(locked.map_err(|error| StoreError::Failed(error.to_string()))??)
        }
        false => None,
    };
    let may = options.migrate;
    let span = tracing::info_span!("store.migrate");
    let unstamped = work.peek(span.clone(), move |on| Box::pin(bring_up(on, may, migrator))).await?;
    #[cfg(feature = "test-clock")]
    if options.test_clock {
        work.write(span.clone(), |on| Box::pin(driver::prepare_test_clock(on))).await?;
    }
    if unstamped {
        work.write(span.clone(), |on| Box::pin(stamp(on))).await?;
    }
    work.peek(span, |on| Box::pin(check_whole(on))).await?;
    drop(lock);
    Ok(())
}

/// `true`: the database has to be stamped.
async fn bring_up(on: &mut On, may: bool, migrator: &Migrator) -> Result<bool> {
    assert_version(on).await?;
    if let Upkeep::Current { stamp } = upkeep(on, may, newest(migrator)).await? {
        return Ok(stamp);
    }
    if let Err(error) = migrator.run_direct(None, on.conn(), false).await {
        on.spoil();
        return Err(migration_failed(&error, driver::classify));
    }
    Ok(true)
}

async fn assert_version(on: &mut On) -> Result<()> {
    let found = on.row(driver::ENGINE, driver::Args::default()).await?;
    let text: String = found.map_or(Ok(String::new()), |row| get(&row, "engine"))?;
    let mut parts = text.split('.').map(|part| part.parse::<u32>().unwrap_or_default());
    let mut next = || parts.next().unwrap_or_default();
    if (next(), next(), next()) < OLDEST {
        return Err(StoreError::Unusable(format!(
            "this program was built with SQLite {text}; 3.51.3 is needed"
        )));
    }
    Ok(())
}
