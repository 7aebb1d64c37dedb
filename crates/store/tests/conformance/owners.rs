//! Every operation of docs/LEASES.md section 4 in every owner state: whoever does not own the lease changes nothing.

use lockstep_domain::clock::Millis;
use lockstep_domain::ids::RecipientId;
use lockstep_domain::lease::{Fence, LeaseGuard, Progress};
use lockstep_domain::model::{Mergeable, PullRow, PullState};
use lockstep_domain::outcome::{Outcome, RunStatus};
use lockstep_store::{
    CancelResult, Claim, ItemDone, ItemRecord, Publication, RecipientPatch, Reclaim, Renewal, StoreError,
    Verdict,
};

use crate::world::{T0, W, World, actor, branch, ending, oid};

crate::laws! {
    a_loser_leaves_the_successors_rows_byte_identical,
    a_loser_may_write_one_audit_row_that_names_its_fence,
    an_expired_owner_may_release_but_not_renew_publish_or_finish,
    a_released_lease_refuses_every_write_of_its_old_owner,
    the_same_token_with_another_fence_owns_nothing,
    the_first_cancel_wins_and_never_hits_a_successor,
    a_renewal_and_a_fence_check_tell_of_the_cancel,
    progress_does_not_extend_the_lease,
    a_claim_on_a_held_lease_names_the_holder,
    a_reclaim_with_an_old_fence_changes_nothing,
    a_missing_or_deleted_project_and_a_retired_source_refuse_a_claim,
    a_new_run_is_born_with_the_fence_and_what_was_asked,
}

fn pull(recipient: RecipientId) -> PullRow {
    PullRow {
        recipient,
        branch: branch("main"),
        number: 7,
        author: "lockstep[bot]".into(),
        base: "main".into(),
        state: PullState::Open,
        opened_at: Millis(T0),
        merged_at: None,
        closed_at: None,
        head: Some(oid('b')),
        merge_commit: None,
        mergeable: Mergeable::Unknown,
        announced: Some(oid('b')),
        updated_at: Millis(T0),
        url: "https://example.org/7".into(),
    }
}

fn done(recipient: RecipientId) -> ItemDone {
    ItemDone {
        recipient,
        branch: branch("main"),
        outcome: Outcome::Opened,
        reason: None,
        cause: String::new(),
        request_id: None,
        delivered: Some(oid('b')),
        conflicts: Some(0),
        pull: Some(pull(recipient)),
        patch: RecipientPatch { locked: Some(true), ..RecipientPatch::default() },
    }
}

/// Everything a holder can do; each must fail as lost for this guard, and together they leave every row as it was.
/// (Renew and release are apart: they are values.)
pub(crate) async fn every_write_is_lost(w: &World, guard: &LeaseGuard, recipient: RecipientId) {
    let before = w.everything().await;
    let main = branch("main");
    let record = ItemRecord { recipient, branch: main.clone(), expected_old: None, new: oid('b') };
    let verdict = Verdict { recipient, branch: main.clone(), key: "k".into(), value: "{}".into() };
    let store = &w.store;
    let results = [
        ("record_distribution", store.record_distribution(guard, &[(main.clone(), oid('b'))]).await),
        ("publish", store.publish(guard, &Publication::default()).await),
        ("items_record", store.items_record(guard, &[record]).await),
        ("items_pushed", store.items_pushed(guard, &[(recipient, main)]).await),
        ("item_announced", store.item_announced(guard, &pull(recipient)).await),
        ("items_done", store.items_done(guard, &[done(recipient)]).await),
        ("verdicts_put", store.verdicts_put(guard, &[verdict]).await),
        ("finish", store.finish(guard, &ending(RunStatus::Succeeded), None).await),
    ];
    assert_eq!(w.everything().await, before);
    for (name, result) in results {
        assert!(matches!(result, Err(StoreError::LeaseLost)), "{name}: {result:?}");
    }
}

