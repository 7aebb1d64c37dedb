//! What SQLite does its own way.

use std::sync::Arc;
use std::time::Duration;

pub(super) use super::both::put;
use super::both::{Lane, Line, On, get, json_text};
use crate::context::Context;
use crate::contract::{Result, StoreError};

pub(super) type Db = sqlx::Sqlite;
pub(super) type Conn = sqlx::SqliteConnection;
pub(super) type DbPool = sqlx::SqlitePool;
pub(super) type Row = sqlx::sqlite::SqliteRow;
pub(super) type Args = sqlx::sqlite::SqliteArguments;

pub(super) const KIND: &str = "sqlite";
/// Every writing transaction takes the write lock at once: an upgrade later fails without waiting (code 517).
pub(super) const BEGIN_WRITE: &str = "BEGIN IMMEDIATE";
/// Readers see one state; they never write.
pub(super) const BEGIN_READ: &str = "BEGIN DEFERRED";
/// The writer is alone: cursors are in order anyway.
pub(super) const FEED_LOCK: Option<&str> = None;
pub(super) const NOTIFY: Option<&str> = None;
/// One machine: processes can be looked up.
pub(super) const PROVES_DEATH: bool = true;
pub(super) const ENGINE: &str = "SELECT sqlite_version() AS engine";
pub(super) const HAS_MIGRATIONS: &str =
    "SELECT 1 AS found FROM sqlite_schema WHERE type = 'table' AND name = '_sqlx_migrations'";
/// Other processes are noticed by looking.
pub(super) const FEED_POLL: Duration = Duration::from_millis(200);
pub(super) const CANCEL_POLL: Duration = Duration::from_millis(200);
/// A statement waits at most the busy timeout for others; what takes longer than this hangs in the disk.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

const FAULTS: &str = "SELECT j.value->>'name' AS name, \
    (SELECT CASE WHEN m.sql LIKE 'CREATE VIRTUAL%' THEN 'virtual table' ELSE m.type END \
     FROM main.sqlite_schema m WHERE m.name = j.value->>'name' AND m.type IN ('table', 'view')) AS kind, \
    (SELECT count(*) FROM temp.sqlite_schema t WHERE t.name = j.value->>'name' COLLATE NOCASE) AS shadows FROM {each:$1}";
const ATTACHED: &str = "SELECT name FROM pragma_database_list WHERE name NOT IN ('main', 'temp')";

/// The lease writer of this process.
#[derive(Debug)]
pub(super) struct Keep {
    pub(super) lease: Lane,
}

impl Keep {
    /// All lines of a process share its one lease writer.
    #[expect(clippy::unused_async, reason = "the other driver connects here")]
    pub(super) async fn line(&self, _ctx: &Arc<Context>) -> Result<Line> {
        Ok(Line::new(self.lease.clone(), false))
    }

    pub(super) async fn close(&self) {
        self.lease.close().await;
    }
}

/// Whether a failed COMMIT may have taken effect. SQLite answers in-process.
pub(super) fn answer_lost(_error: &sqlx::Error) -> bool {
    false
}

/// Names an error by what the caller can do.
pub(super) fn classify(error: &sqlx::Error) -> StoreError {
    let database = match error {
        sqlx::Error::Database(database) => database,
        sqlx::Error::PoolTimedOut => return StoreError::Busy,
        sqlx::Error::PoolClosed => return StoreError::Unusable("the database is closed".into()),
        other => return StoreError::Failed(other.to_string()),
    };
    if database.is_unique_violation() {
        return StoreError::AlreadyExists("such an entry".into());
    }
    let code = database.code().and_then(|code| code.parse::<i32>().ok()).unwrap_or_default();
    match code & 0xff {
        5 | 6 => StoreError::Busy,
        8 => StoreError::Unusable("the database file or its folder is read-only; make it writable".into()),
        10 => StoreError::Unusable(format!("the disk failed (SQLite code {code})")),
        11 => StoreError::Unusable("the database file is damaged; restore a backup".into()),
        13 => StoreError::Unusable("the disk is full; free some space and try again".into()),
        14 => StoreError::Unusable(
            "the database file cannot be opened; check its folder and permissions".into(),
        ),
        26 => StoreError::Unusable("the file is not a database".into()),
        _ if database.is_foreign_key_violation() => StoreError::NotFound("something this refers to".into()),
        _ => StoreError::Failed(database.message().to_owned()),
    }
}

/// The name that the split check compares with.
#[expect(clippy::unused_async, reason = "the other driver asks the server")]
pub(super) async fn schema_name(_on: &mut On) -> Result<String> {
    Ok("main".into())
}

/// What is wrong with the tables of a run, if anything.
pub(super) async fn table_faults(on: &mut On, tables: &[&str], recorded: &str) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    if recorded != "main" {
        faults.push(format!("the tables were made in {recorded}"));
    }
    for row in on.rows(ATTACHED, args![]).await? {
        faults.push(format!("the database {} is attached", get::<String>(&row, "name")?));
    }
    let names: Vec<_> = tables.iter().map(|name| serde_json::json!({ "name": name })).collect();
    for row in on.rows(FAULTS, args![json_text(&names)?]).await? {
        let name: String = get(&row, "name")?;
        match get::<Option<String>>(&row, "kind")?.as_deref() {
            None => faults.push(format!("{name} does not exist")),
            Some("table") if get::<i64>(&row, "shadows")? > 0 => {
                faults.push(format!("{name} is hidden by a temporary one"));
            }
            Some("table") => {}
            Some(kind) => faults.push(format!("{name} is a {kind}")),
        }
    }
    Ok(faults)
}

/// The one-row table that the test clock lives in.
#[cfg(feature = "test-clock")]
pub(super) async fn prepare_test_clock(on: &mut On) -> Result<()> {
    on.exec(
        "CREATE TABLE IF NOT EXISTS lockstep_test_clock \
         (one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1), at_ms INTEGER) STRICT",
        args![],
    )
    .await?;
    on.exec("INSERT OR IGNORE INTO lockstep_test_clock (one) VALUES (1)", args![]).await?;
    Ok(())
}
