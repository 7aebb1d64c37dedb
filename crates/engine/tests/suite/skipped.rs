//! Whom a pass leaves out, and that one failure stops nobody else.

use lockstep_domain::model::Counts;
use lockstep_domain::outcome::{Outcome, Reason, RunStatus};
use lockstep_domain::skip::RecipientState;
use lockstep_forge::{NewRepository, PushRule, RuleKind};
use lockstep_store::{Actor, RecipientPatch};
use lockstep_testkit::{World, WorldOptions};

fn staff() -> Actor {
    Actor { person: "Ada".to_owned(), machine: "tester@testbench".to_owned() }
}

#[tokio::test]
async fn a_locked_a_late_an_archived_an_empty_and_a_deleted_recipient_are_skipped_with_their_codes() {
    let world = World::with(WorldOptions::recipients(8)).await;
    let control = world.forge.control();
    let empty = format!("{}/lab4-student-99", world.course.org);
    control.create_repository(&NewRepository::private(&empty)).unwrap();
    world.import().await;
    let names = &world.course.recipients;
    let now = world.store.info().await.unwrap().now;
    let locked = RecipientPatch { locked: Some(true), ..RecipientPatch::default() };
    let late = RecipientPatch { deadline: Some(Some(now.plus(-1))), ..RecipientPatch::default() };
    for (name, patch) in [(&names[0], locked), (&names[1], late)] {
        let recipient = world.recipient(name).await.id;
        world.store.recipient_edit(recipient, &patch, &staff()).await.unwrap();
    }
    control.archive(&names[2]).unwrap();
    control.delete(&names[3]).unwrap();
    let end = world.press().await;
    assert_eq!(end.status, RunStatus::Succeeded, "{:?}", end.error);
    assert_eq!(end.counts, Counts { opened: 4, skipped: 5, ..Counts::default() });
    let expected = [
        (&names[0], Reason::Locked),
        (&names[1], Reason::PastDeadline),
        (&names[2], Reason::Archived),
        (&names[3], Reason::Gone),
        (&empty, Reason::Empty),
    ];
    for (name, reason) in expected {
        let last = world.last_outcome(name).await;
        assert_eq!((last.outcome, last.reason), (Outcome::Skipped, Some(reason)), "{name}");
        assert!(!last.cause.is_empty());
    }
    assert_eq!(world.recipient(&names[2]).await.state, RecipientState::Archived);
    assert_eq!(world.recipient(&names[3]).await.state, RecipientState::Gone);
    assert!(world.pulls_of(&names[0]).is_empty());
    assert_eq!(world.branch_of(&names[1], "sync/main"), None, "nothing was pushed there");
    assert_eq!(world.branch_of(&empty, "sync/main"), None, "a sync never pushes into an empty recipient");
    world.assert_nothing_unexpected();
}

#[tokio::test]
async fn a_refused_push_fails_alone_and_a_retry_reaches_only_that_one() {
    let world = World::new().await;
    let control = world.forge.control();
    let name = &world.course.recipients[7];
    let rule = RuleKind::Ruleset("Changes must be made through a pull request.".to_owned());
    control.add_push_rule(name, PushRule::new("refs/heads/sync/*", rule)).unwrap();
    let end = world.press().await;
    assert_eq!(end.status, RunStatus::Incomplete);
    assert_eq!(end.counts, Counts { opened: 29, failed: 1, ..Counts::default() });
    let last = world.last_outcome(name).await;
    assert_eq!((last.outcome, last.reason), (Outcome::Failed, Some(Reason::BlockedByRule)));
    assert!(last.cause.contains("through a pull request"), "the cause names the rule: {}", last.cause);
    assert_eq!(world.engine.forecast(world.project).await.unwrap().owed, 1);

    control.clear_push_rules(name).unwrap();
    world.clear_journal();
    let end = world.press_owed().await;
    assert_eq!(end.status, RunStatus::Succeeded, "{:?}", end.error);
    assert_eq!(end.counts, Counts { opened: 1, ..Counts::default() });
    let spent = world.spending();
    assert_eq!((spent.opened, spent.pushes, spent.comments), (1, 1, 0), "{spent:?}");
    assert_eq!(world.engine.forecast(world.project).await.unwrap().owed, 0);
    world.assert_nothing_unexpected();
}

#[tokio::test]
async fn a_missing_branch_and_an_unrelated_history_fail_with_their_codes() {
    let world = World::with(WorldOptions::recipients(3)).await;
    let control = world.forge.control();
    let names = &world.course.recipients;
    let head = world.branch_of(&names[0], "main").unwrap();
    control.set_ref(&names[0], "refs/heads/trunk", &head).unwrap();
    control.delete_ref(&names[0], "refs/heads/main").unwrap();
    control.commit_file(&names[1], "unrelated", "other.txt", b"other\n", "Start anew").unwrap();
    let other = world.branch_of(&names[1], "unrelated").unwrap();
    control.set_ref(&names[1], "refs/heads/main", &other).unwrap();
    let end = world.press().await;
    assert_eq!(end.counts, Counts { opened: 1, failed: 2, ..Counts::default() }, "{:?}", end.error);
    assert_eq!(world.last_outcome(&names[0]).await.reason, Some(Reason::BranchMissing));
    assert_eq!(world.last_outcome(&names[1]).await.reason, Some(Reason::NoCommonHistory));
    assert_eq!(world.branch_of(&names[1], "sync/main"), None);
    world.assert_nothing_unexpected();
}
