//! Where a pass stops by itself: the lease grows old, the forge is silent, a permission is missing, a repository left.

use std::sync::Arc;

use lockstep_domain::clock::Millis;
use lockstep_domain::code::Code;
use lockstep_domain::ids::RunId;
use lockstep_domain::model::{Counts, Selection};
use lockstep_domain::outcome::{ItemStep, Outcome, Reason, RunStatus};
use lockstep_domain::skip::RecipientState;
use lockstep_engine::SyncRequest;
use lockstep_forge::Level;
use lockstep_testkit::{Access, ManualClock, World, WorldOptions};

/// Waits for the next change, or for a moment: for what nobody announces.
async fn a_moment(world: &World) {
    let cursor = world.store.feed_head().await.unwrap();
    world.store.feed_wait(cursor, 50).await.unwrap();
}

async fn all_pushed(world: &World, run: RunId) {
    loop {
        let items = world.store.items(run).await.unwrap();
        if !items.is_empty() && items.iter().all(|item| item.step >= ItemStep::Pushed) {
            return;
        }
        a_moment(world).await;
    }
}

async fn done(world: &World, run: RunId) -> usize {
    let items = world.store.items(run).await.unwrap();
    items.iter().filter(|item| item.step == ItemStep::Done).count()
}

#[tokio::test]
async fn two_thirds_of_the_window_after_the_last_renewal_nothing_new_begins_and_the_hard_stop_ends_it() {
    const WINDOW: i64 = 600_000;
    let clock = Arc::new(ManualClock::at(Millis(1_796_000_000_000)));
    let options = WorldOptions { clock: Some(clock.clone()), ..WorldOptions::recipients(5).window(WINDOW) };
    let world = World::with(options).await;
    world.turnstile.shut_after(1);
    let press = world.start().await;
    world.halfway(&press).await;
    all_pushed(&world, press.run_id()).await;
    // The first heartbeat is due after more than two minutes: none comes during this test.
    clock.advance(WINDOW * 2 / 3);
    world.turnstile.open();
    while done(&world, press.run_id()).await < 2 {
        a_moment(&world).await;
    }
    for _ in 0..10 {
        a_moment(&world).await;
    }
    assert_eq!(done(&world, press.run_id()).await, 2, "the running item came to its end, no other began");
    assert_eq!(press.stop_signal().reason(), None, "it waits for a renewal, nothing is lost yet");
    clock.advance(WINDOW * 11 / 12 - WINDOW * 2 / 3);
    press.stop_signal().lost().await;
    let end = press.finished().await;
    assert_eq!((end.status, end.error.unwrap().code), (RunStatus::Interrupted, Code::LeaseLost));
    assert_eq!(world.spending().opened, 2);
    world.assert_nothing_unexpected();
}

#[tokio::test]
async fn five_unanswered_recipients_in_a_row_stop_the_pass_with_one_end_and_the_rest_stays_owed() {
    let mut world = World::with(WorldOptions::recipients(12)).await;
    world.turnstile.shut_after(2);
    let press = world.start().await;
    world.halfway(&press).await;
    all_pushed(&world, press.run_id()).await;
    world.forge.stop();
    world.turnstile.open();
    let end = press.finished().await;
    let error = end.error.as_ref().unwrap();
    assert_eq!((end.status, error.code), (RunStatus::Incomplete, Code::ForgeUnreachable), "{error:?}");
    assert!(error.text.contains("press again"), "{}", error.text);
    assert_eq!(end.counts, Counts { opened: 2, failed: 4, ..Counts::default() });
    let items = world.items_of(&end).await;
    let failed = items.iter().filter(|item| item.outcome == Some(Outcome::Failed));
    assert!(failed.clone().all(|item| item.reason == Some(Reason::GithubUnavailable)));
    assert_eq!(items.iter().filter(|item| item.step == ItemStep::Pushed).count(), 6, "the rest is untouched");
    world.assert_lease_is_free().await;
    assert_eq!(world.engine.forecast(world.project).await.unwrap().owed, 10);
}

