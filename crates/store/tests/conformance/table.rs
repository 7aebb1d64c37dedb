//! The table of docs/LEASES.md section 3, whole: every operation that a heartbeat decides, at every boundary to the
//! millisecond, every column of the row before and after, and a neighbour that shares token and fence untouched.

use lockstep_domain::clock::Millis;
use lockstep_domain::ids::ProjectId;
use lockstep_domain::lease::{CancelAsk, Holder, LeaseGuard, Progress, Window};
use lockstep_domain::outcome::RunStatus;
use lockstep_store::{
    CancelResult, Claim, ClaimRequest, LeaseLine, Publication, Reclaim, Renewal, StoreError,
};
use serde_json::{Value, json};

use crate::rows::{Cells, hex, holder_cells, with};
use crate::world::{Course, T0, W, World, actor, ending};

crate::laws! {
    a_claim_takes_all_of_a_stale_row_and_nothing_of_a_live_one,
    a_free_lease_is_claimed_whatever_its_old_heartbeat,
    a_renewal_moves_the_heartbeat_of_a_live_row_alone,
    a_renewal_with_progress_writes_both_or_neither,
    a_reclaim_frees_a_stale_row_and_no_live_one,
    a_fence_check_judges_by_the_same_table_and_writes_nothing,
    a_publication_renews_a_live_row_and_no_other,
    a_finish_frees_a_live_row_and_no_other,
    a_release_frees_the_row_at_every_heartbeat,
    progress_lands_at_every_heartbeat_and_moves_none,
    a_cancel_stamps_the_row_at_every_heartbeat,
    the_window_of_the_row_judges_and_not_the_claimers,
    the_clock_of_the_database_judges_and_not_this_machines,
}

/// Where the clock stands while the heartbeat is at `T0` (or missing), whether that is LIVE.
const TABLE: [(Option<i64>, bool, &str); 8] = [
    (None, false, "none"),
    (Some(T0 + W + 1), false, "now - W - 1 ms"),
    (Some(T0 + W), true, "now - W"),
    (Some(T0 + W - 1), true, "now - W + 1 ms"),
    (Some(T0), true, "now"),
    (Some(T0 - W + 1), true, "now + W - 1 ms"),
    (Some(T0 - W), true, "now + W"),
    (Some(T0 - W - 1), false, "now + W + 1 ms (skewed)"),
];

/// A row of the table, set up: every column of the lease has a value, and the neighbour's token and fence are the same
/// (a client that used one token twice).
struct Case {
    project: ProjectId,
    guard: LeaseGuard,
    before: Cells,
    now: i64,
    live: bool,
    name: &'static str,
    neighbour: ProjectId,
    theirs: (Cells, Vec<(i64, String)>),
}

async fn claim_with(w: &World, request: &ClaimRequest) -> LeaseGuard {
    match w.store.claim(request).await.unwrap() {
        Claim::Claimed { guard, .. } => guard,
        other => panic!("not claimed: {other:?}"),
    }
}

/// A finished run, then a running one with a cancel asked and progress told, all at `T0`.
async fn held(w: &World, line: &dyn LeaseLine, project: ProjectId, second: &ClaimRequest) -> LeaseGuard {
    let first = w.claim(project, "eve").await;
    w.store.finish(&first, &ending(RunStatus::Incomplete), None).await.unwrap();
    let guard = claim_with(w, second).await;
    let asked = w.store.ask_cancel(project, guard.fence(), &actor(), "wrong branch").await.unwrap();
    assert_eq!(asked, CancelResult::Asked);
    assert!(line.progress(&guard, &Progress { done: 3, ..Progress::default() }).await.unwrap());
    guard
}

async fn cases(w: &World, course: &Course, line: &dyn LeaseLine) -> Vec<Case> {
    let mut cases = Vec::new();
    for (n, (now, live, name)) in TABLE.into_iter().enumerate() {
        w.at(T0).await;
        let project = w.project(course.source, &format!("case {n}")).await;
        let neighbour = w.project(course.source, &format!("neighbour {n}")).await;
        let request = w.request(project, "ada");
        let theirs = ClaimRequest { token: request.token.clone(), ..w.request(neighbour, "eve") };
        let guard = held(w, line, project, &request).await;
        let same = held(w, line, neighbour, &theirs).await;
        assert_eq!((same.fence(), same.token()), (guard.fence(), guard.token()));
        if now.is_none() {
            w.raw(&format!("UPDATE leases SET heartbeat_at = NULL WHERE project_id = {}", w.id(project.0)))
                .await
                .unwrap();
        }
        let before = w.lease_cells(project).await;
        for (column, value) in before.iter().filter(|(column, _)| *column != "heartbeat_at") {
            assert!(
                !value.is_null() && value != "",
                "{column} has a value that a claim must clear or replace"
            );
        }
        let theirs = (w.lease_cells(neighbour).await, w.run_states(neighbour).await);
        cases.push(Case { project, guard, before, now: now.unwrap_or(T0), live, name, neighbour, theirs });
    }
    cases
}

