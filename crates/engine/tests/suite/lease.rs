//! One holder at a time; a loser writes nothing more; cancel, quit and resume.

use std::sync::Arc;
use std::time::Duration;

use lockstep_domain::clock::Millis;
use lockstep_domain::code::Code;
use lockstep_domain::ids::RunId;
use lockstep_domain::lease::LeaseState;
use lockstep_domain::model::Selection;
use lockstep_domain::outcome::{ItemStep, RunStatus};
use lockstep_engine::SyncRequest;
use lockstep_store::{Actor, CancelResult};
use lockstep_testkit::{ManualClock, World, WorldOptions};

const RECIPIENTS: u32 = 8;

async fn world() -> World {
    World::with(WorldOptions::recipients(RECIPIENTS)).await
}

fn pulls(world: &World) -> usize {
    world.course.recipients.iter().map(|name| world.pulls_of(name).len()).sum()
}

fn at_most_one_each(world: &World) -> bool {
    world.course.recipients.iter().all(|name| world.pulls_of(name).len() <= 1)
}

async fn all_pushed(world: &World, run: RunId) -> bool {
    let items = world.store.items(run).await.unwrap();
    items.iter().all(|item| item.step >= ItemStep::Pushed)
}

#[tokio::test]
async fn a_second_press_while_one_runs_names_the_holder() {
    let world = world().await;
    world.turnstile.shut_after(1);
    let first = world.start().await;
    world.halfway(&first).await;
    let colleague = world.engine_of("Béla", world.options.settings.clone());
    let error = colleague.press(SyncRequest::all(world.project)).await.unwrap_err();
    assert_eq!(error.code, Code::SyncInProgress);
    let holder = error.holder.unwrap();
    assert_eq!(holder.holder.unwrap().person, "Ada");
    assert_eq!(holder.run, Some(first.run_id()));
    world.turnstile.open();
    let end = first.finished().await;
    assert_eq!((end.status, end.counts.opened), (RunStatus::Succeeded, RECIPIENTS), "{:?}", end.error);
}

#[tokio::test]
async fn a_cancel_stops_between_items_and_the_next_press_does_the_rest() {
    let world = world().await;
    world.turnstile.shut_after(2);
    let press = world.start().await;
    world.halfway(&press).await;
    press.cancel("Béla", "wrong file");
    world.turnstile.open();
    let end = press.finished().await;
    assert_eq!(end.status, RunStatus::Cancelled);
    let error = end.error.as_ref().unwrap();
    assert!(
        error.code == Code::Cancelled && error.text.contains("Béla") && error.text.contains("wrong file")
    );
    assert_eq!(pulls(&world), 3, "the running item came to its end, no other began");
    assert_eq!(end.counts.opened, 3);
    world.assert_lease_is_free().await;
    let end = world.press_owed().await;
    assert_eq!((end.status, end.counts.opened), (RunStatus::Succeeded, RECIPIENTS - 3), "{:?}", end.error);
    assert!(at_most_one_each(&world));
    world.assert_nothing_unexpected();
}

