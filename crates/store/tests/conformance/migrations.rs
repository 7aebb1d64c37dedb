//! Every migration has sample data of its schema; whatever comes later keeps it (docs/ARCHITECTURE.md).

use std::path::PathBuf;

use lockstep_domain::clock::Millis;
use lockstep_domain::ids::{ProjectId, RunId};
use lockstep_domain::lease::Fence;
use lockstep_domain::outcome::RunStatus;
use lockstep_store::{Claim, Place, open};
use sqlx::migrate::Migrator;
use sqlx::{AssertSqlSafe, Connection as _};
use uuid::Uuid;

use crate::world::{self, Kind, T0, World};

#[tokio::test]
async fn sqlite_sample_data_survives_every_migration() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("old.db");
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&path).create_if_missing(true);
    let mut conn = sqlx::SqliteConnection::connect_with(&options).await.unwrap();
    let migrator = Migrator::new(migrations("sqlite")).await.unwrap();
    for migration in migrator.iter() {
        migrator.run_to(migration.version, &mut conn).await.unwrap();
        sqlx::raw_sql(AssertSqlSafe(sample("sqlite", migration.version))).execute(&mut conn).await.unwrap();
    }
    conn.close().await.unwrap();
    everything_is_there(&Place::Sqlite(path)).await;
}

#[tokio::test]
async fn postgres_sample_data_survives_every_migration() {
    let server = world::server();
    let name = world::empty_database(&server).await;
    let url = server.url(&name);
    let mut conn = sqlx::PgConnection::connect(&url).await.unwrap();
    let migrator = Migrator::new(migrations("postgres")).await.unwrap();
    for migration in migrator.iter() {
        migrator.run_to(migration.version, &mut conn).await.unwrap();
        sqlx::raw_sql(AssertSqlSafe(sample("postgres", migration.version))).execute(&mut conn).await.unwrap();
    }
    conn.close().await.unwrap();
    everything_is_there(&Place::Postgres(url)).await;
    world::admin(&server, format!("DROP DATABASE {name} WITH (FORCE)")).await.unwrap();
}

fn migrations(dialect: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../migrations").join(dialect)
}

/// Rows of the schema right after this migration; a later one may add only what its own tables need.
fn sample(dialect: &str, version: i64) -> String {
    let name = format!("{version:04}.sql");
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(dialect).join(&name);
    std::fs::read_to_string(path).unwrap_or_else(|_| panic!("sample data {name} for {dialect}"))
}

/// Read through the store: a held lease keeps fence and heartbeat and ends by the rule; nothing is guessed.
async fn everything_is_there(place: &Place) {
    let store = open(place, world::host().0, world::options()).await.unwrap();
    let clock = lockstep_store::test_clock::TestClock::connect(place).await.unwrap();
    clock.set(Some(Millis(T0 + 2_000))).await.unwrap();
    let project = ProjectId(Uuid::from_u128(0xa1));
    assert_eq!(store.info().await.unwrap().database.0, Uuid::from_u128(0xd));
    assert_eq!(store.connections().await.unwrap()[0].app, Some((12, 34)));
    assert_eq!(store.sources().await.unwrap()[0].heads.len(), 2);
    let found = store.projects().await.unwrap().remove(0);
    assert_eq!(
        (found.id, found.branches[0].update_number, found.deadline),
        (project, 1, Some(Millis(T0 + 9_000)))
    );
    assert_eq!(found.distribution.unwrap().slug.to_string(), "course/handout");
    let recipients = store.recipients(project).await.unwrap();
    assert_eq!((recipients.len(), recipients[0].mapping.len(), recipients[1].locked), (2, 1, true));
    let lease = store.lease(project).await.unwrap().unwrap();
    assert_eq!((lease.held, lease.fence, lease.heartbeat_at), (true, Fence(2), Some(Millis(T0 + 2_000))));
    assert_eq!(lease.progress.unwrap().0.current, "class/team-001");
    assert_eq!(lease.last, Some(("incomplete".into(), Fence(1), Millis(T0 + 900))));
    let runs = store.runs(Some(project), 9).await.unwrap();
    assert_eq!(
        runs.iter().map(|run| run.status).collect::<Vec<_>>(),
        [RunStatus::Running, RunStatus::Incomplete]
    );
    assert_eq!((runs[0].resumes, runs[1].counts.failed), (Some(RunId(Uuid::from_u128(0xb1))), 1));
    assert_eq!(store.items(runs[1].id).await.unwrap().len(), 2);
    assert_eq!(store.last_outcomes(project).await.unwrap().len(), 2);
    assert_eq!(store.pulls(project).await.unwrap()[0].number, 7);
    let ids: Vec<_> = recipients.iter().map(|recipient| recipient.id).collect();
    assert_eq!(store.own_commits(project, &ids).await.unwrap().len(), 1);
    assert_eq!(store.verdicts(project, &ids).await.unwrap().len(), 1);
    assert_eq!(store.feed_after(0, 9).await.unwrap()[0].key, project.to_string());
    assert_eq!(store.audit(Some(project), 9).await.unwrap()[0].event, "lease.claimed");
    store.close().await;
}

crate::laws! {
    a_held_lease_of_an_older_program_ends_by_the_rule,
}

async fn a_held_lease_of_an_older_program_ends_by_the_rule(w: &mut World) {
    let dialect = if w.kind == Kind::Sqlite { "sqlite" } else { "postgres" };
    let rows = sample(dialect, 1);
    let without_meta = rows.split_once("INSERT INTO connections").unwrap().1;
    w.raw(&format!("INSERT INTO connections{without_meta}")).await.unwrap();
    let project = ProjectId(Uuid::from_u128(0xa1));
    w.at(T0 + 2_000 + 180_000).await;
    let live = w.store.claim(&w.request(project, "bob")).await.unwrap();
    assert!(matches!(live, Claim::InProgress(_)), "{live:?}");
    w.at(T0 + 2_000 + 180_001).await;
    let guard = w.claim(project, "bob").await;
    assert_eq!(guard.fence(), Fence(3));
}
