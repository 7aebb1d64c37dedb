//! Several tasks and processes over one store, and commands that are ended.

use std::fs;
use std::time::Duration;

use lockstep_domain::ids::SourceId;
use lockstep_domain::ports::{Git, GitError};
use lockstep_domain::stop::{StopReason, StopSignal};
use lockstep_git::GitProgram;
use uuid::Uuid;

use crate::decide::{Case, Want};
use crate::push::open;
use crate::support::{
    Graph, NINE, Step, World, guard, main_branch, nine, processes_of, project, source, step,
};

/// Waits until no process of this world is left; processes end when the system says so.
async fn all_gone(world: &World) {
    let gone = async {
        while !processes_of(&world.data_dir()).is_empty() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), gone).await.expect("a process survived");
}

#[tokio::test]
async fn a_lost_lease_ends_the_push_with_all_its_processes() {
    let world = World::new().await;
    let (_git, stage, mut bench) = open(&world).await;
    let (came, go) = world.server.hold(Step::Push);
    let guard = std::sync::Arc::new(guard());
    let (held, remote, to) = (guard.clone(), stage.repo.remote(), stage.at["D2"]);
    let push =
        tokio::spawn(async move { bench.push(&held, &remote, &[step("sync/main", None, to)], false).await });
    came.notified().await;
    assert!(processes_of(&world.data_dir()).len() >= 2);
    guard.stop().stop(StopReason::LeaseLost);
    assert_eq!(push.await.unwrap(), Err(GitError::LeaseLost));
    assert_eq!(processes_of(&world.data_dir()), Vec::new(), "nobody survives");
    go.notify_one();
}

#[tokio::test]
async fn a_milder_reason_lets_the_running_push_finish() {
    let world = World::new().await;
    let (_git, stage, mut bench) = open(&world).await;
    let guard = guard();
    guard.stop().stop(StopReason::Quit);
    let moves = [step("sync/main", None, stage.at["D2"])];
    bench.push(&guard, &stage.repo.remote(), &moves, false).await.unwrap();
    assert_eq!(stage.repo.at("refs/heads/sync/main"), Some(stage.at["D2"]));
}

