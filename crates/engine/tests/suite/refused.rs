//! Refusals of the request: what each leaves is nothing, and the lease is free at once.

use lockstep_domain::code::Code;
use lockstep_domain::model::{ProjectState, Strategy};
use lockstep_domain::outcome::RunStatus;
use lockstep_engine::{BuildRequest, RunEnd, SyncRequest};
use lockstep_forge::demo;
use lockstep_store::Actor;
use lockstep_testkit::{World, WorldOptions};

fn staff() -> Actor {
    Actor { person: "Ada".to_owned(), machine: "tester@testbench".to_owned() }
}

async fn small() -> World {
    World::with(WorldOptions::recipients(2)).await
}

/// The run failed with this code; project and recipients are as before; the lease is free.
async fn assert_refused(world: &World, end: &RunEnd, code: Code, before: &lockstep_domain::model::Project) {
    assert_eq!(end.status, RunStatus::Failed, "{end:?}");
    let error = end.error.as_ref().unwrap();
    assert_eq!(error.code, code, "{error:?}");
    assert!(!error.text.contains('/') || !error.text.contains("tmp"), "no local path: {}", error.text);
    let after = world.project().await;
    let shape = |p: &lockstep_domain::model::Project| {
        p.branches.iter().map(|b| (b.handed_out, b.dist_head, b.update_number)).collect::<Vec<_>>()
    };
    assert_eq!(shape(before), shape(&after));
    let run = world.store.run(end.run).await.unwrap().unwrap();
    assert_eq!((run.status, run.error.map(|e| e.0)), (RunStatus::Failed, Some(code)));
    assert_eq!(run.counts.total(), 0);
    assert!(world.items_of(end).await.is_empty());
    assert!(world.course.recipients.iter().all(|name| world.pulls_of(name).is_empty()));
    world.assert_lease_is_free().await;
}

#[tokio::test]
async fn a_public_distribution_is_refused() {
    let world = small().await;
    world.forge.control().set_private(&world.course.distribution, false).unwrap();
    let before = world.project().await;
    let end = world.press().await;
    assert_refused(&world, &end, Code::DistributionPublic, &before).await;
}

#[tokio::test]
async fn a_distribution_that_another_database_drives_is_refused() {
    let world = small().await;
    let control = world.forge.control();
    let other = world.branch_of(&world.course.distribution, "main").unwrap();
    control.set_ref(&world.course.distribution, "refs/lockstep/owner", &other).unwrap();
    let before = world.project().await;
    let end = world.press().await;
    assert_refused(&world, &end, Code::DistributionOwned, &before).await;
}

#[tokio::test]
async fn a_distribution_that_somebody_else_wrote_to_is_refused() {
    let world = small().await;
    let control = world.forge.control();
    control.commit_file(&world.course.distribution, "main", "x.txt", b"x\n", "Not ours").unwrap();
    let before = world.project().await;
    let end = world.press().await;
    assert_refused(&world, &end, Code::DistributionChanged, &before).await;
}

#[tokio::test]
async fn a_source_branch_that_is_gone_is_named() {
    let world = small().await;
    world.forge.control().delete_ref(&world.course.source, "refs/heads/main").unwrap();
    let before = world.project().await;
    let end = world.press().await;
    assert!(end.error.as_ref().unwrap().text.contains("main"));
    assert_refused(&world, &end, Code::SourceBranchGone, &before).await;
}

#[tokio::test]
async fn a_source_that_is_gone_is_told_and_remembered() {
    let world = small().await;
    world.forge.control().delete(&world.course.source).unwrap();
    let before = world.project().await;
    let end = world.press().await;
    assert_refused(&world, &end, Code::SourceGone, &before).await;
    assert_eq!(world.source().await.trouble, Some(Code::SourceGone));
}

#[tokio::test]
async fn a_bound_is_named_with_value_and_limit() {
    let mut options = WorldOptions::recipients(2);
    options.settings.bounds.files = 3;
    let world = World::with(options).await;
    let before = world.project().await;
    let end = world.press().await;
    let text = end.error.as_ref().unwrap().text.clone();
    assert!(text.contains("files") && text.contains("the limit is 3"), "{text}");
    assert_refused(&world, &end, Code::SourceBounds, &before).await;
}

