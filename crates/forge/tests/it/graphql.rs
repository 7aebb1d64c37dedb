use lockstep_forge::{NewRepository, PushRule, RuleKind};
use serde_json::{Value, json};

use crate::support::{REPO, School};

/// The batched read that the product sends.
const RECIPIENTS: &str = include_str!("recipients.graphql");
const ZERO: &str = "0000000000000000000000000000000000000000";

fn variables(ids: &[&str], head: &str) -> Value {
    json!({ "ids": ids, "base0": "refs/heads/main", "sync0": "refs/heads/sync/main", "head0": head,
            "baseName0": "main", "syncName0": "sync/main" })
}

#[tokio::test(flavor = "multi_thread")]
async fn the_batched_read_tells_refs_comparison_and_pull_requests() {
    let school = School::open().await;
    let seen = school.control().repository(REPO).unwrap();
    let head = school.branch_ahead("sync/main");
    let number = school.open_pull("school:sync/main").await;
    let answer = school.graphql(RECIPIENTS, variables(&[&seen.node_id], &head)).await;
    assert_eq!(answer["errors"], Value::Null, "{answer}");
    let node = &answer["data"]["nodes"][0];
    assert_eq!(node["databaseId"], json!(seen.id));
    assert_eq!(node["nameWithOwner"], REPO);
    assert_eq!(node["viewerPermission"], "ADMIN");
    assert_eq!(node["defaultBranchRef"]["name"], "main");
    assert_eq!(node["b0"]["target"]["oid"], json!(school.head("main")));
    assert_eq!(node["b0"]["c0"], json!({ "status": "AHEAD", "aheadBy": 1, "behindBy": 0 }));
    assert_eq!(node["s0"]["target"]["oid"], json!(head));
    assert!(node["s0"]["target"]["tree"]["oid"].is_string());
    let pull = &node["p0"]["nodes"][0];
    assert_eq!(pull["number"], json!(number));
    assert_eq!((pull["state"].as_str(), pull["mergeable"].as_str()), (Some("OPEN"), Some("MERGEABLE")));
    assert_eq!(pull["headRefOid"], json!(head));
    assert_eq!(pull["author"], json!({ "__typename": "User", "login": "teacher" }));
    assert_eq!(pull["headRepository"]["databaseId"], json!(seen.id));
    assert_eq!(answer["data"]["rateLimit"]["cost"], 1);
    assert_eq!(answer["data"]["rateLimit"]["nodeCount"], 6);
    let entry = school.forge.journal().entries().into_iter().next_back().unwrap();
    assert_eq!(entry.operation.as_deref(), Some("Recipients"));
    school.done();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_inaccessible_id_is_null_with_its_place_in_errors() {
    let school = School::open().await;
    let control = school.control();
    let seen = control.repository(REPO).unwrap();
    control.create_user("stranger").unwrap();
    let hidden = control.create_repository(&NewRepository::private("stranger/own")).unwrap();
    let ids = ["R_nonsense", &seen.node_id, &hidden.node_id];
    let answer = school.graphql(RECIPIENTS, variables(&ids, ZERO)).await;
    assert_eq!(answer["data"]["nodes"][0], Value::Null);
    assert_eq!(answer["data"]["nodes"][1]["nameWithOwner"], REPO, "{answer}");
    assert_eq!(answer["data"]["nodes"][2], Value::Null);
    assert_eq!(answer["errors"][0]["path"], json!(["nodes", 0]));
    assert_eq!(answer["errors"][0]["type"], "NOT_FOUND");
    assert_eq!(
        answer["errors"][0]["message"],
        "Could not resolve to a node with the global id of 'R_nonsense'."
    );
    assert_eq!(answer["errors"][1]["path"], json!(["nodes", 2]));
    school.done();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_comparison_with_an_object_that_is_not_there_is_null() {
    let school = School::open().await;
    let control = school.control();
    let seen = control.repository(REPO).unwrap();
    control.create_repository(&NewRepository::private("school/elsewhere")).unwrap();
    let foreign = control.commit_file("school/elsewhere", "main", "x", b"x", "Elsewhere").unwrap();
    let answer = school.graphql(RECIPIENTS, variables(&[&seen.node_id], &foreign)).await;
    assert_eq!(answer["errors"], Value::Null, "{answer}");
    assert_eq!(answer["data"]["nodes"][0]["b0"]["c0"], Value::Null);
    assert_eq!(answer["data"]["nodes"][0]["s0"], Value::Null);
    assert_eq!(answer["data"]["nodes"][0]["p0"]["nodes"], json!([]));
    school.done();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_merged_pull_request_names_its_merge_commit() {
    let school = School::open().await;
    let seen = school.control().repository(REPO).unwrap();
    let head = school.branch_ahead("sync/main");
    let number = school.open_pull("school:sync/main").await;
    let merge =
        school.control().merge_pull_request(REPO, number, lockstep_forge::MergeMethod::Squash).unwrap();
    let answer = school.graphql(RECIPIENTS, variables(&[&seen.node_id], &head)).await;
    let pull = &answer["data"]["nodes"][0]["p0"]["nodes"][0];
    assert_eq!((pull["state"].as_str(), pull["merged"].as_bool()), (Some("MERGED"), Some(true)));
    assert_eq!(pull["mergeCommit"]["oid"], json!(merge));
    assert_eq!(pull["headRefOid"], json!(head));
    school.done();
}

const UPDATE: &str =
    "mutation U($input: UpdateRefsInput!) { updateRefs(input: $input) { clientMutationId } }";

#[tokio::test(flavor = "multi_thread")]
async fn update_refs_is_all_or_none_and_compares_each_ref() {
    let school = School::open().await;
    let control = school.control();
    let id = control.repository(REPO).unwrap().node_id;
    let main = school.head("main");
    let head = school.branch_ahead("sync/main");
    let update = async |updates: Value| {
        let input = json!({ "repositoryId": id, "clientMutationId": "m", "refUpdates": updates });
        school.graphql(UPDATE, json!({ "input": input })).await
    };
    let stale = update(json!([
        { "name": "refs/heads/kept", "beforeOid": ZERO, "afterOid": head },
        { "name": "refs/heads/sync/main", "beforeOid": main, "afterOid": ZERO },
    ]))
    .await;
    assert_eq!(stale["data"]["updateRefs"], Value::Null, "{stale}");
    assert_eq!(stale["errors"][0]["path"], json!(["updateRefs"]));
    assert_eq!(control.branch(REPO, "kept").unwrap(), None);
    let done = update(json!([
        { "name": "refs/heads/kept", "beforeOid": ZERO, "afterOid": head },
        { "name": "refs/heads/sync/main", "beforeOid": head, "afterOid": ZERO },
    ]))
    .await;
    assert_eq!(done["data"]["updateRefs"]["clientMutationId"], "m", "{done}");
    assert_eq!(control.branch(REPO, "kept").unwrap(), Some(head.clone()));
    assert_eq!(control.branch(REPO, "sync/main").unwrap(), None);
    let back = update(json!([{ "name": "refs/heads/kept", "afterOid": main }])).await;
    assert!(back["errors"][0]["message"].as_str().unwrap().contains("not a fast forward"), "{back}");
    control.add_push_rule(REPO, PushRule::new("refs/heads/k*", RuleKind::Outage)).unwrap();
    let ruled = update(json!([{ "name": "refs/heads/kept", "afterOid": main, "force": true }])).await;
    assert!(ruled["errors"].is_array());
    school.done();
}

#[tokio::test(flavor = "multi_thread")]
async fn refs_come_in_pages_with_cursors() {
    let school = School::open().await;
    for name in ["a", "b", "c"] {
        school.branch_ahead(name);
    }
    let query = "query($after: String) { viewer { login } repository(owner: \"school\", name: \"lab\") { \
                 refs(refPrefix: \"refs/heads/\", first: 3, after: $after) { totalCount nodes { name } pageInfo { \
                 hasNextPage endCursor } } } }";
    let first = school.graphql(query, json!({})).await;
    assert_eq!(first["data"]["viewer"]["login"], "teacher");
    let refs = &first["data"]["repository"]["refs"];
    assert_eq!(refs["totalCount"], 4, "{first}");
    assert_eq!(refs["nodes"], json!([{ "name": "a" }, { "name": "b" }, { "name": "c" }]));
    let after = &refs["pageInfo"]["endCursor"];
    let second = school.graphql(query, json!({ "after": after })).await;
    assert_eq!(second["data"]["repository"]["refs"]["nodes"], json!([{ "name": "main" }]));
    assert_eq!(second["data"]["repository"]["refs"]["pageInfo"]["hasNextPage"], false);
    school.done();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_outside_the_schema_is_refused_with_its_place() {
    let school = School::open().await;
    let answer = school.graphql("{ viewer { shoeSize } }", json!({})).await;
    assert_eq!(answer["data"], Value::Null);
    assert!(answer["errors"].to_string().contains("does not have a field `shoeSize`"), "{answer}");
    assert!(answer["errors"][0]["locations"][0]["line"].is_u64());
    let unpaged = school
        .graphql("{ repository(owner: \"school\", name: \"lab\") { refs(refPrefix: \"refs/heads/\") { totalCount } } }", json!({}))
        .await;
    assert_eq!(unpaged["errors"][0]["type"], "MISSING_PAGINATION_BOUNDARIES");
    let missing = school.graphql("{ repository(owner: \"a\", name: \"b\") { id } }", json!({})).await;
    assert_eq!(missing["errors"][0]["type"], "NOT_FOUND");
    school.done();
}

#[tokio::test(flavor = "multi_thread")]
async fn graphql_is_beside_rest_and_not_below_it() {
    let school = School::open().await;
    let body = json!({ "query": "{ viewer { login } }" });
    assert_eq!(school.call("POST", "/api/graphql", Some(body.clone())).await.status, 200);
    assert_eq!(school.call("POST", "/api/v3/graphql", Some(body.clone())).await.status, 404);
    let base = school.forge.base_url();
    let anonymous = crate::support::call(base, "POST", "/graphql", None, Some(body.clone())).await;
    assert_eq!(anonymous.status, 401);
    let bad = crate::support::call(base, "POST", "/graphql", Some("no"), Some(body)).await;
    assert_eq!((bad.status, bad.message()), (401, "Bad credentials".into()));
    school.done();
}
