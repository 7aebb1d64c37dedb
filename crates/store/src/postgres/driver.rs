//! What PostgreSQL does its own way.

use std::sync::Arc;
use std::time::Duration;

pub(super) use super::both::put;
use super::both::{Lane, Line, On, get, json_text};
use super::listen::Listener;
use super::open;
use crate::context::Context;
use crate::contract::{Result, StoreError};

pub(super) type Db = sqlx::Postgres;
pub(super) type Conn = sqlx::PgConnection;
pub(super) type DbPool = sqlx::PgPool;
pub(super) type Row = sqlx::postgres::PgRow;
pub(super) type Args = sqlx::postgres::PgArguments;

pub(super) const KIND: &str = "postgres";
/// The level is said, whatever a DBA set as default; the limits are local, so that a pooler in between is no trap.
pub(super) const BEGIN_WRITE: &str = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; \
    SET LOCAL lock_timeout = '3s'; SET LOCAL statement_timeout = '10s'; \
    SET LOCAL idle_in_transaction_session_timeout = '15s'";
/// Several statements see one state.
pub(super) const BEGIN_READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; \
    SET LOCAL lock_timeout = '3s'; SET LOCAL statement_timeout = '10s'; \
    SET LOCAL idle_in_transaction_session_timeout = '15s'";
/// Held until COMMIT by whoever writes the feed; the key spells the product's name.
pub(super) const FEED_LOCK: Option<&str> = Some("SELECT pg_advisory_xact_lock(5498687660842304848)");
/// On claim, release and cancel only; the payload is the id.
pub(super) const NOTIFY: Option<&str> = Some("SELECT pg_notify('lockstep_leases', $1)");
/// Other machines: only time judges.
pub(super) const PROVES_DEATH: bool = false;
pub(super) const ENGINE: &str = "SELECT current_setting('server_version') AS engine";
pub(super) const HAS_MIGRATIONS: &str = "SELECT 1 AS found WHERE to_regclass('_sqlx_migrations') IS NOT NULL";
/// Polling is the truth; notifications only make it early.
pub(super) const FEED_POLL: Duration = Duration::from_secs(1);
pub(super) const CANCEL_POLL: Duration = Duration::from_secs(1);
/// Longer than every limit of the server: past it the network is gone.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);

const SCHEMA_NAME: &str = "SELECT n.nspname::text AS name FROM pg_class c \
    JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = to_regclass('leases')";
const FAULTS: &str = "SELECT j.value->>'name' AS name, c.relkind::text AS kind, \
    c.relpersistence::text AS persistence, n.nspname::text AS schema, \
    EXISTS (SELECT 1 FROM pg_rewrite r WHERE r.ev_class = c.oid AND c.relkind = 'r') AS rewritten, \
    EXISTS (SELECT 1 FROM pg_inherits i WHERE i.inhparent = c.oid) AS parted FROM {each:$1} \
    LEFT JOIN pg_class c ON c.oid = to_regclass(j.value->>'name') \
    LEFT JOIN pg_namespace n ON n.oid = c.relnamespace";

/// What is kept beside the pools.
#[derive(Debug)]
pub(super) struct Keep {
    pub(super) how: open::How,
    pub(super) listener: Option<Listener>,
}

impl Keep {
    /// A small pool of its own, on the current runtime.
    pub(super) async fn line(&self, ctx: &Arc<Context>) -> Result<Line> {
        let pool = open::pool(&self.how, 2);
        drop(pool.acquire().await.map_err(|error| classify(&error))?);
        Ok(Line::new(Lane::new(pool, Arc::clone(ctx), PATIENCE), true))
    }

    #[expect(clippy::unused_async, reason = "the other driver waits here")]
    pub(super) async fn close(&self) {
        if let Some(listener) = &self.listener {
            listener.stop();
        }
    }
}

/// Whether a failed COMMIT may have taken effect: the connection went away, or the server was going down.
pub(super) fn answer_lost(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Database(database) => database.code().is_some_and(|code| code.starts_with("57P")),
        _ => true,
    }
}

