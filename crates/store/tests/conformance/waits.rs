//! What a statement that waited may do: an owner's write in flight holds off its successor, a renewal that meets another
//! writer lands, and the clock is read after the wait.

use std::sync::Arc;

use lockstep_domain::outcome::RunStatus;
use lockstep_store::{Claim, ItemRecord, Publication, Renewal};

use crate::races::Blocker;
use crate::world::{Kind, T0, W, World, actor, branch, ending, oid};

crate::laws! {
    a_write_in_flight_holds_off_the_next_claim,
    a_renewal_that_meets_another_writer_lands_after_it,
    a_renewal_judges_by_the_clock_after_its_wait,
    the_real_clock_is_read_after_the_wait,
    a_claim_that_waited_for_a_renewal_is_refused,
    feed_rows_become_visible_in_their_order,
}

/// Lets others run until `done`, or until nobody on this server moves any more: somebody waits for somebody.
pub(crate) async fn until_done_or_blocked(w: &World, waiters: i64, done: impl Fn() -> bool) {
    let waiting = "SELECT count(*) FROM pg_stat_activity \
        WHERE cardinality(pg_blocking_pids(pid)) > 0 AND datname = current_database()";
    while !done() && w.count(waiting).await < waiters {
        tokio::task::yield_now().await;
    }
}

/// The lock of an item write is held until its COMMIT: no successor claims between the two.
async fn a_write_in_flight_holds_off_the_next_claim(w: &mut World) {
    if w.kind == Kind::Sqlite {
        // One writer at a time: there is no "between".
        return;
    }
    let course = w.course().await;
    let recipient = w.recipients(&course, 1).await[0];
    let guard = Arc::new(w.claim(course.project, "ada").await);
    w.at(T0 + W + 1).await;
    let mut blocker = Blocker::idle(w).await;
    blocker.run("BEGIN; LOCK TABLE items IN SHARE MODE").await;
    let (store, held) = (w.store.clone(), guard.clone());
    let record = ItemRecord { recipient, branch: branch("main"), expected_old: None, new: oid('b') };
    let write = tokio::spawn(async move { store.items_record(&held, &[record]).await });
    blocker.until_somebody_waits().await;
    let (store, request) = (w.store.clone(), w.request(course.project, "bob"));
    let claim = tokio::spawn(async move { store.claim(&request).await });
    until_done_or_blocked(w, 2, || claim.is_finished()).await;
    let in_flight = w.lease_cells(course.project).await["fence"].as_i64();
    blocker.run("COMMIT").await;
    write.await.unwrap().unwrap();
    let claim = claim.await.unwrap().unwrap();
    assert_eq!(in_flight, Some(1), "replaced while its write was in flight");
    assert!(matches!(claim, Claim::Claimed { .. }), "{claim:?}");
}

/// Another writer of the same row is no loss and no failure.
async fn a_renewal_that_meets_another_writer_lands_after_it(w: &mut World) {
    let course = w.course().await;
    let line = w.store.lease_line().await.unwrap();
    let guard = Arc::new(w.claim(course.project, "ada").await);
    w.at(T0 + 7).await;
    let mut blocker = Blocker::begin(w).await;
    blocker.run("UPDATE leases SET host = 'renamed'").await;
    let (waiting, held) = (line.clone(), guard.clone());
    let mut renewal = tokio::spawn(async move { waiting.renew(&held, None).await });
    blocker.until_somebody_waits().await;
    if w.kind == Kind::Sqlite {
        // SQLite does not tell who waits; one that does not wait has ended by then.
        let early = tokio::time::timeout(std::time::Duration::from_millis(300), &mut renewal).await;
        assert_eq!(w.lease_cells(course.project).await["heartbeat_at"], T0);
        assert!(early.is_err(), "it gave up instead of waiting: the heartbeat stays old");
    }
    blocker.run("COMMIT").await;
    let answer = renewal.await.unwrap();
    let row = w.lease_cells(course.project).await;
    assert_eq!((row["heartbeat_at"].as_i64(), row["host"].as_str()), (Some(T0 + 7), Some("renamed")));
    assert_eq!(answer.unwrap(), Renewal::Held { left_ms: W, cancel: None });
    line.close().await;
}

/// Both clocks move past the expiry while renew, publish and finish wait for the row.
async fn a_renewal_judges_by_the_clock_after_its_wait(w: &mut World) {
    let course = w.course().await;
    let line = w.store.lease_line().await.unwrap();
    let guard = Arc::new(w.claim(course.project, "ada").await);
    for act in ["renew", "publish", "finish"] {
        w.at(T0 + W).await;
        let before = w.everything().await;
        let mut blocker = Blocker::begin(w).await;
        let (waiting, store, held) = (line.clone(), w.store.clone(), guard.clone());
        let task = tokio::spawn(async move {
            match act {
                "renew" => waiting.renew(&held, None).await.is_ok_and(|found| found != Renewal::Lost),
                "publish" => store.publish(&held, &Publication::default()).await.is_ok(),
                _ => store.finish(&held, &ending(RunStatus::Succeeded), None).await.is_ok(),
            }
        });
        blocker.until_somebody_waits().await;
        if w.kind == Kind::Sqlite {
            // It has its connection and waits for the write lock; a time bound now is old when it gets it.
            let early = tokio::time::timeout(std::time::Duration::from_millis(100), async {
                while !task.is_finished() {
                    tokio::task::yield_now().await;
                }
            });
            assert!(early.await.is_err(), "{act}: it did not wait");
        }
        blocker.clock(T0 + W + 1).await;
        blocker.run("COMMIT").await;
        let went_through = task.await.unwrap();
        assert_eq!(w.everything().await, before, "{act}: an expired lease was renewed");
        assert!(!went_through, "{act}");
    }
    line.close().await;
}

