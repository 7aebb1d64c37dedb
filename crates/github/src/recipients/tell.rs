//! One node of the batched answer as the product reads it.
//!
//! What could not be read is never taken for absent: a pull request overlooked would be opened a second time.

use lockstep_domain::ids::RepoId;
use lockstep_domain::model::{Mergeable, PullState};
use lockstep_domain::names::Oid;
use lockstep_domain::ports::{PullInfo, RecipientBranch, RecipientRepo};
use serde::Deserialize;
use serde_json::Value;

use crate::graphql::GraphqlError;
use crate::shapes::{GHOST, instant};

/// A part of a recipient that the answer does not hold although it should.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unread(pub(crate) String);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Node {
    database_id: i64,
    name_with_owner: String,
    is_archived: bool,
    #[serde(default)]
    is_disabled: bool,
    #[serde(default)]
    is_locked: bool,
    is_empty: bool,
    merge_commit_allowed: bool,
    default_branch_ref: Option<Named>,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

#[derive(Deserialize)]
struct Object {
    oid: Oid40,
    tree: Option<Box<Object>>,
}

/// An oid in JSON.
#[derive(Deserialize)]
#[serde(try_from = "String")]
struct Oid40(Oid);

impl TryFrom<String> for Oid40 {
    type Error = lockstep_domain::names::BadName;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse().map(Self)
    }
}

#[derive(Deserialize)]
struct Pulls {
    nodes: Vec<Option<Pull>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Pull {
    number: i64,
    state: String,
    mergeable: Option<String>,
    head_ref_name: String,
    head_ref_oid: Option<Oid40>,
    base_ref_name: String,
    url: String,
    created_at: String,
    updated_at: String,
    closed_at: Option<String>,
    merged_at: Option<String>,
    is_cross_repository: bool,
    author: Option<Author>,
    merge_commit: Option<Object>,
    head_repository: Option<HeadRepository>,
}

#[derive(Deserialize)]
struct Author {
    #[serde(rename = "__typename")]
    kind: String,
    login: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HeadRepository {
    database_id: Option<i64>,
}

/// A visible repository with its `k` branches. `at` is its place in the question.
pub(crate) fn repository(
    node: &Value,
    at: usize,
    names: &[(String, String)],
    errors: &[GraphqlError],
) -> Result<RecipientRepo, Unread> {
    let failed = |part: &str| Unread(format!("{part} of recipient {at} could not be read"));
    let whole = Node::deserialize(node).map_err(|_| failed("the repository"))?;
    let branches = names.iter().enumerate().map(|(i, (base, sync))| {
        let part = |letter: char| format!("{letter}{i}");
        // An error at the alias itself, or anywhere below it except in the compare, makes it unread.
        let broken = |alias: &str, but: &str| {
            errors.iter().any(|error| {
                let path = error.path.as_deref().unwrap_or_default();
                let at_alias = path.len() >= 3 && path[1] == at && path[2] == alias;
                at_alias && !(path.len() > 3 && path[3] == but)
            })
        };
        let (b, c, s, p) = (part('b'), part('c'), part('s'), part('p'));
        if broken(&b, &c) || broken(&s, "") {
            return Err(failed("a branch"));
        }
        if broken(&p, "") {
            return Err(failed("the pull requests"));
        }
        let base_ref = &node[&b];
        let pulls = Pulls::deserialize(&node[&p]).map_err(|_| failed("the pull requests"))?;
        Ok(RecipientBranch {
            base: head(base_ref).map_err(|()| failed("a branch"))?,
            ahead_by: base_ref[&c]["aheadBy"].as_u64().and_then(|n| u32::try_from(n).ok()),
            sync: head(&node[&s]).map_err(|()| failed("a branch"))?.map(|(oid, _)| oid),
            pulls: ours(pulls, base, sync, whole.database_id).ok_or_else(|| failed("a pull request"))?,
        })
    });
    let branches = branches.collect::<Result<Vec<_>, _>>()?;
    Ok(RecipientRepo {
        id: RepoId(whole.database_id),
        slug: whole.name_with_owner.parse().map_err(|_| failed("the name"))?,
        archived: whole.is_archived || whole.is_disabled || whole.is_locked,
        empty: whole.is_empty,
        merge_commit_allowed: whole.merge_commit_allowed,
        default_branch: whole.default_branch_ref.map(|named| named.name),
        branches,
    })
}

/// Head and tree of a ref; `None` when the ref is not there.
fn head(found: &Value) -> Result<Option<(Oid, Oid)>, ()> {
    if found.is_null() {
        return Ok(None);
    }
    let object = Object::deserialize(&found["target"]).map_err(|_| ())?;
    let tree = object.tree.ok_or(())?;
    Ok(Some((object.oid.0, tree.oid.0)))
}

/// Our own pull requests, newest first. The question filters by names only, so a fork's branch of the same name comes
/// along.
fn ours(pulls: Pulls, base: &str, sync: &str, repo: i64) -> Option<Vec<PullInfo>> {
    let mine = |pull: &Pull| {
        let elsewhere =
            pull.head_repository.as_ref().is_some_and(|head| head.database_id.is_some_and(|id| id != repo));
        !pull.is_cross_repository && !elsewhere && pull.head_ref_name == sync && pull.base_ref_name == base
    };
    let mut all = Vec::with_capacity(pulls.nodes.len());
    for pull in pulls.nodes {
        // A null here is a pull request that could not be read.
        let pull = pull?;
        if mine(&pull) {
            all.push(info(pull)?);
        }
    }
    all.sort_by_key(|pull| std::cmp::Reverse((pull.updated_at, pull.number)));
    Some(all)
}

fn info(pull: Pull) -> Option<PullInfo> {
    let time = |text: &Option<String>| text.as_deref().and_then(instant);
    Some(PullInfo {
        number: pull.number,
        author: pull.author.map_or_else(|| GHOST.to_owned(), login),
        state: match pull.state.as_str() {
            "OPEN" => PullState::Open,
            "MERGED" => PullState::Merged,
            _ => PullState::Closed,
        },
        head_ref: pull.head_ref_name,
        head: pull.head_ref_oid.map(|oid| oid.0),
        head_repo: pull.head_repository.and_then(|head| head.database_id).map(RepoId),
        base: pull.base_ref_name,
        merge_commit: pull.merge_commit.map(|object| object.oid.0),
        mergeable: match pull.mergeable.as_deref() {
            Some("MERGEABLE") => Mergeable::Mergeable,
            Some("CONFLICTING") => Mergeable::Conflicting,
            _ => Mergeable::Unknown,
        },
        created_at: instant(&pull.created_at)?,
        merged_at: time(&pull.merged_at),
        closed_at: time(&pull.closed_at),
        updated_at: instant(&pull.updated_at)?,
        url: pull.url,
    })
}

/// GraphQL names a bot without the suffix that REST and the pages give it.
fn login(author: Author) -> String {
    if author.kind == "Bot" && !author.login.ends_with("[bot]") {
        format!("{}[bot]", author.login)
    } else {
        author.login
    }
}

#[cfg(test)]
#[path = "tell_tests.rs"]
mod tests;
