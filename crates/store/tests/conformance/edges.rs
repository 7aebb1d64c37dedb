//! What each edge of a lease leaves behind for others (audit, feed, notifications), and the ways in which a stranger may
//! look like an owner.

use lockstep_domain::lease::{Fence, Progress};
use lockstep_domain::outcome::RunStatus;
use lockstep_store::{CancelResult, Claim, ClaimRequest, Place, Publication, Reclaim, Renewal};
use sqlx::postgres::PgListener;

use crate::owners::every_write_is_lost;
use crate::states::{by_hand, mark};
use crate::world::{Kind, T0, W, World, actor, ending, repo};

crate::laws! {
    each_edge_of_a_lease_is_audited_once_in_order,
    an_edge_is_told_to_other_machines_and_a_heartbeat_is_not,
    a_fence_without_its_token_owns_nothing,
    a_token_without_its_fence_owns_nothing,
    a_claim_repeated_with_its_token_finds_itself_and_nobody_else_does,
    a_run_shows_as_running_only_while_its_fence_is_held_and_live,
    a_cancel_needs_a_holder_of_exactly_that_fence,
    a_lease_given_back_is_claimed_at_once,
    a_claimable_lease_of_something_deleted_is_not_claimed,
    a_lease_without_triggers_would_not_guard_its_fence,
}

async fn each_edge_of_a_lease_is_audited_once_in_order(w: &mut World) {
    let course = w.course().await;
    let line = w.store.lease_line().await.unwrap();
    let project = course.project;
    let guard = w.claim(project, "ada").await;
    w.store.publish(&guard, &Publication::default()).await.unwrap();
    line.renew(&guard, None).await.unwrap();
    w.store.ask_cancel(project, guard.fence(), &actor(), "stop").await.unwrap();
    w.store.ask_cancel(project, guard.fence(), &actor(), "stop").await.unwrap();
    w.store.finish(&guard, &ending(RunStatus::Cancelled), None).await.unwrap();
    let guard = w.claim(project, "ada").await;
    assert!(line.release(&guard, &ending(RunStatus::Failed)).await.unwrap());
    assert!(!line.release(&guard, &ending(RunStatus::Failed)).await.unwrap());
    let guard = w.claim(project, "bob").await;
    w.at(T0 + W + 1).await;
    w.store.reclaim(project, guard.fence(), &actor()).await.unwrap();
    w.store.reclaim(project, guard.fence(), &actor()).await.unwrap();
    let rows = w.cells("audit", "event LIKE 'lease.%' OR event LIKE 'run.%'").await;
    let mut told: Vec<_> = rows
        .iter()
        .map(|row| {
            let detail: serde_json::Value =
                serde_json::from_str(row["detail"].as_str().unwrap()).unwrap_or_default();
            (row["seq"].as_i64().unwrap(), row["event"].as_str().unwrap(), detail["fence"].as_i64())
        })
        .collect();
    told.sort_unstable();
    let told: Vec<_> = told.into_iter().map(|(_seq, event, fence)| (event, fence.unwrap())).collect();
    let expected = [
        ("lease.claimed", 1),
        ("run.published", 1),
        ("lease.cancel_asked", 1),
        ("run.finished", 1),
        ("lease.claimed", 2),
        ("lease.released", 2),
        ("lease.claimed", 3),
        ("lease.reclaimed", 3),
    ];
    assert_eq!(told, expected);
    line.close().await;
}

/// What was notified since the last call; our own notification marks the end, so nothing is waited for.
async fn heard(w: &World, listener: &mut PgListener) -> Vec<String> {
    w.raw("SELECT pg_notify('lockstep_leases', 'end')").await.unwrap();
    let mut heard = Vec::new();
    loop {
        let payload = listener.recv().await.unwrap().payload().to_owned();
        if payload == "end" {
            return heard;
        }
        heard.push(payload);
    }
}

