//! Opening a server's database: its migrations, its pools.

use std::str::FromStr as _;
use std::sync::Arc;
use std::time::Duration;

use sqlx::migrate::Migrator;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{ConnectOptions as _, Executor as _};

use super::both::{Database, Lane, On, Upkeep, check_whole, get, stamp, upkeep};
use super::driver::{self, DbPool, Keep};
use super::listen::Listener;
use crate::context::Context;
use crate::contract::{Host, Result, Store, StoreError};
use crate::open::{OpenOptions, migration_failed, newest};
use crate::sql::Dialect;

static MIGRATOR: Migrator = sqlx::migrate!("../../migrations/postgres");

/// The oldest server whose `extract` is exact.
const OLDEST: i64 = 140_000;
const VERSION: &str = "SELECT current_setting('server_version_num')::bigint AS version";
const QUEUE: Duration = Duration::from_secs(10);
/// Temporary tables come last, so that none hides one of ours.
const SEARCH: &str = "SELECT set_config('search_path', quote_ident($1) || ', pg_temp', false)";
/// A migration may rewrite a table.
const MIGRATION: Duration = Duration::from_secs(600);

pub(crate) async fn open(url: &str, host: Host, options: OpenOptions) -> Result<Arc<dyn Store>> {
    open_with(url, host, options, &MIGRATOR).await
}

async fn open_with(
    url: &str,
    host: Host,
    options: OpenOptions,
    migrator: &'static Migrator,
) -> Result<Arc<dyn Store>> {
    let connect = PgConnectOptions::from_str(url)
        .map_err(|error| driver::classify(&error))?
        .application_name("lockstep")
        .disable_statement_logging();
    // How an address says that a pooler in transaction mode is in between.
    let pooled = url.contains("statement-cache-capacity=0");
    let ctx = Arc::new(Context::new(host, Dialect::Postgres, &options));
    let schema = migrate(&connect, &ctx, &options, migrator).await?;
    let how = How { connect, pooled, schema };
    let work = pool(&how, 4);
    let listener = (!pooled).then(|| Listener::start(pool(&how, 1), Arc::clone(&ctx)));
    let reads = Lane::new(pool(&how, 4), Arc::clone(&ctx), driver::PATIENCE);
    let work = Lane::new(work, ctx, driver::PATIENCE);
    Ok(Arc::new(Database::new(work, reads, Keep { how, listener })))
}

/// How every connection of one store is made.
#[derive(Debug, Clone)]
pub(super) struct How {
    connect: PgConnectOptions,
    pooled: bool,
    /// The schema recorded when the tables were made: names resolve there, whatever search path a role or a database
    /// is given later.
    schema: String,
}

/// A pool whose connections never keep a transaction open, and whose single statements are bounded too.
pub(super) fn pool(how: &How, most: u32) -> DbPool {
    let (pooled, schema) = (how.pooled, how.schema.clone());
    PgPoolOptions::new()
        .max_connections(most)
        .acquire_timeout(QUEUE)
        .after_connect(move |conn, _meta| {
            let schema = schema.clone();
            Box::pin(async move {
                if !pooled {
                    conn.execute(
                        "SET client_min_messages = error; SET statement_timeout = '10s'; SET lock_timeout = '3s'; \
                         SET default_transaction_isolation = 'read committed'",
                    )
                    .await?;
                    conn.execute(sqlx::query(SEARCH).bind(schema)).await?;
                }
                Ok(())
            })
        })
        .after_release(|conn, _meta| {
            Box::pin(async move {
                conn.execute("ROLLBACK").await?;
                Ok(true)
            })
        })
        .connect_lazy_with(how.connect.clone())
}

/// Brings the database to the schema of this program; sqlx holds an advisory lock meanwhile. The name of the schema that
/// its tables are in.
async fn migrate(
    connect: &PgConnectOptions,
    ctx: &Arc<Context>,
    options: &OpenOptions,
    migrator: &'static Migrator,
) -> Result<String> {
    let pool =
        PgPoolOptions::new().max_connections(1).acquire_timeout(QUEUE).connect_lazy_with(connect.clone());
    let lane = Lane::new(pool, Arc::clone(ctx), MIGRATION);
    let span = tracing::info_span!("store.migrate");
    let may = options.migrate;
    let unstamped = lane.peek(span.clone(), move |on| Box::pin(bring_up(on, may, migrator))).await?;
    #[cfg(feature = "test-clock")]
    if options.test_clock {
        lane.write(span.clone(), |on| Box::pin(driver::prepare_test_clock(on))).await?;
    }
    if unstamped {
        lane.write(span.clone(), |on| Box::pin(stamp(on))).await?;
    }
    lane.peek(span.clone(), |on| Box::pin(check_whole(on))).await?;
    let schema = lane.peek(span, |on| Box::pin(driver::schema_name(on))).await?;
    lane.close().await;
    Ok(schema)
}

/// `true`: the database has to be stamped.
async fn bring_up(on: &mut On, may: bool, migrator: &Migrator) -> Result<bool> {
    let version = on.row(VERSION, driver::Args::default()).await?;
    if version.map_or(Ok(0), |row| get::<i64>(&row, "version"))? < OLDEST {
        return Err(StoreError::Unusable("PostgreSQL 14 or newer is needed".into()));
    }
    if let Upkeep::Current { stamp } = upkeep(on, may, newest(migrator)).await? {
        return Ok(stamp);
    }
    if let Err(error) = migrator.run_direct(None, on.conn(), false).await {
        // The advisory lock lives as long as the connection.
        on.spoil();
        return Err(migration_failed(&error, driver::classify));
    }
    Ok(true)
}
