//! Questions about what is in the store.

use lockstep_domain::clock::Millis;
use lockstep_domain::names::Oid;
use lockstep_domain::ports::{Ancestry, Git, GitError};
use lockstep_domain::stop::StopSignal;

use crate::support::{Graph, NINE, World, assert_clean, nine, project, source};

#[tokio::test]
async fn a_source_is_what_it_is_now_and_a_deleted_branch_goes() {
    let world = World::new().await;
    let git = world.program().await;
    let repo = world.repo("s/s");
    let stop = StopSignal::default();
    assert_eq!(git.fetch_source(source(), &repo.remote(), &stop).await.unwrap(), [], "an empty one too");
    let at = repo.import(&Graph::read("D1 | a=1\nX | a=2"));
    repo.set("refs/heads/main", at["D1"]);
    repo.set("refs/heads/bonus/graph", at["D1"]);
    repo.set("refs/tags/secret", at["X"]);
    let heads = git.fetch_source(source(), &repo.remote(), &stop).await.unwrap();
    assert_eq!(heads, [("bonus/graph".to_owned(), at["D1"]), ("main".to_owned(), at["D1"])]);
    repo.git(&["update-ref", "-d", "refs/heads/bonus/graph"]);
    repo.set("refs/heads/bonus", at["D1"]);
    repo.set("refs/heads/main", at["X"]);
    let heads = git.fetch_source(source(), &repo.remote(), &stop).await.unwrap();
    assert_eq!(heads, [("bonus".to_owned(), at["D1"]), ("main".to_owned(), at["X"])], "also rewritten");
    assert!(!world.store(&["for-each-ref"]).contains("tags"));
}

#[tokio::test]
async fn a_distribution_is_read_with_its_owner_mark() {
    let world = World::new().await;
    let git = world.program().await;
    let repo = world.repo("d/d");
    let at = repo.import(&Graph::read("D1 | a=1\nX | a=2"));
    repo.set("refs/heads/main", at["D1"]);
    let stop = StopSignal::default();
    let found = git.fetch_distribution(project(), &repo.remote(), &stop).await.unwrap();
    assert_eq!((found.heads, found.owner), (vec![("main".to_owned(), at["D1"])], None));
    let mark = git.mark_commit("database 7\n", Millis(1_700_000_000_000)).await.unwrap();
    assert_eq!(git.message_of(mark).await.unwrap(), "database 7\n");
    let wanted = lockstep_domain::ports::RefMove { name: "refs/lockstep/owner".into(), old: None, new: mark };
    git.push_distribution(&crate::support::guard(), &repo.remote(), &[wanted]).await.unwrap();
    let found = git.fetch_distribution(project(), &repo.remote(), &stop).await.unwrap();
    assert_eq!(found.owner, Some(mark));
    assert_eq!(git.message_of(mark).await.unwrap(), "database 7\n");
}