async fn a_loser_leaves_the_successors_rows_byte_identical(w: &mut World) {
    let course = w.course().await;
    let recipients = w.recipients(&course, 1).await;
    let line = w.store.lease_line().await.unwrap();
    let loser = w.claim(course.project, "ada").await;
    w.at(T0 + W + 1).await;
    let winner = w.claim(course.project, "bob").await;
    let before = w.everything().await;
    every_write_is_lost(w, &loser, recipients[0]).await;
    assert_eq!(line.renew(&loser, Some(&Progress::default())).await.unwrap(), Renewal::Lost);
    assert_eq!(line.fence_check(&loser).await.unwrap(), Renewal::Lost);
    assert!(!line.progress(&loser, &Progress::default()).await.unwrap());
    assert!(!line.release(&loser, &ending(RunStatus::Failed)).await.unwrap());
    let cancel = w.store.ask_cancel(course.project, loser.fence(), &actor(), "").await.unwrap();
    assert_eq!(cancel, CancelResult::NotRunning);
    let reclaim = w.store.reclaim(course.project, loser.fence(), &actor()).await.unwrap();
    assert!(matches!(reclaim, Reclaim::AlreadyFinished));
    assert_eq!(w.everything().await, before);
    assert!(matches!(line.renew(&winner, None).await.unwrap(), Renewal::Held { .. }));
    line.close().await;
}

async fn a_loser_may_write_one_audit_row_that_names_its_fence(w: &mut World) {
    let course = w.course().await;
    let loser = w.claim(course.project, "ada").await;
    w.at(T0 + W + 1).await;
    w.claim(course.project, "bob").await;
    let before = w.dump(&["leases", "runs", "items", "feed"]).await;
    w.store.audit_loss(&loser, "renewal found another owner").await.unwrap();
    assert_eq!(w.dump(&["leases", "runs", "items", "feed"]).await, before);
    let newest = w.store.audit(Some(course.project), 1).await.unwrap().remove(0);
    assert_eq!((newest.event.as_str(), newest.actor.as_str()), ("lease.lost", "ada"));
    assert!(newest.detail.contains("\"fence\":1"), "{}", newest.detail);
}

async fn an_expired_owner_may_release_but_not_renew_publish_or_finish(w: &mut World) {
    let course = w.course().await;
    let line = w.store.lease_line().await.unwrap();
    for (n, now) in [T0 + W + 1, T0 - W - 1].into_iter().enumerate() {
        w.at(T0).await;
        let project = w.project(course.source, &format!("late {n}")).await;
        let guard = w.claim(project, "ada").await;
        w.at(now).await;
        let before = w.everything().await;
        assert_eq!(line.renew(&guard, None).await.unwrap(), Renewal::Lost);
        let published = w.store.publish(&guard, &Publication::default()).await;
        assert!(matches!(published, Err(StoreError::LeaseLost)), "{published:?}");
        let finished = w.store.finish(&guard, &ending(RunStatus::Succeeded), None).await;
        assert!(matches!(finished, Err(StoreError::LeaseLost)), "{finished:?}");
        assert_eq!(w.everything().await, before);
        assert!(line.release(&guard, &ending(RunStatus::Failed)).await.unwrap());
        let view = w.lease(project).await;
        assert!(!view.held);
        assert_eq!(view.last, Some(("failed".into(), guard.fence(), Millis(now))));
        assert_eq!(w.store.run(guard.run()).await.unwrap().unwrap().status, RunStatus::Failed);
        assert!(!line.release(&guard, &ending(RunStatus::Failed)).await.unwrap(), "repeats harmlessly");
    }
    line.close().await;
}

async fn a_released_lease_refuses_every_write_of_its_old_owner(w: &mut World) {
    let course = w.course().await;
    let recipients = w.recipients(&course, 1).await;
    let line = w.store.lease_line().await.unwrap();
    let guard = w.claim(course.project, "ada").await;
    assert!(line.release(&guard, &ending(RunStatus::Cancelled)).await.unwrap());
    let before = w.everything().await;
    every_write_is_lost(w, &guard, recipients[0]).await;
    assert_eq!(line.renew(&guard, None).await.unwrap(), Renewal::Lost);
    let cancel = w.store.ask_cancel(course.project, guard.fence(), &actor(), "").await.unwrap();
    assert_eq!(cancel, CancelResult::NotRunning);
    let reclaim = w.store.reclaim(course.project, guard.fence(), &actor()).await.unwrap();
    assert!(matches!(reclaim, Reclaim::AlreadyFinished));
    assert_eq!(w.everything().await, before);
    let status = w.store.run(guard.run()).await.unwrap().unwrap().status;
    assert_eq!(status, RunStatus::Cancelled);
    line.close().await;
}

