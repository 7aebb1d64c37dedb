//! Whole rows, the same in both dialects: times in ms, ids and tokens in hex, so that a law names every column.

use std::collections::BTreeMap;

use lockstep_domain::ids::ProjectId;
use lockstep_domain::lease::Holder;
use lockstep_store::Place;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Connection as _};
use tokio::sync::Mutex;
use uuid::Uuid;

use crate::world::World;

/// Column name and value.
pub(crate) type Cells = BTreeMap<String, Value>;

/// A column as JSON. SQLite holds ids and tokens as blobs and times as ms already.
const SQLITE_CELLS: &str = "SELECT group_concat('''' || name || ''', ' || \
    CASE type WHEN 'BLOB' THEN 'lower(hex(' || name || '))' ELSE name END, ', ') FROM pragma_table_info('{table}')";
const POSTGRES_CELLS: &str = "SELECT string_agg(quote_literal(attname) || ', ' || CASE format_type(atttypid, NULL) \
    WHEN 'bytea' THEN format('coalesce(encode(%I, ''hex''), '''')', attname) \
    WHEN 'uuid' THEN format('coalesce(replace(%I::text, ''-'', ''''), '''')', attname) \
    WHEN 'timestamp with time zone' THEN format('floor(extract(epoch FROM %I) * 1000)::bigint', attname) \
    ELSE format('%I', attname) END, ', ' ORDER BY attnum) \
    FROM pg_attribute WHERE attrelid = to_regclass('{table}') AND attnum > 0 AND NOT attisdropped";

/// A connection of the test's own, past the store.
pub(crate) enum Hand {
    Sqlite(Mutex<sqlx::SqliteConnection>),
    Postgres(Mutex<sqlx::PgConnection>),
}

impl Hand {
    pub(crate) async fn connect(place: &Place) -> Self {
        match place {
            Place::Sqlite(path) => {
                let options = sqlx::sqlite::SqliteConnectOptions::new().filename(path).foreign_keys(true);
                Self::Sqlite(Mutex::new(sqlx::SqliteConnection::connect_with(&options).await.unwrap()))
            }
            Place::Postgres(url) => {
                Self::Postgres(Mutex::new(sqlx::PgConnection::connect(url).await.unwrap()))
            }
        }
    }

    async fn texts(&self, sql: String) -> Vec<String> {
        match self {
            Self::Sqlite(conn) => {
                let mut conn = conn.lock().await;
                sqlx::query_scalar(AssertSqlSafe(sql)).persistent(false).fetch_all(&mut *conn).await.unwrap()
            }
            Self::Postgres(conn) => {
                let mut conn = conn.lock().await;
                sqlx::query_scalar(AssertSqlSafe(sql)).persistent(false).fetch_all(&mut *conn).await.unwrap()
            }
        }
    }
}

impl World {
    /// Raw SQL, for rows that no function of the store makes.
    pub(crate) async fn raw(&self, sql: &str) -> Result<u64, sqlx::Error> {
        let sql = sqlx::raw_sql(AssertSqlSafe(sql.to_owned()));
        match &self.hand {
            Hand::Sqlite(conn) => sql.execute(&mut *conn.lock().await).await.map(|done| done.rows_affected()),
            Hand::Postgres(conn) => {
                sql.execute(&mut *conn.lock().await).await.map(|done| done.rows_affected())
            }
        }
    }

    /// One number.
    pub(crate) async fn count(&self, sql: &str) -> i64 {
        let sql = format!("SELECT CAST(({sql}) AS TEXT)");
        self.hand.texts(sql).await[0].parse().unwrap()
    }

    /// Every row of these tables, each as one text, token included.
    pub(crate) async fn dump(&self, tables: &[&str]) -> Vec<String> {
        let mut out = Vec::new();
        for table in tables {
            let sql = match self.hand {
                Hand::Postgres(_) => format!("SELECT row_to_json(t)::text AS line FROM {table} t ORDER BY 1"),
                Hand::Sqlite(_) => {
                    let columns = format!(
                        "SELECT group_concat('quote(' || name || ')', ', ') FROM pragma_table_info('{table}')"
                    );
                    let columns = self.hand.texts(columns).await.remove(0);
                    format!("SELECT json_array({columns}) AS line FROM {table} ORDER BY 1")
                }
            };
            let lines = self.hand.texts(sql).await;
            out.extend(lines.into_iter().map(|line| format!("{table} {line}")));
        }
        out
    }

    /// All rows of a table that fulfil a condition, in the order of their key.
    pub(crate) async fn cells(&self, table: &str, condition: &str) -> Vec<Cells> {
        let (of, object) = match self.hand {
            Hand::Sqlite(_) => (SQLITE_CELLS, "json_object"),
            Hand::Postgres(_) => (POSTGRES_CELLS, "json_build_object"),
        };
        let cells = self.hand.texts(of.replace("{table}", table)).await.remove(0);
        let sql = format!("SELECT CAST({object}({cells}) AS TEXT) FROM {table} WHERE {condition} ORDER BY 1");
        self.hand.texts(sql).await.iter().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The whole lease row of a project, token included.
    pub(crate) async fn lease_cells(&self, project: ProjectId) -> Cells {
        let mut rows = self.cells("leases", &format!("project_id = {}", self.id(project.0))).await;
        assert_eq!(rows.len(), 1, "one lease row per project");
        rows.remove(0)
    }

    /// Status of every run of a project, by fence.
    pub(crate) async fn run_states(&self, project: ProjectId) -> Vec<(i64, String)> {
        let rows = self.cells("runs", &format!("project_id = {}", self.id(project.0))).await;
        let mut states: Vec<_> = rows
            .iter()
            .map(|row| (row["fence"].as_i64().unwrap(), row["status"].as_str().unwrap().to_owned()))
            .collect();
        states.sort();
        states
    }

    /// An id as a literal of this database.
    pub(crate) fn id(&self, id: Uuid) -> String {
        match self.place {
            Place::Sqlite(_) => format!("x'{}'", hex(id.as_bytes())),
            Place::Postgres(_) => format!("'{id}'::uuid"),
        }
    }
}

/// The same row with other values in some columns.
pub(crate) fn with(before: &Cells, changes: &Value) -> Cells {
    let mut after = before.clone();
    for (column, value) in changes.as_object().unwrap() {
        assert!(after.contains_key(column), "{column}");
        after.insert(column.clone(), value.clone());
    }
    after
}

/// The columns of a row that name its holder.
pub(crate) fn holder_cells(holder: &Holder) -> Value {
    json!({
        "person": holder.person,
        "os_user": holder.os_user,
        "host": holder.host,
        "pid": holder.pid,
        "process_start": holder.process_start,
        "app_version": holder.app_version,
        "boot_id": holder.boot_id,
    })
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
