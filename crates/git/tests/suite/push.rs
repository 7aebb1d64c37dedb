//! The rows of docs/OUTSIDE.md: what a server answers and what became of each ref.

use std::path::PathBuf;

use lockstep_domain::outcome::Reason;
use lockstep_domain::ports::{Git, GitError, RefResult, Workbench};
use lockstep_domain::stop::{StopReason, StopSignal};
use lockstep_git::{GitOptions, GitProgram};

use crate::decide::Stage;
use crate::support::{Act, Graph, Step, World, assert_clean, gits, guard, project, step};

const GRAPH: &str = "D1 | a=1\nD2 < D1 | a=2\nD3 < D2 | a=3\nX < D1 | x=x";

/// A recipient with D1 on main; the store has all D.
pub(crate) async fn stage(world: &World, git: &GitProgram) -> Stage {
    let graph = Graph::read(GRAPH);
    let distribution = world.repo("d/d");
    let at = distribution.import(&graph);
    distribution.set("refs/heads/main", at["D3"]);
    git.fetch_distribution(project(), &distribution.remote(), &StopSignal::default()).await.unwrap();
    let repo = world.repo("o/r");
    repo.import(&graph);
    repo.set("refs/heads/main", at["D1"]);
    world.server.forget();
    Stage { repo, at }
}

pub(crate) async fn open(world: &World) -> (GitProgram, Stage, Box<dyn Workbench>) {
    open_with(world, world.options()).await
}

pub(crate) async fn open_with(world: &World, options: GitOptions) -> (GitProgram, Stage, Box<dyn Workbench>) {
    let git = GitProgram::new(options).await.unwrap();
    let stage = stage(world, &git).await;
    let bench = git.workbench().await.unwrap();
    (git, stage, bench)
}

#[tokio::test]
async fn a_ref_is_created_moved_and_found_where_it_is() {
    for git in gits() {
        created_moved_found(git).await;
    }
}

async fn created_moved_found(git: PathBuf) {
    let world = World::new().await;
    let (_git, stage, mut bench) = open_with(&world, GitOptions { git, ..world.options() }).await;
    let (guard, remote, at) = (guard(), stage.repo.remote(), &stage.at);
    let first = [step("sync/main", None, at["D2"])];
    assert_eq!(bench.push(&guard, &remote, &first, false).await.unwrap(), [RefResult::Pushed]);
    let second = [step("sync/main", Some(at["D2"]), at["D3"]), step("sync/two", None, at["D1"])];
    let results = bench.push(&guard, &remote, &second, false).await.unwrap();
    assert_eq!(results, [RefResult::Pushed, RefResult::Pushed]);
    // Whatever is expected of it: a ref that is there already is there.
    let again = [step("sync/main", None, at["D3"])];
    assert_eq!(bench.push(&guard, &remote, &again, false).await.unwrap(), [RefResult::AlreadyThere]);
    assert_eq!(stage.repo.at("refs/heads/sync/main"), Some(at["D3"]));
    assert_eq!(world.server.count(Step::Push), 2);
    assert_eq!(bench.push(&guard, &remote, &[], false).await.unwrap(), []);
}

#[tokio::test]
async fn a_stale_expectation_moves_nothing_and_the_other_ref_lands() {
    let world = World::new().await;
    let (_git, stage, mut bench) = open(&world).await;
    let at = &stage.at;
    stage.repo.set("refs/heads/sync/main", at["X"]);
    let moves = [step("sync/main", Some(at["D2"]), at["D3"]), step("sync/two", None, at["D3"])];
    let results = bench.push(&guard(), &stage.repo.remote(), &moves, false).await.unwrap();
    assert_eq!(results, [RefResult::Moved(Some(at["X"])), RefResult::Pushed]);
    let gone = [step("sync/gone", Some(at["D2"]), at["D3"])];
    let results = bench.push(&guard(), &stage.repo.remote(), &gone, false).await.unwrap();
    assert_eq!(results, [RefResult::Moved(None)]);
    let must_not_exist = [step("sync/main", None, at["D3"])];
    let results = bench.push(&guard(), &stage.repo.remote(), &must_not_exist, false).await.unwrap();
    assert_eq!(results, [RefResult::Moved(Some(at["X"]))]);
    assert_eq!(stage.repo.at("refs/heads/sync/main"), Some(at["X"]));
}

#[tokio::test]
async fn a_branch_named_sync_is_named_as_what_is_in_the_way() {
    let world = World::new().await;
    let (_git, stage, mut bench) = open(&world).await;
    stage.repo.set("refs/heads/sync", stage.at["D1"]);
    let moves = [step("sync/main", None, stage.at["D2"])];
    let results = bench.push(&guard(), &stage.repo.remote(), &moves, false).await.unwrap();
    let [RefResult::Refused { reason: Reason::PushFailed, cause }] = &results[..] else {
        panic!("{results:?}")
    };
    assert!(cause.contains("branch named sync,"), "{cause}");
    assert_eq!(stage.repo.at("refs/heads/sync/main"), None);
}

