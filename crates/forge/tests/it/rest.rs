use lockstep_forge::{Level, NewRepository};
use serde_json::json;

use crate::support::{REPO, School, call, request};

#[tokio::test(flavor = "multi_thread")]
async fn both_address_styles_and_the_id_answer_alike() {
    let school = School::open().await;
    let id = school.control().repository(REPO).unwrap().id;
    let root = school.get(&format!("/repos/{REPO}")).await;
    let enterprise = school.get(&format!("/api/v3/repos/{REPO}")).await.json();
    let by_id = school.get(&format!("/repositories/{id}")).await.json();
    let root_json = root.json();
    assert_eq!(root_json["id"], json!(id));
    assert_eq!(root_json, by_id);
    assert_eq!(enterprise["id"], json!(id));
    assert!(enterprise["url"].as_str().unwrap().contains("/api/v3/repos/"));
    for name in ["x-github-request-id", "x-ratelimit-remaining", "x-github-api-version-selected"] {
        assert!(root.header(name).is_some(), "{name}");
    }
    assert_eq!(root.header("content-type"), Some("application/json; charset=utf-8"));
    assert_eq!(root.header("x-accepted-github-permissions"), Some("metadata=read"));
    school.done();
}

#[tokio::test(flavor = "multi_thread")]
async fn every_read_matches_githubs_description() {
    let school = School::open().await;
    let first = school.head("main");
    let second = school.branch_ahead("sync/main");
    school.open_pull("school:sync/main").await;
    let r = format!("/repos/{REPO}");
    for path in [
        "/".to_owned(),
        "/user".into(),
        "/rate_limit".into(),
        "/orgs/school/repos".into(),
        "/users/school/repos".into(),
        format!("{r}/branches"),
        format!("{r}/branches/sync/main"),
        format!("{r}/git/ref/heads/main"),
        format!("{r}/git/matching-refs/heads/"),
        format!("{r}/commits"),
        format!("{r}/commits?sha=sync/main&per_page=1"),
        format!("{r}/commits/{second}"),
        format!("{r}/compare/main...sync/main"),
        format!("{r}/compare/{second}...{first}"),
        format!("{r}/pulls"),
        format!("{r}/pulls/1"),
    ] {
        let answer = school.get(&path).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
    }
    let compared = school.get(&format!("{r}/compare/main...sync%2Fmain")).await.json();
    assert_eq!((compared["status"].as_str(), compared["ahead_by"].as_u64()), (Some("ahead"), Some(1)));
    assert_eq!(compared["files"][0]["filename"], "sync/main.txt");
    school.done();
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_have_githubs_shape() {
    let school = School::open().await;
    let base = school.forge.base_url();
    let bad = call(base, "GET", "/user", Some("wrong"), None).await;
    assert_eq!((bad.status, bad.message()), (401, "Bad credentials".into()));
    let anonymous = call(base, "GET", &format!("/repos/{REPO}"), None, None).await;
    assert_eq!((anonymous.status, anonymous.message()), (404, "Not Found".into()));
    assert_eq!(anonymous.json()["status"], "404");
    assert!(anonymous.json()["documentation_url"].is_string());
    let broken = request(
        base,
        "POST",
        &format!("/repos/{REPO}/pulls"),
        &format!("Authorization: token {}\r\n", school.token),
        Some(json!("no object")),
    )
    .await;
    assert_eq!(broken.status, 422);
    school.control().archive(REPO).unwrap();
    let archived = school.call("POST", &format!("/repos/{REPO}/pulls"), Some(json!({}))).await;
    assert_eq!(
        (archived.status, archived.message()),
        (403, "Repository was archived so is read-only.".into())
    );
    school.done();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unrelated_history_has_no_common_ancestor() {
    let school = School::open().await;
    school.control().commit_file(REPO, "island", "x.txt", b"x", "Alone").unwrap();
    let answer = school.get(&format!("/repos/{REPO}/compare/main...island")).await;
    assert_eq!(
        (answer.status, answer.message()),
        (404, "No common ancestor between main and island.".into())
    );
    school.done();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_former_name_redirects_reads_with_301_and_writes_with_307() {
    let school = School::open().await;
    let id = school.control().repository(REPO).unwrap().id;
    school.control().rename(REPO, "renamed").unwrap();
    let read = school.get(&format!("/repos/{REPO}/pulls?state=all")).await;
    assert_eq!((read.status, read.message()), (301, "Moved Permanently".into()));
    let to = format!("{}/repositories/{id}/pulls?state=all", school.forge.base_url());
    assert_eq!(read.header("location"), Some(to.as_str()));
    assert_eq!(read.json()["url"], json!(to));
    let write = school.call("POST", &format!("/repos/{REPO}/pulls"), Some(json!({}))).await;
    assert_eq!(write.status, 307);
    let followed = school.get(&format!("/repositories/{id}")).await;
    assert_eq!(followed.json()["full_name"], "school/renamed");
    school.control().create_repository(&NewRepository::private(REPO)).unwrap();
    assert_eq!(school.get(&format!("/repos/{REPO}")).await.status, 200);
    school.done();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_narrowed_token_is_refused_and_told_what_it_needs() {
    let school = School::open().await;
    let grants = [("contents", Level::Read), ("pull_requests", Level::Read)];
    let token = school.control().create_token_with("teacher", None, Some(&grants)).unwrap();
    let base = school.forge.base_url();
    let path = format!("/repos/{REPO}/pulls");
    assert_eq!(call(base, "GET", &path, Some(&token), None).await.status, 200);
    let refused = call(base, "POST", &path, Some(&token), Some(json!({}))).await;
    assert_eq!(
        (refused.status, refused.message()),
        (403, "Resource not accessible by personal access token".into())
    );
    assert_eq!(refused.header("x-accepted-github-permissions"), Some("pull_requests=write"));
    let create = call(base, "POST", "/orgs/school/repos", Some(&token), Some(json!({ "name": "n" }))).await;
    assert_eq!(create.status, 403);
    school.done();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repository_is_created_once() {
    let school = School::open().await;
    let body = json!({ "name": "fresh", "private": true, "auto_init": true });
    let created = school.call("POST", "/orgs/school/repos", Some(body.clone())).await;
    assert_eq!(created.status, 201, "{}", created.text);
    assert_eq!(created.json()["private"], true);
    assert!(school.control().branch("school/fresh", "main").unwrap().is_some());
    let twice = school.call("POST", "/orgs/school/repos", Some(body)).await;
    assert_eq!(twice.status, 422);
    assert_eq!(twice.json()["errors"][0]["message"], "name already exists on this account");
    let own = school.call("POST", "/user/repos", Some(json!({ "name": "own" }))).await;
    assert_eq!(own.json()["full_name"], "teacher/own");
    let mine = school.get("/user/repos?affiliation=owner").await.json();
    assert_eq!((mine.as_array().unwrap().len(), mine[0]["name"].as_str()), (1, Some("own")));
    assert_eq!(school.get("/user/repos").await.json().as_array().unwrap().len(), 3);
    school.done();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_route_is_answered_501_and_counted() {
    let school = School::open().await;
    let answer = school.call("DELETE", &format!("/repos/{REPO}"), None).await;
    assert_eq!(answer.status, 501);
    let unexpected = school.forge.journal().unexpected();
    assert_eq!(unexpected.len(), 1);
    assert_eq!((unexpected[0].method.as_str(), unexpected[0].route.as_deref()), ("DELETE", None));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_journal_keeps_routes_and_no_secrets() {
    let school = School::open().await;
    school.get(&format!("/repos/{REPO}/pulls")).await;
    let id = school.control().repository(REPO).unwrap().id;
    school.get(&format!("/repositories/{id}/pulls")).await;
    let journal = school.forge.journal();
    assert_eq!(journal.count_route("GET", "/repos/{owner}/{repo}/pulls"), 2);
    let text = call(school.forge.base_url(), "GET", "/_forge/journal", None, None).await.text;
    assert!(!text.contains(&school.token));
    assert!(text.contains("/repos/{owner}/{repo}/pulls"));
    call(school.forge.base_url(), "POST", "/_forge/journal/reset", None, None).await;
    // The reset itself is the first entry of the new journal.
    assert_eq!(journal.entries().len(), 1);
    school.done();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_control_endpoints_do_what_the_functions_do() {
    let school = School::open().await;
    let base = school.forge.base_url();
    let act = async |action: &str, body| {
        let answer = call(base, "POST", &format!("/_forge/{action}"), None, Some(body)).await;
        assert_eq!(answer.status, 200, "{action}: {}", answer.text);
        answer.json()
    };
    act("user/create", json!({ "login": "pupil" })).await;
    act("org/create", json!({ "login": "club", "members": ["pupil"] })).await;
    act("token/create", json!({ "user": "pupil", "token": "fixed" })).await;
    act("repository/create", json!({ "repository": "club/one" })).await;
    let commits = json!([{ "author": "A", "email": "a@x", "seconds": 1_700_000_000, "message": "m",
                           "files": [["a.txt", "a"]] }]);
    act("repository/seed", json!({ "repository": "club/one", "branch": "main", "commits": commits })).await;
    act(
        "repository/commit",
        json!({ "repository": "club/one", "branch": "side", "path": "b", "content": "b" }),
    )
    .await;
    act("repository/archive", json!({ "repository": "club/one" })).await;
    act("repository/unarchive", json!({ "repository": "club/one" })).await;
    let rule =
        json!({ "repository": "club/one", "pattern": "refs/heads/main", "kind": { "protected": "No." } });
    act("repository/rule", rule).await;
    act("repository/rename", json!({ "repository": "club/one", "name": "two" })).await;
    let app = act("app/create", json!({ "slug": "bot", "owner": "club" })).await;
    let made = act("installation/create", json!({ "app": app["id"], "account": "club" })).await;
    act("installation/suspend", json!({ "installation": made["id"] })).await;
    let unknown = call(base, "POST", "/_forge/nothing", None, None).await;
    assert_eq!(unknown.status, 404);
    let foreign = request(base, "POST", "/_forge/journal/reset", "Origin: http://elsewhere\r\n", None).await;
    assert_eq!(foreign.status, 403);
    let seen = call(base, "GET", "/repos/club/two", Some("fixed"), None).await;
    assert_eq!(seen.status, 200);
    school.done();
}