/// Names an error by what the caller can do. The texts of the connection never show: they may hold an address.
pub(super) fn classify(error: &sqlx::Error) -> StoreError {
    let database = match error {
        sqlx::Error::Database(database) => database,
        sqlx::Error::PoolTimedOut => return StoreError::Busy,
        sqlx::Error::PoolClosed => return StoreError::Unusable("the database is closed".into()),
        sqlx::Error::Io(error) => {
            return StoreError::Unusable(format!("the database cannot be reached: {}", error.kind()));
        }
        sqlx::Error::Tls(_) => {
            return StoreError::Unusable("the database's certificate was not accepted".into());
        }
        sqlx::Error::Configuration(_) => {
            return StoreError::Unusable("the address of the database is not usable".into());
        }
        sqlx::Error::Protocol(_) => {
            return StoreError::Unusable("the connection to the database broke".into());
        }
        other => return StoreError::Failed(other.to_string()),
    };
    if database.is_unique_violation() {
        return StoreError::AlreadyExists("such an entry".into());
    }
    if database.is_foreign_key_violation() {
        return StoreError::NotFound("something this refers to".into());
    }
    let code = database.code().unwrap_or_default();
    match code.as_ref() {
        // lock and statement timeouts, deadlocks, serialisation, too many connections, starting up
        "55P03" | "57014" | "40P01" | "40001" | "53300" | "57P03" | "25P03" => StoreError::Busy,
        "57P01" | "57P02" => StoreError::Unusable("the database server is shutting down".into()),
        "53100" => StoreError::Unusable("the server's disk is full; free some space and try again".into()),
        "25006" => StoreError::Unusable("the database is read-only; connect to the primary server".into()),
        "3D000" => StoreError::Unusable("the database does not exist; create it first".into()),
        "28P01" | "28000" => StoreError::Unusable("the database refused user or password".into()),
        "42501" => {
            StoreError::Unusable(format!("a right is missing in the database: {}", database.message()))
        }
        _ => StoreError::Failed(database.message().to_owned()),
    }
}

/// The schema in which the tables were made.
pub(super) async fn schema_name(on: &mut On) -> Result<String> {
    match on.row(SCHEMA_NAME, args![]).await? {
        Some(row) => get(&row, "name"),
        None => Err(StoreError::Split("leases does not exist".into())),
    }
}

/// What is wrong with the tables of a run, if anything.
pub(super) async fn table_faults(on: &mut On, tables: &[&str], recorded: &str) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    let names: Vec<_> = tables.iter().map(|name| serde_json::json!({ "name": name })).collect();
    for row in on.rows(FAULTS, args![json_text(&names)?]).await? {
        let name: String = get(&row, "name")?;
        let schema: Option<String> = get(&row, "schema")?;
        let persistence: Option<String> = get(&row, "persistence")?;
        match get::<Option<String>>(&row, "kind")?.as_deref() {
            None => faults.push(format!("{name} does not exist")),
            Some("r") => match (schema.as_deref(), persistence.as_deref()) {
                (Some(schema), _) if schema != recorded => {
                    faults.push(format!("{name} is found in the schema {schema} instead of {recorded}"));
                }
                (_, Some("p")) if get(&row, "rewritten")? => {
                    faults.push(format!("{name} is rewritten by a rule"));
                }
                (_, Some("p")) if get(&row, "parted")? => {
                    faults.push(format!("{name} has parts elsewhere (tables that inherit from it)"));
                }
                (_, Some("p")) => {}
                _ => faults.push(format!("{name} is not kept over a crash (unlogged or temporary)")),
            },
            Some("p") => faults.push(format!("{name} is partitioned")),
            Some("v" | "m") => faults.push(format!("{name} is a view")),
            Some("f") => faults.push(format!("{name} is a foreign table")),
            Some(kind) => faults.push(format!("{name} is no table (kind {kind})")),
        }
    }
    Ok(faults)
}

/// The sequence and function that the test clock lives in: a sequence is read as it is now, in every transaction.
#[cfg(feature = "test-clock")]
pub(super) async fn prepare_test_clock(on: &mut On) -> Result<()> {
    on.exec("CREATE SEQUENCE IF NOT EXISTS lockstep_test_clock MINVALUE 0 START 0", args![]).await?;
    on.exec(
        "CREATE OR REPLACE FUNCTION lockstep_test_now() RETURNS timestamptz LANGUAGE plpgsql VOLATILE AS $$ \
         DECLARE at bigint; BEGIN SELECT last_value INTO at FROM lockstep_test_clock; \
         IF at = 0 THEN RETURN date_trunc('milliseconds', clock_timestamp()); END IF; \
         RETURN to_timestamp(at / 1000.0); END $$",
        args![],
    )
    .await?;
    Ok(())
}
