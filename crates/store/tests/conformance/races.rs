//! Two at once, and the traps of docs/LEASES.md section 6. A blocked statement is seen as blocked, never waited for.

use std::sync::Arc;

use lockstep_domain::clock::Millis;
use lockstep_domain::outcome::RunStatus;
use lockstep_store::{Claim, Place, Publication, Renewal, Store, StoreError};
use sqlx::{AssertSqlSafe, Connection as _};

use crate::waits::until_done_or_blocked;
use crate::world::{Kind, T0, W, World, actor, ending};

crate::laws! {
    of_many_claims_on_a_free_lease_one_wins,
    of_many_claims_on_a_stale_lease_one_wins,
    a_renewal_that_waited_past_the_expiry_is_lost,
    a_publication_that_waited_past_the_expiry_is_rolled_back,
    a_claim_does_not_slip_past_a_deletion_in_flight,
    a_reclaim_that_waited_for_a_renewal_is_refused,
    a_deletion_waits_for_a_claim_in_flight_and_is_refused,
    a_dropped_call_never_poisons_its_connection,
    the_real_clock_judges_as_well,
}

/// A transaction of somebody else that holds the lease row (on SQLite: the write lock).
pub(crate) enum Blocker {
    Sqlite(sqlx::SqliteConnection),
    Postgres(sqlx::PgConnection),
}

impl Blocker {
    pub(crate) async fn idle(w: &World) -> Self {
        match &w.place {
            Place::Sqlite(path) => {
                let options = sqlx::sqlite::SqliteConnectOptions::new().filename(path);
                Self::Sqlite(sqlx::SqliteConnection::connect_with(&options).await.unwrap())
            }
            Place::Postgres(url) => Self::Postgres(sqlx::PgConnection::connect(url).await.unwrap()),
        }
    }

    pub(crate) async fn begin(w: &World) -> Self {
        let mut blocker = Self::idle(w).await;
        let begin = match &blocker {
            Self::Sqlite(_) => "BEGIN IMMEDIATE",
            Self::Postgres(_) => "BEGIN ISOLATION LEVEL READ COMMITTED; SELECT 1 FROM leases FOR UPDATE",
        };
        blocker.run(begin).await;
        blocker
    }

    pub(crate) async fn run(&mut self, sql: &str) {
        let sql = AssertSqlSafe(sql.to_owned());
        match self {
            Self::Sqlite(conn) => sqlx::raw_sql(sql).execute(conn).await.map(drop).unwrap(),
            Self::Postgres(conn) => sqlx::raw_sql(sql).execute(conn).await.map(drop).unwrap(),
        }
    }

    /// Moves the clock while holding the lock.
    pub(crate) async fn clock(&mut self, at: i64) {
        let sql = match self {
            Self::Sqlite(_) => format!("UPDATE lockstep_test_clock SET at_ms = {at}"),
            Self::Postgres(_) => format!("SELECT setval('lockstep_test_clock', {at})"),
        };
        self.run(&sql).await;
    }

    /// Returns when the server says that somebody waits for us. SQLite does not tell: there the lock was taken before,
    /// and whoever comes waits for it or comes after it, which is the same.
    pub(crate) async fn until_somebody_waits(&mut self) {
        let Self::Postgres(conn) = self else { return };
        let waiting = "SELECT count(*) FROM pg_stat_activity \
            WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid)) AND datname = current_database()";
        while sqlx::query_scalar::<_, i64>(waiting).fetch_one(&mut *conn).await.unwrap() == 0 {
            tokio::task::yield_now().await;
        }
    }
}

async fn storm(w: &World, project: lockstep_domain::ids::ProjectId) -> (usize, usize) {
    let stores: Vec<Arc<dyn Store>> = vec![w.store.clone(), w.another().await, w.another().await];
    let mut tasks = tokio::task::JoinSet::new();
    for n in 0..12 {
        let store = stores[n % stores.len()].clone();
        let request = w.request(project, "bob");
        tasks.spawn(async move { store.claim(&request).await.unwrap() });
    }
    let ends = tasks.join_all().await;
    let won = ends.iter().filter(|end| matches!(end, Claim::Claimed { .. })).count();
    let refused = ends.iter().filter(|end| matches!(end, Claim::InProgress(_))).count();
    for store in &stores[1..] {
        store.close().await;
    }
    (won, refused)
}

async fn of_many_claims_on_a_free_lease_one_wins(w: &mut World) {
    let course = w.course().await;
    assert_eq!(storm(w, course.project).await, (1, 11));
    assert_eq!(w.lease(course.project).await.fence.0, 1);
    assert_eq!(w.store.runs(None, 100).await.unwrap().len(), 1, "the losers left no run");
}

