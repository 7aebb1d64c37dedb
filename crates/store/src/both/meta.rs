//! `meta`: one row about the database itself, and the checks that its tables are one whole.

use lockstep_domain::ids::DatabaseId;
use lockstep_domain::lease::LeaseView;

use super::on::On;
use super::row::get;
use super::{driver, leases};
use crate::contract::{Result, StoreError, StoreInfo};

const BORN: &str = "INSERT INTO meta (one, database_id, app_version, schema_name, created_at) \
    VALUES (1, $1, $2, $3, {now}) ON CONFLICT (one) DO NOTHING";
const STAMP: &str = "UPDATE meta SET app_version = $1 WHERE one = 1";
/// What even a newer schema must still tell.
const BY: &str = "SELECT app_version, moved_to FROM meta WHERE one = 1";
const READ: &str = "SELECT database_id, schema_name, {now_ms} AS now FROM meta WHERE one = 1";
const SCHEMA: &str = "SELECT coalesce(max(version), 0) AS version FROM _sqlx_migrations";

/// Every table that takes part in a run: one local transaction must cover them all.
pub(super) const TABLES: &[&str] = &[
    "meta",
    "connections",
    "sources",
    "source_heads",
    "projects",
    "project_branches",
    "recipients",
    "leases",
    "runs",
    "items",
    "last_outcomes",
    "pull_requests",
    "own_commits",
    "inventory",
    "publications",
    "verdicts",
    "gates",
    "gate_slots",
    "feed",
    "audit",
];

/// What the schema found asks for.
pub(crate) enum Upkeep {
    /// It is the newest; `stamp`: a first migration was cut short before it named its program.
    Current {
        /// See above.
        stamp: bool,
    },
    /// Migrate.
    Migrate,
}

/// Compares the schema found with the newest known: refuses a newer one, and an upgrade that is not allowed or would
/// pull the tables from under a live lease.
pub(crate) async fn upkeep(on: &mut On, may: bool, known: i64) -> Result<Upkeep> {
    match found_schema(on).await? {
        Some((found, app)) if found > known => {
            let app = app.unwrap_or_else(|| "of unknown version".into());
            Err(StoreError::Newer { found, known, app })
        }
        Some((found, app)) if found == known => Ok(Upkeep::Current { stamp: may && app.is_none() }),
        _ if !may => {
            Err(StoreError::Unusable("the database needs an upgrade; open it in the window first".into()))
        }
        Some(_older) => match live_lease(on).await? {
            Some(view) => Err(StoreError::Held(Box::new(view))),
            None => Ok(Upkeep::Migrate),
        },
        None => Ok(Upkeep::Migrate),
    }
}

/// The schema found and the version that wrote it (missing when a first migration was cut short); `None` for an empty
/// database.
async fn found_schema(on: &mut On) -> Result<Option<(i64, Option<String>)>> {
    if on.row(driver::HAS_MIGRATIONS, args![]).await?.is_none() {
        return Ok(None);
    }
    let found = on.row(SCHEMA, args![]).await?;
    let version: i64 = found.map_or(Ok(0), |row| get(&row, "version"))?;
    if version == 0 {
        return Ok(None);
    }
    let meta = on.row(BY, args![]).await?;
    let app = meta.as_ref().map(|row| get(row, "app_version")).transpose()?;
    if let Some(to) = meta.as_ref().map_or(Ok(None), |row| get::<Option<String>>(row, "moved_to"))? {
        return Err(StoreError::Unusable(format!("this database was moved to {to}; connect there instead")));
    }
    Ok(Some((version, app)))
}

/// A live lease, which forbids to migrate.
async fn live_lease(on: &mut On) -> Result<Option<LeaseView>> {
    let leases = leases::all(on).await?;
    Ok(leases.into_iter().find(|view| view.held && !view.proven_dead && view.left_ms() > 0))
}

/// After a migration: who did it, and for a new database its id and the schema that its names resolve to.
pub(crate) async fn stamp(on: &mut On) -> Result<()> {
    let app = on.ctx.host.app_version.clone();
    let schema = driver::schema_name(on).await?;
    let id = on.fresh();
    on.exec(BORN, args![id, &app, schema]).await?;
    on.exec(STAMP, args![app]).await?;
    Ok(())
}

pub(super) async fn info(on: &mut On) -> Result<StoreInfo> {
    let found = on.row(READ, args![]).await?;
    let row = found.ok_or_else(|| StoreError::Unusable("the database has no meta row".into()))?;
    let schema = on.row(SCHEMA, args![]).await?;
    let engine = on.row(driver::ENGINE, args![]).await?;
    Ok(StoreInfo {
        kind: driver::KIND,
        database: DatabaseId(get(&row, "database_id")?),
        schema: schema.map_or(Ok(0), |row| get(&row, "version"))?,
        engine: engine.map_or(Ok(String::new()), |row| get(&row, "engine"))?,
        now: super::row::ms(&row, "now")?,
    })
}

/// Refuses when one local transaction does not cover all run tables.
pub(crate) async fn check_whole(on: &mut On) -> Result<()> {
    let found = on.row(READ, args![]).await?;
    let row = found.ok_or_else(|| StoreError::Split("the table meta is empty".into()))?;
    let recorded: String = get(&row, "schema_name")?;
    let faults = driver::table_faults(on, TABLES, &recorded).await?;
    if faults.is_empty() { Ok(()) } else { Err(StoreError::Split(faults.join("; "))) }
}