impl Case {
    /// Compares the whole row, and the neighbour's.
    async fn expect(&self, w: &World, changes: &Value) {
        assert_eq!(w.lease_cells(self.project).await, with(&self.before, changes), "{}", self.name);
        let theirs = (w.lease_cells(self.neighbour).await, w.run_states(self.neighbour).await);
        assert_eq!(theirs, self.theirs, "{}: another project's lease and runs", self.name);
    }

    async fn expect_run(&self, w: &World, status: &str) {
        let states = w.run_states(self.project).await;
        let expected = [(1, "incomplete".to_owned()), (2, status.to_owned())];
        assert_eq!(states[..2], expected, "{}", self.name);
    }
}

fn released(case: &Case, status: &str) -> Value {
    json!({ "owner_token": "", "last_status": status, "last_fence": 2, "last_at": case.now })
}

fn asked() -> Option<CancelAsk> {
    Some(CancelAsk { at: Millis(T0), by: "Ada".into(), reason: "wrong branch".into() })
}

/// What every law here begins with.
async fn table(w: &World) -> (Vec<Case>, std::sync::Arc<dyn LeaseLine>) {
    let course = w.course().await;
    let line = w.store.lease_line().await.unwrap();
    (cases(w, &course, line.as_ref()).await, line)
}

fn next_request(w: &World, project: ProjectId) -> ClaimRequest {
    let holder = Holder {
        person: "bob".into(),
        os_user: "robert".into(),
        host: "lab".into(),
        pid: 200,
        process_start: 2,
        started_at: None,
        app_version: "1.2.4".into(),
        boot_id: "boot-1".into(),
    };
    ClaimRequest { holder, window: Window::new(W + 20_000, 1_000).unwrap(), ..w.request(project, "bob") }
}

async fn expect_claimed(w: &World, case: &Case, request: &ClaimRequest) {
    let mut changes = json!({
        "owner_token": hex(request.token.expose()), "fence": 3, "run_id": hex(request.run.0.as_bytes()),
        "window_ms": W + 20_000, "claimed_at": case.now, "heartbeat_at": case.now, "cancel_at": null,
        "cancel_by": null, "cancel_reason": null, "cancel_fence": null, "progress": null, "progress_at": null,
    });
    let holder = holder_cells(&request.holder);
    changes.as_object_mut().unwrap().extend(holder.as_object().unwrap().clone());
    case.expect(w, &changes).await;
    let states = w.run_states(case.project).await;
    assert_eq!(states.last().unwrap(), &(3, "running".to_owned()), "{}", case.name);
    assert_eq!(states.len(), 3, "{}", case.name);
}

async fn a_claim_takes_all_of_a_stale_row_and_nothing_of_a_live_one(w: &mut World) {
    let (cases, line) = table(w).await;
    for case in &cases {
        w.at(case.now).await;
        let before = w.everything().await;
        let request = next_request(w, case.project);
        let claim = w.store.claim(&request).await;
        if case.live {
            assert_eq!(w.everything().await, before, "{}", case.name);
            assert!(matches!(claim, Ok(Claim::InProgress(_))), "{}", case.name);
        } else {
            expect_claimed(w, case, &request).await;
            case.expect_run(w, "interrupted").await;
            let Ok(Claim::Claimed { guard, replaced, .. }) = claim else {
                panic!("{}: {claim:?}", case.name)
            };
            assert_eq!((guard.fence().0, replaced.unwrap().fence.0), (3, 2), "{}", case.name);
        }
    }
    line.close().await;
}

async fn a_free_lease_is_claimed_whatever_its_old_heartbeat(w: &mut World) {
    let (cases, line) = table(w).await;
    for case in &cases {
        w.at(case.now).await;
        assert!(line.release(&case.guard, &ending(RunStatus::Failed)).await.unwrap(), "{}", case.name);
        case.expect(w, &released(case, "failed")).await;
        let request = next_request(w, case.project);
        let claim = w.store.claim(&request).await;
        let row = w.lease_cells(case.project).await;
        assert_eq!(row["owner_token"], hex(request.token.expose()), "{}", case.name);
        assert_eq!((row["fence"].as_i64(), row["last_fence"].as_i64()), (Some(3), Some(2)), "{}", case.name);
        case.expect_run(w, "failed").await;
        let Ok(Claim::Claimed { replaced: None, .. }) = claim else { panic!("{}: {claim:?}", case.name) };
    }
    line.close().await;
}