#[tokio::test]
async fn a_hook_refuses_one_ref_and_the_other_lands() {
    let world = World::new().await;
    let (_git, stage, mut bench) = open(&world).await;
    let at = &stage.at;
    stage.repo.hook(
        "update",
        "test \"$1\" = refs/heads/sync/main || exit 0\necho \"error: GH013: Repository rule violations found for $1.\" >&2\n\
         echo '- Changes must be made through a pull request.' >&2\nexit 1",
    );
    let moves = [step("sync/main", None, at["D2"]), step("sync/two", None, at["D2"])];
    let results = bench.push(&guard(), &stage.repo.remote(), &moves, false).await.unwrap();
    let cause = "repository rule: Changes must be made through a pull request.".to_owned();
    let refused = RefResult::Refused { reason: Reason::BlockedByRule, cause };
    assert_eq!(results, [refused, RefResult::Pushed]);
    assert_eq!(world.server.count(Step::Push), 1, "a rule is not asked twice");
}

#[tokio::test]
async fn a_refused_distribution_moves_nothing_at_all() {
    let world = World::new().await;
    let (git, stage, _bench) = open(&world).await;
    let at = &stage.at;
    stage.repo.hook("update", "test \"$1\" != refs/heads/two");
    let moves = [step("main", Some(at["D1"]), at["D2"]), step("two", None, at["D2"])];
    let results = git.push_distribution(&guard(), &stage.repo.remote(), &moves).await.unwrap();
    assert!(matches!(&results[0], RefResult::Unavailable(why) if why.contains("another ref")), "{results:?}");
    assert!(matches!(&results[1], RefResult::Refused { reason: Reason::BlockedByRule, .. }), "{results:?}");
    assert_eq!(stage.repo.at("refs/heads/main"), Some(at["D1"]));
    assert_eq!(stage.repo.at("refs/heads/two"), None);
}

#[tokio::test]
async fn a_distribution_only_moves_forward() {
    let world = World::new().await;
    let (git, stage, _bench) = open(&world).await;
    let at = &stage.at;
    stage.repo.set("refs/heads/main", at["D3"]);
    let back = [step("main", Some(at["D3"]), at["D2"])];
    let error = git.push_distribution(&guard(), &stage.repo.remote(), &back).await.unwrap_err();
    assert!(matches!(error, GitError::Refused(_)), "{error:?}");
    assert!(world.server.calls().is_empty(), "refused before anybody was asked");
}

#[tokio::test]
async fn a_server_that_cannot_push_atomically_is_an_error() {
    let world = World::new().await;
    let (git, stage, _bench) = open(&world).await;
    stage.repo.git(&["config", "receive.advertiseAtomic", "false"]);
    let moves = [step("main", Some(stage.at["D1"]), stage.at["D2"])];
    let error = git.push_distribution(&guard(), &stage.repo.remote(), &moves).await.unwrap_err();
    assert!(matches!(&error, GitError::Unexpected(text) if text.contains("atomic")), "{error:?}");
    assert_clean(&error, &world);
    assert_eq!(stage.repo.at("refs/heads/main"), Some(stage.at["D1"]));
}

#[tokio::test]
async fn a_closed_door_is_told_apart_from_trouble() {
    let world = World::new().await;
    let (_git, stage, mut bench) = open(&world).await;
    let moves = [step("sync/main", None, stage.at["D2"])];
    for (status, text, reason) in [
        (403, "This repository was archived so it is read-only.", Reason::Archived),
        (403, "Permission to o/r.git denied to my-app[bot].", Reason::PermissionMissing),
        (403, "Write access to repository not granted.", Reason::PermissionMissing),
    ] {
        world.server.on(Step::PushRefs, Act::Answer(status, format!("{text}\n")));
        let results = bench.push(&guard(), &stage.repo.remote(), &moves, false).await.unwrap();
        assert_eq!(results, [RefResult::Refused { reason, cause: text.into() }]);
    }
    for status in [500, 503, 429] {
        // Twice: the second push meets it too.
        for _ in 0..2 {
            world.server.on(Step::PushRefs, Act::Answer(status, "trouble".into()));
        }
        let results = bench.push(&guard(), &stage.repo.remote(), &moves, false).await.unwrap();
        assert!(matches!(&results[..], [RefResult::Unavailable(_)]), "{status}: {results:?}");
    }
    world.server.on(Step::PushRefs, Act::Answer(404, "Repository not found.\n".into()));
    let error = bench.push(&guard(), &stage.repo.remote(), &moves, false).await.unwrap_err();
    assert_eq!(error, GitError::NotFound);
    let mut wrong = stage.repo.remote();
    wrong.password = "wrong".into();
    let error = bench.push(&guard(), &wrong, &moves, false).await.unwrap_err();
    assert_eq!(error, GitError::BadCredentials);
    assert!(world.server.no_fault_left());
    assert_eq!(stage.repo.at("refs/heads/sync/main"), None);
}