/// The same on the server's own clock: LIVE to the millisecond when the transaction began, STALE when it gets the row.
async fn the_real_clock_is_read_after_the_wait(w: &mut World) {
    if w.kind == Kind::Sqlite {
        return;
    }
    w.clock.set(None).await.unwrap();
    let course = w.course().await;
    let line = w.store.lease_line().await.unwrap();
    let guard = Arc::new(w.claim(course.project, "ada").await);
    for finish in [false, true] {
        let mut blocker = Blocker::begin(w).await;
        let (waiting, store, held) = (line.clone(), w.store.clone(), guard.clone());
        let task = tokio::spawn(async move {
            match finish {
                true => store.finish(&held, &ending(RunStatus::Succeeded), None).await.is_ok(),
                false => waiting.renew(&held, None).await.is_ok_and(|found| found != Renewal::Lost),
            }
        });
        blocker.until_somebody_waits().await;
        // Asked on another connection: inside a transaction the server shows what it showed first.
        let began = "SELECT floor(extract(epoch FROM min(xact_start)) * 1000)::bigint FROM pg_stat_activity \
            WHERE cardinality(pg_blocking_pids(pid)) > 0 AND datname = current_database()";
        let began = w.count(began).await;
        blocker.run(&format!("UPDATE leases SET heartbeat_at = to_timestamp({} / 1000.0)", began - W)).await;
        let later = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
            AND cardinality(pg_blocking_pids(pid)) > 0 AND clock_timestamp() > xact_start + interval '3 milliseconds'";
        while w.count(later).await == 0 {
            tokio::task::yield_now().await;
        }
        blocker.run("COMMIT").await;
        let went_through = task.await.unwrap();
        let row = w.lease_cells(course.project).await;
        let now = w.count("SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint").await;
        let beat = row["heartbeat_at"].as_i64().unwrap();
        assert!(beat < now - W, "the expired lease was renewed: {beat} at {now}");
        assert_ne!(row["owner_token"], "", "the expired lease was finished");
        assert!(!went_through);
    }
    line.close().await;
}

/// The claim's verdict is taken again when the row that it waited for has changed.
async fn a_claim_that_waited_for_a_renewal_is_refused(w: &mut World) {
    let course = w.course().await;
    w.claim(course.project, "ada").await;
    w.at(T0 + W + 1).await;
    let mut blocker = Blocker::begin(w).await;
    let now = match w.kind {
        Kind::Sqlite => format!("{}", T0 + W + 1),
        Kind::Postgres => "lockstep_test_now()".to_owned(),
    };
    blocker.run(&format!("UPDATE leases SET heartbeat_at = {now}")).await;
    let (store, request) = (w.store.clone(), w.request(course.project, "bob"));
    let claim = tokio::spawn(async move { store.claim(&request).await });
    blocker.until_somebody_waits().await;
    blocker.run("COMMIT").await;
    let claim = claim.await.unwrap().unwrap();
    let row = w.lease_cells(course.project).await;
    assert_eq!((row["fence"].as_i64(), row["person"].as_str()), (Some(1), Some("ada")));
    assert!(matches!(claim, Claim::InProgress(_)), "{claim:?}");
}

/// A writer of another machine has written its feed row and not committed: nobody's later row shows before.
async fn feed_rows_become_visible_in_their_order(w: &mut World) {
    if w.kind == Kind::Sqlite {
        return;
    }
    let course = w.course().await;
    let mut blocker = Blocker::idle(w).await;
    blocker
        .run(
            "BEGIN; SELECT pg_advisory_xact_lock(5498687660842304848); \
             INSERT INTO feed (at, topic, key) VALUES (now(), 'project', 'earlier')",
        )
        .await;
    let start = w.store.feed_head().await.unwrap();
    let (store, project) = (w.store.clone(), course.project);
    let edit = tokio::spawn(async move { store.project_edit(project, None, Some("later"), &actor()).await });
    until_done_or_blocked(w, 1, || edit.is_finished()).await;
    let head = w.store.feed_head().await.unwrap();
    blocker.run("COMMIT").await;
    edit.await.unwrap().unwrap();
    assert_eq!(head, start, "a later row was visible before an earlier one");
    let keys = w.store.feed_after(start, 9).await.unwrap();
    assert_eq!(keys.iter().map(|row| row.key.as_str()).next(), Some("earlier"));
}
