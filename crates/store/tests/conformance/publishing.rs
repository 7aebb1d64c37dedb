//! Publication and the journal of a pass: whole or not at all, once per fence (docs/LEASES.md sections 4 and 5).

use std::sync::atomic::Ordering;

use lockstep_domain::ahead::Ahead;
use lockstep_domain::clock::Millis;
use lockstep_domain::ids::RecipientId;
use lockstep_domain::model::{Counts, Mergeable, PullRow, PullState};
use lockstep_domain::outcome::{ItemStep, Outcome, Reason, RunStatus};
use lockstep_domain::skip::RecipientState;
use lockstep_store::{
    Ending, ItemDone, ItemRecord, Publication, PublishedBranch, RecipientPatch, Renewal, StoreError, Verdict,
};

use crate::world::{Course, T0, World, branch, ending, oid, repo};

crate::laws! {
    a_publication_writes_all_of_its_step_and_keeps_the_lease,
    a_failed_publication_is_rolled_back_whole_and_its_retry_publishes,
    a_publication_that_takes_too_long_is_rolled_back_whole,
    a_fence_publishes_each_part_once,
    a_finish_ends_the_run_once_and_frees_the_lease,
    a_draft_publishes_within_its_finish,
    a_deletion_between_claim_and_publication_loses_the_lease,
    an_orphaned_path_stays_and_may_come_back,
    an_item_walks_from_planned_to_done,
    an_outcome_without_delivery_keeps_what_was_delivered,
    an_older_word_about_a_pull_request_changes_nothing,
    a_run_cannot_write_about_another_projects_recipient,
    verdicts_and_own_commits_are_kept_per_recipient,
}

fn published(name: &str, head: char) -> PublishedBranch {
    PublishedBranch {
        branch: branch(name),
        handed_out: Some(oid('a')),
        dist_head: oid(head),
        update_number: 1,
        fingerprint: "f".repeat(64),
        ahead: Ahead::Level,
        added: vec!["README.md".into(), "src/é.c".into()],
        removed: Vec::new(),
    }
}

fn publication(course: &Course, recipients: &[RecipientId]) -> Publication {
    Publication {
        distribution: Some(repo(course.connection, 2, "course/handout")),
        branches: vec![published("main", 'd'), published("bonus", 'e')],
        items: recipients.iter().map(|id| (*id, branch("main"))).collect(),
    }
}

pub(crate) fn done(recipient: RecipientId, outcome: Outcome) -> ItemDone {
    ItemDone {
        recipient,
        branch: branch("main"),
        outcome,
        reason: None,
        cause: String::new(),
        request_id: Some("ABCD:1".into()),
        delivered: outcome.delivers().then(|| oid('d')),
        conflicts: None,
        pull: None,
        patch: RecipientPatch::default(),
    }
}

pub(crate) fn pull(recipient: RecipientId, number: i64, state: PullState, updated_at: i64) -> PullRow {
    PullRow {
        recipient,
        branch: branch("main"),
        number,
        author: "lockstep[bot]".into(),
        base: "main".into(),
        state,
        opened_at: Millis(T0 - 5),
        merged_at: (state == PullState::Merged).then_some(Millis(updated_at)),
        closed_at: None,
        head: Some(oid('d')),
        merge_commit: None,
        mergeable: Mergeable::Mergeable,
        announced: None,
        updated_at: Millis(updated_at),
        url: format!("https://example.org/pull/{number}"),
    }
}

