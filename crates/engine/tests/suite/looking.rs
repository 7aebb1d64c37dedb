//! Looks at the source, and what a press would cost.

use lockstep_domain::ahead::Ahead;
use lockstep_domain::code::Code;
use lockstep_domain::outcome::RunStatus;
use lockstep_testkit::{World, WorldOptions};

#[tokio::test]
async fn the_number_ahead_follows_the_source() {
    let world = World::with(WorldOptions::recipients(2)).await;
    let check = world.engine.check_source(world.source).await.unwrap();
    assert_eq!(check.ahead[0].1[0].1, Ahead::Ahead(3));
    world.advance_source(2);
    world.engine.check_source(world.source).await.unwrap();
    assert_eq!(world.project().await.branches[0].ahead, Ahead::Ahead(5));
    world.press().await;
    assert_eq!(world.project().await.branches[0].ahead, Ahead::Level);
    lockstep_forge::demo::rewrite_source(world.forge.control()).unwrap();
    world.engine.check_source(world.source).await.unwrap();
    assert_eq!(world.project().await.branches[0].ahead, Ahead::Rewritten);
    world.forge.control().delete(&world.course.source).unwrap();
    let check = world.engine.check_source(world.source).await.unwrap();
    assert_eq!(check.trouble, Some(Code::SourceGone));
    assert_eq!(world.project().await.branches[0].ahead, Ahead::SourceGone);
}

#[tokio::test]
async fn a_look_without_news_fetches_nothing() {
    let world = World::with(WorldOptions::recipients(1)).await;
    world.engine.check_source(world.source).await.unwrap();
    world.clear_journal();
    world.engine.check_source(world.source).await.unwrap();
    assert_eq!(world.spending().fetches, 0);
}

#[tokio::test]
async fn a_push_that_lands_during_a_press_stays_ahead() {
    let world = World::with(WorldOptions::recipients(3)).await;
    world.turnstile.shut_after(1);
    let press = world.start().await;
    world.halfway(&press).await;
    world.advance_source(1);
    world.engine.check_source(world.source).await.unwrap();
    world.turnstile.open();
    let end = press.finished().await;
    assert_eq!(end.status, RunStatus::Succeeded, "{:?}", end.error);
    assert_eq!(world.project().await.branches[0].ahead, Ahead::Ahead(1));
}

#[tokio::test]
async fn a_renamed_source_is_followed() {
    let world = World::with(WorldOptions::recipients(1)).await;
    world.forge.control().rename(&world.course.source, "algorithms-new").unwrap();
    world.engine.check_source(world.source).await.unwrap();
    assert_eq!(world.source().await.repo.slug.to_string(), "practice-school/algorithms-new");
    let end = world.press().await;
    assert_eq!(end.status, RunStatus::Succeeded, "{:?}", end.error);
}

#[tokio::test]
async fn pending_tells_commits_and_files_to_staff() {
    let world = World::with(WorldOptions::recipients(1)).await;
    let pending = world.engine.pending(world.project).await.unwrap();
    let branch = &pending.branches[0];
    let subjects: Vec<_> = branch.commits.iter().map(|commit| commit.subject.as_str()).collect();
    assert_eq!(
        subjects,
        ["Name the page after its subject", "Test that an empty heap refuses", "Move the deadline"]
    );
    assert!(branch.files.iter().any(|file| file.path == "README.md"));
    assert!(!branch.more);
}

#[tokio::test]
async fn the_forecast_names_commits_recipients_and_an_end() {
    let mut options = WorldOptions::recipients(30);
    options.settings.pace = lockstep_store::Pace { min_interval_ms: 1_000, per_hour: 500 };
    let world = World::with(options).await;
    let forecast = world.engine.forecast(world.project).await.unwrap();
    assert_eq!((forecast.commits, forecast.takes_part, forecast.left_out), (Some(3), 30, 0));
    assert_eq!(forecast.writes, 30);
    assert!((25..=45).contains(&forecast.seconds), "{forecast:?}");
}

#[tokio::test]
async fn another_machine_with_an_empty_store_can_press() {
    let world = World::with(WorldOptions::recipients(3)).await;
    world.press().await;
    let elsewhere = world.engine_elsewhere("Béla").await;
    let request = lockstep_engine::SyncRequest::all(world.project);
    let end = elsewhere.press(request).await.unwrap().finished().await;
    assert_eq!((end.status, end.counts.unchanged), (RunStatus::Succeeded, 3), "{:?}", end.error);
}