#[tokio::test]
async fn what_is_asked_about_commits_is_answered_by_ancestry() {
    let world = World::new().await;
    let git = world.program().await;
    let repo = world.repo("s/s");
    let second = nine("a", &[(5, "FIVE")]);
    let at = repo.import(&Graph::read(&format!(
        "D1 | {NINE} | b=b\nD2 < D1 | {second} | x/y=new\nD3 < D2 | a>moved | -b\nS < D1 | own=x"
    )));
    for label in ["D3", "S"] {
        repo.set(&format!("refs/heads/{label}"), at[label]);
    }
    git.fetch_source(source(), &repo.remote(), &StopSignal::default()).await.unwrap();
    let none: Oid = "1".repeat(40).parse().unwrap();
    assert_eq!(git.ancestry(at["D1"], at["D3"]).await.unwrap(), Ancestry::Forward(2));
    assert_eq!(git.ancestry(at["D1"], at["D1"]).await.unwrap(), Ancestry::Forward(0));
    assert_eq!(git.ancestry(at["D3"], at["S"]).await.unwrap(), Ancestry::Diverged);
    assert_eq!(git.ancestry(none, at["S"]).await.unwrap(), Ancestry::Unknown);
    assert_eq!(git.ancestry(at["S"], none).await.unwrap(), Ancestry::Unknown);
    let tree = git.tree_of(at["D2"]).await.unwrap();
    assert_eq!(git.newest_with_tree(at["D3"], tree).await.unwrap(), Some(at["D2"]));
    assert_eq!(git.newest_with_tree(at["S"], tree).await.unwrap(), None);
    let log = git.log(Some(at["D1"]), at["D3"], 10).await.unwrap();
    let short: Vec<_> = log.iter().map(|info| (info.oid, info.subject.as_str())).collect();
    assert_eq!(short, [(at["D3"], "D3"), (at["D2"], "D2")]);
    assert_eq!((log[0].author.as_str(), log[0].email.as_str()), ("Lockstep", "l@x"));
    assert_eq!(git.log(None, at["D3"], 1).await.unwrap().len(), 1);
    let people = git.people_of(at["S"]).await.unwrap();
    let people: Vec<_> = people.iter().map(|(name, mail)| (name.as_str(), mail.as_str())).collect();
    assert_eq!(people, [("Lockstep", "l@x"), ("Student", "s@x")]);
    let error = git.tree_of(none).await.unwrap_err();
    assert!(matches!(error, GitError::MissingObject(_)), "{error:?}");
    assert_clean(&error, &world);
}

#[tokio::test]
async fn what_a_tree_holds_and_what_differs_is_told_in_paths() {
    let world = World::new().await;
    let git = world.program().await;
    let repo = world.repo("s/s");
    let graph = format!("D1 | {NINE} | b=b\nD2 < D1 | a>moved | -b | x/y=long line of text here");
    let at = repo.import(&Graph::read(&graph));
    repo.set("refs/heads/main", at["D2"]);
    git.fetch_source(source(), &repo.remote(), &StopSignal::default()).await.unwrap();
    let facts = git.tree_facts(at["D2"]).await.unwrap();
    assert_eq!((facts.files, facts.largest), (2, Some(("x/y".into(), 23))));
    assert_ne!(facts.fingerprint, git.tree_facts(at["D1"]).await.unwrap().fingerprint);
    let told = |changes: Vec<lockstep_domain::ports::PathChange>| -> Vec<String> {
        changes.iter().map(|change| format!("{} {}", change.status, change.path)).collect()
    };
    let changes = git.changes(Some(at["D1"]), at["D2"]).await.unwrap();
    assert_eq!(told(changes), ["D b", "R moved", "A x/y"]);
    assert_eq!(told(git.changes(None, at["D1"]).await.unwrap()), ["A a", "A b"]);
    let all = git.push_bytes(None, at["D2"]).await.unwrap();
    let step = git.push_bytes(Some(at["D1"]), at["D2"]).await.unwrap();
    assert!(step > 0 && step < all, "{step} {all}");
    assert_eq!(git.push_bytes(Some(at["D2"]), at["D2"]).await.unwrap(), 0);
}

#[tokio::test]
async fn a_fetch_that_is_refused_says_why() {
    let world = World::new().await;
    let git = world.program().await;
    let repo = world.repo("s/s");
    let stop = StopSignal::default();
    let mut wrong = repo.remote();
    wrong.password = "wrong".into();
    let error = git.fetch_source(source(), &wrong, &stop).await.unwrap_err();
    assert_eq!(error, GitError::BadCredentials);
    let mut gone = repo.remote();
    gone.url = gone.url.replace("s/s", "s/gone");
    assert_eq!(git.fetch_source(source(), &gone, &stop).await.unwrap_err(), GitError::NotFound);
    let mut off = repo.remote();
    off.url = "http://127.0.0.1:1/s/s.git".into();
    let error = git.fetch_source(source(), &off, &stop).await.unwrap_err();
    assert!(matches!(error, GitError::Unavailable(_)), "{error:?}");
    let mut foreign = repo.remote();
    foreign.url = "http://example.org/s/s.git".into();
    let error = git.fetch_source(source(), &foreign, &stop).await.unwrap_err();
    assert!(matches!(error, GitError::Refused(_)), "{error:?}");
}
