//! What GitHub does only on bad days, scripted answer by answer.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod stub;

use std::sync::Arc;

use lockstep_domain::ids::{ConnectionId, RepoId};
use lockstep_domain::model::RepoIdent;
use lockstep_domain::ports::{BranchQuery, Forge, ForgeError, NewPull, RecipientsQuery, RepoInfo};
use lockstep_domain::stop::StopReason;
use lockstep_github::{Credential, GithubForge};
use serde_json::{Value, json};
use stub::{Say, Stub, at, forge, guard, impatient, json, moved, options, page};

fn repo(name: &str) -> Value {
    json!({ "id": 7, "node_id": "R_7", "full_name": name, "private": true, "default_branch": "main",
            "html_url": "https://github.com/o/r" })
}

fn pull() -> Value {
    json!({ "number": 3, "user": { "login": "me", "id": 1 }, "state": "open", "html_url": "u",
            "head": { "ref": "sync/main", "sha": "1111111111111111111111111111111111111111", "repo": { "id": 7 } },
            "base": { "ref": "main", "sha": "1111111111111111111111111111111111111111", "repo": { "id": 7 } },
            "created_at": "2026-01-02T03:04:05Z", "updated_at": "2026-01-02T03:04:05Z" })
}

fn new_pull() -> NewPull {
    let text = |text: &str| text.to_owned();
    NewPull { head: text("sync/main"), base: text("main"), title: text("t"), body: text("b") }
}

#[tokio::test]
async fn a_read_is_repeated_in_trouble_and_a_refusal_is_not() {
    let stub = Stub::start(vec![page(502), Say::Truncated, json(200, &repo("o/r"))]).await;
    assert!(forge(&stub).repository(RepoId(7)).await.is_ok());
    assert_eq!(stub.lines(), vec!["GET /repositories/7"; 3]);
    let stub = Stub::start(vec![json(404, &json!({ "message": "Not Found" }))]).await;
    let error = forge(&stub).repository(RepoId(7)).await.unwrap_err();
    assert_eq!(error, ForgeError::NotFound("repository 7".to_owned()));
    assert_eq!(stub.seen().len(), 1);
}

#[tokio::test]
async fn a_read_in_lasting_trouble_ends_as_unavailable() {
    let stub = Stub::start(vec![page(503), page(500), page(502)]).await;
    let error = forge(&stub).repository(RepoId(7)).await.unwrap_err();
    assert_eq!(error, ForgeError::Unavailable("status 502".to_owned()));
    assert_eq!(stub.left(), 0);
}

#[tokio::test]
async fn a_write_whose_answer_is_lost_was_sent_once_and_is_unclear() {
    for say in [page(502), Say::Truncated, Say::Silence, json(201, &json!({ "half": true }))] {
        let stub = Stub::start(vec![say]).await;
        let error = impatient(&stub).open_pull(&guard(), &at(), &new_pull()).await.unwrap_err();
        assert!(matches!(error, ForgeError::Unclear(_)), "{error:?}");
        assert_eq!(stub.lines(), ["POST /repositories/7/pulls"]);
    }
}

#[tokio::test]
async fn a_write_that_found_no_server_is_unavailable_and_nothing_happened() {
    let stub = Stub::start(vec![]).await;
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let mut nobody = options(
        &format!("http://{address}"),
        Credential::Token("t".into()),
        Arc::new(stub::Still::default()),
    );
    nobody.policy.read_retries.clear();
    let forge = GithubForge::new(nobody).unwrap();
    let error = forge.comment(&guard(), &at(), 3, "x").await.unwrap_err();
    assert!(matches!(error, ForgeError::Unavailable(_)), "{error:?}");
    assert!(matches!(forge.identity().await, Err(ForgeError::Unavailable(_))));
    assert!(stub.seen().is_empty());
}

#[tokio::test]
async fn a_redirected_write_is_repeated_once_at_the_name_that_the_id_has_now() {
    let stub = Stub::start(vec![
        moved(307, "/elsewhere"),
        json(200, &repo("new-owner/new-name")),
        json(201, &pull()),
    ])
    .await;
    let written = forge(&stub).open_pull(&guard(), &at(), &new_pull()).await.unwrap();
    assert_eq!((written.value.number, written.request_id.as_deref()), (3, Some("A:1")));
    let lines = ["POST /repositories/7/pulls", "GET /repositories/7", "POST /repos/new-owner/new-name/pulls"];
    assert_eq!(stub.lines(), lines);
    let stub = Stub::start(vec![moved(307, "/a"), json(200, &repo("a/b")), moved(307, "/a")]).await;
    let error = forge(&stub).close_pull(&guard(), &at(), 3).await.unwrap_err();
    assert!(matches!(error, ForgeError::Unavailable(_)), "{error:?}");
    assert_eq!(stub.seen().len(), 3);
}