async fn an_edge_is_told_to_other_machines_and_a_heartbeat_is_not(w: &mut World) {
    let Place::Postgres(url) = &w.place else { return };
    let course = w.course().await;
    let line = w.store.lease_line().await.unwrap();
    let mut listener = PgListener::connect(url).await.unwrap();
    listener.listen("lockstep_leases").await.unwrap();
    let project = course.project;
    let id = vec![project.to_string()];
    let guard = w.claim(project, "ada").await;
    assert_eq!(heard(w, &mut listener).await, id, "a claim");
    line.renew(&guard, None).await.unwrap();
    w.store.publish(&guard, &Publication::default()).await.unwrap();
    assert!(heard(w, &mut listener).await.is_empty(), "heartbeats are no news");
    w.store.ask_cancel(project, guard.fence(), &actor(), "stop").await.unwrap();
    assert_eq!(heard(w, &mut listener).await, id, "a cancel");
    w.store.finish(&guard, &ending(RunStatus::Cancelled), None).await.unwrap();
    assert_eq!(heard(w, &mut listener).await, id, "a finish");
    let guard = w.claim(project, "ada").await;
    w.at(T0 + W + 1).await;
    w.store.reclaim(project, guard.fence(), &actor()).await.unwrap();
    assert_eq!(heard(w, &mut listener).await, [id.clone(), id].concat(), "a claim and a reclaim");
    line.close().await;
}

/// A server that failed over and lost the last commit: the same fence is given twice.
async fn a_fence_without_its_token_owns_nothing(w: &mut World) {
    let course = w.course().await;
    let recipients = w.recipients(&course, 1).await;
    let line = w.store.lease_line().await.unwrap();
    let lost = w.claim(course.project, "ada").await;
    let (before, after) = match w.kind {
        Kind::Sqlite => ("DROP TRIGGER leases_fence_only_grows;", ""),
        Kind::Postgres => {
            ("SET session_replication_role = replica;", "SET session_replication_role = DEFAULT")
        }
    };
    let back = "UPDATE leases SET owner_token = NULL, fence = 0, run_id = NULL, heartbeat_at = NULL; \
        DELETE FROM runs;";
    w.raw(&format!("{before} {back} {after}")).await.unwrap();
    let winner = w.claim(course.project, "bob").await;
    assert_eq!(winner.fence(), lost.fence());
    let rows = w.everything().await;
    let answers = (
        line.release(&lost, &ending(RunStatus::Failed)).await.unwrap(),
        line.renew(&lost, None).await.unwrap(),
        line.fence_check(&lost).await.unwrap(),
        line.progress(&lost, &Progress::default()).await.unwrap(),
    );
    assert_eq!(w.everything().await, rows);
    assert_eq!(answers, (false, Renewal::Lost, Renewal::Lost, false));
    every_write_is_lost(w, &lost, recipients[0]).await;
    line.close().await;
}

/// A client that used a token twice: its first guard has the token of the row and an older fence.
async fn a_token_without_its_fence_owns_nothing(w: &mut World) {
    let course = w.course().await;
    let recipients = w.recipients(&course, 1).await;
    let line = w.store.lease_line().await.unwrap();
    let request = w.request(course.project, "ada");
    let Claim::Claimed { guard: old, .. } = w.store.claim(&request).await.unwrap() else { panic!() };
    assert!(line.release(&old, &ending(RunStatus::Failed)).await.unwrap());
    let again = ClaimRequest { token: request.token.clone(), ..w.request(course.project, "ada") };
    let Claim::Claimed { guard, .. } = w.store.claim(&again).await.unwrap() else { panic!() };
    assert_eq!((guard.fence(), guard.token()), (Fence(2), old.token()));
    let rows = w.everything().await;
    let answers = (
        line.release(&old, &ending(RunStatus::Failed)).await.unwrap(),
        line.renew(&old, None).await.unwrap(),
        line.fence_check(&old).await.unwrap(),
        line.progress(&old, &Progress::default()).await.unwrap(),
    );
    assert_eq!(w.everything().await, rows);
    assert_eq!(answers, (false, Renewal::Lost, Renewal::Lost, false));
    every_write_is_lost(w, &old, recipients[0]).await;
    line.close().await;
}

