//! Tables that one local transaction or one name resolution does not cover (docs/LEASES.md section 6): refused at
//! start-up and at the press, for every table of a run.

use lockstep_store::{Claim, Place, StoreError, open};

use crate::world::{self, Kind, World, actor, options};

crate::laws! {
    a_view_in_place_of_any_table_splits_the_store,
    a_missing_table_splits_the_store,
    a_split_store_is_refused_when_it_is_opened,
}

/// Every table of a run.
const TABLES: [&str; 20] = [
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

async fn split(w: &World) -> String {
    match w.store.check_whole().await {
        Err(StoreError::Split(text)) => text,
        other => panic!("not split: {other:?}"),
    }
}

/// Puts something else in a table's place, looks, and puts it back: the store is whole again.
async fn replaced(w: &World, table: &str, by: &str, undo: &str, words: &str) {
    w.raw(&format!("ALTER TABLE {table} RENAME TO {table}_far; {by}")).await.unwrap();
    let text = split(w).await;
    assert!(text.contains(&format!("{table} {words}")), "{text}");
    w.raw(&format!("{undo}; ALTER TABLE {table}_far RENAME TO {table}")).await.unwrap();
    w.store.check_whole().await.unwrap();
}

async fn a_view_in_place_of_any_table_splits_the_store(w: &mut World) {
    for table in TABLES {
        let view = format!("CREATE VIEW {table} AS SELECT * FROM {table}_far");
        replaced(w, table, &view, &format!("DROP VIEW {table}"), "is a view").await;
    }
}

async fn a_missing_table_splits_the_store(w: &mut World) {
    for table in TABLES.into_iter().filter(|table| *table != "meta") {
        replaced(w, table, "SELECT 1", "SELECT 1", "does not exist").await;
    }
    w.raw("DROP TABLE verdicts").await.unwrap();
    assert!(split(w).await.contains("verdicts does not exist"));
}

async fn a_split_store_is_refused_when_it_is_opened(w: &mut World) {
    w.raw("ALTER TABLE items RENAME TO items_far; CREATE VIEW items AS SELECT * FROM items_far")
        .await
        .unwrap();
    let refused = open(&w.place, world::host().0, options()).await;
    let Err(StoreError::Split(text)) = refused else { panic!("{refused:?}") };
    assert!(text.contains("items is a view"), "{text}");
}

#[tokio::test]
async fn a_virtual_table_splits_the_store() {
    world::run(Kind::Sqlite, |w| Box::pin(virtual_table(w))).await;
}

async fn virtual_table(w: &World) {
    // A module that every SQLite has; whatever a virtual table reads is outside of our transaction.
    let made = "CREATE VIRTUAL TABLE verdicts USING fts5 (x)";
    replaced(w, "verdicts", made, "DROP TABLE verdicts", "is a virtual table").await;
}

#[tokio::test]
async fn a_foreign_table_in_place_of_any_table_splits_the_store() {
    world::run(Kind::Postgres, |w| Box::pin(foreign(w))).await;
}

async fn foreign(w: &World) {
    // A wrapper without a handler needs no extension: the kind of the relation is what counts.
    w.raw("CREATE FOREIGN DATA WRAPPER nowhere; CREATE SERVER nowhere FOREIGN DATA WRAPPER nowhere")
        .await
        .unwrap();
    for table in TABLES.into_iter().filter(|table| *table != "meta") {
        let made = format!("CREATE FOREIGN TABLE {table} (x bigint) SERVER nowhere");
        replaced(w, table, &made, &format!("DROP FOREIGN TABLE {table}"), "is a foreign table").await;
    }
}

#[tokio::test]
async fn a_table_on_another_server_splits_the_store_at_the_press_and_at_the_opening() {
    world::run(Kind::Postgres, |w| Box::pin(far(w))).await;
}

/// `postgres_fdw` against the same server: the table answers and takes rows, and is still not ours.
async fn far(w: &World) {
    let known = "SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'";
    assert_eq!(w.count(known).await, 1, "the server's package brings postgres_fdw (Debian: postgresql)");
    let course = w.course().await;
    w.raw(
        "CREATE EXTENSION postgres_fdw; \
         DO $$ BEGIN EXECUTE format('CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host %L, dbname %L)', \
         split_part(current_setting('unix_socket_directories'), ',', 1), current_database()); END $$; \
         CREATE USER MAPPING FOR CURRENT_USER SERVER far OPTIONS (user 'postgres'); \
         ALTER TABLE verdicts RENAME TO verdicts_far; CREATE FOREIGN TABLE verdicts \
         (recipient_id uuid, branch text, key text, value text, at timestamptz) \
         SERVER far OPTIONS (table_name 'verdicts_far')",
    )
    .await
    .unwrap();
    assert_eq!(w.count("SELECT count(*) FROM verdicts").await, 0, "the foreign table answers");
    assert!(split(w).await.contains("verdicts is a foreign table"));
    let refused = open(&w.place, world::host().0, options()).await;
    assert!(matches!(refused, Err(StoreError::Split(_))), "{refused:?}");
    assert!(!w.lease(course.project).await.held);
}

#[tokio::test]
async fn partitions_heirs_rules_and_unlogged_tables_split_the_store() {
    world::run(Kind::Postgres, |w| Box::pin(odd(w))).await;
}

async fn odd(w: &World) {
    let parted = "CREATE TABLE verdicts (recipient_id uuid, branch text) PARTITION BY LIST (branch)";
    replaced(w, "verdicts", parted, "DROP TABLE verdicts", "is partitioned").await;
    for (odd, undo, words) in [
        ("CREATE TABLE heir () INHERITS (items)", "DROP TABLE heir", "items has parts elsewhere"),
        (
            "CREATE RULE away AS ON UPDATE TO leases DO INSTEAD NOTHING",
            "DROP RULE away ON leases",
            "leases is rewritten by a rule",
        ),
        ("ALTER TABLE audit SET UNLOGGED", "ALTER TABLE audit SET LOGGED", "audit is not kept over a crash"),
    ] {
        w.raw(odd).await.unwrap();
        let text = split(w).await;
        assert!(text.contains(words), "{text}");
        w.raw(undo).await.unwrap();
        w.store.check_whole().await.unwrap();
    }
}

#[tokio::test]
async fn a_name_that_resolves_to_another_schema_splits_the_store_when_it_is_opened() {
    world::run(Kind::Postgres, |w| Box::pin(elsewhere(w))).await;
}

async fn elsewhere(w: &World) {
    let Place::Postgres(url) = &w.place else { panic!() };
    w.raw("CREATE SCHEMA far; CREATE TABLE far.items AS SELECT * FROM items").await.unwrap();
    w.store.check_whole().await.unwrap();
    let searching = format!("{url}&options=-csearch_path%3Dfar,public");
    let refused = open(&Place::Postgres(searching), world::host().0, options()).await;
    let Err(StoreError::Split(text)) = refused else { panic!("{refused:?}") };
    assert!(text.contains("items is found in the schema far instead of public"), "{text}");
    w.raw("DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = far, public', current_database()); END $$")
        .await
        .unwrap();
    let refused = open(&w.place, world::host().0, options()).await;
    assert!(matches!(refused, Err(StoreError::Split(_))), "{refused:?}");
}

#[tokio::test]
async fn a_search_path_given_later_moves_no_name_of_an_open_store() {
    world::run(Kind::Postgres, |w| Box::pin(later(w))).await;
}

/// New connections of an open store resolve where its old ones do.
async fn later(w: &World) {
    let course = w.course().await;
    w.raw("CREATE SCHEMA far; CREATE TABLE far.leases AS SELECT * FROM leases; CREATE TABLE far.items AS SELECT * FROM items")
        .await
        .unwrap();
    w.raw("DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = far, public', current_database()); END $$")
        .await
        .unwrap();
    w.raw(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
         WHERE datname = current_database() AND application_name = 'lockstep'",
    )
    .await
    .unwrap();
    // The first use of a connection that was cut tells so; whichever comes new is whole.
    let mut claim = w.store.claim(&w.request(course.project, "ada")).await;
    for _ in 0..8 {
        if claim.is_ok() {
            break;
        }
        claim = w.store.claim(&w.request(course.project, "ada")).await;
    }
    assert!(matches!(claim.unwrap(), Claim::Claimed { .. }));
    w.store.check_whole().await.unwrap();
    assert_eq!(w.count("SELECT count(*) FROM public.leases WHERE owner_token IS NOT NULL").await, 1);
    assert_eq!(w.count("SELECT count(*) FROM far.leases WHERE owner_token IS NOT NULL").await, 0);
    w.store.project_edit(course.project, None, Some("x"), &actor()).await.unwrap();
}