#[tokio::test]
async fn a_fetch_that_nobody_waits_for_ends_and_leaves_no_lock() {
    let world = World::new().await;
    let (git, stage, _bench) = open(&world).await;
    let (came, go) = world.server.hold(Step::Fetch);
    let (again, remote) = (git.clone(), stage.repo.remote());
    let fetch =
        tokio::spawn(async move { again.fetch_source(source(), &remote, &StopSignal::default()).await });
    came.notified().await;
    fetch.abort();
    assert!(fetch.await.unwrap_err().is_cancelled());
    all_gone(&world).await;
    go.notify_one();
    let heads = git.fetch_source(source(), &stage.repo.remote(), &StopSignal::default()).await.unwrap();
    assert_eq!(heads.len(), 1);
    world.store(&["fsck", "--strict"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_and_tasks_share_one_store() {
    let world = World::new().await;
    let repo = world.repo("s/s");
    let at = repo.import(&Graph::read("D1 | a=1\nD2 < D1 | a=2\nD3 < D1 | a=3"));
    for label in ["D1", "D2", "D3"] {
        repo.set(&format!("refs/heads/{label}"), at[label]);
    }
    let mut tasks = tokio::task::JoinSet::new();
    for process in 0..2 {
        // Two programs over one folder share nothing but the folder, as two processes do; both make the store.
        let git = world.program().await;
        for task in 0..4_u128 {
            let (git, remote) = (git.clone(), repo.remote());
            tasks.spawn(async move {
                let stop = StopSignal::default();
                for source in [SourceId(Uuid::from_u128(9)), SourceId(Uuid::from_u128(100 + task))] {
                    let heads = git.fetch_source(source, &remote, &stop).await.unwrap();
                    assert_eq!(heads.len(), 3);
                }
                let tree = git.tree_of(at_d1(&git, &remote).await).await.unwrap();
                let spec = lockstep_domain::ports::CommitSpec {
                    tree,
                    parents: vec![],
                    message: "Project update\n".into(),
                    at: lockstep_domain::clock::Millis(1_000 * (1 + i64::try_from(task).unwrap())),
                };
                git.commit(project(), &main_branch(), &spec).await.unwrap();
                if process == 0 {
                    git.sweep().await.unwrap();
                }
                git.workbench().await.unwrap();
            });
        }
    }
    while let Some(task) = tasks.join_next().await {
        task.unwrap();
    }
    world.store(&["fsck", "--strict"]);
    assert_eq!(fs::read_dir(world.data_dir().join("git/bench")).unwrap().count(), 0);
}

async fn at_d1(git: &GitProgram, remote: &lockstep_domain::ports::Remote) -> lockstep_domain::names::Oid {
    let heads = git.fetch_source(source(), remote, &StopSignal::default()).await.unwrap();
    heads.iter().find(|(name, _)| name == "D1").unwrap().1
}

#[tokio::test]
async fn a_sweep_removes_what_the_dead_left_and_nothing_of_the_living() {
    let world = World::new().await;
    let git = world.program().await;
    let other = world.program().await;
    let line5 = nine("a", &[(5, "FIVE")]);
    let case = Case {
        law: "a plain update",
        graph: format!("D1 | {NINE}\nD2 < D1 | {line5}\nM < D1 | own=x"),
        base: "M",
        sync: None,
        new: "D2",
        merged: vec![],
        own: vec![],
        want: Want::Clean,
    };
    let (stage, _, mut bench) = case.check(&world, &other, "r").await;
    let benches = world.data_dir().join("git/bench");
    // A dead process's folder: its file is there, nobody holds it.
    fs::create_dir_all(benches.join("p-dead/repo/objects")).unwrap();
    fs::write(benches.join("p-dead/alive"), "").unwrap();
    let refs = world.data_dir().join(format!("git/store.git/refs/lockstep/dist/{}", project()));
    fs::write(refs.join("main.lock"), "").unwrap();
    fs::write(world.data_dir().join("git/store.git/packed-refs.lock"), "").unwrap();
    let half = world.data_dir().join("git/store.git/objects/pack/tmp_pack_half");
    fs::create_dir_all(half.parent().unwrap()).unwrap();
    fs::write(&half, "half").unwrap();
    git.sweep().await.unwrap();
    assert!(!half.exists(), "a killed fetch does not fill the disk for ever");
    assert!(!benches.join("p-dead").exists());
    assert!(!refs.join("main.lock").exists(), "stale under the exclusive lock");
    assert_eq!(fs::read_dir(&benches).unwrap().count(), 1, "the living one stays");
    let moves = [step("sync/main", None, stage.at["D2"])];
    bench.push(&guard(), &stage.repo.remote(), &moves, true).await.unwrap();
    assert_eq!(stage.repo.at("refs/heads/sync/main"), Some(stage.at["D2"]));
    drop(bench);
    drop(other);
    assert_eq!(fs::read_dir(world.data_dir().join("git/run")).unwrap().count(), 1);
}

#[tokio::test]
async fn upkeep_waits_for_a_running_fetch() {
    let world = World::new().await;
    let (git, stage, _bench) = open(&world).await;
    let (came, go) = world.server.hold(Step::Fetch);
    let (again, remote) = (git.clone(), stage.repo.remote());
    let fetch =
        tokio::spawn(async move { again.fetch_source(source(), &remote, &StopSignal::default()).await });
    came.notified().await;
    let lock = world.data_dir().join("git/store.git/packed-refs.lock");
    fs::write(&lock, "").unwrap();
    git.sweep().await.unwrap();
    assert!(lock.exists(), "somebody may be writing it");
    fs::remove_file(&lock).unwrap();
    go.notify_one();
    fetch.await.unwrap().unwrap();
}