/// The guard of one project used up to the fence: two claims of one process never share rights.
async fn the_same_token_with_another_fence_owns_nothing(w: &mut World) {
    let course = w.course().await;
    let recipients = w.recipients(&course, 1).await;
    let mut request = w.request(course.project, "ada");
    let Claim::Claimed { guard: first, .. } = w.store.claim(&request).await.unwrap() else { panic!() };
    w.at(T0 + W + 1).await;
    request.run = lockstep_domain::ids::RunId(w.host.ids.uuid());
    w.claim(course.project, "bob").await;
    w.at(T0 + 2 * W + 2).await;
    // A client that uses a token twice gets the next fence with it; its old guard stays worthless.
    let Claim::Claimed { guard: third, .. } = w.store.claim(&request).await.unwrap() else { panic!() };
    assert_eq!(third.fence(), Fence(3));
    let before = w.everything().await;
    every_write_is_lost(w, &first, recipients[0]).await;
    assert_eq!(w.everything().await, before);
}

async fn the_first_cancel_wins_and_never_hits_a_successor(w: &mut World) {
    let course = w.course().await;
    let guard = w.claim(course.project, "ada").await;
    let wrong = w.store.ask_cancel(course.project, Fence(guard.fence().0 + 1), &actor(), "x").await.unwrap();
    assert_eq!(wrong, CancelResult::NotRunning);
    w.at(T0 + 5).await;
    let asked = w.store.ask_cancel(course.project, guard.fence(), &actor(), "wrong branch").await.unwrap();
    assert_eq!(asked, CancelResult::Asked);
    w.at(T0 + 9).await;
    let second = lockstep_store::Actor { person: "Bob".into(), machine: "bob@lab".into() };
    match w.store.ask_cancel(course.project, guard.fence(), &second, "me too").await.unwrap() {
        CancelResult::AlreadyAsked(ask) => {
            assert_eq!(
                (ask.at, ask.by.as_str(), ask.reason.as_str()),
                (Millis(T0 + 5), "Ada", "wrong branch")
            );
        }
        other => panic!("{other:?}"),
    }
    w.at(T0 + W + 1).await;
    let next = w.claim(course.project, "bob").await;
    assert_eq!(w.lease(course.project).await.cancel, None, "the next holder starts without it");
    let late = w.store.ask_cancel(course.project, guard.fence(), &actor(), "late").await.unwrap();
    assert_eq!(late, CancelResult::NotRunning);
    assert_eq!(w.lease(course.project).await.fence, next.fence());
    assert_eq!(w.lease(course.project).await.cancel, None);
}

async fn a_renewal_and_a_fence_check_tell_of_the_cancel(w: &mut World) {
    let course = w.course().await;
    let line = w.store.lease_line().await.unwrap();
    let guard = w.claim(course.project, "ada").await;
    // The line resolves with the cancel, long before its poll ends.
    let me = actor();
    let (nudged, asked) = tokio::join!(
        line.nudged(&guard, 60_000),
        w.store.ask_cancel(course.project, guard.fence(), &me, "stop")
    );
    nudged.unwrap();
    assert_eq!(asked.unwrap(), CancelResult::Asked);
    for renewal in [line.renew(&guard, None).await.unwrap(), line.fence_check(&guard).await.unwrap()] {
        let Renewal::Held { cancel: Some(ask), .. } = renewal else { panic!("{renewal:?}") };
        assert_eq!(ask.reason, "stop");
    }
    // What was told once is no news: the line waits for its poll to end.
    line.nudged(&guard, 0).await.unwrap();
    line.close().await;
}