/// After a COMMIT whose answer was lost the same request is asked again.
async fn a_claim_repeated_with_its_token_finds_itself_and_nobody_else_does(w: &mut World) {
    let course = w.course().await;
    let request = w.request(course.project, "ada");
    let Claim::Claimed { guard: first, .. } = w.store.claim(&request).await.unwrap() else { panic!() };
    let rows = w.everything().await;
    let again = w.store.claim(&request).await.unwrap();
    assert_eq!(w.everything().await, rows);
    let Claim::Claimed { guard, run, .. } = again else { panic!("{again:?}") };
    assert_eq!((guard.fence(), guard.token(), run.id), (first.fence(), first.token(), first.run()));
    let other = w.request(course.project, "bob");
    let refused = w.store.claim(&ClaimRequest { run: first.run(), ..other }).await.unwrap();
    assert!(matches!(refused, Claim::InProgress(_)), "{refused:?}");
    assert_eq!(w.everything().await, rows);
}

async fn a_run_shows_as_running_only_while_its_fence_is_held_and_live(w: &mut World) {
    let course = w.course().await;
    let guard = w.claim(course.project, "ada").await;
    let status = async || w.store.run(guard.run()).await.unwrap().unwrap().status;
    assert_eq!(status().await, RunStatus::Running);
    for (now, shown) in [
        (T0 + W, RunStatus::Running),
        (T0 - W, RunStatus::Running),
        (T0 + W + 1, RunStatus::Interrupted),
        (T0 - W - 1, RunStatus::Interrupted),
    ] {
        w.at(now).await;
        assert_eq!(status().await, shown, "{now}");
    }
    w.at(T0).await;
    // What only a hand can make: a run left behind by its lease.
    w.raw("UPDATE leases SET fence = fence + 1").await.unwrap();
    assert_eq!(status().await, RunStatus::Interrupted, "another fence");
    w.raw("UPDATE runs SET fence = fence + 1").await.unwrap();
    assert_eq!(status().await, RunStatus::Running);
    w.raw("UPDATE leases SET owner_token = NULL").await.unwrap();
    assert_eq!(status().await, RunStatus::Interrupted, "nobody holds it");
    let raw = w.cells("runs", "status = 'running'").await;
    assert_eq!(raw.len(), 1, "it is derived, not written");
}

async fn a_cancel_needs_a_holder_of_exactly_that_fence(w: &mut World) {
    let course = w.course().await;
    let line = w.store.lease_line().await.unwrap();
    let other = w.project(course.source, "Other").await;
    w.claim(other, "eve").await;
    let ask = async |fence| w.store.ask_cancel(course.project, Fence(fence), &actor(), "stop").await.unwrap();
    let mut untouched = w.everything().await;
    let free = ask(0).await;
    assert_eq!(w.everything().await, untouched, "nobody holds it");
    assert_eq!(free, CancelResult::NotRunning);
    let guard = w.claim(course.project, "ada").await;
    untouched = w.everything().await;
    let wrong = (ask(0).await, ask(2).await);
    assert_eq!(w.everything().await, untouched, "another fence");
    assert_eq!(wrong, (CancelResult::NotRunning, CancelResult::NotRunning));
    assert_eq!(ask(1).await, CancelResult::Asked);
    untouched = w.everything().await;
    let second = ask(1).await;
    assert_eq!(w.everything().await, untouched, "the first wins");
    assert!(matches!(second, CancelResult::AlreadyAsked(_)), "{second:?}");
    let reclaim = w.store.reclaim(course.project, Fence(1), &actor()).await.unwrap();
    assert!(matches!(reclaim, Reclaim::Refused(_)), "{reclaim:?}");
    assert!(line.release(&guard, &ending(RunStatus::Cancelled)).await.unwrap());
    w.at(T0 + W + 1).await;
    untouched = w.everything().await;
    let (cancel, reclaim) =
        (ask(1).await, w.store.reclaim(course.project, Fence(1), &actor()).await.unwrap());
    assert_eq!(w.everything().await, untouched, "given back");
    assert!(matches!((cancel, reclaim), (CancelResult::NotRunning, Reclaim::AlreadyFinished)));
    line.close().await;
}

