//! Opening: what is refused, by whom, with which words (docs/LEASES.md section 6; docs/SYNC.md).

use std::path::PathBuf;

use lockstep_domain::clock::Millis;
use lockstep_store::{OpenOptions, Place, StoreError, Synchronous, open};

use crate::world::{self, Kind, T0, W, World, options};

crate::laws! {
    a_database_keeps_its_id_and_tells_what_it_is,
    a_newer_schema_is_refused_with_the_version_that_upgraded_it,
    an_upgrade_is_refused_while_a_lease_is_live,
    a_host_that_may_not_migrate_refuses_an_empty_database,
    a_moved_database_says_where_to,
    eight_processes_may_open_an_empty_database_at_once,
}

async fn a_database_keeps_its_id_and_tells_what_it_is(w: &mut World) {
    let first = w.store.info().await.unwrap();
    let again = w.another().await;
    let second = again.info().await.unwrap();
    assert_eq!((first.database, first.schema, first.now), (second.database, 1, Millis(T0)));
    assert_eq!(first.kind, if w.kind == Kind::Sqlite { "sqlite" } else { "postgres" });
    assert!(!first.engine.is_empty());
    w.store.check_whole().await.unwrap();
    again.close().await;
}

async fn a_newer_schema_is_refused_with_the_version_that_upgraded_it(w: &mut World) {
    w.raw("UPDATE _sqlx_migrations SET version = 99; UPDATE meta SET app_version = '9.8.7'").await.unwrap();
    let refused = open(&w.place, world::host().0, options()).await;
    match refused {
        Err(StoreError::Newer { found: 99, known: 1, app }) => assert_eq!(app, "9.8.7"),
        other => panic!("{other:?}"),
    }
}

async fn an_upgrade_is_refused_while_a_lease_is_live(w: &mut World) {
    let course = w.course().await;
    w.claim(course.project, "ada").await;
    // A schema older than the first: an upgrade is due.
    w.raw("UPDATE _sqlx_migrations SET version = -1").await.unwrap();
    w.at(T0 + W).await;
    let (mut host, _, _) = world::host();
    host.processes = w.processes.clone();
    match open(&w.place, host, options()).await {
        Err(StoreError::Held(view)) => assert_eq!(view.holder.unwrap().person, "ada"),
        other => panic!("{other:?}"),
    }
    w.at(T0 + W + 1).await;
    let (host, _, _) = world::host();
    match open(&w.place, host, options()).await {
        Err(StoreError::Failed(text)) => assert!(text.contains("upgrade"), "the rule let it pass: {text}"),
        other => panic!("{other:?}"),
    }
}

/// An empty place of the same kind.
async fn empty(w: &World) -> (Place, Option<tempfile::TempDir>) {
    match w.kind {
        Kind::Sqlite => {
            let folder = tempfile::tempdir().unwrap();
            (Place::Sqlite(folder.path().join("new.db")), Some(folder))
        }
        Kind::Postgres => {
            let server = world::server();
            let name = world::empty_database(&server).await;
            (Place::Postgres(server.url(&name)), None)
        }
    }
}

async fn a_host_that_may_not_migrate_refuses_an_empty_database(w: &mut World) {
    let (place, folder) = empty(w).await;
    let careful = OpenOptions { migrate: false, ..options() };
    let refused = open(&place, world::host().0, careful).await;
    assert!(matches!(refused, Err(StoreError::Unusable(_))), "{refused:?}");
    let opened = open(&w.place, world::host().0, careful).await.unwrap();
    opened.close().await;
    drop(folder);
}

async fn a_moved_database_says_where_to(w: &mut World) {
    w.raw("UPDATE meta SET moved_to = 'the team server'").await.unwrap();
    let refused = open(&w.place, world::host().0, options()).await;
    let Err(StoreError::Unusable(text)) = refused else { panic!("{refused:?}") };
    assert!(text.contains("the team server"), "{text}");
}

async fn eight_processes_may_open_an_empty_database_at_once(w: &mut World) {
    let (place, folder) = empty(w).await;
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let place = place.clone();
        let options = OpenOptions { sqlite_synchronous: Synchronous::Normal, ..OpenOptions::default() };
        tasks.spawn(async move {
            let store = open(&place, world::host().0, options).await.unwrap();
            let info = store.info().await.unwrap();
            store.close().await;
            info.database
        });
    }
    let ids = tasks.join_all().await;
    assert!(ids.iter().all(|id| *id == ids[0]), "one database, one id: {ids:?}");
    drop(folder);
}

#[tokio::test]
async fn a_place_that_cannot_work_is_named_with_its_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("text.db");
    std::fs::write(
        &text,
        "this is a text of more than one hundred bytes, so that it is long enough ".repeat(20),
    )
    .unwrap();
    let missing = folder.path().join("nowhere").join("lockstep.db");
    for (path, words) in [
        (missing, "does not exist; create it first"),
        (folder.path().to_path_buf(), "is a folder, not a database file"),
        (text, "the file is not a database"),
        (PathBuf::from("/proc/self/lockstep.db"), "cannot be written"),
    ] {
        let refused = open(&Place::Sqlite(path.clone()), world::host().0, options()).await;
        let Err(StoreError::Unusable(said)) = refused else { panic!("{}: {refused:?}", path.display()) };
        assert!(said.contains(words), "{}: {said}", path.display());
    }
    let nobody = Place::Postgres("postgres://postgres:secret@localhost/x?host=/nowhere/at/all".into());
    let refused = open(&nobody, world::host().0, options()).await;
    let Err(StoreError::Unusable(said)) = &refused else { panic!("{refused:?}") };
    assert!(!said.contains("secret") && !format!("{nobody:?}").contains("secret"), "{said}");
}