#[tokio::test]
async fn a_read_follows_redirects_here_and_carries_no_credential_elsewhere() {
    let stub = Stub::start(vec![]).await;
    stub.add(moved(301, &format!("{}/repositories/7", stub.base)));
    stub.add(json(200, &repo("o/new")));
    let found = forge(&stub).repository_by_name(&"o/old".parse().unwrap()).await.unwrap();
    assert_eq!(found.slug.to_string(), "o/new");
    assert!(stub.seen()[1].headers.contains_key("authorization"));
    let other = Stub::start(vec![]).await;
    stub.add(moved(301, &format!("{}/repositories/7", other.base)));
    let error = forge(&stub).repository_by_name(&"o/old".parse().unwrap()).await.unwrap_err();
    assert!(matches!(error, ForgeError::NotAForge(_)), "{error:?}");
    assert!(other.seen().is_empty());
    for _ in 0..4 {
        stub.add(moved(301, "/round"));
    }
    let mut options = options(&stub.base, Credential::Token("t".into()), Arc::new(stub::Still::default()));
    options.policy.read_retries.clear();
    let error = GithubForge::new(options).unwrap().repository(RepoId(7)).await.unwrap_err();
    assert!(matches!(error, ForgeError::Unavailable(_)), "{error:?}");
}

#[tokio::test]
async fn nothing_is_written_once_the_lease_does_not_outlast_it() {
    let stub = Stub::start(vec![]).await;
    let clock = Arc::new(stub::Still::default());
    let forge = GithubForge::new(options(&stub.base, Credential::Token("t".into()), clock.clone())).unwrap();
    let lost = guard();
    lost.stop().stop(StopReason::LeaseLost);
    assert_eq!(forge.comment(&lost, &at(), 3, "x").await.unwrap_err(), ForgeError::LeaseLost);
    clock.forward(140_000);
    let late = guard();
    assert_eq!(forge.open_pull(&late, &at(), &new_pull()).await.unwrap_err(), ForgeError::LeaseLost);
    assert_eq!(forge.close_pull(&late, &at(), 3).await.unwrap_err(), ForgeError::LeaseLost);
    assert!(stub.seen().is_empty());
}

#[tokio::test]
async fn each_request_carries_what_github_wants() {
    let stub = Stub::start(vec![json(201, &pull())]).await;
    forge(&stub).open_pull(&guard(), &at(), &new_pull()).await.unwrap();
    let seen = &stub.seen()[0];
    let all = |name: &str| seen.headers.get_all(name).iter().map(|v| v.to_str().unwrap()).collect::<Vec<_>>();
    assert_eq!(all("x-github-api-version"), ["2022-11-28"]);
    assert_eq!(all("accept"), ["application/vnd.github+json"]);
    assert_eq!(all("authorization"), ["Bearer ghp_secret"]);
    assert_eq!(all("content-type"), ["application/json"]);
    assert!(all("user-agent")[0].starts_with("lockstep/"));
    assert_eq!(seen.body, json!({ "title": "t", "head": "sync/main", "base": "main", "body": "b" }));
}

#[tokio::test]
async fn a_secret_shows_in_no_text_of_ours() {
    let stub = Stub::start(vec![json(401, &json!({ "message": "Bad credentials" }))]).await;
    let forge = forge(&stub);
    let error = forge.identity().await.unwrap_err();
    let remote = forge.git_remote(&"o/r".parse().unwrap()).await.unwrap();
    assert_eq!((remote.user.as_str(), remote.password.as_str()), ("x-access-token", "ghp_secret"));
    assert_eq!(remote.url, format!("{}/o/r.git", stub.base));
    let options =
        options(&stub.base, Credential::Token("ghp_secret".into()), Arc::new(stub::Still::default()));
    assert!(!format!("{error:?} {error} {forge:?} {remote:?} {options:?}").contains("ghp_secret"));
}

