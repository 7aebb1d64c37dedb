//! The table of docs/LEASES.md section 3, to the millisecond, for claim, renew and reclaim; whole rows compared.

use lockstep_domain::clock::Millis;
use lockstep_domain::lease::{LeaseState, LeaseView};
use lockstep_domain::outcome::RunStatus;
use lockstep_store::{Claim, Reclaim, Renewal};

use crate::world::{T0, W, World, actor};

/// Where the clock stands when the heartbeat is at `T0`, whether that heartbeat is LIVE.
const TABLE: &[(i64, bool, &str)] = &[
    (T0 + W + 1, false, "now - W - 1 ms"),
    (T0 + W, true, "now - W"),
    (T0 + W - 1, true, "now - W + 1 ms"),
    (T0, true, "now"),
    (T0 - W + 1, true, "now + W - 1 ms"),
    (T0 - W, true, "now + W"),
    (T0 - W - 1, false, "now + W + 1 ms"),
];

crate::laws! {
    another_may_claim_exactly_what_is_stale,
    the_owner_may_renew_exactly_what_is_live,
    a_reclaim_works_exactly_on_what_is_stale,
    a_missing_heartbeat_is_stale,
    the_states_for_people_follow_the_heartbeat,
    a_fence_check_judges_like_a_renewal,
    the_row_judges_by_the_holders_own_window,
    a_process_proven_dead_needs_no_wait_on_one_machine,
}

async fn another_may_claim_exactly_what_is_stale(w: &mut World) {
    let course = w.course().await;
    for (n, (now, live, name)) in TABLE.iter().enumerate() {
        w.at(T0).await;
        let project = w.project(course.source, &format!("claim {n}")).await;
        let old = w.claim(project, "ada").await;
        w.at(*now).await;
        let before = w.dump(&["leases", "runs", "audit"]).await;
        let request = w.request(project, "bob");
        match w.store.claim(&request).await.unwrap() {
            Claim::InProgress(view) => {
                assert!(*live, "{name}");
                assert_eq!(view.holder.unwrap().person, "ada");
                assert_eq!(w.dump(&["leases", "runs", "audit"]).await, before, "{name}");
            }
            Claim::Claimed { guard, run, replaced } => {
                assert!(!live, "{name}");
                assert_eq!(guard.fence().0, old.fence().0 + 1);
                assert_eq!((run.fence, run.started_at), (guard.fence(), Millis(*now)));
                assert_eq!(replaced.unwrap().holder.unwrap().person, "ada");
                let expected = LeaseView {
                    project,
                    held: true,
                    fence: guard.fence(),
                    run: Some(request.run),
                    window_ms: W,
                    claimed_at: Some(Millis(*now)),
                    heartbeat_at: Some(Millis(*now)),
                    holder: Some(request.holder.clone()),
                    cancel: None,
                    progress: None,
                    last: None,
                    db_now: Millis(*now),
                    proven_dead: false,
                };
                assert_eq!(w.lease(project).await, expected, "{name}");
                let gone = w.store.run(old.run()).await.unwrap().unwrap();
                assert_eq!(gone.status, RunStatus::Interrupted, "{name}");
            }
            other => panic!("{name}: {other:?}"),
        }
    }
}

async fn the_owner_may_renew_exactly_what_is_live(w: &mut World) {
    let course = w.course().await;
    let line = w.store.lease_line().await.unwrap();
    for (n, (now, live, name)) in TABLE.iter().enumerate() {
        w.at(T0).await;
        let project = w.project(course.source, &format!("renew {n}")).await;
        let guard = w.claim(project, "ada").await;
        let before = w.lease(project).await;
        w.at(*now).await;
        let renewal = line.renew(&guard, None).await.unwrap();
        let after = w.lease(project).await;
        if *live {
            assert_eq!(renewal, Renewal::Held { left_ms: W, cancel: None }, "{name}");
            let renewed = LeaseView { heartbeat_at: Some(Millis(*now)), db_now: Millis(*now), ..before };
            assert_eq!(after, renewed, "{name}");
        } else {
            assert_eq!(renewal, Renewal::Lost, "{name}");
            assert_eq!(after, LeaseView { db_now: Millis(*now), ..before }, "{name}");
        }
    }
    line.close().await;
}

async fn a_reclaim_works_exactly_on_what_is_stale(w: &mut World) {
    let course = w.course().await;
    for (n, (now, live, name)) in TABLE.iter().enumerate() {
        w.at(T0).await;
        let project = w.project(course.source, &format!("reclaim {n}")).await;
        let guard = w.claim(project, "ada").await;
        let before = w.lease(project).await;
        w.at(*now).await;
        let result = w.store.reclaim(project, guard.fence(), &actor()).await.unwrap();
        let after = w.lease(project).await;
        let run = w.store.run(guard.run()).await.unwrap().unwrap();
        match result {
            Reclaim::Refused(view) => {
                assert!(*live, "{name}");
                assert!(view.left_ms() > 0, "{name}");
                assert_eq!(after, LeaseView { db_now: Millis(*now), ..before }, "{name}");
                assert_eq!(run.status, RunStatus::Running, "{name}");
            }
            Reclaim::Reclaimed => {
                assert!(!live, "{name}");
                let last = Some(("interrupted".to_owned(), guard.fence(), Millis(*now)));
                let freed = LeaseView { held: false, last, db_now: Millis(*now), ..before };
                assert_eq!(after, freed, "{name}");
                assert_eq!(run.status, RunStatus::Interrupted, "{name}");
                assert!(run.error.unwrap().1.contains("Ada"), "{name}");
            }
            Reclaim::AlreadyFinished => panic!("{name}"),
        }
    }
}