async fn a_publication_writes_all_of_its_step_and_keeps_the_lease(w: &mut World) {
    let course = w.course().await;
    let recipients = w.recipients(&course, 3).await;
    let guard = w.claim(course.project, "ada").await;
    w.at(T0 + 1_000).await;
    w.store.publish(&guard, &publication(&course, &recipients)).await.unwrap();
    let view = w.lease(course.project).await;
    assert!(view.held && view.fence == guard.fence());
    assert_eq!(view.heartbeat_at, Some(Millis(T0 + 1_000)), "a publication renews");
    let project = w.store.project(course.project).await.unwrap().unwrap();
    assert_eq!(project.distribution, Some(repo(course.connection, 2, "course/handout")));
    assert_eq!(project.branches[0].branch, branch("main"), "in the order of the project");
    assert_eq!(project.branches[1].source_branch, branch("extra"));
    assert_eq!(project.branches[0].dist_head, Some(oid('d')));
    assert_eq!((project.branches[1].update_number, project.branches[1].ahead), (1, Ahead::Level));
    let items = w.store.items(guard.run()).await.unwrap();
    assert_eq!(items.len(), 3);
    assert!(items.iter().all(|item| item.step == ItemStep::Planned && item.at == Millis(T0 + 1_000)));
    assert_eq!(w.dump(&["inventory"]).await.len(), 4);
    assert_eq!(w.dump(&["publications"]).await.len(), 1);
    let newest = w.store.audit(Some(course.project), 1).await.unwrap().remove(0);
    assert_eq!((newest.event.as_str(), newest.machine.as_str()), ("run.published", "ada@desk"));
}

async fn a_failed_publication_is_rolled_back_whole_and_its_retry_publishes(w: &mut World) {
    let course = w.course().await;
    let recipients = w.recipients(&course, 2).await;
    let other = w.project(course.source, "Other").await;
    let guard = w.claim(course.project, "ada").await;
    w.at(T0 + 1_000).await;
    let before = w.everything().await;
    let mut wrong = publication(&course, &recipients);
    wrong.branches.push(published("nowhere", 'f'));
    let failed = w.store.publish(&guard, &wrong).await;
    assert!(matches!(failed, Err(StoreError::NotFound(_))), "{failed:?}");
    assert_eq!(w.everything().await, before, "not even the heartbeat");
    let mut wrong = publication(&course, &recipients);
    wrong.items.push((RecipientId(other.0), branch("main")));
    let failed = w.store.finish(&guard, &ending(RunStatus::Succeeded), Some(&wrong)).await;
    assert!(matches!(failed, Err(StoreError::NotFound(_))), "{failed:?}");
    assert_eq!(w.everything().await, before, "still held, nothing published");
    w.store.publish(&guard, &publication(&course, &recipients)).await.unwrap();
    assert_eq!(w.store.items(guard.run()).await.unwrap().len(), 2);
}

async fn a_publication_that_takes_too_long_is_rolled_back_whole(w: &mut World) {
    let course = w.course().await;
    let guard = w.claim(course.project, "ada").await;
    let before = w.everything().await;
    // W/18 = 10 s: by the third statement the budget is spent.
    w.boot.step.store(4_000, Ordering::SeqCst);
    let late = w.store.publish(&guard, &publication(&course, &[])).await;
    assert!(matches!(late, Err(StoreError::Busy)), "{late:?}");
    let late = w.store.finish(&guard, &ending(RunStatus::Succeeded), None).await;
    assert!(matches!(late, Err(StoreError::Busy)), "{late:?}");
    assert_eq!(w.everything().await, before);
    w.boot.step.store(0, Ordering::SeqCst);
    w.store.publish(&guard, &publication(&course, &[])).await.unwrap();
}

async fn a_fence_publishes_each_part_once(w: &mut World) {
    let course = w.course().await;
    let guard = w.claim(course.project, "ada").await;
    w.store.publish(&guard, &publication(&course, &[])).await.unwrap();
    let before = w.everything().await;
    let mut again = publication(&course, &[]);
    again.branches[0].update_number = 2;
    let twice = w.store.publish(&guard, &again).await;
    assert!(matches!(twice, Err(StoreError::AlreadyExists(_))), "{twice:?}");
    let within_finish = w.store.finish(&guard, &ending(RunStatus::Succeeded), Some(&again)).await;
    assert!(matches!(within_finish, Err(StoreError::AlreadyExists(_))), "{within_finish:?}");
    assert_eq!(w.everything().await, before);
    w.store.finish(&guard, &ending(RunStatus::Succeeded), None).await.unwrap();
    let next = w.claim(course.project, "bob").await;
    w.store.publish(&next, &again).await.unwrap();
    assert_eq!(w.dump(&["publications"]).await.len(), 3);
}