#[tokio::test]
async fn a_server_that_is_no_github_is_named_as_such() {
    let html = |status| Say::Answer(status, vec![], "<html>It works!</html>".to_owned());
    for status in [200, 404, 403] {
        let stub = Stub::start(vec![html(status)]).await;
        let error = forge(&stub).identity().await.unwrap_err();
        assert!(matches!(error, ForgeError::NotAForge(_)), "{status} {error:?}");
    }
}

fn branches() -> Vec<BranchQuery> {
    let head = "3333333333333333333333333333333333333333".parse().unwrap();
    vec![BranchQuery { branch: "main".parse().unwrap(), base: "main".parse().unwrap(), head }]
}

fn told(ids: &[String]) -> Value {
    let nodes: Vec<Value> = ids
        .iter()
        .map(|id| {
            let number: i64 = id.trim_start_matches("R_").parse().unwrap();
            json!({ "__typename": "Repository", "id": id, "databaseId": number, "nameWithOwner": format!("o/r{number}"),
                    "isArchived": false, "isEmpty": true, "mergeCommitAllowed": true, "defaultBranchRef": null,
                    "b0": null, "s0": null, "p0": { "nodes": [] } })
        })
        .collect();
    json!({ "data": { "nodes": nodes } })
}

#[tokio::test]
async fn a_batch_is_halved_when_github_gives_up_and_grows_back_in_order() {
    let ids: Vec<String> = (0..120).map(|n| format!("R_{n}")).collect();
    let gave_up = json!({ "data": { "nodes": [null] }, "errors": [{ "message": "Something went wrong while executing your \
        query. This may be the result of a timeout, or it could be a GitHub bug." }] });
    let stub = Stub::start(vec![
        page(502),
        json(200, &gave_up),
        json(200, &told(&ids[..12])),
        json(200, &told(&ids[12..36])),
        json(200, &told(&ids[36..84])),
        json(200, &told(&ids[84..])),
    ])
    .await;
    let forge = forge(&stub);
    let query = RecipientsQuery { node_ids: ids.clone(), branches: branches() };
    let reads = forge.recipients(&query).await.unwrap();
    let order: Vec<_> = reads.iter().map(|read| read.node_id.clone()).collect();
    assert_eq!(order, ids);
    assert!(reads.iter().all(|read| read.repo.as_ref().is_some_and(|repo| repo.empty)));
    let sizes: Vec<_> =
        stub.seen().iter().map(|seen| seen.body["variables"]["ids"].as_array().unwrap().len()).collect();
    assert_eq!(sizes, [50, 25, 12, 24, 48, 36]);
    assert_eq!((forge.spent().graphql, forge.spent().rest), (6, 0));
}

#[tokio::test]
async fn a_single_recipient_that_cannot_be_read_is_not_called_gone() {
    let node = json!({ "data": { "nodes": [null] },
                       "errors": [{ "path": ["nodes", 0, "p0"], "message": "Internal error" }] });
    let stub = Stub::start(vec![json(200, &node), json(200, &node), json(200, &node)]).await;
    let query = RecipientsQuery { node_ids: vec!["R_1".to_owned()], branches: branches() };
    let error = forge(&stub).recipients(&query).await.unwrap_err();
    assert!(matches!(error, ForgeError::Unavailable(_)), "{error:?}");
    assert_eq!(stub.left(), 0);
}

#[tokio::test]
async fn a_repository_with_many_branches_is_read_page_by_page() {
    let oid = "1111111111111111111111111111111111111111";
    let refs = |name: &str, next: Option<&str>| {
        json!({ "data": { "node": { "__typename": "Repository", "refs": {
            "pageInfo": { "hasNextPage": next.is_some(), "endCursor": next },
            "nodes": [{ "name": name, "target": { "oid": oid } }] } } } })
    };
    let stub = Stub::start(vec![json(200, &refs("a", Some("c1"))), json(200, &refs("b/c", None))]).await;
    let slug = "o/r".parse().unwrap();
    let info = RepoInfo {
        id: RepoId(7),
        node_id: "R_7".to_owned(),
        slug,
        private: true,
        archived: false,
        default_branch: None,
        html_url: String::new(),
    };
    let heads = forge(&stub).heads(&info).await.unwrap();
    assert_eq!(heads.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["a", "b/c"]);
    assert_eq!(stub.seen()[1].body["variables"]["after"], "c1");
}

