//! Up to date by content: whoever took an update in whatever way gets no pull request for it again.

use lockstep_domain::outcome::{Outcome, RunStatus};
use lockstep_forge::MergeMethod;
use lockstep_testkit::{World, WorldOptions};

/// Recipients whose pull request merges cleanly.
async fn clean(world: &World) -> Vec<String> {
    let last = world.store.last_outcomes(world.project).await.unwrap();
    let recipients = world.recipients().await;
    let clean = |id| last.iter().any(|l| l.recipient == id && l.conflicts == Some(0));
    recipients.iter().filter(|r| clean(r.id)).map(|r| r.repo.slug.to_string()).collect()
}

#[tokio::test]
async fn a_squash_merged_a_rebase_merged_and_a_merge_committed_recipient_are_up_to_date() {
    let world = World::with(WorldOptions::recipients(12)).await;
    world.press().await;
    let names = clean(&world).await;
    assert!(names.len() >= 4, "the course has recipients without conflicts: {names:?}");
    let control = world.forge.control();
    let ways = [MergeMethod::Squash, MergeMethod::Rebase, MergeMethod::Merge, MergeMethod::Squash];
    for (name, method) in names.iter().zip(ways) {
        let number = world.pulls_of(name)[0].number;
        control.merge_pull_request(name, number, method).unwrap();
    }
    // One of them edits afterwards what the update delivered.
    control.commit_file(&names[3], "main", "README.md", b"# My own front page\n", "Mine").unwrap();
    world.clear_journal();
    let end = world.press().await;
    assert_eq!(end.status, RunStatus::Succeeded, "{:?}", end.error);
    for name in &names[..4] {
        let last = world.last_outcome(name).await;
        assert_eq!(last.outcome, Outcome::UpToDate, "{name}: {last:?}");
        assert_eq!(world.pulls_of(name).len(), 1, "{name}: no second pull request");
    }
    let spent = world.spending();
    assert_eq!((spent.opened, spent.comments, spent.pushes), (0, 0, 0), "{spent:?}");
    world.assert_nothing_unexpected();
}

#[tokio::test]
async fn who_squash_merged_and_edited_gets_the_next_update_with_only_what_is_new() {
    let world = World::with(WorldOptions::recipients(12)).await;
    world.press().await;
    let name = clean(&world).await.remove(0);
    let control = world.forge.control();
    control.merge_pull_request(&name, 1, MergeMethod::Squash).unwrap();
    control.commit_file(&name, "main", "README.md", b"# My own front page\n", "Mine").unwrap();
    world.advance_source(1);
    let end = world.press().await;
    assert_eq!(end.status, RunStatus::Succeeded, "{:?}", end.error);
    assert_eq!(world.last_outcome(&name).await.outcome, Outcome::Opened);
    let pulls = world.pulls_of(&name);
    assert_eq!(pulls.len(), 2);
    assert_eq!(Some(pulls[1].head_sha.clone()), world.branch_of(&world.course.distribution, "main"));
    world.assert_nothing_unexpected();
}

#[tokio::test]
async fn an_open_pull_request_with_nothing_left_to_say_is_closed_with_one_comment() {
    let world = World::with(WorldOptions::recipients(12)).await;
    world.press().await;
    let name = clean(&world).await.remove(0);
    let control = world.forge.control();
    // The student puts the same content there by hand.
    let update = world.branch_of(&world.course.distribution, "main").unwrap();
    for path in ["README.md", "lab4/tests/test_heap.py", "docs/heaps.md", "docs/latest.md"] {
        let wanted = control.file(&name, &update, path).unwrap().unwrap();
        control.commit_file(&name, "main", path, &wanted, "By hand").unwrap();
    }
    let end = world.press().await;
    assert_eq!(end.status, RunStatus::Succeeded, "{:?}", end.error);
    let last = world.last_outcome(&name).await;
    // A symlink cannot be written as a plain file: then something still differs, and the pull request stays.
    if last.outcome == Outcome::UpToDate {
        assert_eq!(world.pulls_of(&name)[0].state, "closed");
        assert_eq!(control.comments(&name, 1).unwrap().len(), 1);
        world.clear_journal();
        world.press().await;
        assert_eq!(world.spending().comments, 0, "it is said once");
    }
    world.assert_nothing_unexpected();
}