async fn a_missing_heartbeat_is_stale(w: &mut World) {
    let course = w.course().await;
    let line = w.store.lease_line().await.unwrap();
    let guard = w.claim(course.project, "ada").await;
    w.raw("UPDATE leases SET heartbeat_at = NULL").await.unwrap();
    assert_eq!(line.renew(&guard, None).await.unwrap(), Renewal::Lost);
    assert_eq!(line.fence_check(&guard).await.unwrap(), Renewal::Lost);
    assert_eq!(w.lease(course.project).await.state(), LeaseState::Reclaimable);
    let result = w.store.reclaim(course.project, guard.fence(), &actor()).await.unwrap();
    assert!(matches!(result, Reclaim::Reclaimed));
    let second = w.claim(course.project, "bob").await;
    w.raw("UPDATE leases SET heartbeat_at = NULL").await.unwrap();
    assert_eq!(w.claim(course.project, "eve").await.fence().0, second.fence().0 + 1);
    line.close().await;
}

async fn the_states_for_people_follow_the_heartbeat(w: &mut World) {
    let course = w.course().await;
    assert_eq!(w.lease(course.project).await.state(), LeaseState::Free);
    w.claim(course.project, "ada").await;
    for (now, state) in [
        (T0, LeaseState::Live),
        (T0 + W / 3 + 10_000, LeaseState::Live),
        (T0 + W / 3 + 10_001, LeaseState::Late),
        (T0 + W, LeaseState::Late),
        (T0 + W + 1, LeaseState::Reclaimable),
        (T0 - 1, LeaseState::ClockAhead),
        (T0 - W, LeaseState::ClockAhead),
        (T0 - W - 1, LeaseState::Reclaimable),
    ] {
        w.at(now).await;
        assert_eq!(w.lease(course.project).await.state(), state, "{now}");
    }
}

async fn a_fence_check_judges_like_a_renewal(w: &mut World) {
    let course = w.course().await;
    let line = w.store.lease_line().await.unwrap();
    let guard = w.claim(course.project, "ada").await;
    for (now, live, name) in TABLE {
        w.at(*now).await;
        let before = w.dump(&["leases"]).await;
        match line.fence_check(&guard).await.unwrap() {
            Renewal::Held { left_ms, cancel: None } => {
                assert!(*live, "{name}");
                assert_eq!(left_ms, T0 + W - now, "{name}");
            }
            other => assert!(!live && other == Renewal::Lost, "{name}: {other:?}"),
        }
        assert_eq!(w.dump(&["leases"]).await, before, "{name}");
    }
    line.close().await;
}

async fn the_row_judges_by_the_holders_own_window(w: &mut World) {
    let course = w.course().await;
    let mut long = w.request(course.project, "ada");
    long.window = lockstep_domain::lease::Window::new(900_000, 1_000).unwrap();
    assert!(matches!(w.store.claim(&long).await.unwrap(), Claim::Claimed { .. }));
    w.at(T0 + W + 1).await;
    let mut short = w.request(course.project, "bob");
    assert!(matches!(w.store.claim(&short).await.unwrap(), Claim::InProgress(_)));
    w.at(T0 + 900_001).await;
    short.token = w.host.ids.token();
    assert!(matches!(w.store.claim(&short).await.unwrap(), Claim::Claimed { .. }));
    assert_eq!(w.lease(course.project).await.window_ms, W);
    short.window = lockstep_domain::lease::Window::new(999, 300).unwrap();
    assert!(w.store.claim(&short).await.is_err(), "shorter than this host allows");
}

async fn a_process_proven_dead_needs_no_wait_on_one_machine(w: &mut World) {
    let course = w.course().await;
    let guard = w.claim(course.project, "ada").await;
    w.processes.alive.lock().unwrap().remove(&(100, 1));
    let one_machine = w.kind == crate::world::Kind::Sqlite;
    let view = w.lease(course.project).await;
    assert_eq!(view.proven_dead, one_machine);
    let status = w.store.run(guard.run()).await.unwrap().unwrap().status;
    assert_eq!(status, if one_machine { RunStatus::Interrupted } else { RunStatus::Running });
    let claim = w.store.claim(&w.request(course.project, "bob")).await;
    assert_eq!(w.lease(course.project).await.fence.0, 1 + i64::from(one_machine));
    match claim.unwrap() {
        Claim::Claimed { guard: next, replaced, .. } => {
            assert!(one_machine && replaced.unwrap().proven_dead);
            // The same boot and a living process: only time judges again.
            assert!(!w.lease(course.project).await.proven_dead);
            *w.processes.boot.lock().unwrap() = "boot-2".into();
            assert!(w.lease(course.project).await.proven_dead, "another boot");
            *w.processes.boot.lock().unwrap() = String::new();
            assert!(!w.lease(course.project).await.proven_dead, "no boot id: only time judges");
            *w.processes.boot.lock().unwrap() = "boot-2".into();
            let result = w.store.reclaim(course.project, next.fence(), &actor()).await.unwrap();
            assert!(!w.lease(course.project).await.held);
            assert!(matches!(result, Reclaim::Reclaimed));
        }
        Claim::InProgress(_) => assert!(!one_machine),
        other => panic!("{other:?}"),
    }
}