async fn of_many_claims_on_a_stale_lease_one_wins(w: &mut World) {
    let course = w.course().await;
    let old = w.claim(course.project, "ada").await;
    w.at(T0 + W + 1).await;
    assert_eq!(storm(w, course.project).await, (1, 11));
    assert_eq!(w.lease(course.project).await.fence.0, 2);
    let runs = w.store.runs(None, 100).await.unwrap();
    assert_eq!(
        runs.iter().map(|run| run.status).collect::<Vec<_>>(),
        [RunStatus::Running, RunStatus::Interrupted]
    );
    assert_eq!(runs[1].id, old.run());
}

async fn a_renewal_that_waited_past_the_expiry_is_lost(w: &mut World) {
    let course = w.course().await;
    for rows in [1, 20] {
        for n in 1..rows {
            w.project(course.source, &format!("filler {n}")).await;
        }
        w.at(T0).await;
        w.raw("ANALYZE").await.unwrap();
        let line = w.store.lease_line().await.unwrap();
        let guard = Arc::new(w.claim(course.project, "ada").await);
        let before = w.dump(&["leases"]).await;
        let mut blocker = Blocker::begin(w).await;
        let (waiting, held) = (line.clone(), guard.clone());
        let renewal = tokio::spawn(async move { waiting.renew(&held, None).await });
        blocker.until_somebody_waits().await;
        blocker.clock(T0 + W + 1).await;
        blocker.run("COMMIT").await;
        assert_eq!(renewal.await.unwrap().unwrap(), Renewal::Lost, "{rows} rows");
        assert_eq!(w.dump(&["leases"]).await, before, "{rows} rows");
        assert!(line.release(&guard, &ending(RunStatus::Failed)).await.unwrap());
        line.close().await;
    }
}

async fn a_publication_that_waited_past_the_expiry_is_rolled_back(w: &mut World) {
    let course = w.course().await;
    let guard = Arc::new(w.claim(course.project, "ada").await);
    for finish in [false, true] {
        w.at(T0).await;
        let before = w.everything().await;
        let mut blocker = Blocker::begin(w).await;
        let (store, held) = (w.store.clone(), guard.clone());
        let publication = tokio::spawn(async move {
            match finish {
                true => store.finish(&held, &ending(RunStatus::Succeeded), None).await,
                false => store.publish(&held, &Publication::default()).await,
            }
        });
        blocker.until_somebody_waits().await;
        blocker.clock(T0 + W + 1).await;
        blocker.run("COMMIT").await;
        let lost = publication.await.unwrap();
        assert!(matches!(lost, Err(StoreError::LeaseLost)), "{lost:?}");
        assert_eq!(w.everything().await, before);
    }
}

async fn a_claim_does_not_slip_past_a_deletion_in_flight(w: &mut World) {
    let course = w.course().await;
    for (table, n) in [("projects", 1), ("sources", 2)] {
        let before = w.dump(&["leases", "runs", "audit", "feed"]).await;
        let mut blocker = Blocker::begin(w).await;
        blocker.run(&format!("UPDATE {table} SET deleted_at = created_at")).await;
        let (store, request) = (w.store.clone(), w.request(course.project, "ada"));
        let claim = tokio::spawn(async move { store.claim(&request).await });
        blocker.until_somebody_waits().await;
        blocker.run("COMMIT").await;
        match (claim.await.unwrap().unwrap(), n) {
            (Claim::ProjectMissing, 1) | (Claim::SourceMissing, 2) => {}
            (other, _) => panic!("{table}: {other:?}"),
        }
        assert_eq!(w.dump(&["leases", "runs", "audit", "feed"]).await, before, "{table}");
        w.raw(&format!("UPDATE {table} SET deleted_at = NULL")).await.unwrap();
    }
}

async fn a_reclaim_that_waited_for_a_renewal_is_refused(w: &mut World) {
    let course = w.course().await;
    let guard = w.claim(course.project, "ada").await;
    w.at(T0 + W + 1).await;
    let mut blocker = Blocker::begin(w).await;
    let now = match w.kind {
        Kind::Sqlite => format!("{}", T0 + W + 1),
        Kind::Postgres => "lockstep_test_now()".to_owned(),
    };
    blocker.run(&format!("UPDATE leases SET heartbeat_at = {now}")).await;
    let (store, project, fence) = (w.store.clone(), course.project, guard.fence());
    let reclaim = tokio::spawn(async move { store.reclaim(project, fence, &actor()).await });
    blocker.until_somebody_waits().await;
    blocker.run("COMMIT").await;
    let refused = reclaim.await.unwrap().unwrap();
    assert!(matches!(refused, lockstep_store::Reclaim::Refused(_)), "{refused:?}");
    assert!(w.lease(course.project).await.held);
}

