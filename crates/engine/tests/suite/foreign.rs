//! Commits that a recipient made on the sync branch are never lost.

use lockstep_domain::outcome::{Outcome, Reason, RunStatus};
use lockstep_testkit::{World, WorldOptions};

#[tokio::test]
async fn own_commits_on_the_sync_branch_stay_below_the_next_update() {
    let world = World::with(WorldOptions::recipients(2)).await;
    world.press().await;
    let name = &world.course.recipients[0];
    let control = world.forge.control();
    let own = control.commit_file(name, "sync/main", "own.txt", b"mine\n", "My own").unwrap();
    world.advance_source(1);
    let end = world.press().await;
    assert_eq!(end.status, RunStatus::Succeeded, "{:?}", end.error);
    assert_eq!(world.last_outcome(name).await.outcome, Outcome::Updated);
    assert_eq!(control.file(name, "sync/main", "own.txt").unwrap().as_deref(), Some(b"mine\n".as_slice()));
    assert!(
        control.file(name, "sync/main", "lab4/exercises/01.md").unwrap().is_some(),
        "the update is there too"
    );
    let head = world.branch_of(name, "sync/main").unwrap();
    assert_ne!(
        Some(&head),
        world.branch_of(&world.course.distribution, "main").as_ref(),
        "merged on top of {own}"
    );
    let pulls = world.pulls_of(name);
    assert_eq!((pulls.len(), pulls[0].head_sha.as_str()), (1, head.as_str()));

    world.clear_journal();
    let end = world.press().await;
    assert_eq!((end.counts.unchanged, end.counts.failed), (2, 0), "{:?}", end.error);
    let spent = world.spending();
    assert_eq!((spent.pushes, spent.comments, spent.fetches), (0, 0, 0), "{spent:?}");
    world.assert_nothing_unexpected();
}

#[tokio::test]
async fn own_commits_that_conflict_with_the_update_are_left_untouched() {
    let world = World::with(WorldOptions::recipients(2)).await;
    world.press().await;
    let name = &world.course.recipients[0];
    let control = world.forge.control();
    control.commit_file(name, "sync/main", "lab4/exercises/01.md", b"mine\n", "My own").unwrap();
    let before = world.branch_of(name, "sync/main");
    world.advance_source(1);
    let end = world.press().await;
    assert_eq!(end.status, RunStatus::Incomplete);
    let last = world.last_outcome(name).await;
    assert_eq!((last.outcome, last.reason), (Outcome::Failed, Some(Reason::ForeignCommits)));
    assert!(last.cause.contains("lab4/exercises/01.md"), "{}", last.cause);
    assert_eq!(world.branch_of(name, "sync/main"), before);
    world.assert_nothing_unexpected();
}
