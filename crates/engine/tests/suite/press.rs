//! One press opens exactly what is owed, a second one costs nothing.

use lockstep_domain::model::Counts;
use lockstep_domain::outcome::RunStatus;
use lockstep_testkit::{Access, Spending, World, WorldOptions};

#[tokio::test]
async fn one_press_opens_exactly_one_pull_request_per_recipient() {
    let world = World::new().await;
    let end = world.press().await;
    assert_eq!(end.status, RunStatus::Succeeded, "{:?}", end.error);
    assert_eq!(end.counts, Counts { opened: 30, ..Counts::default() });
    let project = world.project().await;
    let head = project.branches[0].dist_head.unwrap().to_string();
    assert_eq!(world.branch_of(&world.course.distribution, "main"), Some(head.clone()));
    for name in &world.course.recipients {
        let pulls = world.pulls_of(name);
        assert_eq!(pulls.len(), 1, "{name}");
        let pull = &pulls[0];
        assert_eq!((pull.head_ref.as_str(), pull.base_ref.as_str()), ("sync/main", "main"));
        assert_eq!(pull.head_sha, head);
        assert!(pull.body.as_deref().unwrap().contains("Please read the new exercise."));
        assert!(world.forge.control().comments(name, pull.number).unwrap().is_empty());
    }
    world.assert_distribution_is_the_source("main");
    let spent = world.spending();
    eprintln!("first press: {spent:?}, counted by the run: {:?}", end.spent);
    assert_eq!((spent.opened, spent.comments), (30, 0));
    assert_eq!(spent.pushes, 31, "one for the distribution, one per recipient");
    world.assert_lease_is_free().await;
    world.assert_nothing_unexpected();
}

#[tokio::test]
async fn a_second_press_costs_no_push_no_pull_request_no_comment_and_no_fetch() {
    let world = World::new().await;
    world.press().await;
    world.clear_journal();
    let end = world.press().await;
    assert_eq!(end.status, RunStatus::Succeeded, "{:?}", end.error);
    assert_eq!(end.counts, Counts { unchanged: 30, ..Counts::default() });
    let spent = world.spending();
    eprintln!("second press: {spent:?}, counted by the run: {:?}", end.spent);
    let Spending { opened, comments, fetches, pushes, .. } = spent;
    assert_eq!((pushes, opened, comments, fetches), (0, 0, 0, 0));
    assert!(spent.rest == 0 && spent.graphql <= 5, "N/50 + 4 questions, nothing over REST: {spent:?}");
    world.assert_nothing_unexpected();
}

#[tokio::test]
async fn a_new_source_commit_updates_every_open_pull_request_with_one_comment() {
    let world = World::new().await;
    world.press().await;
    world.advance_source(1);
    world.clear_journal();
    let end = world.press().await;
    assert_eq!(end.status, RunStatus::Succeeded, "{:?}", end.error);
    assert_eq!(end.counts, Counts { updated: 30, ..Counts::default() });
    let spent = world.spending();
    assert_eq!((spent.opened, spent.comments, spent.pushes), (0, 30, 31), "{spent:?}");
    for name in &world.course.recipients {
        let pulls = world.pulls_of(name);
        assert_eq!(pulls.len(), 1);
        assert_eq!(world.forge.control().comments(name, pulls[0].number).unwrap().len(), 1);
    }
    world.assert_distribution_is_the_source("main");
    world.assert_nothing_unexpected();
}

#[tokio::test]
async fn a_press_on_postgresql_keeps_the_same_laws() {
    let world = World::postgres().await;
    let end = world.press().await;
    assert_eq!(end.counts, Counts { opened: 30, ..Counts::default() }, "{:?}", end.error);
    world.clear_journal();
    let end = world.press().await;
    assert_eq!(end.counts, Counts { unchanged: 30, ..Counts::default() }, "{:?}", end.error);
    let Spending { opened, comments, fetches, pushes, .. } = world.spending();
    assert_eq!((pushes, opened, comments, fetches), (0, 0, 0, 0));
    world.assert_lease_is_free().await;
    world.assert_nothing_unexpected();
}

#[tokio::test]
async fn an_app_presses_like_a_token() {
    let world = World::with(WorldOptions { access: Access::App, ..WorldOptions::recipients(3) }).await;
    let end = world.press().await;
    assert_eq!(end.counts, Counts { opened: 3, ..Counts::default() }, "{:?}", end.error);
    let author = &world.pulls_of(&world.course.recipients[0])[0].author;
    assert_eq!(author, "lockstep-practice[bot]");
    world.clear_journal();
    let end = world.press().await;
    assert_eq!(end.counts, Counts { unchanged: 3, ..Counts::default() }, "{:?}", end.error);
    let spent = world.spending();
    assert!(spent.rest <= 1, "at most a token is minted: {spent:?}");
    world.assert_nothing_unexpected();
}
