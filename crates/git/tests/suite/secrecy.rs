//! The token is where it must be and nowhere else.

use lockstep_domain::ports::{Git, GitError, RefResult};
use lockstep_domain::stop::StopSignal;

use crate::push::open;
use crate::support::{
    Act, Server, Step, TOKEN, World, assert_clean, files_with, guard, processes_of, source, step,
};

/// No process of this world and no file below its data folder has the token; how many processes there are.
fn inspect(world: &World) -> usize {
    let processes = processes_of(&world.data_dir());
    for (arguments, environment) in &processes {
        assert!(!arguments.contains(TOKEN), "in the arguments: {arguments:?}");
        assert!(!environment.contains(TOKEN), "in the environment of {arguments:?}");
    }
    assert_eq!(files_with(&world.data_dir(), TOKEN), Vec::<String>::new());
    processes.len()
}

#[tokio::test]
async fn no_argument_environment_or_file_holds_the_token_while_a_push_runs() {
    let world = World::new().await;
    let (_git, stage, mut bench) = open(&world).await;
    let (at_refs, go_on) = world.server.hold(Step::PushRefs);
    let (negotiating, go_on_2) = world.server.hold(Step::Fetch);
    let (pushing, go_on_3) = world.server.hold(Step::Push);
    let (remote, to) = (stage.repo.remote(), stage.at["D2"]);
    let push = tokio::spawn(async move {
        bench.push(&guard(), &remote, &[step("sync/main", None, to)], true).await.unwrap()
    });
    for (came, go) in [(at_refs, go_on), (negotiating, go_on_2), (pushing, go_on_3)] {
        came.notified().await;
        assert!(inspect(&world) >= 2, "git and its helper are looked at");
        go.notify_one();
    }
    assert_eq!(push.await.unwrap(), [RefResult::Pushed]);
    assert_eq!(inspect(&world), 0);
    assert!(world.server.calls().iter().all(|call| !call.path.contains(TOKEN)));
}

#[tokio::test]
async fn no_file_or_process_holds_the_token_while_a_fetch_runs() {
    let world = World::new().await;
    let (git, stage, _bench) = open(&world).await;
    let (came, go) = world.server.hold(Step::Fetch);
    let remote = stage.repo.remote();
    let fetch =
        tokio::spawn(async move { git.fetch_source(source(), &remote, &StopSignal::default()).await });
    came.notified().await;
    assert!(inspect(&world) >= 2);
    go.notify_one();
    fetch.await.unwrap().unwrap();
    inspect(&world);
}

#[tokio::test]
async fn a_renamed_repository_is_followed_on_its_own_host() {
    let world = World::new().await;
    let (_git, stage, mut bench) = open(&world).await;
    let new_name = format!("{}/info/refs?service=git-receive-pack", stage.repo.remote().url);
    let mut old = stage.repo.remote();
    old.url = old.url.replace("o/r", "o/old");
    world.server.on(Step::PushRefs, Act::Redirect(new_name));
    let moves = [step("sync/main", None, stage.at["D2"])];
    let results = bench.push(&guard(), &old, &moves, false).await.unwrap();
    assert_eq!(results, [RefResult::Pushed]);
    assert_eq!(stage.repo.at("refs/heads/sync/main"), Some(stage.at["D2"]));
}

#[tokio::test]
async fn another_host_never_gets_the_token() {
    let world = World::new().await;
    let (_git, stage, mut bench) = open(&world).await;
    let other = Server::start(world.dir.path().join("other")).await;
    let elsewhere = format!("{}/o/r.git/info/refs?service=git-receive-pack", other.url());
    world.server.on(Step::PushRefs, Act::Redirect(elsewhere));
    let moves = [step("sync/main", None, stage.at["D2"])];
    let error = bench.push(&guard(), &stage.repo.remote(), &moves, false).await.unwrap_err();
    // git names the first address and not the other host: nobody there took a credential.
    assert_eq!(error, GitError::BadCredentials);
    let calls = other.calls();
    assert!(!calls.is_empty(), "the redirect was followed");
    assert!(calls.iter().all(|call| call.auth.is_none()), "{calls:?}");
    assert_eq!(stage.repo.at("refs/heads/sync/main"), None);
}

#[tokio::test]
async fn an_error_holds_neither_token_nor_local_path() {
    let world = World::new().await;
    let (git, stage, mut bench) = open(&world).await;
    let moves = [step("sync/main", None, stage.at["D2"])];
    world.server.on(Step::PushRefs, Act::Answer(403, format!("no {TOKEN} for you\n")));
    let results = bench.push(&guard(), &stage.repo.remote(), &moves, false).await.unwrap();
    let [RefResult::Refused { cause, .. }] = &results[..] else { panic!("{results:?}") };
    assert_eq!(cause, "no <hidden> for you");
    std::fs::remove_dir_all(world.data_dir().join("git/store.git/objects")).unwrap();
    let error = git.tree_of(stage.at["D1"]).await.unwrap_err();
    assert_clean(&error, &world);
    let error = git.fetch_source(source(), &stage.repo.remote(), &StopSignal::default()).await.unwrap_err();
    assert_clean(&error, &world);
    assert!(!format!("{:?} {git:?}", stage.repo.remote()).contains(TOKEN));
}
