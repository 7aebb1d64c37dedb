//! What only a look inside can show: an attached database, a full disk, a statement after a failed one.

use std::path::Path;
use std::sync::Arc;

use lockstep_domain::clock::{BootMillis, Clock, Millis};
use lockstep_domain::ids::Ids;
use lockstep_domain::lease::OwnerToken;
use uuid::Uuid;

use super::both::{Lane, check_whole, get};
use super::driver;
use super::open::{connect_options, lane, open};
use crate::context::Context;
use crate::contract::{Host, Processes, StoreError};
use crate::open::{OpenOptions, Synchronous};
use crate::sql::Dialect;

#[derive(Debug)]
struct Still;

impl Clock for Still {
    fn now(&self) -> Millis {
        Millis(0)
    }
    fn boot(&self) -> BootMillis {
        BootMillis(0)
    }
}

impl Ids for Still {
    fn uuid(&self) -> Uuid {
        Uuid::from_u128(7)
    }
    fn token(&self) -> OwnerToken {
        OwnerToken::new([7; 16])
    }
}

impl Processes for Still {
    fn boot_id(&self) -> String {
        String::new()
    }
    fn exists(&self, _pid: u32, _start: u64) -> bool {
        true
    }
}

fn host() -> Host {
    Host { clock: Arc::new(Still), ids: Arc::new(Still), processes: Arc::new(Still), app_version: "1".into() }
}

/// A migrated file and a lane on it whose one connection the test may spoil.
async fn writer(path: &Path) -> Lane {
    open(path, host(), OpenOptions::default()).await.unwrap().close().await;
    let ctx = Arc::new(Context::new(host(), Dialect::Sqlite, &OpenOptions::default()));
    lane(&connect_options(path, false, Synchronous::Full), 1, &ctx)
}

fn span() -> tracing::Span {
    tracing::Span::none()
}

#[tokio::test]
async fn an_attached_database_splits_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let lane = writer(&folder.path().join("one.db")).await;
    lane.peek(span(), |on| Box::pin(check_whole(on))).await.unwrap();
    lane.peek(span(), |on| Box::pin(attach(on))).await.unwrap();
    let split = lane.peek(span(), |on| Box::pin(check_whole(on))).await;
    let Err(StoreError::Split(text)) = split else { panic!("{split:?}") };
    assert!(text.contains("the database far is attached"), "{text}");
    lane.peek(span(), |on| Box::pin(shadow(on))).await.unwrap();
    let split = lane.peek(span(), |on| Box::pin(check_whole(on))).await;
    let Err(StoreError::Split(text)) = split else { panic!("{split:?}") };
    assert!(text.contains("items is hidden by a temporary one"), "{text}");
    lane.close().await;
}

/// SQLite compares names without regard to case, and a view hides a table as well.
#[tokio::test]
async fn a_temporary_name_of_any_kind_and_case_splits_the_store() {
    for hide in ["CREATE TEMP TABLE LEASES (x)", "CREATE TEMP VIEW Runs AS SELECT 1"] {
        let folder = tempfile::tempdir().unwrap();
        let lane = writer(&folder.path().join("one.db")).await;
        lane.peek(span(), |on| Box::pin(check_whole(on))).await.unwrap();
        lane.peek(span(), move |on| {
            Box::pin(async move { on.exec(hide, driver::Args::default()).await.map(drop) })
        })
        .await
        .unwrap();
        let split = lane.peek(span(), |on| Box::pin(check_whole(on))).await;
        let Err(StoreError::Split(text)) = split else { panic!("{hide}: {split:?}") };
        assert!(text.contains("is hidden by a temporary one"), "{text}");
        lane.close().await;
    }
}

async fn attach(on: &mut super::both::On) -> crate::contract::Result<u64> {
    on.exec("ATTACH DATABASE ':memory:' AS far", driver::Args::default()).await
}

async fn shadow(on: &mut super::both::On) -> crate::contract::Result<u64> {
    on.exec("CREATE TEMP TABLE items (x)", driver::Args::default()).await
}

/// After SQLITE_FULL the transaction is gone and a next statement would commit by itself: nothing follows an error.
#[tokio::test]
async fn a_full_disk_takes_everything_back_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let lane = writer(&folder.path().join("one.db")).await;
    let full = lane
        .write(span(), |on| {
            Box::pin(async move {
                on.exec("INSERT INTO gates (identity) VALUES ('before')", driver::Args::default()).await?;
                on.rows("PRAGMA max_page_count = 1", driver::Args::default()).await?;
                let big = "INSERT INTO gates (identity) SELECT hex(randomblob(500)) || j.value \
                     FROM json_each('[1,2,3,4,5,6,7,8,9]') AS j";
                let first = loop {
                    if let Err(error) = on.exec(big, driver::Args::default()).await {
                        break error;
                    }
                };
                let next =
                    on.exec("INSERT INTO gates (identity) VALUES ('after')", driver::Args::default()).await;
                assert!(next.is_err(), "a statement after a failed one");
                Err::<(), _>(first)
            })
        })
        .await;
    let Err(StoreError::Unusable(text)) = full else { panic!("{full:?}") };
    assert!(text.contains("disk is full"), "{text}");
    let left = lane
        .peek(span(), |on| {
            Box::pin(async move {
                let row = on.row("SELECT count(*) AS n FROM gates", driver::Args::default()).await?;
                row.map_or(Ok(-1), |row| get::<i64>(&row, "n"))
            })
        })
        .await;
    assert_eq!(left.unwrap(), 0);
    lane.close().await;
}
