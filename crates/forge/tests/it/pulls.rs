use lockstep_forge::MergeMethod;
use serde_json::json;

use crate::support::{REPO, School, commit, git};

fn pulls() -> String {
    format!("/repos/{REPO}/pulls")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_request_is_refused_with_githubs_words() {
    let school = School::open().await;
    let create = async |head: &str, base: &str| {
        school.call("POST", &pulls(), Some(json!({ "title": "T", "head": head, "base": base }))).await
    };
    let main = school.head("main");
    school.control().set_ref(REPO, "refs/heads/sync/main", &main).unwrap();
    let none = create("school:sync/main", "main").await;
    assert_eq!(none.status, 422);
    assert_eq!(none.message(), "Validation Failed");
    assert_eq!(none.json()["errors"][0]["message"], "No commits between main and sync/main");
    assert_eq!(none.json()["status"], "422");
    let missing = create("school:nowhere", "main").await.json();
    assert_eq!(
        missing["errors"][0],
        json!({ "resource": "PullRequest", "field": "head", "code": "invalid" })
    );
    let base = create("school:sync/main", "nowhere").await.json();
    assert_eq!(base["errors"][0], json!({ "resource": "PullRequest", "field": "base", "code": "invalid" }));
    school.control().commit_file(REPO, "sync/main", "new.txt", b"n", "Update").unwrap();
    assert_eq!(create("school:sync/main", "main").await.status, 201);
    let twice = create("school:sync/main", "main").await;
    assert_eq!(twice.status, 422);
    assert_eq!(twice.json()["errors"][0]["message"], "A pull request already exists for school:sync/main.");
    school.done();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_moves_the_head_before_the_client_has_its_answer() {
    let school = School::open().await;
    school.branch_ahead("sync");
    let number = school.open_pull("school:sync").await;
    let dir = school.clone(REPO).await;
    git(&dir, &["checkout", "-q", "sync"]).await.ok();
    let new = commit(&dir, "more.txt", "more").await;
    git(&dir, &["push", "-q", "origin", "sync"]).await.ok();
    let pull = school.get(&format!("{}/{number}", pulls())).await.json();
    assert_eq!(pull["head"]["sha"], json!(new));
    assert_eq!(pull["commits"], 2);
    assert_eq!(pull["mergeable"], true);
    assert_eq!(pull["user"]["login"], "teacher");
    let files = school.get(&format!("{}/{number}/files", pulls())).await.json();
    assert_eq!(files.as_array().unwrap().len(), 2);
    let commits = school.get(&format!("{}/{number}/commits", pulls())).await.json();
    assert_eq!(commits[1]["sha"], json!(new));
    school.done();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_base_that_takes_the_head_in_marks_it_merged() {
    let school = School::open().await;
    let head = school.branch_ahead("sync");
    let number = school.open_pull("school:sync").await;
    let dir = school.clone(REPO).await;
    git(&dir, &["merge", "-q", "--no-ff", "-m", "Merge", "origin/sync"]).await.ok();
    git(&dir, &["push", "-q", "origin", "HEAD:main"]).await.ok();
    let pull = school.get(&format!("{}/{number}", pulls())).await.json();
    assert_eq!((pull["state"].as_str(), pull["merged"].as_bool()), (Some("closed"), Some(true)));
    assert_eq!(pull["merge_commit_sha"], json!(school.head("main")));
    assert_eq!(pull["merged_by"]["login"], "teacher");
    assert_eq!(pull["head"]["sha"], json!(head));
    school.done();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_head_put_back_into_its_base_closes_without_merging() {
    let school = School::open().await;
    school.branch_ahead("sync");
    let number = school.open_pull("school:sync").await;
    let main = school.head("main");
    school.control().set_ref(REPO, "refs/heads/sync", &main).unwrap();
    let pull = school.control().pull_request(REPO, number).unwrap();
    assert_eq!(pull.state, "closed");
    school.done();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_branch_closes_and_a_forced_one_cannot_be_reopened() {
    let school = School::open().await;
    let control = school.control();
    school.branch_ahead("sync");
    let number = school.open_pull("school:sync").await;
    let dir = school.clone(REPO).await;
    git(&dir, &["push", "-q", "origin", ":refs/heads/sync"]).await.ok();
    assert_eq!(control.pull_request(REPO, number).unwrap().state, "closed");
    school.control().commit_file(REPO, "sync", "x.txt", b"x", "Recreated").unwrap();
    let path = format!("{}/{number}", pulls());
    let reopened = school.call("PATCH", &path, Some(json!({ "state": "open" }))).await;
    assert_eq!(reopened.status, 422);
    let message = reopened.json()["errors"][0]["message"].as_str().unwrap().to_owned();
    assert_eq!(message, "state cannot be changed. The sync branch was force-pushed or recreated.");
    school.done();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_pull_request_whose_branch_stands_can_be_reopened() {
    let school = School::open().await;
    school.branch_ahead("sync");
    let number = school.open_pull("school:sync").await;
    let path = format!("{}/{number}", pulls());
    let closed = school.call("PATCH", &path, Some(json!({ "state": "closed" }))).await;
    assert_eq!(closed.json()["state"], "closed");
    let open = school.call("PATCH", &path, Some(json!({ "state": "open", "title": "New title" }))).await;
    assert_eq!(
        (open.json()["state"].as_str(), open.json()["title"].as_str()),
        (Some("open"), Some("New title"))
    );
    let base = school.call("PATCH", &path, Some(json!({ "base": "nowhere" }))).await;
    assert_eq!(base.json()["errors"][0]["message"], "Proposed base branch 'nowhere' was not found");
    school.done();
}

#[tokio::test(flavor = "multi_thread")]
async fn each_merge_button_leaves_the_history_that_github_leaves() {
    let school = School::open().await;
    let control = school.control();
    for (method, parents) in [(MergeMethod::Merge, 2), (MergeMethod::Squash, 1), (MergeMethod::Rebase, 1)] {
        let branch = format!("sync-{method:?}").to_lowercase();
        school.branch_ahead(&branch);
        control.commit_file(REPO, &branch, &format!("{branch}-2.txt"), b"2", "Second").unwrap();
        control.commit_file(REPO, "main", &format!("{branch}-main.txt"), b"m", "Meanwhile").unwrap();
        let number = school.open_pull(&format!("school:{branch}")).await;
        let body = json!({ "merge_method": format!("{method:?}").to_lowercase() });
        let merged = school.call("PUT", &format!("{}/{number}/merge", pulls()), Some(body)).await;
        assert_eq!(merged.status, 200, "{}", merged.text);
        let main = school.head("main");
        assert_eq!(merged.json()["sha"], json!(main));
        let commit = school.get(&format!("/repos/{REPO}/commits/{main}")).await.json();
        assert_eq!(commit["parents"].as_array().unwrap().len(), parents);
        assert!(control.file(REPO, "main", &format!("{branch}-2.txt")).unwrap().is_some());
        let seen = control.pull_request(REPO, number).unwrap();
        assert_eq!((seen.state.as_str(), seen.merge_commit), ("merged", Some(main)));
    }
    school.done();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conflict_is_seen_and_cannot_be_merged() {
    let school = School::open().await;
    let control = school.control();
    let main = school.head("main");
    control.set_ref(REPO, "refs/heads/sync", &main).unwrap();
    control.commit_file(REPO, "sync", "README.md", b"ONE\ntwo\nthree\n", "Ours").unwrap();
    control.commit_file(REPO, "main", "README.md", b"uno\ntwo\nthree\n", "Theirs").unwrap();
    let number = school.open_pull("school:sync").await;
    let pull = school.get(&format!("{}/{number}", pulls())).await.json();
    assert_eq!((pull["mergeable"].as_bool(), pull["mergeable_state"].as_str()), (Some(false), Some("dirty")));
    let merged = school.call("PUT", &format!("{}/{number}/merge", pulls()), None).await;
    assert_eq!((merged.status, merged.message()), (405, "Pull Request is not mergeable".into()));
    control.set_merge_methods(REPO, (false, true, true)).unwrap();
    control.commit_file(REPO, "sync", "README.md", b"uno\ntwo\nthree\n", "Resolved").unwrap();
    let forbidden = school.call("PUT", &format!("{}/{number}/merge", pulls()), None).await;
    assert_eq!(forbidden.message(), "Merge commits are not allowed on this repository.");
    school.done();
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_filter_by_owner_and_branch_and_ignore_a_bare_branch() {
    let school = School::open().await;
    for branch in ["a", "b", "c"] {
        school.branch_ahead(branch);
        school.open_pull(&format!("school:{branch}")).await;
    }
    let count = async |query: &str| {
        school.get(&format!("{}?{query}", pulls())).await.json().as_array().unwrap().len()
    };
    assert_eq!(count("head=school:b").await, 1);
    assert_eq!(count("head=b").await, 3);
    assert_eq!(count("head=other:b").await, 0);
    assert_eq!(count("base=nowhere").await, 0);
    school.control().close_pull_request(REPO, 1).unwrap();
    assert_eq!(count("").await, 2);
    assert_eq!(count("state=closed").await, 1);
    assert_eq!(count("state=all").await, 3);
    let page = school.get(&format!("{}?state=all&per_page=2", pulls())).await;
    assert_eq!(page.json().as_array().unwrap().len(), 2);
    assert!(page.header("link").unwrap().contains("page=2&per_page=2&state=all>; rel=\"next\""));
    let last = school.get(&format!("{}?state=all&per_page=2&page=2", pulls())).await;
    assert!(last.header("link").unwrap().contains("rel=\"prev\""));
    school.done();
}

#[tokio::test(flavor = "multi_thread")]
async fn comments_are_kept_in_order_and_can_be_edited() {
    let school = School::open().await;
    school.branch_ahead("sync");
    let number = school.open_pull("school:sync").await;
    let path = format!("/repos/{REPO}/issues/{number}/comments");
    let first = school.call("POST", &path, Some(json!({ "body": "one" }))).await;
    assert_eq!(first.status, 201);
    school.call("POST", &path, Some(json!({ "body": "two" }))).await;
    let id = first.json()["id"].as_u64().unwrap();
    let edit = format!("/repos/{REPO}/issues/comments/{id}");
    assert_eq!(school.call("PATCH", &edit, Some(json!({ "body": "ONE" }))).await.json()["body"], "ONE");
    let list = school.get(&path).await.json();
    assert_eq!((list[0]["body"].as_str(), list[1]["body"].as_str()), (Some("ONE"), Some("two")));
    assert_eq!(school.call("POST", &path, Some(json!({ "body": " " }))).await.status, 422);
    assert_eq!(school.get(&format!("/repos/{REPO}/issues/99/comments")).await.status, 404);
    school.done();
}