async fn a_finish_ends_the_run_once_and_frees_the_lease(w: &mut World) {
    let course = w.course().await;
    let guard = w.claim(course.project, "ada").await;
    w.at(T0 + 2_000).await;
    let counts = Counts { opened: 2, failed: 1, ..Counts::default() };
    let end = Ending {
        counts,
        ahead: vec![(branch("main"), Ahead::Ahead(3)), (branch("bonus"), Ahead::Rewritten)],
        ..ending(RunStatus::Incomplete)
    };
    w.store.finish(&guard, &end, None).await.unwrap();
    let run = w.store.run(guard.run()).await.unwrap().unwrap();
    assert_eq!(
        (run.status, run.counts, run.ended_at),
        (RunStatus::Incomplete, counts, Some(Millis(T0 + 2_000)))
    );
    let view = w.lease(course.project).await;
    assert!(!view.held);
    assert_eq!(view.fence, guard.fence(), "the fence is kept");
    assert_eq!(view.last, Some(("incomplete".into(), guard.fence(), Millis(T0 + 2_000))));
    let project = w.store.project(course.project).await.unwrap().unwrap();
    assert_eq!(project.branches[0].ahead, Ahead::Ahead(3));
    assert_eq!(project.branches[1].ahead, Ahead::Rewritten);
    let before = w.everything().await;
    let twice = w.store.finish(&guard, &end, None).await;
    assert!(matches!(twice, Err(StoreError::LeaseLost)), "{twice:?}");
    assert_eq!(w.everything().await, before);
    assert_eq!(w.claim(course.project, "bob").await.fence().0, guard.fence().0 + 1);
}

async fn a_draft_publishes_within_its_finish(w: &mut World) {
    let course = w.course().await;
    let guard = w.claim(course.project, "ada").await;
    let publication = publication(&course, &[]);
    w.store.finish(&guard, &ending(RunStatus::Succeeded), Some(&publication)).await.unwrap();
    assert_eq!(w.dump(&["publications"]).await.len(), 2);
    assert!(!w.lease(course.project).await.held);
    let project = w.store.project(course.project).await.unwrap().unwrap();
    assert_eq!(project.branches[0].handed_out, Some(oid('a')));
}

async fn a_deletion_between_claim_and_publication_loses_the_lease(w: &mut World) {
    let course = w.course().await;
    let line = w.store.lease_line().await.unwrap();
    for table in ["projects", "sources"] {
        let guard = w.claim(course.project, "ada").await;
        let mark = format!("UPDATE {table} SET deleted_at = created_at");
        w.raw(&mark).await.unwrap();
        let before = w.everything().await;
        assert_eq!(line.renew(&guard, None).await.unwrap(), Renewal::Lost, "{table}");
        let lost = w.store.publish(&guard, &publication(&course, &[])).await;
        assert!(matches!(lost, Err(StoreError::LeaseLost)), "{table}: {lost:?}");
        let lost = w.store.finish(&guard, &ending(RunStatus::Succeeded), None).await;
        assert!(matches!(lost, Err(StoreError::LeaseLost)), "{table}: {lost:?}");
        assert_eq!(w.everything().await, before, "{table}");
        assert!(
            line.release(&guard, &ending(RunStatus::Failed)).await.unwrap(),
            "the end may still be recorded"
        );
        w.raw(&format!("UPDATE {table} SET deleted_at = NULL")).await.unwrap();
    }
    line.close().await;
}

async fn an_orphaned_path_stays_and_may_come_back(w: &mut World) {
    let course = w.course().await;
    let paths = |added: &[&str], removed: &[&str]| PublishedBranch {
        added: added.iter().map(|path| (*path).to_owned()).collect(),
        removed: removed.iter().map(|path| (*path).to_owned()).collect(),
        ..published("main", 'd')
    };
    for (step, change) in [paths(&["a", "b"], &[]), paths(&[], &["a", "never seen"]), paths(&["a"], &["b"])]
        .into_iter()
        .enumerate()
    {
        w.at(T0 + i64::try_from(step).unwrap()).await;
        let guard = w.claim(course.project, "ada").await;
        let publication = Publication { branches: vec![change], ..Publication::default() };
        w.store.finish(&guard, &ending(RunStatus::Succeeded), Some(&publication)).await.unwrap();
    }
    let rows = w.dump(&["inventory"]).await;
    assert_eq!(rows.len(), 3, "never a row less: {rows:?}");
    let orphaned =
        w.raw("UPDATE inventory SET protected = protected WHERE orphaned_at IS NOT NULL").await.unwrap();
    assert_eq!(orphaned, 2, "b and the never seen one");
}

