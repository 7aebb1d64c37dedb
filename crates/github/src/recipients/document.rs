//! The GraphQL document for k branches and its variables.
//!
//! Layout: `nodes(ids:)` and one fragment; each branch repeats the aliases b (base), c (compare), s (sync branch) and p
//! (pull requests) with variables of its own. Validated against GitHub's schema; the practice forge validates it again
//! in the tests.

use std::fmt::Write as _;

use lockstep_domain::ports::BranchQuery;
use serde_json::{Map, Value, json};

/// The operation's name.
pub(crate) const NAME: &str = "Recipients";

/// The most pull requests read per branch; the newest are what matters.
pub(crate) const PULLS: usize = 5;

const REPOSITORY: &str = "
fragment R on Repository {
  databaseId
  nameWithOwner
  isArchived
  isDisabled
  isEmpty
  isLocked
  lockReason
  isFork
  viewerPermission
  mergeCommitAllowed
  squashMergeAllowed
  rebaseMergeAllowed
  deleteBranchOnMerge
  owner { login }
  defaultBranchRef { name target { oid } }
";

const PULL: &str = "{
    nodes {
      id
      number
      state
      merged
      mergeable
      headRefName
      headRefOid
      baseRefName
      url
      createdAt
      updatedAt
      closedAt
      mergedAt
      isCrossRepository
      author { __typename login }
      mergeCommit { oid }
      headRepository { id databaseId }
    }
  }
";

/// The document for `k` branches.
pub(crate) fn document(k: usize) -> String {
    let mut text = format!("query {NAME}($ids: [ID!]!");
    for i in 0..k {
        for name in ["base", "sync", "head", "baseName", "syncName"] {
            write!(text, ", ${name}{i}: String!").unwrap_or_default();
        }
    }
    text.push_str(
        ") {\n  rateLimit { cost remaining resetAt nodeCount used }\n  nodes(ids: $ids) { __typename id ... on \
         Repository { ...R } }\n}\n",
    );
    text.push_str(REPOSITORY);
    for i in 0..k {
        branch(&mut text, i);
    }
    text.push_str("}\n");
    text
}

fn branch(text: &mut String, i: usize) {
    const TARGET: &str = "target { __typename oid ... on Commit { tree { oid } } }";
    write!(
        text,
        "  b{i}: ref(qualifiedName: $base{i}) {{ name {TARGET} c{i}: compare(headRef: $head{i}) {{ status aheadBy \
         behindBy }} }}\n  s{i}: ref(qualifiedName: $sync{i}) {{ {TARGET} }}\n  p{i}: pullRequests(headRefName: \
         $syncName{i}, baseRefName: $baseName{i}, states: [OPEN, CLOSED, MERGED], first: {PULLS}, orderBy: {{field: \
         UPDATED_AT, direction: DESC}}) {PULL}"
    )
    .unwrap_or_default();
}

/// The variables for these repositories.
pub(crate) fn variables(ids: &[String], branches: &[BranchQuery]) -> Value {
    let mut all = Map::new();
    all.insert("ids".to_owned(), json!(ids));
    for (i, query) in branches.iter().enumerate() {
        all.insert(format!("base{i}"), json!(query.base.full()));
        all.insert(format!("sync{i}"), json!(query.branch.sync_full()));
        all.insert(format!("head{i}"), json!(query.head.to_string()));
        all.insert(format!("baseName{i}"), json!(query.base.as_str()));
        all.insert(format!("syncName{i}"), json!(query.branch.sync()));
    }
    Value::Object(all)
}

/// Nodes that one repository with `k` branches counts for.
pub(crate) const fn nodes(k: usize) -> usize {
    1 + PULLS * k
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(branch: &str, base: &str) -> BranchQuery {
        let head = "82ed421f00000000000000000000000000000aff".parse().unwrap();
        BranchQuery { branch: branch.parse().unwrap(), base: base.parse().unwrap(), head }
    }

    #[test]
    fn every_variable_that_is_declared_is_used_and_given() {
        for k in [1, 2, 10] {
            let text = document(k);
            let branches: Vec<_> = (0..k).map(|i| query(&format!("b{i}"), "main")).collect();
            let given = variables(&["x".to_owned()], &branches);
            let names: Vec<_> = given.as_object().unwrap().keys().cloned().collect();
            assert_eq!(names.len(), 1 + 5 * k);
            for name in names {
                let uses = text.matches(&format!("${name}")).count();
                assert!(uses >= 2, "{name} is declared and used in the document for {k}");
            }
            assert_eq!(text.matches('{').count(), text.matches('}').count());
            assert!(text.len() < 1_000 + 900 * k, "{} bytes for {k}", text.len());
        }
    }

    #[test]
    fn a_renamed_branch_is_read_under_its_own_name_and_synced_under_the_projects() {
        let given = variables(&[], &[query("main", "master")]);
        assert_eq!(given["base0"], "refs/heads/master");
        assert_eq!(given["baseName0"], "master");
        assert_eq!(given["sync0"], "refs/heads/sync/main");
        assert_eq!(given["syncName0"], "sync/main");
    }

    #[test]
    fn fifty_recipients_with_ten_branches_fit_one_question() {
        assert_eq!(50 * nodes(1), 300);
        assert_eq!(50 * nodes(10), 2_550);
        assert!(50 * nodes(10) <= crate::options::Policy::default().batch_nodes);
    }
}
