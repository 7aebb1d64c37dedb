//! Trouble on the way to GitHub: looked up, repeated, or told once for all.

use lockstep_domain::code::Code;
use lockstep_domain::outcome::{ItemStep, Outcome, Reason, RunStatus};
use lockstep_testkit::{World, WorldOptions};

fn gate(world: &World) -> String {
    format!("{} {}", world.course.api_root, world.course.user)
}

#[tokio::test]
async fn a_pull_request_whose_answer_was_lost_is_found_and_not_opened_twice() {
    let world = World::with(WorldOptions::recipients(3)).await;
    world.turnstile.lose_answers(2);
    let end = world.press().await;
    assert_eq!((end.status, end.counts.opened), (RunStatus::Succeeded, 3), "{:?}", end.error);
    assert!(world.course.recipients.iter().all(|name| world.pulls_of(name).len() == 1));
    assert_eq!(world.spending().opened, 3);
    world.assert_nothing_unexpected();
}

#[tokio::test]
async fn a_comment_whose_answer_was_lost_is_found_by_its_marker() {
    let world = World::with(WorldOptions::recipients(3)).await;
    world.press().await;
    world.advance_source(1);
    world.turnstile.lose_answers(2);
    let end = world.press().await;
    assert_eq!((end.status, end.counts.updated), (RunStatus::Succeeded, 3), "{:?}", end.error);
    for name in &world.course.recipients {
        assert_eq!(world.forge.control().comments(name, 1).unwrap().len(), 1);
    }
    world.assert_nothing_unexpected();
}

#[tokio::test]
async fn a_branch_that_is_not_visible_yet_is_tried_again_and_then_given_up() {
    let world = World::with(WorldOptions::recipients(2)).await;
    world.turnstile.not_yet(3);
    let end = world.press().await;
    assert_eq!((end.status, end.counts.opened), (RunStatus::Succeeded, 2), "{:?}", end.error);

    let world = World::with(WorldOptions::recipients(2)).await;
    world.turnstile.not_yet(5);
    let end = world.press().await;
    assert_eq!((end.status, end.counts.opened, end.counts.failed), (RunStatus::Incomplete, 1, 1));
    let last = world.store.last_outcomes(world.project).await.unwrap();
    assert!(last.iter().any(|l| l.outcome == Outcome::Failed && l.reason == Some(Reason::GithubUnavailable)));
}

#[tokio::test]
async fn a_revoked_token_stops_the_pass_once_and_leaves_the_rest_for_later() {
    let world = World::with(WorldOptions::recipients(6)).await;
    world.turnstile.shut_after(2);
    let press = world.start().await;
    world.halfway(&press).await;
    world.forge.control().revoke_token(&world.course.token).unwrap();
    world.turnstile.open();
    let end = press.finished().await;
    assert_eq!(end.status, RunStatus::Incomplete);
    assert_eq!(end.error.as_ref().unwrap().code, Code::BadCredentials);
    assert_eq!((end.counts.opened, end.counts.failed), (2, 0), "nobody failed for a cause that concerns all");
    let items = world.items_of(&end).await;
    assert_eq!(items.iter().filter(|item| item.step != ItemStep::Done).count(), 4);
    world.assert_lease_is_free().await;
    assert_eq!(world.engine.forecast(world.project).await.unwrap().owed, 4);
}

#[tokio::test]
async fn a_blocked_gate_is_a_wait_and_no_failure() {
    let world = World::with(WorldOptions::recipients(2)).await;
    world.store.gate_block(&gate(&world), 700, false).await.unwrap();
    let end = world.press().await;
    assert_eq!((end.status, end.counts.opened), (RunStatus::Succeeded, 2), "{:?}", end.error);
    let items = world.items_of(&end).await;
    let run = world.store.run(end.run).await.unwrap().unwrap();
    let waited = items.iter().all(|item| item.at.since(run.started_at) >= 700 - 50);
    assert!(waited || run.ended_at.unwrap().since(run.started_at) >= 650, "nothing was sent while blocked");
}

#[tokio::test]
async fn a_cancel_ends_a_wait_at_the_gate() {
    let world = World::with(WorldOptions::recipients(2)).await;
    world.store.gate_block(&gate(&world), 3_600_000, false).await.unwrap();
    let press = world.start().await;
    loop {
        let items = world.store.items(press.run_id()).await.unwrap();
        if !items.is_empty() && items.iter().all(|item| item.step == ItemStep::Pushed) {
            break;
        }
        let cursor = world.store.feed_head().await.unwrap();
        world.store.feed_wait(cursor, 20).await.unwrap();
    }
    press.cancel("Béla", "");
    let end = press.finished().await;
    assert_eq!((end.status, end.counts.total()), (RunStatus::Cancelled, 0));
    assert_eq!(world.spending().opened, 0);
    world.assert_lease_is_free().await;
}
