//! Pushes that meet somebody else, or whose answer never comes.

use std::sync::Arc;
use std::time::Duration;

use lockstep_domain::ports::{Git, RefResult};
use lockstep_git::{GitOptions, GitProgram};

use crate::decide::Stage;
use crate::push::{open, stage};
use crate::support::{Act, Step, World, guard, step};

/// Between the advertisement and the push, somebody sets this ref.
fn meanwhile(world: &World, stage: &Stage, name: &'static str, label: &str) {
    let (path, oid) = (stage.repo.path.clone(), stage.at[label].to_string());
    let set = move || {
        std::process::Command::new("git")
            .arg(format!("--git-dir={}", path.display()))
            .args(["update-ref", name, &oid])
            .status()
            .unwrap();
    };
    world.server.on(Step::Push, Act::Before(Arc::new(set)));
}

#[tokio::test]
async fn a_race_after_the_advertisement_is_lost_and_the_other_ref_lands() {
    let world = World::new().await;
    let (_git, stage, mut bench) = open(&world).await;
    let at = &stage.at;
    meanwhile(&world, &stage, "refs/heads/sync/main", "X");
    let moves = [step("sync/main", None, at["D2"]), step("sync/two", None, at["D2"])];
    let results = bench.push(&guard(), &stage.repo.remote(), &moves, false).await.unwrap();
    assert_eq!(results, [RefResult::Moved(Some(at["X"])), RefResult::Pushed]);
    assert_eq!(stage.repo.at("refs/heads/sync/main"), Some(at["X"]));
    assert_eq!(world.server.count(Step::Push), 1);
}

#[tokio::test]
async fn an_atomic_race_moves_nothing_and_names_the_ref_that_moved() {
    let world = World::new().await;
    let (git, stage, _bench) = open(&world).await;
    let at = &stage.at;
    meanwhile(&world, &stage, "refs/heads/main", "X");
    let moves = [step("main", Some(at["D1"]), at["D2"]), step("two", None, at["D2"])];
    let results = git.push_distribution(&guard(), &stage.repo.remote(), &moves).await.unwrap();
    assert_eq!(results[0], RefResult::Moved(Some(at["X"])));
    assert!(matches!(&results[1], RefResult::Unavailable(why) if why.contains("another ref")), "{results:?}");
    assert_eq!(stage.repo.at("refs/heads/two"), None);
}

#[tokio::test]
async fn a_ref_that_somebody_moved_to_our_value_counts_as_pushed() {
    let world = World::new().await;
    let (_git, stage, mut bench) = open(&world).await;
    meanwhile(&world, &stage, "refs/heads/sync/main", "D2");
    let moves = [step("sync/main", None, stage.at["D2"])];
    let results = bench.push(&guard(), &stage.repo.remote(), &moves, false).await.unwrap();
    assert_eq!(results, [RefResult::Pushed]);
    assert_eq!(world.server.count(Step::Push), 1);
}

#[tokio::test]
async fn an_answer_lost_after_the_push_landed_is_found_by_reading_again() {
    let world = World::new().await;
    let (git, stage, mut bench) = open(&world).await;
    let at = &stage.at;
    world.server.on(Step::Push, Act::ApplyAndCut);
    let moves = [step("sync/main", None, at["D2"])];
    let results = bench.push(&guard(), &stage.repo.remote(), &moves, false).await.unwrap();
    assert_eq!(results, [RefResult::Pushed]);
    assert_eq!(world.server.count(Step::Push), 1, "it was not pushed twice");
    world.server.on(Step::Push, Act::ApplyAndCut);
    let moves = [step("main", Some(at["D1"]), at["D2"]), step("two", None, at["D2"])];
    let results = git.push_distribution(&guard(), &stage.repo.remote(), &moves).await.unwrap();
    assert_eq!(results, [RefResult::Pushed, RefResult::Pushed]);
    assert_eq!(world.server.count(Step::Push), 2);
}

#[tokio::test]
async fn a_push_that_curl_sends_again_by_itself_is_still_one_move() {
    let world = World::new().await;
    let (_git, stage, mut bench) = open(&world).await;
    world.server.on(Step::Push, Act::ApplyAndDrop);
    let moves = [step("sync/main", None, stage.at["D2"])];
    let results = bench.push(&guard(), &stage.repo.remote(), &moves, false).await.unwrap();
    assert_eq!(results, [RefResult::Pushed]);
    let log = stage.repo.git(&["rev-list", "--count", "sync/main"]);
    assert_eq!((log.as_str(), stage.repo.at("refs/heads/sync/main")), ("2", Some(stage.at["D2"])));
}

#[tokio::test]
async fn a_push_that_was_cut_off_before_it_landed_is_sent_once_more() {
    let world = World::new().await;
    let (_git, stage, mut bench) = open(&world).await;
    let moves = [step("sync/main", None, stage.at["D2"])];
    world.server.on(Step::Push, Act::Cut);
    let results = bench.push(&guard(), &stage.repo.remote(), &moves, false).await.unwrap();
    assert_eq!(results, [RefResult::Pushed]);
    assert_eq!(world.server.count(Step::Push), 2);
    let moves = [step("sync/two", None, stage.at["D2"])];
    for _ in 0..2 {
        world.server.on(Step::Push, Act::Cut);
    }
    let results = bench.push(&guard(), &stage.repo.remote(), &moves, false).await.unwrap();
    assert!(matches!(&results[..], [RefResult::Unavailable(_)]), "once, not for ever: {results:?}");
    assert_eq!(world.server.count(Step::Push), 4);
    assert_eq!(stage.repo.at("refs/heads/sync/two"), None);
}

#[tokio::test]
async fn a_ref_that_cannot_be_read_again_is_unknown_and_never_called_moved() {
    let world = World::new().await;
    let (_git, stage, mut bench) = open(&world).await;
    let moves = [step("sync/main", None, stage.at["D2"])];
    world.server.on(Step::Push, Act::ApplyAndCut);
    world.server.on(Step::Refs, Act::Answer(503, "trouble".into()));
    let results = bench.push(&guard(), &stage.repo.remote(), &moves, false).await.unwrap();
    assert!(matches!(&results[..], [RefResult::Unavailable(_)]), "{results:?}");
    assert_eq!(stage.repo.at("refs/heads/sync/main"), Some(stage.at["D2"]), "it had landed");
    let results = bench.push(&guard(), &stage.repo.remote(), &moves, false).await.unwrap();
    assert_eq!(results, [RefResult::AlreadyThere]);
}

#[tokio::test]
async fn a_silent_server_ends_the_push_and_the_late_first_one_does_no_harm() {
    let world = World::new().await;
    let options = GitOptions { idle: Duration::from_secs(2), ..world.options() };
    let git = GitProgram::new(options).await.unwrap();
    let stage = stage(&world, &git).await;
    let mut bench = git.workbench().await.unwrap();
    let (came, go) = world.server.hold(Step::Push);
    let moves = [step("sync/main", None, stage.at["D2"])];
    let results = bench.push(&guard(), &stage.repo.remote(), &moves, false).await.unwrap();
    assert_eq!(results, [RefResult::Pushed], "the second one landed");
    came.notified().await;
    stage.repo.set("refs/heads/sync/main", stage.at["X"]);
    let done = world.server.finished(Step::Push);
    go.notify_one();
    done.await;
    assert_eq!(stage.repo.at("refs/heads/sync/main"), Some(stage.at["X"]), "compare-and-swap held");
}