async fn a_renewal_moves_the_heartbeat_of_a_live_row_alone(w: &mut World) {
    let (cases, line) = table(w).await;
    for case in &cases {
        w.at(case.now).await;
        let before = w.everything().await;
        let renewal = line.renew(&case.guard, None).await.unwrap();
        if case.live {
            case.expect(w, &json!({ "heartbeat_at": case.now })).await;
            assert_eq!(renewal, Renewal::Held { left_ms: W, cancel: asked() }, "{}", case.name);
        } else {
            assert_eq!(w.everything().await, before, "{}", case.name);
            assert_eq!(renewal, Renewal::Lost, "{}", case.name);
        }
    }
    line.close().await;
}

async fn a_renewal_with_progress_writes_both_or_neither(w: &mut World) {
    let (cases, line) = table(w).await;
    let progress = Progress { done: 7, ..Progress::default() };
    let text = serde_json::to_string(&progress).unwrap();
    for case in &cases {
        w.at(case.now).await;
        let renewal = line.renew(&case.guard, Some(&progress)).await.unwrap();
        let (at, live) = (case.now, case.live);
        let both = json!({ "heartbeat_at": at, "progress": text, "progress_at": at });
        let kept = json!({});
        case.expect(w, if live { &both } else { &kept }).await;
        assert_eq!(renewal != Renewal::Lost, live, "{}", case.name);
    }
    line.close().await;
}

async fn a_reclaim_frees_a_stale_row_and_no_live_one(w: &mut World) {
    let (cases, line) = table(w).await;
    for case in &cases {
        w.at(case.now).await;
        let before = w.everything().await;
        let reclaim = w.store.reclaim(case.project, case.guard.fence(), &actor()).await.unwrap();
        if case.live {
            assert_eq!(w.everything().await, before, "{}", case.name);
            let Reclaim::Refused(view) = reclaim else { panic!("{}: {reclaim:?}", case.name) };
            assert_eq!(view.left_ms(), T0 + W - case.now + 1, "{}", case.name);
        } else {
            case.expect(w, &released(case, "interrupted")).await;
            case.expect_run(w, "interrupted").await;
            assert!(matches!(reclaim, Reclaim::Reclaimed), "{}", case.name);
        }
    }
    line.close().await;
}

async fn a_fence_check_judges_by_the_same_table_and_writes_nothing(w: &mut World) {
    let (cases, line) = table(w).await;
    for case in &cases {
        w.at(case.now).await;
        let before = w.everything().await;
        let found = line.fence_check(&case.guard).await.unwrap();
        let held = Renewal::Held { left_ms: T0 + W - case.now, cancel: asked() };
        assert_eq!(found, if case.live { held } else { Renewal::Lost }, "{}", case.name);
        assert_eq!(w.everything().await, before, "{}", case.name);
    }
    line.close().await;
}

async fn a_publication_renews_a_live_row_and_no_other(w: &mut World) {
    let (cases, line) = table(w).await;
    for case in &cases {
        w.at(case.now).await;
        let before = w.everything().await;
        let published = w.store.publish(&case.guard, &Publication::default()).await;
        if case.live {
            case.expect(w, &json!({ "heartbeat_at": case.now })).await;
            case.expect_run(w, "running").await;
            published.unwrap();
        } else {
            assert_eq!(w.everything().await, before, "{}", case.name);
            assert!(matches!(published, Err(StoreError::LeaseLost)), "{}: {published:?}", case.name);
        }
    }
    line.close().await;
}

async fn a_finish_frees_a_live_row_and_no_other(w: &mut World) {
    let (cases, line) = table(w).await;
    for case in &cases {
        w.at(case.now).await;
        let before = w.everything().await;
        let finished = w.store.finish(&case.guard, &ending(RunStatus::Cancelled), None).await;
        if case.live {
            case.expect(w, &released(case, "cancelled")).await;
            case.expect_run(w, "cancelled").await;
            finished.unwrap();
        } else {
            assert_eq!(w.everything().await, before, "{}", case.name);
            assert!(matches!(finished, Err(StoreError::LeaseLost)), "{}: {finished:?}", case.name);
        }
    }
    line.close().await;
}

async fn a_release_frees_the_row_at_every_heartbeat(w: &mut World) {
    let (cases, line) = table(w).await;
    for case in &cases {
        w.at(case.now).await;
        let done = line.release(&case.guard, &ending(RunStatus::Cancelled)).await.unwrap();
        case.expect(w, &released(case, "cancelled")).await;
        case.expect_run(w, "cancelled").await;
        assert!(done, "{}", case.name);
    }
    line.close().await;
}

