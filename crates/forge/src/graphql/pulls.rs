//! Pull requests.

use std::sync::Arc;

use apollo_compiler::resolvers::{FieldError, ObjectValue, ResolveInfo, ResolvedValue};
use apollo_compiler::response::JsonValue;

use super::objects::{AccountNode, CommitNode};
use super::repository::{RefNode, RepositoryNode};
use super::{Context, text};
use crate::ids::{Node, timestamp};
use crate::world::{Pull, PullState};

/// `PullRequest`.
#[derive(Clone)]
pub(super) struct PullNode {
    context: Arc<Context>,
    pull: Arc<Pull>,
}

/// The pull requests of a repository that the field's arguments ask for, in the asked order.
pub(super) fn pulls(repository: &RepositoryNode, info: &ResolveInfo<'_>) -> Vec<PullNode> {
    let context = &repository.context;
    let mut found = context.core.read(|world| {
        let all = world.pulls.get(&repository.stored.id);
        all.map(|pulls| pulls.values().cloned().collect::<Vec<_>>()).unwrap_or_default()
    });
    let states = info
        .arguments()
        .get("states")
        .and_then(JsonValue::as_array)
        .map(|states| states.iter().filter_map(JsonValue::as_str).map(str::to_owned).collect::<Vec<_>>());
    let (head, base) = (text(info, "headRefName"), text(info, "baseRefName"));
    found.retain(|pull| {
        states.as_ref().is_none_or(|states| states.iter().any(|state| state == word(pull.state)))
            && head.is_none_or(|head| pull.head_ref == head)
            && base.is_none_or(|base| pull.base_ref == base)
    });
    let order = info.arguments().get("orderBy");
    let asked = |name: &str| order.and_then(|order| order.get(name)).and_then(JsonValue::as_str);
    if asked("field") == Some("UPDATED_AT") {
        found.sort_by_key(|pull| (pull.updated_at, pull.number));
    }
    if asked("direction") == Some("DESC") {
        found.reverse();
    }
    found.into_iter().map(|pull| PullNode::new(context, pull)).collect()
}

fn word(state: PullState) -> &'static str {
    match state {
        PullState::Open => "OPEN",
        PullState::Closed => "CLOSED",
        PullState::Merged => "MERGED",
    }
}

impl PullNode {
    pub(super) fn new(context: &Arc<Context>, pull: Pull) -> Self {
        Self { context: context.clone(), pull: Arc::new(pull) }
    }

    /// Is `branch` its head?
    pub(super) fn is_from(&self, branch: &str) -> bool {
        self.pull.head_ref == branch
    }

    fn repository(&self) -> Option<RepositoryNode> {
        let stored = self.context.repository(self.pull.repository)?;
        Some(RepositoryNode::new(&self.context, stored))
    }

    fn mergeable(&self) -> &'static str {
        if self.pull.state != PullState::Open {
            return "UNKNOWN";
        }
        let core = &self.context.core;
        let Some(base) = core.branch(self.pull.repository, &self.pull.base_ref) else { return "UNKNOWN" };
        match core.merges(self.pull.repository, &base, &self.pull.head_sha) {
            Ok(true) => "MERGEABLE",
            // Unrelated histories cannot be merged either.
            Ok(false) | Err(_) => "CONFLICTING",
        }
    }

    fn plain(&self, name: &str) -> Option<JsonValue> {
        let pull = &self.pull;
        let date =
            |at: Option<chrono::DateTime<chrono::Utc>>| at.map_or(JsonValue::Null, |at| timestamp(at).into());
        let full_name = || self.repository().map(|found| found.full_name()).unwrap_or_default();
        let path = || format!("{}/pull/{}", full_name(), pull.number);
        Some(match name {
            "id" => Node::PullRequest(pull.repository, pull.id).encode().into(),
            "databaseId" => pull.id.into(),
            "fullDatabaseId" => pull.id.to_string().into(),
            "number" => pull.number.into(),
            "title" => pull.title.clone().into(),
            "body" => pull.body.clone().unwrap_or_default().into(),
            "state" => word(pull.state).into(),
            "merged" => (pull.state == PullState::Merged).into(),
            "closed" => (pull.state != PullState::Open).into(),
            "mergeable" => self.mergeable().into(),
            "isDraft" => pull.draft.into(),
            "isCrossRepository" | "maintainerCanModify" => false.into(),
            "createdAt" => date(Some(pull.created_at)),
            "updatedAt" => date(Some(pull.updated_at)),
            "closedAt" => date(pull.closed_at),
            "mergedAt" => date(pull.merged_at),
            "url" | "permalink" => self.context.url(&path()).into(),
            "resourcePath" => format!("/{}", path()).into(),
            "headRefName" => pull.head_ref.clone().into(),
            "headRefOid" => pull.head_sha.clone().into(),
            "baseRefName" => pull.base_ref.clone().into(),
            "baseRefOid" => pull.base_sha.clone().into(),
            _ => return None,
        })
    }
}

impl ObjectValue for PullNode {
    fn type_name(&self) -> &str {
        "PullRequest"
    }

    fn resolve_field<'a>(&'a self, info: &'a ResolveInfo<'a>) -> Result<ResolvedValue<'a>, FieldError> {
        let name = info.field_name();
        if let Some(value) = self.plain(name) {
            return Ok(ResolvedValue::Leaf(value));
        }
        let branch = |name: &str| {
            let repository = self.repository()?;
            RefNode::find(&repository, &format!("refs/heads/{name}"))
        };
        Ok(match name {
            "author" => ResolvedValue::nullable_object(AccountNode::author(&self.context, &self.pull.author)),
            "mergedBy" => ResolvedValue::nullable_object(
                self.pull.merged_by.and_then(|by| AccountNode::author(&self.context, &by)),
            ),
            "headRef" => ResolvedValue::nullable_object(branch(&self.pull.head_ref)),
            "baseRef" => ResolvedValue::nullable_object(branch(&self.pull.base_ref)),
            "repository" | "baseRepository" | "headRepository" => {
                ResolvedValue::nullable_object(self.repository())
            }
            "headRepositoryOwner" => {
                let owner = self.repository().map(|found| found.stored.owner);
                ResolvedValue::nullable_object(owner.and_then(|id| AccountNode::by_id(&self.context, id)))
            }
            "mergeCommit" => match (&self.pull.merge_commit, self.repository()) {
                (Some(oid), Some(repository)) => {
                    ResolvedValue::nullable_object(CommitNode::find(&repository, oid)?)
                }
                _ => ResolvedValue::null(),
            },
            _ => return Err(self.unknown_field_error(info)),
        })
    }
}