async fn an_item_walks_from_planned_to_done(w: &mut World) {
    let course = w.course().await;
    let recipients = w.recipients(&course, 1).await;
    let guard = w.claim(course.project, "ada").await;
    let main = branch("main");
    w.store.publish(&guard, &publication(&course, &recipients)).await.unwrap();
    let step = async || w.store.items(guard.run()).await.unwrap().remove(0);
    let record = ItemRecord {
        recipient: recipients[0],
        branch: main.clone(),
        expected_old: Some(oid('c')),
        new: oid('d'),
    };
    w.store.items_record(&guard, &[record]).await.unwrap();
    let item = step().await;
    assert_eq!(
        (item.step, item.expected_old, item.new),
        (ItemStep::Recorded, Some(oid('c')), Some(oid('d')))
    );
    w.store.items_pushed(&guard, &[(recipients[0], main.clone())]).await.unwrap();
    assert_eq!(step().await.step, ItemStep::Pushed);
    let opened = PullRow { announced: Some(oid('d')), ..pull(recipients[0], 4, PullState::Open, T0) };
    w.store.item_announced(&guard, &opened).await.unwrap();
    assert_eq!((step().await.step, step().await.pull), (ItemStep::Announced, Some(4)));
    w.store.items_pushed(&guard, &[(recipients[0], main.clone())]).await.unwrap();
    assert_eq!(step().await.step, ItemStep::Announced, "a step never goes back");
    let patch = RecipientPatch { state: Some(RecipientState::Archived), ..RecipientPatch::default() };
    let end = ItemDone { patch, conflicts: Some(2), ..done(recipients[0], Outcome::Opened) };
    w.store.items_done(&guard, &[end]).await.unwrap();
    let item = step().await;
    assert_eq!((item.step, item.outcome, item.pull), (ItemStep::Done, Some(Outcome::Opened), Some(4)));
    let last = w.store.last_outcomes(course.project).await.unwrap().remove(0);
    assert_eq!((last.outcome, last.delivered, last.conflicts), (Outcome::Opened, Some(oid('d')), Some(2)));
    assert_eq!(last.run, guard.run());
    assert_eq!(w.store.pulls(course.project).await.unwrap(), [opened]);
    assert_eq!(w.store.recipients(course.project).await.unwrap()[0].state, RecipientState::Archived);
    let unknown = w.store.items_pushed(&guard, &[(recipients[0], branch("bonus"))]).await;
    assert!(matches!(unknown, Err(StoreError::NotFound(_))), "{unknown:?}");
}

async fn an_outcome_without_delivery_keeps_what_was_delivered(w: &mut World) {
    let course = w.course().await;
    let recipients = w.recipients(&course, 1).await;
    let guard = w.claim(course.project, "ada").await;
    w.store.items_done(&guard, &[done(recipients[0], Outcome::Opened)]).await.unwrap();
    w.store.finish(&guard, &ending(RunStatus::Succeeded), None).await.unwrap();
    let guard = w.claim(course.project, "bob").await;
    let failed = ItemDone {
        reason: Some(Reason::ForeignCommits),
        cause: "own work".into(),
        ..done(recipients[0], Outcome::Failed)
    };
    w.store.items_done(&guard, &[failed]).await.unwrap();
    let last = w.store.last_outcomes(course.project).await.unwrap().remove(0);
    assert_eq!((last.outcome, last.reason), (Outcome::Failed, Some(Reason::ForeignCommits)));
    assert_eq!((last.delivered, last.run), (Some(oid('d')), guard.run()));
}