async fn progress_lands_at_every_heartbeat_and_moves_none(w: &mut World) {
    let (cases, line) = table(w).await;
    let progress = Progress { done: 9, ..Progress::default() };
    let text = serde_json::to_string(&progress).unwrap();
    for case in &cases {
        w.at(case.now).await;
        let done = line.progress(&case.guard, &progress).await.unwrap();
        case.expect(w, &json!({ "progress": text, "progress_at": case.now })).await;
        assert!(done, "{}", case.name);
    }
    line.close().await;
}

async fn a_cancel_stamps_the_row_at_every_heartbeat(w: &mut World) {
    let (cases, line) = table(w).await;
    let clear =
        "UPDATE leases SET cancel_at = NULL, cancel_by = NULL, cancel_reason = NULL, cancel_fence = NULL";
    for case in &cases {
        w.at(case.now).await;
        w.raw(&format!("{clear} WHERE project_id = {}", w.id(case.project.0))).await.unwrap();
        let done = w.store.ask_cancel(case.project, case.guard.fence(), &actor(), "now").await.unwrap();
        let stamp =
            json!({ "cancel_at": case.now, "cancel_by": "Ada", "cancel_reason": "now", "cancel_fence": 2 });
        case.expect(w, &stamp).await;
        assert_eq!(done, CancelResult::Asked, "{}", case.name);
    }
    line.close().await;
}

/// Every judgement at the edge of a 300 s window while everybody else asks with 180 s.
async fn the_window_of_the_row_judges_and_not_the_claimers(w: &mut World) {
    let course = w.course().await;
    let line = w.store.lease_line().await.unwrap();
    let wide = Window::new(300_000, 1_000).unwrap();
    for (n, (now, live)) in
        [(T0 + 300_000, true), (T0 - 300_000, true), (T0 + 300_001, false), (T0 - 300_001, false)]
            .into_iter()
            .enumerate()
    {
        w.at(T0).await;
        let project = w.project(course.source, &format!("wide {n}")).await;
        let guard = claim_with(w, &ClaimRequest { window: wide, ..w.request(project, "ada") }).await;
        w.at(now).await;
        let before = w.lease_cells(project).await;
        assert_eq!(line.fence_check(&guard).await.unwrap() != Renewal::Lost, live, "{now}");
        if live {
            let claim = w.store.claim(&w.request(project, "bob")).await.unwrap();
            let reclaim = w.store.reclaim(project, guard.fence(), &actor()).await.unwrap();
            assert_eq!(w.lease_cells(project).await, before, "{now}");
            assert!(matches!((claim, reclaim), (Claim::InProgress(_), Reclaim::Refused(_))), "{now}");
            assert_eq!(
                line.renew(&guard, None).await.unwrap(),
                Renewal::Held { left_ms: 300_000, cancel: None }
            );
        } else {
            assert_eq!(line.renew(&guard, None).await.unwrap(), Renewal::Lost);
            w.store.publish(&guard, &Publication::default()).await.unwrap_err();
            assert_eq!(w.lease_cells(project).await, before, "{now}");
            let next = w.claim(project, "bob").await;
            assert_eq!(next.fence().0, 2, "{now}");
        }
    }
    line.close().await;
}

/// This machine's clock is an hour off in either direction; nothing that it says may show.
async fn the_clock_of_the_database_judges_and_not_this_machines(w: &mut World) {
    let (cases, line) = table(w).await;
    for (case, off) in cases.iter().zip([3_600_000, -3_600_000].into_iter().cycle()) {
        w.at(case.now).await;
        w.boot.wall.store(case.now - T0 + off, std::sync::atomic::Ordering::SeqCst);
        let renewal = line.renew(&case.guard, None).await.unwrap();
        let moved = json!({ "heartbeat_at": case.now });
        let kept = json!({});
        case.expect(w, if case.live { &moved } else { &kept }).await;
        assert_eq!(renewal != Renewal::Lost, case.live, "{}", case.name);
        if case.live {
            let deletion = w.store.project_delete(case.project, &actor()).await;
            assert!(matches!(deletion, Err(StoreError::Held(_))), "{}: {deletion:?}", case.name);
            w.store.finish(&case.guard, &ending(RunStatus::Succeeded), None).await.unwrap();
        }
        let request = next_request(w, case.project);
        w.store.claim(&request).await.unwrap();
        let row = w.lease_cells(case.project).await;
        assert_eq!(
            (row["claimed_at"].as_i64(), row["heartbeat_at"].as_i64()),
            (Some(case.now), Some(case.now))
        );
    }
    line.close().await;
}