/// A repository of the batched read.
fn node(id: &str, number: i64, next: Option<&str>) -> Value {
    json!({ "__typename": "Repository", "id": id, "databaseId": number, "nameWithOwner": "o/new", "url": "",
        "isPrivate": true, "isArchived": false, "defaultBranchRef": null,
        "refs": { "pageInfo": { "hasNextPage": next.is_some(), "endCursor": next },
            "nodes": [{ "name": "a", "target": { "oid": "1111111111111111111111111111111111111111" } }] } })
}

fn asked() -> RepoIdent {
    let slug = "o/r".parse().unwrap();
    RepoIdent { connection: ConnectionId(uuid::Uuid::nil()), id: RepoId(7), node_id: "R_7".to_owned(), slug }
}

fn heads_page(name: &str) -> Value {
    json!({ "data": { "node": { "__typename": "Repository", "refs": {
        "pageInfo": { "hasNextPage": false, "endCursor": null },
        "nodes": [{ "name": name, "target": { "oid": "1111111111111111111111111111111111111111" } }] } } } })
}

#[tokio::test]
async fn a_node_id_that_leads_nowhere_or_elsewhere_is_replaced_by_what_the_number_says() {
    let lost = json!({ "data": { "nodes": [null] }, "errors": [{ "type": "NOT_FOUND", "path": ["nodes", 0],
        "message": "Could not resolve to a node with the global id of 'R_7'." }] });
    let elsewhere = json!({ "data": { "nodes": [node("R_7", 8, None)] } });
    for first in [lost.clone(), elsewhere] {
        let mut now = repo("o/new");
        now["node_id"] = json!("R_new");
        let again = [json(200, &first), json(200, &now), json(200, &heads_page("main"))];
        let stub = Stub::start(again.into()).await;
        let reads = forge(&stub).repositories(&[&asked()]).await.unwrap();
        let read = reads[0].as_ref().unwrap();
        assert_eq!((read.repo.id, read.repo.node_id.as_str()), (RepoId(7), "R_new"));
        assert_eq!(read.heads[0].0, "main");
        assert_eq!(stub.seen()[2].body["variables"]["id"], "R_new");
    }
    let gone = json!({ "message": "Not Found", "status": "404" });
    let stub = Stub::start(vec![json(200, &lost), json(404, &gone)]).await;
    assert_eq!(forge(&stub).repositories(&[&asked()]).await.unwrap(), vec![None]);
}

#[tokio::test]
async fn the_branches_behind_the_first_page_are_read_as_well() {
    let first = json!({ "data": { "nodes": [node("R_7", 7, Some("c1"))] } });
    let stub = Stub::start(vec![json(200, &first), json(200, &heads_page("b"))]).await;
    let reads = forge(&stub).repositories(&[&asked()]).await.unwrap();
    let names: Vec<_> = reads[0].as_ref().unwrap().heads.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(stub.seen()[1].body["variables"]["after"], "c1");
}

#[tokio::test]
async fn branches_that_may_not_be_read_name_the_permission_and_too_much_is_asked_in_parts() {
    let mut hidden = node("R_7", 7, None);
    hidden["refs"] = Value::Null;
    let answer = json!({ "data": { "nodes": [hidden] }, "errors": [{ "type": "FORBIDDEN",
        "path": ["nodes", 0, "refs"], "message": "Resource not accessible by integration" }] });
    let stub = Stub::start(vec![json(200, &answer)]).await;
    let error = forge(&stub).repositories(&[&asked()]).await.unwrap_err();
    assert_eq!(error, ForgeError::PermissionMissing("contents".to_owned()));

    let one = json!({ "data": { "nodes": [node("R_7", 7, None)] } });
    let stub = Stub::start(vec![page(502), json(200, &one), json(200, &one)]).await;
    let reads = forge(&stub).repositories(&[&asked(), &asked()]).await.unwrap();
    assert!(reads.len() == 2 && reads.iter().all(Option::is_some));
    let sizes: Vec<_> =
        stub.seen().iter().map(|seen| seen.body["variables"]["ids"].as_array().unwrap().len()).collect();
    assert_eq!(sizes, [2, 1, 1]);
}

