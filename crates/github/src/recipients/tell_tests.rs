//! Nodes as GitHub answers them, and as it fails to.

use serde_json::json;

use super::*;

const OID: &str = "1111111111111111111111111111111111111111";
const TREE: &str = "2222222222222222222222222222222222222222";

fn pull(number: i64) -> Value {
    json!({
        "id": "PR_1", "number": number, "state": "OPEN", "merged": false, "mergeable": "CONFLICTING",
        "headRefName": "sync/main", "headRefOid": OID, "baseRefName": "main", "url": "https://github.com/o/r/pull/1",
        "createdAt": "2026-01-02T03:04:05Z", "updatedAt": "2026-01-02T03:04:05Z", "closedAt": null, "mergedAt": null,
        "isCrossRepository": false, "author": { "__typename": "Bot", "login": "course-sync" }, "mergeCommit": null,
        "headRepository": { "id": "R_1", "databaseId": 7 }
    })
}

fn node(pulls: &[Value]) -> Value {
    json!({
        "__typename": "Repository", "id": "R_1", "databaseId": 7, "nameWithOwner": "o/r", "isArchived": false,
        "isDisabled": false, "isEmpty": false, "isLocked": false, "lockReason": null, "mergeCommitAllowed": true,
        "defaultBranchRef": { "name": "main", "target": { "oid": OID } },
        "b0": { "name": "main", "target": { "__typename": "Commit", "oid": OID, "tree": { "oid": TREE } },
                "c0": { "status": "AHEAD", "aheadBy": 3, "behindBy": 0 } },
        "s0": null,
        "p0": { "nodes": pulls }
    })
}

fn names() -> Vec<(String, String)> {
    vec![("main".to_owned(), "sync/main".to_owned())]
}

fn tell(node: &Value, errors: &[GraphqlError]) -> Result<RecipientRepo, Unread> {
    repository(node, 0, &names(), errors)
}

fn error(path: &Value) -> GraphqlError {
    serde_json::from_value(json!({ "message": "x", "path": path })).unwrap()
}

#[test]
fn a_recipient_is_told_with_its_branches() {
    let told = tell(&node(&[pull(1)]), &[]).unwrap();
    assert_eq!((told.id, told.slug.to_string()), (RepoId(7), "o/r".to_owned()));
    let branch = &told.branches[0];
    assert_eq!(branch.base, Some((OID.parse().unwrap(), TREE.parse().unwrap())));
    assert_eq!((branch.ahead_by, branch.sync), (Some(3), None));
    assert_eq!(branch.pulls.len(), 1);
    let pull = &branch.pulls[0];
    assert_eq!(pull.author, "course-sync[bot]", "as REST and the pages name it");
    assert_eq!((pull.state, pull.mergeable), (PullState::Open, Mergeable::Conflicting));
}

#[test]
fn a_forks_branch_of_the_same_name_is_not_ours() {
    let mut fork = pull(2);
    fork["isCrossRepository"] = json!(true);
    let mut other_head = pull(3);
    other_head["headRefName"] = json!("sync/other");
    let mut other_base = pull(4);
    other_base["baseRefName"] = json!("bonus");
    let mut other_repo = pull(5);
    other_repo["headRepository"] = json!({ "id": "R_2", "databaseId": 8 });
    let mut deleted = pull(6);
    deleted["headRepository"] = Value::Null;
    deleted["author"] = Value::Null;
    let told = tell(&node(&[fork, other_head, other_base, other_repo, deleted]), &[]).unwrap();
    let pulls = &told.branches[0].pulls;
    assert_eq!(pulls.iter().map(|pull| pull.number).collect::<Vec<_>>(), [6]);
    assert_eq!((pulls[0].author.as_str(), pulls[0].head_repo), ("ghost", None));
}

#[test]
fn the_newest_pull_request_comes_first() {
    let mut older = pull(9);
    older["updatedAt"] = json!("2025-01-01T00:00:00Z");
    let told = tell(&node(&[older, pull(4)]), &[]).unwrap();
    assert_eq!(told.branches[0].pulls[0].number, 4);
}

#[test]
fn a_head_that_cannot_be_compared_is_unknown_and_nothing_else_is_lost() {
    let mut unknown = node(&[]);
    unknown["b0"]["c0"] = Value::Null;
    let told = tell(&unknown, &[error(&json!(["nodes", 0, "b0", "c0"]))]).unwrap();
    assert_eq!(told.branches[0].ahead_by, None);
    assert!(told.branches[0].base.is_some());
}

#[test]
fn what_could_not_be_read_is_never_taken_for_absent() {
    let mut without = node(&[]);
    without["p0"] = Value::Null;
    assert!(tell(&without, &[error(&json!(["nodes", 0, "p0"]))]).is_err());
    assert!(tell(&without, &[]).is_err());
    assert!(tell(&node(&[Value::Null]), &[]).is_err());
    let mut without = node(&[]);
    without["b0"] = Value::Null;
    assert!(tell(&without, &[]).unwrap().branches[0].base.is_none(), "absent without an error");
    assert!(tell(&without, &[error(&json!(["nodes", 0, "b0"]))]).is_err());
    assert!(tell(&node(&[]), &[error(&json!(["nodes", 0, "s0"]))]).is_err());
    assert!(tell(&node(&[]), &[error(&json!(["nodes", 1, "s0"]))]).is_ok(), "another recipient's error");
}

#[test]
fn archived_disabled_and_locked_all_mean_that_no_write_is_possible() {
    for flag in ["isArchived", "isDisabled", "isLocked"] {
        let mut shut = node(&[]);
        shut[flag] = json!(true);
        assert!(tell(&shut, &[]).unwrap().archived, "{flag}");
    }
}
