//! A closed pull request is an answer.

use lockstep_domain::outcome::{Outcome, Reason};
use lockstep_engine::SyncRequest;
use lockstep_testkit::{World, WorldOptions};

#[tokio::test]
async fn a_closed_pull_request_is_respected_until_the_distribution_moves() {
    let world = World::with(WorldOptions::recipients(3)).await;
    world.press().await;
    let name = &world.course.recipients[0];
    let control = world.forge.control();
    control.close_pull_request(name, 1).unwrap();
    world.clear_journal();
    let end = world.press().await;
    assert_eq!((end.counts.skipped, end.counts.unchanged), (1, 2), "{:?}", end.error);
    let last = world.last_outcome(name).await;
    assert_eq!((last.outcome, last.reason), (Outcome::Skipped, Some(Reason::Declined)));
    assert_eq!(world.spending().opened, 0);
    assert_eq!(world.engine.forecast(world.project).await.unwrap().owed, 0, "declined is not owed");

    world.advance_source(1);
    world.press().await;
    let pulls = world.pulls_of(name);
    assert_eq!(pulls.len(), 2, "a new one, never reopened");
    assert_eq!((pulls[0].state.as_str(), pulls[1].state.as_str()), ("closed", "open"));
    assert!(pulls[1].body.as_deref().unwrap().contains("#1"), "it links the old one");
    world.assert_nothing_unexpected();
}

#[tokio::test]
async fn staff_may_send_again_to_those_who_closed_it() {
    let world = World::with(WorldOptions::recipients(2)).await;
    world.press().await;
    let name = &world.course.recipients[0];
    world.forge.control().close_pull_request(name, 1).unwrap();
    let request = SyncRequest { send_again: true, ..SyncRequest::all(world.project) };
    let end = world.engine.press(request).await.unwrap().finished().await;
    assert_eq!((end.counts.opened, end.counts.unchanged), (1, 1), "{:?}", end.error);
    assert_eq!(world.pulls_of(name).len(), 2);
    world.assert_nothing_unexpected();
}
