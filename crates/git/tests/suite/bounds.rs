//! What is wrong with this machine, and commands that misbehave: a stand-in program plays git.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::Duration;

use lockstep_domain::ports::{Git, GitError};
use lockstep_domain::stop::StopSignal;
use lockstep_git::{GitOptions, GitProgram};

use crate::support::{Graph, World, assert_clean, processes_of, source};

/// A program that answers as git would, but for the commands that `script` handles (`$2` is the command).
fn stand_in(world: &World, script: &str) -> PathBuf {
    let path = world.dir.path().join("stand-in");
    let real = crate::support::gits().pop().unwrap();
    let text = format!("#!/bin/sh\n{script}\nexec {} \"$@\"\n", real.display());
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

async fn start(world: &World, script: &str) -> Result<GitProgram, GitError> {
    GitProgram::new(GitOptions { git: stand_in(world, script), ..world.options() }).await
}

#[tokio::test]
async fn an_old_git_is_named_and_a_missing_one_told() {
    let world = World::new().await;
    let error =
        start(&world, "test \"$1\" = --version && echo git version 2.25.1 && exit").await.unwrap_err();
    assert_eq!(error, GitError::TooOld { found: "2.25.1".into() });
    let nowhere = GitOptions { path: world.dir.path().into(), ..world.options() };
    assert_eq!(GitProgram::new(nowhere).await.unwrap_err(), GitError::Missing);
    assert!(!world.data_dir().join("git/store.git").exists());
    let git = world.program().await;
    assert!(git.version().await.unwrap().starts_with("2."));
}

#[tokio::test]
async fn a_full_disk_or_a_missing_permission_makes_the_store_unusable() {
    let world = World::new().await;
    for (words, why) in [
        ("fatal: write error: No space left on device", "the disk is full"),
        (
            "error: insufficient permission for adding an object to repository database",
            "a permission is missing",
        ),
        ("fatal: Unable to create '/x/shallow.lock': Permission denied", "a permission is missing"),
        ("fatal: cannot write keep file: Read-only file system", "it is read only"),
    ] {
        let script = format!("test \"$2\" = fetch && {{ echo \"{words}\" >&2; exit 128; }}");
        let git = start(&world, &script).await.unwrap();
        let remote = world.repo("s/s").remote();
        let error = git.fetch_source(source(), &remote, &StopSignal::default()).await.unwrap_err();
        assert_eq!(error, GitError::StoreUnusable(why.into()));
    }
}

#[tokio::test]
async fn a_data_folder_that_cannot_be_made_is_told_without_its_path() {
    let world = World::new().await;
    std::fs::write(world.data_dir(), "a file").unwrap();
    let error = GitProgram::new(world.options()).await.unwrap_err();
    assert!(matches!(error, GitError::StoreUnusable(_)), "{error:?}");
    assert_clean(&error, &world);
}

#[tokio::test]
async fn a_command_that_never_ends_is_killed_with_everything_it_started() {
    let world = World::new().await;
    // It does not listen to SIGTERM, and its child holds the pipes.
    let script =
        "test \"$2\" = ls-tree && { trap '' TERM; (trap '' TERM; exec sleep 600) & wait; wait; wait; }";
    let options = GitOptions {
        git: stand_in(&world, script),
        total: Duration::from_secs(2),
        grace: Duration::from_millis(200),
        ..world.options()
    };
    let git = GitProgram::new(options).await.unwrap();
    let error = git.tree_facts("1".repeat(40).parse().unwrap()).await.unwrap_err();
    assert_eq!(error, GitError::Unexpected("ls-tree took too long".into()));
    assert_eq!(processes_of(&world.data_dir()), Vec::new());
}

#[tokio::test]
async fn a_flood_on_both_pipes_blocks_nobody_and_errors_are_bounded() {
    let world = World::new().await;
    let script = "test \"$2\" = cat-file && { dd if=/dev/zero bs=65536 count=64 2>/dev/null | tr '\\0' e >&2; \
                  echo \"fatal: the end of it\" >&2; dd if=/dev/zero bs=65536 count=64 2>/dev/null; cat >/dev/null; exit 3; }";
    let git = start(&world, script).await.unwrap();
    let error = git.message_of("1".repeat(40).parse().unwrap()).await.unwrap_err();
    assert!(error.to_string().len() < 400, "{}", error.to_string().len());
    assert!(error.to_string().contains("exit code 3"), "{error}");
}

#[tokio::test]
async fn a_fetch_that_ran_out_of_room_leaves_a_sound_store() {
    let world = World::new().await;
    let repo = world.repo("s/s");
    let lines: Vec<String> =
        (0..200_u64).map(|n| (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) % 1_000_003).to_string()).collect();
    let at = repo.import(&Graph::read(&format!("D1 | a={}", lines.join(","))));
    repo.set("refs/heads/main", at["D1"]);
    let stop = StopSignal::default();
    // No file may grow at all: writing is refused as on a full disk, and git cleans up after itself.
    let script = "test \"$2\" = fetch && { trap '' XFSZ; ulimit -f 0; }";
    let tight = start(&world, script).await.unwrap();
    let error = tight.fetch_source(source(), &repo.remote(), &stop).await.unwrap_err();
    assert!(matches!(error, GitError::StoreUnusable(_)), "{error:?}");
    assert_clean(&error, &world);
    assert_eq!(world.store(&["for-each-ref"]), "");
    let git = world.program().await;
    git.sweep().await.unwrap();
    assert_eq!(git.fetch_source(source(), &repo.remote(), &stop).await.unwrap().len(), 1);
    world.store(&["fsck", "--strict"]);
}

#[tokio::test]
async fn a_lock_that_a_dead_process_left_is_told_and_the_next_start_removes_it() {
    let world = World::new().await;
    let git = world.program().await;
    let repo = world.repo("s/s");
    let at = repo.import(&Graph::read("D1 | a=1"));
    repo.set("refs/heads/main", at["D1"]);
    let refs = world.data_dir().join(format!("git/store.git/refs/lockstep/src/{}/heads", source()));
    std::fs::create_dir_all(&refs).unwrap();
    std::fs::write(refs.join("main.lock"), "").unwrap();
    let stop = StopSignal::default();
    let error = git.fetch_source(source(), &repo.remote(), &stop).await.unwrap_err();
    assert_clean(&error, &world);
    assert!(matches!(&error, GitError::StoreUnusable(why) if why.contains("lock")), "{error:?}");
    git.sweep().await.unwrap();
    assert_eq!(git.fetch_source(source(), &repo.remote(), &stop).await.unwrap().len(), 1);
}