#[tokio::test]
async fn a_note_that_names_the_source_is_refused() {
    let mut options = WorldOptions::recipients(2);
    options.note = "See practice-school/algorithms-source for the solutions.".to_owned();
    let world = World::with(options).await;
    let before = world.project().await;
    let end = world.press().await;
    assert!(end.error.as_ref().unwrap().text.contains("the staff's note"));
    assert_refused(&world, &end, Code::WouldRevealSource, &before).await;
    let head = before.branches[0].dist_head.map(|oid| oid.to_string());
    assert_eq!(world.branch_of(&world.course.distribution, "main"), head, "nothing was pushed");
}

#[tokio::test]
async fn a_rewritten_source_under_whole_is_refused_in_the_request_and_nothing_moves() {
    let mut options = WorldOptions::recipients(2);
    options.strategy = Strategy::Whole;
    options.adopted = false;
    let world = World::with(options).await;
    let request = BuildRequest {
        project: world.project,
        connection: world.connection,
        slug: "practice-school/whole-lab4".parse().unwrap(),
    };
    let built = world.engine.build(request).await.unwrap().finished().await;
    assert_eq!(built.status, RunStatus::Succeeded, "{:?}", built.error);
    world.import().await;
    let before = world.project().await;
    let head = world.branch_of("practice-school/whole-lab4", "main");
    assert_eq!(head, world.branch_of(&world.course.source, "main"), "the source's own commits");
    demo::rewrite_source(world.forge.control()).unwrap();
    let end = world.press().await;
    assert!(end.error.as_ref().unwrap().text.contains("main"), "it names the branch");
    assert_refused(&world, &end, Code::SourceRewritten, &before).await;
    assert_eq!(world.branch_of("practice-school/whole-lab4", "main"), head);
}

#[tokio::test]
async fn a_rewritten_source_under_squash_is_one_more_commit() {
    let world = small().await;
    world.press().await;
    demo::rewrite_source(world.forge.control()).unwrap();
    let end = world.press().await;
    assert_eq!(end.status, RunStatus::Succeeded, "{:?}", end.error);
    assert_eq!(end.counts.updated, 2);
    world.assert_distribution_is_the_source("main");
}

#[tokio::test]
async fn an_archived_project_and_one_without_distribution_are_refused_before_the_claim() {
    let world = small().await;
    world.store.project_set_state(world.project, ProjectState::Archived, &staff()).await.unwrap();
    let fence = world.store.lease(world.project).await.unwrap().unwrap().fence;
    let error = world.engine.press(SyncRequest::all(world.project)).await.unwrap_err();
    assert_eq!(error.code, Code::ProjectArchived);
    let bare = world.insert_project("Bare", vec![("main".parse().unwrap(), "main".parse().unwrap())]).await;
    let error = world.engine.press(SyncRequest::all(bare)).await.unwrap_err();
    assert_eq!(error.code, Code::DistributionMissing);
    assert_eq!(world.store.lease(world.project).await.unwrap().unwrap().fence, fence, "nothing was claimed");
    assert!(world.forge.journal().entries().is_empty(), "no remote contact");
}

#[tokio::test]
async fn a_deleted_project_and_a_retired_source_are_refused_before_any_remote_contact() {
    let world = small().await;
    world.store.source_retire(world.source, &staff()).await.unwrap();
    let error = world.engine.press(SyncRequest::all(world.project)).await.unwrap_err();
    assert_eq!(error.code, Code::SourceMissing);
    world.store.project_delete(world.project, &staff()).await.unwrap();
    let error = world.engine.press(SyncRequest::all(world.project)).await.unwrap_err();
    assert_eq!(error.code, Code::ProjectMissing);
    assert!(world.forge.journal().entries().is_empty(), "no remote contact");
}

#[tokio::test]
async fn a_draft_brings_its_distribution_up_to_date_and_touches_nobody() {
    let mut options = WorldOptions::recipients(2);
    options.state = ProjectState::Draft;
    let world = World::with(options).await;
    let end = world.press().await;
    assert_eq!((end.status, end.counts.total()), (RunStatus::Succeeded, 0), "{:?}", end.error);
    world.assert_distribution_is_the_source("main");
    assert!(world.course.recipients.iter().all(|name| world.pulls_of(name).is_empty()));
    world.assert_lease_is_free().await;
}