#[tokio::test]
async fn progress_is_seen_between_two_renewals() {
    let world = world().await;
    world.turnstile.shut_after(2);
    let press = world.start().await;
    world.halfway(&press).await;
    // The first renewal comes after 48 s at the earliest: what is seen before was written between renewals.
    let seen = async {
        loop {
            let lease = world.store.lease(world.project).await.unwrap().unwrap();
            if lease.progress.is_some_and(|(progress, _)| progress.step == "pass" && progress.done > 0) {
                break;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(40), seen).await.expect("progress within five seconds");
    world.turnstile.open();
    assert_eq!(press.finished().await.status, RunStatus::Succeeded);
}

#[tokio::test]
async fn a_cancel_asked_elsewhere_is_seen() {
    let world = world().await;
    world.turnstile.shut_after(1);
    let press = world.start().await;
    world.halfway(&press).await;
    let colleague = Actor { person: "Béla".to_owned(), machine: "bela@laptop".to_owned() };
    let asked = world.store.ask_cancel(world.project, press.fence(), &colleague, "too early").await.unwrap();
    assert_eq!(asked, CancelResult::Asked);
    press.stop_signal().stopped().await;
    world.turnstile.open();
    let end = press.finished().await;
    assert_eq!(end.status, RunStatus::Cancelled);
    assert!(end.error.unwrap().text.contains("Béla"));
    assert_eq!(pulls(&world), 2);
}

#[tokio::test]
async fn a_quit_gives_the_lease_back_as_interrupted_and_a_resume_does_the_rest() {
    let world = world().await;
    world.turnstile.shut_after(2);
    let press = world.start().await;
    world.halfway(&press).await;
    press.quit();
    world.turnstile.open();
    let end = press.finished().await;
    assert_eq!(end.status, RunStatus::Interrupted);
    world.assert_lease_is_free().await;
    let run = world.store.run(end.run).await.unwrap().unwrap();
    assert_eq!(run.status, RunStatus::Interrupted);
    world.clear_journal();
    let resume = SyncRequest {
        project: world.project,
        selection: Selection::All,
        resumes: Some(end.run),
        send_again: false,
    };
    let end = world.engine.press(resume).await.unwrap().finished().await;
    assert_eq!((end.status, end.counts.opened), (RunStatus::Succeeded, RECIPIENTS - 3), "{:?}", end.error);
    assert_eq!(world.items_of(&end).await.len(), usize::try_from(RECIPIENTS - 3).unwrap());
    assert!(at_most_one_each(&world));
    assert_eq!(world.spending().comments, 0, "nothing is announced twice");
}

#[tokio::test]
async fn a_loser_writes_nothing_more_and_the_successor_repeats_nothing() {
    let clock = Arc::new(ManualClock::at(Millis(1_796_000_000_000)));
    let options =
        WorldOptions { clock: Some(clock.clone()), ..WorldOptions::recipients(RECIPIENTS).window(2_000) };
    let world = World::with(options).await;
    world.turnstile.shut_after(2);
    let press = world.start().await;
    world.halfway(&press).await;
    // Let the first stage come to rest, so that nothing is under way when the lease goes.
    while !all_pushed(&world, press.run_id()).await {
        let cursor = world.store.feed_head().await.unwrap();
        world.store.feed_wait(cursor, 20).await.unwrap();
    }
    // The machine slept: the local deadline has passed.
    clock.advance(2_000);
    press.stop_signal().lost().await;
    let before = world.store.items(press.run_id()).await.unwrap();
    world.turnstile.open();
    let end = press.finished().await;
    assert_eq!(end.status, RunStatus::Interrupted);
    assert_eq!(end.error.unwrap().code, Code::LeaseLost);
    assert_eq!(pulls(&world), 2, "the third was not sent any more");
    assert_eq!(world.store.items(press.run_id()).await.unwrap(), before, "the loser's rows stand still");
    let audit = world.store.audit(Some(world.project), 5).await.unwrap();
    let lost: Vec<_> = audit.iter().filter(|row| row.event == "lease.lost").collect();
    assert!(matches!(&lost[..], [one] if one.detail.contains("slept")), "one row, and why: {audit:?}");

    while world.store.lease(world.project).await.unwrap().unwrap().state() != LeaseState::Reclaimable {
        let cursor = world.store.feed_head().await.unwrap();
        world.store.feed_wait(cursor, 50).await.unwrap();
    }
    world.clear_journal();
    let end = world.press().await;
    assert_eq!(end.status, RunStatus::Succeeded, "{:?}", end.error);
    assert_eq!((end.counts.opened, end.counts.unchanged), (RECIPIENTS - 2, 2));
    assert!(at_most_one_each(&world));
    assert_eq!(world.spending().comments, 0);
    let old = world.store.run(press.run_id()).await.unwrap().unwrap();
    assert_eq!(old.status, RunStatus::Interrupted, "the successor's claim said so");
    let items = world.store.items(press.run_id()).await.unwrap();
    assert!(items.iter().any(|item| item.step != ItemStep::Done));
    world.assert_nothing_unexpected();
}

#[tokio::test]
async fn a_press_that_takes_longer_than_its_window_keeps_its_lease() {
    let world = World::with(WorldOptions::recipients(2).window(3_000)).await;
    world.turnstile.shut_after(0);
    let press = world.start().await;
    world.halfway(&press).await;
    loop {
        let lease = world.store.lease(world.project).await.unwrap().unwrap();
        assert!(lease.held);
        if lease.heartbeat_at.unwrap().since(lease.claimed_at.unwrap()) > 2 * lease.window_ms {
            break;
        }
        let cursor = world.store.feed_head().await.unwrap();
        world.store.feed_wait(cursor, 50).await.unwrap();
    }
    world.turnstile.open();
    let end = press.finished().await;
    assert_eq!((end.status, end.counts.opened), (RunStatus::Succeeded, 2), "{:?}", end.error);
}

#[tokio::test]
async fn after_a_sleep_the_fence_is_checked_and_renewed_before_its_time_and_the_holder_goes_on() {
    let clock = Arc::new(ManualClock::at(Millis(1_796_000_000_000)));
    let options = WorldOptions { clock: Some(clock.clone()), ..WorldOptions::recipients(2).window(180_000) };
    let world = World::with(options).await;
    world.turnstile.shut_after(1);
    let press = world.start().await;
    world.halfway(&press).await;
    let before = world.store.lease(world.project).await.unwrap().unwrap().heartbeat_at;
    // Half a window of sleep: within the local deadline, and far from the next heartbeat of a machine that was awake.
    clock.advance(90_000);
    let woke = std::time::Instant::now();
    while world.store.lease(world.project).await.unwrap().unwrap().heartbeat_at == before {
        assert!(woke.elapsed().as_secs() < 30, "it waited for its ordinary heartbeat");
        let cursor = world.store.feed_head().await.unwrap();
        world.store.feed_wait(cursor, 50).await.unwrap();
    }
    assert_eq!(press.stop_signal().reason(), None, "still owner: it goes on");
    world.turnstile.open();
    let end = press.finished().await;
    assert_eq!((end.status, end.counts.opened), (RunStatus::Succeeded, 2), "{:?}", end.error);
}

#[tokio::test]
async fn a_cancel_waits_for_a_call_that_is_named_with_its_end() {
    let world = world().await;
    world.turnstile.shut_after(1);
    let press = world.start().await;
    world.halfway(&press).await;
    let call = loop {
        let lease = world.store.lease(world.project).await.unwrap().unwrap();
        if let Some(call) =
            lease.progress.and_then(|(progress, _)| progress.call).filter(|c| c.call == "request")
        {
            break call;
        }
        assert!(press.stop_signal().reason().is_none(), "the run stopped");
        let cursor = world.store.feed_head().await.unwrap();
        world.store.feed_wait(cursor, 50).await.unwrap();
    };
    assert!(world.course.recipients.contains(&call.target), "{call:?}");
    assert!((1..=30_000).contains(&call.ends_in_ms), "{call:?}");
    press.cancel("Béla", "");
    world.turnstile.open();
    assert_eq!(press.finished().await.status, RunStatus::Cancelled);
    let lease = world.store.lease(world.project).await.unwrap().unwrap();
    assert!(
        lease.progress.is_none_or(|(progress, _)| progress.call.is_none()),
        "nothing is under way any more"
    );
}