async fn a_lease_given_back_is_claimed_at_once(w: &mut World) {
    let course = w.course().await;
    let guard = w.claim(course.project, "ada").await;
    w.store.finish(&guard, &ending(RunStatus::Succeeded), None).await.unwrap();
    let claim = w.store.claim(&w.request(course.project, "bob")).await;
    let view = w.lease(course.project).await;
    assert_eq!((view.held, view.fence, view.holder.unwrap().person), (true, Fence(2), "bob".to_owned()));
    assert!(matches!(claim, Ok(Claim::Claimed { .. })), "{claim:?}");
}

async fn a_claimable_lease_of_something_deleted_is_not_claimed(w: &mut World) {
    let course = w.course().await;
    let line = w.store.lease_line().await.unwrap();
    for (n, stale) in [false, true].into_iter().enumerate() {
        for (m, what) in ["project deleted", "source retired", "source gone"].into_iter().enumerate() {
            w.at(T0).await;
            let number = 100 + 10 * n as i64 + m as i64;
            let slug = format!("course/source-{number}");
            let source =
                w.store.source_insert(&repo(course.connection, number, &slug), &actor()).await.unwrap();
            let project = w.project(source.id, &format!("{what} {stale}")).await;
            let guard = w.claim(project, "ada").await;
            match stale {
                true => w.at(T0 + W + 1).await,
                false => assert!(line.release(&guard, &ending(RunStatus::Failed)).await.unwrap()),
            }
            match m {
                0 => mark(w, "projects", "deleted_at = created_at", project.0).await,
                1 => mark(w, "sources", "deleted_at = created_at", source.id.0).await,
                _ => by_hand(w, &[format!("sources WHERE id = {}", w.id(source.id.0))]).await,
            }
            let before = w.everything().await;
            let claim = w.store.claim(&w.request(project, "bob")).await;
            assert_eq!(w.everything().await, before, "{what}");
            match (m, claim.unwrap()) {
                (0, Claim::ProjectMissing) | (1 | 2, Claim::SourceMissing) => {}
                (_, other) => panic!("{what}: {other:?}"),
            }
        }
    }
    line.close().await;
}

/// The database itself refuses what no statement of the store would do.
async fn a_lease_without_triggers_would_not_guard_its_fence(w: &mut World) {
    let course = w.course().await;
    w.claim(course.project, "ada").await;
    let token = match w.kind {
        Kind::Sqlite => "x'00112233445566778899aabbccddeeff'",
        Kind::Postgres => "'\\x00112233445566778899aabbccddeeff'::bytea",
    };
    let running = format!("SELECT * FROM runs WHERE project_id = {}", w.id(course.project.0));
    let tries = [
        "UPDATE leases SET fence = fence - 1".to_owned(),
        format!("UPDATE leases SET owner_token = {token}"),
        format!("UPDATE leases SET owner_token = {token}, fence = fence + 2"),
        "DELETE FROM leases".to_owned(),
        "UPDATE audit SET actor = 'nobody'".to_owned(),
        "DELETE FROM audit".to_owned(),
        format!(
            "CREATE TABLE copy AS {running}; UPDATE copy SET fence = 99, id = {}; \
             INSERT INTO runs SELECT * FROM copy",
            w.id(w.host.ids.uuid())
        ),
    ];
    for sql in tries {
        let before = w.everything().await;
        let done = w.raw(&sql).await;
        assert_eq!(w.everything().await, before, "{sql}");
        assert!(done.is_err(), "{sql}");
    }
}