async fn progress_does_not_extend_the_lease(w: &mut World) {
    let course = w.course().await;
    let line = w.store.lease_line().await.unwrap();
    let guard = w.claim(course.project, "ada").await;
    w.at(T0 + 1_000).await;
    let long = Progress {
        step: "pass".into(),
        done: 3,
        planned: 9,
        current: "é".repeat(4_000),
        ..Progress::default()
    };
    assert!(line.progress(&guard, &long).await.unwrap());
    let view = w.lease(course.project).await;
    assert_eq!(view.heartbeat_at, Some(Millis(T0)));
    let (progress, at) = view.progress.unwrap();
    assert_eq!((progress.done, progress.planned, at), (3, 9, Millis(T0 + 1_000)));
    assert!(!progress.current.is_empty() && progress.current.len() <= 2_048);
    w.at(T0 + W + 1).await;
    assert!(line.progress(&guard, &Progress::default()).await.unwrap(), "not the expiry: token and fence");
    assert_eq!(line.renew(&guard, None).await.unwrap(), Renewal::Lost);
    line.close().await;
}

async fn a_claim_on_a_held_lease_names_the_holder(w: &mut World) {
    let course = w.course().await;
    w.claim(course.project, "ada").await;
    w.at(T0 + 60_000).await;
    let before = w.everything().await;
    let Claim::InProgress(view) = w.store.claim(&w.request(course.project, "bob")).await.unwrap() else {
        panic!()
    };
    assert_eq!(view.holder.as_ref().unwrap().person, "ada");
    assert_eq!(view.left_ms(), W - 60_000 + 1);
    assert_eq!(w.everything().await, before);
}

async fn a_reclaim_with_an_old_fence_changes_nothing(w: &mut World) {
    let course = w.course().await;
    let first = w.claim(course.project, "ada").await;
    w.at(T0 + W + 1).await;
    w.claim(course.project, "bob").await;
    w.at(T0 + 2 * W + 2).await;
    let before = w.everything().await;
    let result = w.store.reclaim(course.project, first.fence(), &actor()).await.unwrap();
    assert!(matches!(result, Reclaim::AlreadyFinished), "the person saw another holder");
    assert_eq!(w.everything().await, before);
}

async fn a_missing_or_deleted_project_and_a_retired_source_refuse_a_claim(w: &mut World) {
    let course = w.course().await;
    let line = w.store.lease_line().await.unwrap();
    let nobody = lockstep_domain::ids::ProjectId(w.host.ids.uuid());
    assert!(matches!(w.store.claim(&w.request(nobody, "ada")).await.unwrap(), Claim::ProjectMissing));
    let deleted = w.project(course.source, "Deleted").await;
    w.store.project_delete(deleted, &actor()).await.unwrap();
    let guard = w.claim(course.project, "ada").await;
    let refused = w.store.source_retire(course.source, &actor()).await;
    assert!(matches!(refused, Err(StoreError::Held(_))), "{refused:?}");
    assert!(line.release(&guard, &ending(RunStatus::Succeeded)).await.unwrap());
    w.store.source_retire(course.source, &actor()).await.unwrap();
    let before = w.everything().await;
    assert!(matches!(w.store.claim(&w.request(deleted, "ada")).await.unwrap(), Claim::ProjectMissing));
    assert!(matches!(w.store.claim(&w.request(course.project, "ada")).await.unwrap(), Claim::SourceMissing));
    assert_eq!(w.everything().await, before);
    line.close().await;
}

async fn a_new_run_is_born_with_the_fence_and_what_was_asked(w: &mut World) {
    let course = w.course().await;
    let recipients = w.recipients(&course, 2).await;
    let first = w.claim(course.project, "ada").await;
    w.at(T0 + W + 1).await;
    let mut request = w.request(course.project, "bob");
    request.resumes = Some(first.run());
    request.selection =
        lockstep_domain::model::Selection::These { recipients: recipients.iter().map(|id| id.0).collect() };
    let Claim::Claimed { run, .. } = w.store.claim(&request).await.unwrap() else { panic!() };
    assert_eq!((run.id, run.fence, run.resumes), (request.run, Fence(2), Some(first.run())));
    assert_eq!(run.selection, request.selection);
    assert_eq!(run.holder, request.holder);
    assert_eq!((run.status, run.ended_at), (RunStatus::Running, None));
    let runs = w.store.runs(Some(course.project), 10).await.unwrap();
    assert_eq!(runs.iter().map(|run| run.fence.0).collect::<Vec<_>>(), [2, 1]);
    assert_eq!(runs[1].ended_at, Some(Millis(T0 + W + 1)));
}