async fn a_deletion_waits_for_a_claim_in_flight_and_is_refused(w: &mut World) {
    let course = w.course().await;
    w.claim(course.project, "ada").await;
    w.at(T0 + W + 1).await;
    let mut blocker = Blocker::begin(w).await;
    let now = match w.kind {
        Kind::Sqlite => format!("{}", T0 + W + 1),
        Kind::Postgres => "lockstep_test_now()".to_owned(),
    };
    // What a claim of another machine does to the row.
    blocker
        .run(&format!("UPDATE leases SET heartbeat_at = {now}, fence = fence + 1, owner_token = NULL"))
        .await;
    let token = match w.kind {
        Kind::Sqlite => "x'00112233445566778899aabbccddeeff'",
        Kind::Postgres => "'\\x00112233445566778899aabbccddeeff'::bytea",
    };
    blocker.run(&format!("UPDATE leases SET owner_token = {token}, fence = fence + 1")).await;
    let (store, project, source) = (w.store.clone(), course.project, course.source);
    let deletion = tokio::spawn(async move {
        let deleted = store.project_delete(project, &actor()).await;
        (deleted, store.source_retire(source, &actor()).await)
    });
    if w.kind == Kind::Postgres {
        until_done_or_blocked(w, 1, || deletion.is_finished()).await;
    }
    blocker.run("COMMIT").await;
    let (deleted, retired) = deletion.await.unwrap();
    assert_eq!(w.store.project(course.project).await.unwrap().unwrap().deleted_at, None);
    assert!(matches!(deleted, Err(StoreError::Held(_))), "{deleted:?}");
    assert!(matches!(retired, Err(StoreError::Held(_))), "{retired:?}");
}

/// A caller may drop a call at any moment (a timeout, a select); what follows on the same connection is committed.
async fn a_dropped_call_never_poisons_its_connection(w: &mut World) {
    let course = w.course().await;
    let line = w.store.lease_line().await.unwrap();
    let guard = w.claim(course.project, "ada").await;
    for n in 1..=30 {
        w.at(T0 + n).await;
        let polls = usize::try_from(n).unwrap() % 5 + 1;
        let mut call = std::pin::pin!(line.renew(&guard, None));
        let mut publish = std::pin::pin!(w.store.items_pushed(&guard, &[]));
        for _ in 0..polls {
            if futures_poll(call.as_mut()).await || futures_poll(publish.as_mut()).await {
                break;
            }
            tokio::task::yield_now().await;
        }
    }
    w.at(T0 + 1_000).await;
    assert!(matches!(line.renew(&guard, None).await.unwrap(), Renewal::Held { .. }));
    w.store.publish(&guard, &Publication::default()).await.unwrap();
    // Seen by another process: it was committed, not only reported.
    let other = w.another().await;
    let view = other.lease(course.project).await.unwrap().unwrap();
    assert_eq!(view.heartbeat_at, Some(Millis(T0 + 1_000)));
    assert_eq!(w.dump(&["publications"]).await.len(), 1);
    other.close().await;
    line.close().await;
}

/// Polls once; `true` when it is done.
async fn futures_poll<F: Future>(call: std::pin::Pin<&mut F>) -> bool {
    let mut call = Some(call);
    std::future::poll_fn(|cx| {
        let ready = call.take().is_some_and(|call| call.poll(cx).is_ready());
        std::task::Poll::Ready(ready)
    })
    .await
}

async fn the_real_clock_judges_as_well(w: &mut World) {
    w.clock.set(None).await.unwrap();
    let course = w.course().await;
    let line = w.store.lease_line().await.unwrap();
    let guard = w.claim(course.project, "ada").await;
    let view = w.lease(course.project).await;
    let age = view.db_now.since(view.heartbeat_at.unwrap());
    assert!((0..60_000).contains(&age), "{view:?}");
    assert!(matches!(line.renew(&guard, None).await.unwrap(), Renewal::Held { .. }));
    // A heartbeat of long ago and one of far ahead, by the real clock.
    for at in [Millis(view.db_now.0 - W - 1), Millis(view.db_now.0 + W + 600_000)] {
        let at = match w.kind {
            Kind::Sqlite => at.0.to_string(),
            Kind::Postgres => format!("to_timestamp({} / 1000.0)", at.0),
        };
        w.raw(&format!("UPDATE leases SET heartbeat_at = {at}")).await.unwrap();
        assert_eq!(line.renew(&guard, None).await.unwrap(), Renewal::Lost);
    }
    assert_eq!(w.claim(course.project, "bob").await.fence().0, 2);
    line.close().await;
}