async fn an_older_word_about_a_pull_request_changes_nothing(w: &mut World) {
    let course = w.course().await;
    let recipients = w.recipients(&course, 1).await;
    let id = recipients[0];
    let guard = w.claim(course.project, "ada").await;
    let tell = async |row: PullRow| {
        let item = ItemDone { pull: Some(row), ..done(id, Outcome::Unchanged) };
        w.store.items_done(&guard, &[item]).await.unwrap();
        w.store.pulls(course.project).await.unwrap().remove(0)
    };
    let announced = PullRow { announced: Some(oid('d')), ..pull(id, 5, PullState::Open, T0) };
    assert_eq!(tell(announced.clone()).await, announced);
    assert_eq!(tell(pull(id, 5, PullState::Closed, T0 - 1)).await, announced, "older word");
    assert_eq!(tell(pull(id, 4, PullState::Open, T0 + 9)).await, announced, "older number");
    let merged = PullRow { announced: Some(oid('d')), ..pull(id, 5, PullState::Merged, T0 + 1) };
    assert_eq!(
        tell(pull(id, 5, PullState::Merged, T0 + 1)).await,
        merged,
        "newer word; what we announced stays"
    );
    assert_eq!(tell(pull(id, 5, PullState::Open, T0 + 2)).await, merged, "merged is terminal for its number");
    let late = PullRow { announced: Some(oid('e')), ..pull(id, 5, PullState::Open, T0 - 9) };
    assert_eq!(tell(late).await.announced, Some(oid('e')), "what we announced is ours to know");
    assert_eq!(
        tell(pull(id, 6, PullState::Open, T0)).await,
        pull(id, 6, PullState::Open, T0),
        "a newer number"
    );
}

async fn a_run_cannot_write_about_another_projects_recipient(w: &mut World) {
    let course = w.course().await;
    let theirs = w.recipients(&course, 1).await[0];
    let mine = w.project(course.source, "Mine").await;
    let guard = w.claim(mine, "ada").await;
    let before = w.everything().await;
    let record = ItemRecord { recipient: theirs, branch: branch("main"), expected_old: None, new: oid('d') };
    assert!(matches!(w.store.items_record(&guard, &[record]).await, Err(StoreError::NotFound(_))));
    let wrong = w.store.items_done(&guard, &[done(theirs, Outcome::Opened)]).await;
    assert!(matches!(wrong, Err(StoreError::NotFound(_))), "{wrong:?}");
    assert_eq!(w.everything().await, before);
}

async fn verdicts_and_own_commits_are_kept_per_recipient(w: &mut World) {
    let course = w.course().await;
    let recipients = w.recipients(&course, 2).await;
    let guard = w.claim(course.project, "ada").await;
    let verdict = |key: &str| Verdict {
        recipient: recipients[0],
        branch: branch("main"),
        key: key.into(),
        value: "{\"up_to_date\":true}".into(),
    };
    w.store.verdicts_put(&guard, &[verdict("one")]).await.unwrap();
    w.store.verdicts_put(&guard, &[verdict("two")]).await.unwrap();
    let kept = w.store.verdicts(course.project, &recipients).await.unwrap();
    assert_eq!(kept.len(), 1);
    assert_eq!((kept[0].key.as_str(), kept[0].value.as_str()), ("two", "{\"up_to_date\":true}"));
    assert!(w.store.verdicts(course.project, &recipients[1..]).await.unwrap().is_empty());
    w.store.record_distribution(&guard, &[(branch("main"), oid('d'))]).await.unwrap();
    w.store.record_distribution(&guard, &[(branch("main"), oid('d'))]).await.unwrap();
    let record = |recipient, new| ItemRecord { recipient, branch: branch("main"), expected_old: None, new };
    for new in [oid('d'), oid('d'), oid('e')] {
        w.store
            .items_record(&guard, &[record(recipients[0], new), record(recipients[1], oid('d'))])
            .await
            .unwrap();
    }
    let own = w.store.own_commits(course.project, &recipients[..1]).await.unwrap();
    assert_eq!(own, [(recipients[0], oid('d')), (recipients[0], oid('e'))]);
    assert_eq!(w.dump(&["own_commits"]).await.len(), 4, "each head once, the distribution's too");
}
