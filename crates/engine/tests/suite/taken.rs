//! Up to date by content: whoever took an update in whatever way gets no pull request for it again.

use lockstep_domain::outcome::{Outcome, RunStatus};
use lockstep_forge::{Change, CommitSpec, FileMode, MergeMethod, Person};
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
    // The student puts the same content there by hand, file by file.
    let update = world.branch_of(&world.course.distribution, "main").unwrap();
    let same = |path: &str| Change::file(path, control.file(&name, &update, path).unwrap().unwrap());
    let link = Change::Write {
        path: "docs/latest.md".to_owned(),
        mode: FileMode::Symlink,
        content: b"heaps.md".to_vec(),
    };
    let by_hand = CommitSpec {
        author: Person::new("Student", "student@users.noreply.github.com"),
        committer: None,
        seconds: 1_790_000_000,
        offset: "+0000".to_owned(),
        message: "By hand".to_owned(),
        changes: vec![
            same("README.md"),
            same("lab4/tests/test_heap.py"),
            Change::Rename("docs/lab4.md".to_owned(), "docs/heaps.md".to_owned()),
            link,
        ],
    };
    control.commit(&name, "main", &[by_hand]).unwrap();
    let end = world.press().await;
    assert_eq!(end.status, RunStatus::Succeeded, "{:?}", end.error);
    assert_eq!(world.last_outcome(&name).await.outcome, Outcome::UpToDate);
    assert_eq!(world.pulls_of(&name)[0].state, "closed");
    assert_eq!(control.comments(&name, 1).unwrap().len(), 1);
    world.clear_journal();
    let end = world.press().await;
    assert_eq!((end.counts.up_to_date, world.spending().comments), (1, 0), "it is said once");
    world.assert_nothing_unexpected();
}