#[tokio::test]
async fn a_pull_request_is_found_although_the_filter_lies() {
    let mut foreign = pull();
    foreign["head"]["ref"] = json!("sync/other");
    let mut fork = pull();
    fork["head"]["repo"]["id"] = json!(8);
    let mut gone = pull();
    gone["head"]["repo"] = Value::Null;
    let lies = json!([foreign, fork, gone]);
    let stub = Stub::start(vec![json(200, &lies), json(200, &json!([gone, pull()]))]).await;
    let found = forge(&stub).find_open_pull(&at(), "sync/main", "main").await.unwrap().unwrap();
    assert_eq!(found.number, 3);
    let lines = stub.lines();
    assert!(lines[0].contains("head=o%3Async%2Fmain"), "{lines:?}");
    assert!(lines[1].contains("base=main") && !lines[1].contains("head="), "{lines:?}");
    let stub = Stub::start(vec![json(200, &lies), json(200, &lies)]).await;
    assert_eq!(forge(&stub).find_open_pull(&at(), "sync/main", "main").await.unwrap(), None);
}

#[tokio::test]
async fn a_marker_is_looked_for_from_the_newest_comment_back() {
    let stub = Stub::start(vec![]).await;
    let comments = |text: &str, link: Option<String>| {
        let mut headers = vec![("x-github-request-id", "A:1".to_owned())];
        headers.extend(link.map(|link| ("link", link)));
        Say::Answer(200, headers, json!([{ "body": text }, { "body": null }]).to_string())
    };
    let page = |n: u32, rel: &str| {
        format!("<{}/repositories/7/issues/3/comments?per_page=100&page={n}>; rel=\"{rel}\"", stub.base)
    };
    stub.add(json(200, &pull()));
    stub.add(comments("first", Some(format!("{}, {}", page(2, "next"), page(3, "last")))));
    stub.add(comments("third", Some(format!("{}, {}", page(2, "prev"), page(1, "first")))));
    stub.add(comments("<!-- mark -->", Some(page(1, "prev"))));
    assert!(forge(&stub).has_marker(&at(), 3, "<!-- mark -->").await.unwrap());
    let pages: Vec<_> =
        stub.lines()[1..].iter().map(|line| line.rsplit('=').next().unwrap().to_owned()).collect();
    assert_eq!(pages, ["100", "3", "2"]);
    stub.add(json(200, &pull()));
    stub.add(comments("first", None));
    assert!(!forge(&stub).has_marker(&at(), 3, "<!-- mark -->").await.unwrap());
}

#[tokio::test]
async fn what_a_classic_token_may_is_told_by_its_scopes_and_else_unknown() {
    let user = json!({ "login": "me", "id": 1 }).to_string();
    let with = |scopes: Option<&str>| {
        let mut headers = vec![("x-github-request-id", "A:1".to_owned())];
        headers.extend(scopes.map(|scopes| ("x-oauth-scopes", scopes.to_owned())));
        Say::Answer(200, headers, user.clone())
    };
    let stub = Stub::start(vec![with(Some("repo, read:org"))]).await;
    let classic = forge(&stub);
    assert_eq!((classic.may("contents").await, classic.may("workflows").await), (Some(true), Some(false)));
    assert_eq!(stub.seen().len(), 1);
    let stub = Stub::start(vec![with(None)]).await;
    assert_eq!(forge(&stub).may("workflows").await, None);
}

#[tokio::test]
async fn own_repositories_are_made_and_listed_at_their_own_route() {
    let me = json!({ "login": "Me", "id": 1 });
    let stub = Stub::start(vec![json(200, &me), json(201, &repo("me/new"))]).await;
    let made = forge(&stub).create_private_repository(&guard(), &"me/new".parse().unwrap()).await.unwrap();
    assert_eq!(made.slug.to_string(), "me/new");
    assert_eq!(stub.lines(), ["GET /user", "POST /user/repos"]);
    assert_eq!(stub.seen()[1].body["private"], true);
    let none = json!({ "message": "Not Found" });
    let stub = Stub::start(vec![
        json(200, &me),
        json(404, &none),
        json(200, &json!([repo("me/lab-b"), repo("me/x")])),
    ])
    .await;
    let found = forge(&stub).repositories_like("me", "lab-*", 10).await.unwrap();
    assert_eq!(found.len(), 1);
    assert!(stub.lines()[2].starts_with("GET /user/repos?"));
}