#[tokio::test]
async fn workflow_files_are_not_pushed_without_the_permission_and_are_delivered_once_it_is_there() {
    let world = World::with(WorldOptions { access: Access::App, ..WorldOptions::recipients(3) }).await;
    let control = world.forge.control();
    let workflow = ".github/workflows/check.yml";
    control.commit_file(&world.course.source, "main", workflow, b"on: push\n", "Check").unwrap();
    let nobody = SyncRequest { selection: Selection::Nobody, ..SyncRequest::all(world.project) };
    let end = world.engine.press(nobody).await.unwrap().finished().await;
    assert_eq!(end.status, RunStatus::Succeeded, "{:?}", end.error);
    control.set_permission(world.course.app.installation, "workflows", Level::None).unwrap();
    world.clear_journal();
    let end = world.press().await;
    assert_eq!((end.status, end.counts.failed), (RunStatus::Incomplete, 3), "{:?}", end.error);
    assert_eq!(world.spending().pushes, 0, "it is known before, nothing is tried");
    for name in &world.course.recipients {
        let last = world.last_outcome(name).await;
        assert_eq!(last.reason, Some(Reason::NeedsWorkflowsPermission));
        assert!(last.cause.contains(".github/workflows"), "{}", last.cause);
        assert_eq!(world.branch_of(name, "sync/main"), None);
    }
    control.set_permission(world.course.app.installation, "workflows", Level::Write).unwrap();
    let end = world.press_owed().await;
    assert_eq!((end.status, end.counts.opened), (RunStatus::Succeeded, 3), "{:?}", end.error);
    world.assert_nothing_unexpected();
}

#[tokio::test]
async fn a_transferred_recipient_is_skipped_as_moved_and_a_renamed_one_is_followed() {
    let world = World::with(WorldOptions::recipients(3)).await;
    let control = world.forge.control();
    let names = &world.course.recipients;
    let moved = world.recipient(&names[0]).await.id;
    control.transfer(&names[0], &world.course.user).unwrap();
    control.rename(&names[1], "renamed").unwrap();
    for opened in [2, 0] {
        let end = world.press().await;
        assert_eq!(end.status, RunStatus::Succeeded, "{:?}", end.error);
        assert_eq!((end.counts.opened, end.counts.skipped), (opened, 1), "{:?}", end.counts);
        let known = world.recipients().await;
        let known = known.iter().find(|recipient| recipient.id == moved).unwrap();
        assert_eq!(known.state, RecipientState::Moved);
        let last = world.store.last_outcomes(world.project).await.unwrap();
        let last = last.iter().find(|last| last.recipient == moved).unwrap();
        assert_eq!((last.outcome, last.reason), (Outcome::Skipped, Some(Reason::Moved)));
    }
    let now = format!("{}/{}", world.course.user, names[0].split_once('/').unwrap().1);
    assert_eq!(world.branch_of(&now, "sync/main"), None, "nothing is pushed to another owner");
    let renamed = format!("{}/renamed", world.course.org);
    assert_eq!(world.pulls_of(&renamed).len(), 1);
    assert_eq!(world.engine.forecast(world.project).await.unwrap().owed, 0, "a skip is not owed");
    world.assert_nothing_unexpected();
}

#[tokio::test]
async fn everybody_sees_until_when_a_press_waits() {
    const HOUR: i64 = 3_600_000;
    let world = World::with(WorldOptions::recipients(2)).await;
    let gate = format!("{} {}", world.course.api_root, world.course.user);
    world.store.gate_block(&gate, HOUR, false).await.unwrap();
    let blocked = world.store.info().await.unwrap().now;
    let press = world.start().await;
    let until = loop {
        let lease = world.store.lease(world.project).await.unwrap().unwrap();
        if let Some(until) = lease.progress.and_then(|(progress, _)| progress.waiting_until) {
            break until;
        }
        a_moment(&world).await;
    };
    assert!((until - blocked.0 - HOUR).abs() < 5_000, "the gate's own time, by the database's clock");
    assert_eq!(done(&world, press.run_id()).await, 0, "nobody failed of it");
    press.cancel("Ada", "");
    assert_eq!(press.finished().await.status, RunStatus::Cancelled);
}
