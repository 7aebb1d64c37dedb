//! Several handed-out branches, and recipients that named theirs differently.

use lockstep_domain::model::{BranchMapping, Counts};
use lockstep_domain::names::BranchName;
use lockstep_domain::outcome::RunStatus;
use lockstep_store::{Actor, RecipientPatch};
use lockstep_testkit::{World, WorldOptions};

/// A course that hands out `main` and `bonus`.
async fn two_branches() -> World {
    let mut world = World::with(WorldOptions { adopted: false, ..WorldOptions::recipients(3) }).await;
    let control = world.forge.control();
    let (source, dist) = (world.course.source.clone(), world.course.distribution.clone());
    // Three commits ahead on main: bonus begins where the distribution stands.
    let head = world.branch_of(&source, "main").unwrap();
    let dir = world.forge.handle().repository_dir(&source).unwrap();
    let output = std::process::Command::new("git")
        .arg("--git-dir")
        .arg(dir)
        .args(["rev-parse", &format!("{head}~3")])
        .output()
        .unwrap();
    let start = String::from_utf8(output.stdout).unwrap().trim().to_owned();
    control.set_ref(&source, "refs/heads/bonus", &start).unwrap();
    let handed = world.branch_of(&dist, "main").unwrap();
    control.set_ref(&dist, "refs/heads/bonus", &handed).unwrap();
    for name in &world.course.recipients {
        control.set_ref(name, "refs/heads/bonus", &handed).unwrap();
    }
    control.commit_file(&source, "bonus", "bonus.md", b"# Bonus\n", "Add the bonus").unwrap();
    let names: Vec<BranchName> = ["main", "bonus"].iter().map(|name| name.parse().unwrap()).collect();
    let branches = names.iter().map(|name| (name.clone(), name.clone())).collect();
    world.project = world.insert_project("Two branches", branches).await;
    world.adopt().await;
    world.import().await;
    world.publish().await;
    world.clear_journal();
    world
}

#[tokio::test]
async fn every_branch_has_its_own_pull_request_and_every_recipient_one_push() {
    let world = two_branches().await;
    let end = world.press().await;
    assert_eq!(end.status, RunStatus::Succeeded, "{:?}", end.error);
    assert_eq!(end.counts, Counts { opened: 3, ..Counts::default() }, "counted per recipient");
    let spent = world.spending();
    assert_eq!((spent.opened, spent.pushes), (6, 4), "{spent:?}");
    for name in &world.course.recipients {
        let mut heads: Vec<_> = world.pulls_of(name).into_iter().map(|p| (p.head_ref, p.base_ref)).collect();
        heads.sort();
        let wanted = [("sync/bonus", "bonus"), ("sync/main", "main")];
        assert_eq!(heads, wanted.map(|(head, base)| (head.to_owned(), base.to_owned())));
    }
    world.clear_journal();
    let end = world.press().await;
    assert_eq!(end.counts, Counts { unchanged: 3, ..Counts::default() }, "{:?}", end.error);
    let spent = world.spending();
    assert_eq!((spent.opened, spent.comments, spent.pushes, spent.fetches), (0, 0, 0, 0), "{spent:?}");
    world.assert_nothing_unexpected();
}

#[tokio::test]
async fn one_refused_branch_does_not_hold_the_other_back() {
    let world = two_branches().await;
    let name = &world.course.recipients[0];
    let control = world.forge.control();
    let kind = lockstep_forge::RuleKind::Protected("Cannot update this protected ref.".to_owned());
    control.add_push_rule(name, lockstep_forge::PushRule::new("refs/heads/sync/bonus", kind)).unwrap();
    let end = world.press().await;
    assert_eq!((end.status, end.counts.failed, end.counts.opened), (RunStatus::Incomplete, 1, 2));
    let pulls = world.pulls_of(name);
    assert_eq!((pulls.len(), pulls[0].head_ref.as_str()), (1, "sync/main"));
    world.assert_nothing_unexpected();
}

#[tokio::test]
async fn a_mapped_branch_gets_its_pull_request_where_it_is() {
    let world = World::with(WorldOptions::recipients(3)).await;
    let name = &world.course.recipients[1];
    let control = world.forge.control();
    let head = world.branch_of(name, "main").unwrap();
    control.set_ref(name, "refs/heads/trunk", &head).unwrap();
    control.delete_ref(name, "refs/heads/main").unwrap();
    let mapping = vec![BranchMapping { branch: "main".to_owned(), theirs: "trunk".to_owned() }];
    let patch = RecipientPatch { mapping: Some(mapping), ..RecipientPatch::default() };
    let staff = Actor { person: "Ada".to_owned(), machine: "tester@testbench".to_owned() };
    let recipient = world.recipient(name).await.id;
    world.store.recipient_edit(recipient, &patch, &staff).await.unwrap();
    let end = world.press().await;
    assert_eq!((end.status, end.counts.opened), (RunStatus::Succeeded, 3), "{:?}", end.error);
    let pulls = world.pulls_of(name);
    assert_eq!((pulls[0].head_ref.as_str(), pulls[0].base_ref.as_str()), ("sync/main", "trunk"));
    world.assert_nothing_unexpected();
}