#[tokio::test]
async fn what_github_says_about_a_ref_has_its_own_reason() {
    let world = World::new().await;
    let (_git, stage, mut bench) = open(&world).await;
    let moves = [step("sync/main", None, stage.at["D2"])];
    let workflows = "refusing to allow a GitHub App to create or update workflow `.github/workflows/x.yml` without `workflows` permission";
    let protected = "error: GH006: Protected branch update failed for refs/heads/sync/main.\n\n- Cannot force-push to this branch\n";
    for (ng, remote, reason, cause) in [
        (workflows, "", Reason::NeedsWorkflowsPermission, workflows),
        (
            "protected branch hook declined",
            protected,
            Reason::BlockedByRule,
            "protected branch: Cannot force-push to this branch",
        ),
    ] {
        world.server.on(Step::Push, Act::Report { ng: ng.into(), remote: remote.into() });
        let results = bench.push(&guard(), &stage.repo.remote(), &moves, false).await.unwrap();
        assert_eq!(results, [RefResult::Refused { reason, cause: cause.into() }]);
    }
    // An outage on their side: the same push once more.
    let outage = Act::Report { ng: "failure".into(), remote: "fatal error in commit_refs\n".into() };
    world.server.on(Step::Push, outage);
    let results = bench.push(&guard(), &stage.repo.remote(), &moves, false).await.unwrap();
    assert_eq!(results, [RefResult::Pushed]);
    assert!(world.server.no_fault_left());
}

#[tokio::test]
async fn a_lost_lease_pushes_nothing() {
    let world = World::new().await;
    let (git, stage, mut bench) = open(&world).await;
    let guard = guard();
    guard.stop().stop(StopReason::LeaseLost);
    let moves = [step("sync/main", None, stage.at["D2"])];
    let error = bench.push(&guard, &stage.repo.remote(), &moves, false).await.unwrap_err();
    assert_eq!(error, GitError::LeaseLost);
    let error = git.push_distribution(&guard, &stage.repo.remote(), &moves).await.unwrap_err();
    assert_eq!(error, GitError::LeaseLost);
    assert!(world.server.calls().is_empty());
}

#[tokio::test]
async fn negotiation_sends_only_what_is_new() {
    let world = World::new().await;
    let git = world.program().await;
    let long: Vec<String> = (0..20_000).map(|n| format!("{n}")).collect();
    let graph = Graph::read(&format!("D1 | a={}\nD2 < D1 | b=2\nM < D1 | own=x", long.join(",")));
    let distribution = world.repo("d/d");
    let at = distribution.import(&graph);
    distribution.set("refs/heads/main", at["D2"]);
    git.fetch_distribution(project(), &distribution.remote(), &StopSignal::default()).await.unwrap();
    let mut sent = Vec::new();
    for negotiate in [false, true] {
        let repo = world.repo(&format!("o/r{negotiate}"));
        repo.import(&graph);
        repo.set("refs/heads/main", at["M"]);
        world.server.forget();
        let mut bench = git.workbench().await.unwrap();
        let moves = [step("sync/main", None, at["D2"])];
        let results = bench.push(&guard(), &repo.remote(), &moves, negotiate).await.unwrap();
        assert_eq!(results, [RefResult::Pushed]);
        let calls = world.server.calls();
        sent.push(
            calls.iter().filter(|call| call.step == Some(Step::Push)).map(|c| c.body.len()).sum::<usize>(),
        );
    }
    assert!(sent[1] * 20 < sent[0], "{sent:?}");
}

#[tokio::test]
async fn a_branch_is_deleted_only_where_it_is_expected() {
    let world = World::new().await;
    let (git, stage, mut bench) = open(&world).await;
    let (at, none) = (&stage.at, "0".repeat(40).parse().unwrap());
    stage.repo.set("refs/heads/sync/main", at["X"]);
    stage.repo.set("refs/heads/sync/two", at["D2"]);
    let moves = [step("sync/main", Some(at["D2"]), none), step("sync/two", Some(at["D2"]), none)];
    let results = bench.push(&guard(), &stage.repo.remote(), &moves, false).await.unwrap();
    assert_eq!(results, [RefResult::Moved(Some(at["X"])), RefResult::Pushed]);
    assert_eq!(stage.repo.at("refs/heads/sync/two"), None);
    let again = [step("sync/two", Some(at["D2"]), none)];
    let results = bench.push(&guard(), &stage.repo.remote(), &again, false).await.unwrap();
    assert_eq!(results, [RefResult::Pushed], "gone is gone");
    let main = [step("main", Some(at["D1"]), none)];
    let error = git.push_distribution(&guard(), &stage.repo.remote(), &main).await.unwrap_err();
    assert!(matches!(error, GitError::Refused(_)), "{error:?}");
}
