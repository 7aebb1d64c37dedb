//! The token is where it must be and nowhere else.

use std::path::PathBuf;

use base64::Engine;
use lockstep_domain::ports::{Git, GitError, RefResult};
use lockstep_domain::stop::StopSignal;
use lockstep_git::{GitOptions, GitProgram, Version};

use crate::push::{open, open_with};
use crate::support::{
    Act, Server, Step, TOKEN, World, assert_clean, files_with, gits, guard, processes_of, source, step,
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
    for git in gits() {
        push_watched(git).await;
    }
}

async fn push_watched(git: PathBuf) {
    let world = World::new().await;
    let (git, stage, mut bench) = open_with(&world, GitOptions { git, ..world.options() }).await;
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
    let calls = world.server.calls();
    assert!(calls.iter().all(|call| !call.path.contains(TOKEN)));
    // Since 2.46 git signs in with the first request; before, each of its two processes asks once without.
    let refused = calls.iter().filter(|call| call.auth.is_none()).count();
    let newer = Version::read(&format!("git version {}", git.version().await.unwrap())).unwrap();
    let signs_in_first = newer.as_str() >= "2.46";
    assert_eq!(refused, if signs_in_first { 0 } else { 2 }, "{newer:?}");
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
    for git in gits() {
        // The redirect comes before the sign-in, or after it.
        redirected(git.clone(), Act::RedirectAll).await;
        redirected(git, Act::Redirect).await;
    }
}

async fn redirected(git: PathBuf, act: fn(String) -> Act) {
    let world = World::new().await;
    let options = GitOptions { git, ..world.options() };
    let (_git, stage, mut bench) = open_with(&world, options).await;
    let other = Server::start(world.dir.path().join("other")).await;
    let elsewhere = format!("{}/o/r.git/info/refs?service=git-receive-pack", other.url());
    world.server.on(Step::PushRefs, act(elsewhere));
    let moves = [step("sync/main", None, stage.at["D2"])];
    let error = bench.push(&guard(), &stage.repo.remote(), &moves, false).await.unwrap_err();
    assert_clean(&error, &world);
    // Nobody there took a credential.
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

/// Reads one request's head and answers it.
async fn answer_head(listener: &tokio::net::TcpListener, answer: &str) -> String {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    stream.write_all(answer.as_bytes()).await.unwrap();
    String::from_utf8(head).unwrap()
}

#[tokio::test]
async fn a_proxys_password_goes_to_the_proxy_and_the_token_does_not() {
    let world = World::new().await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let proxy = format!("http://staff:hunter2@127.0.0.1:{}", listener.local_addr().unwrap().port());
    let options = GitOptions { proxy: Some(proxy), ..world.options() };
    let git = GitProgram::new(options).await.unwrap();
    let mut remote = world.repo("o/r").remote();
    remote.url = "https://course.invalid/o/r.git".into();
    let fetch =
        tokio::spawn(async move { git.fetch_source(source(), &remote, &StopSignal::default()).await });
    let refuse = "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"p\"\r\n\
                  Content-Length: 0\r\nConnection: close\r\n\r\n";
    answer_head(&listener, refuse).await;
    let unavailable = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    let asked = answer_head(&listener, unavailable).await;
    let expected = base64::engine::general_purpose::STANDARD.encode("staff:hunter2");
    assert!(asked.contains(&format!("Proxy-Authorization: Basic {expected}")), "{asked}");
    assert!(asked.starts_with("CONNECT course.invalid:443"), "{asked}");
    for (arguments, environment) in processes_of(&world.data_dir()) {
        assert!(!arguments.contains("hunter2") && !environment.contains("hunter2"));
    }
    let error = fetch.await.unwrap().unwrap_err();
    assert!(matches!(error, GitError::Unavailable(_)), "{error:?}");
}
