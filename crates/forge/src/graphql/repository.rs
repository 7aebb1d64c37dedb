//! Repositories, refs and comparisons.

use std::sync::{Arc, OnceLock};

use apollo_compiler::resolvers::{FieldError, ObjectValue, ResolveInfo, ResolvedValue};
use apollo_compiler::response::JsonValue;

use super::objects::{AccountNode, CommitNode, ObjectNode};
use super::page::Page;
use super::pulls::{PullNode, pulls};
use super::{Context, broken, number, text};
use crate::git::history::{self, Comparison};
use crate::git::refs::Refs;
use crate::git::{is_oid, objects};
use crate::ids::{Node, timestamp};
use crate::world::{Actor, Level, Need, Repository};

/// `Repository`. The refs are read once per node, so that the fields of one answer agree.
#[derive(Clone)]
pub(super) struct RepositoryNode {
    pub(super) context: Arc<Context>,
    pub(super) stored: Arc<Repository>,
    refs: Arc<OnceLock<Refs>>,
}

impl RepositoryNode {
    pub(super) fn new(context: &Arc<Context>, stored: Repository) -> Self {
        Self { context: context.clone(), stored: Arc::new(stored), refs: Arc::default() }
    }

    pub(super) fn refs(&self) -> &Refs {
        self.refs.get_or_init(|| self.context.core.refs(self.stored.id))
    }

    pub(super) fn full_name(&self) -> String {
        self.context.core.read(|world| world.full_name(&self.stored))
    }

    /// A branch, full ref name or commit id.
    fn resolve(&self, name: &str) -> Result<Option<String>, FieldError> {
        if is_oid(name) {
            let commit = self.context.core.commit(self.stored.id, name).map_err(broken)?;
            return Ok(commit.map(|commit| commit.oid.clone()));
        }
        Ok(full_ref(self.refs(), name).and_then(|full| self.refs().get(&full).cloned()))
    }

    fn permission(&self) -> JsonValue {
        let level = self.context.core.read(|world| match &self.context.actor {
            Actor::User { id, .. } => world.role(*id, &self.stored),
            actor => world.level(actor, &self.stored, "contents"),
        });
        match level {
            Level::Admin => "ADMIN".into(),
            Level::Write => "WRITE".into(),
            Level::Read => "READ".into(),
            Level::None => JsonValue::Null,
        }
    }

    fn plain(&self, name: &str) -> Option<JsonValue> {
        let stored = &self.stored;
        let date =
            |at: Option<chrono::DateTime<chrono::Utc>>| at.map_or(JsonValue::Null, |at| timestamp(at).into());
        Some(match name {
            "id" => Node::Repository(stored.id).encode().into(),
            "databaseId" => stored.id.into(),
            "name" => stored.name.clone().into(),
            "nameWithOwner" => self.full_name().into(),
            "description" => stored.description.clone().map_or(JsonValue::Null, Into::into),
            "url" => self.context.url(&self.full_name()).into(),
            "resourcePath" => format!("/{}", self.full_name()).into(),
            "sshUrl" => format!("git@127.0.0.1:{}.git", self.full_name()).into(),
            "createdAt" => date(Some(stored.created_at)),
            "updatedAt" => date(Some(stored.updated_at)),
            "pushedAt" => date(stored.pushed_at),
            "archivedAt" => date(stored.archived_at),
            "isArchived" => stored.archived_at.is_some().into(),
            "isDisabled" | "isFork" | "isLocked" | "isTemplate" | "isMirror" | "autoMergeAllowed" => {
                false.into()
            }
            "isEmpty" => (!self.refs().keys().any(|name| name.starts_with("refs/heads/"))).into(),
            "lockReason" => JsonValue::Null,
            "isPrivate" => stored.private.into(),
            "visibility" => if stored.private { "PRIVATE" } else { "PUBLIC" }.into(),
            "viewerPermission" => self.permission(),
            "viewerCanAdminister" => (self.permission().as_str() == Some("ADMIN")).into(),
            "mergeCommitAllowed" => stored.merge_commit.into(),
            "squashMergeAllowed" => stored.squash.into(),
            "rebaseMergeAllowed" => stored.rebase.into(),
            "deleteBranchOnMerge" => stored.delete_branch_on_merge.into(),
            "diskUsage" | "forkCount" => 0.into(),
            _ => return None,
        })
    }

    fn ref_field<'a>(&self, name: &str) -> Result<ResolvedValue<'a>, FieldError> {
        self.context.require(&self.stored, Need::READ)?;
        Ok(ResolvedValue::nullable_object(RefNode::find(self, name)))
    }

    fn refs_field<'a>(&self, info: &ResolveInfo<'_>) -> Result<ResolvedValue<'a>, FieldError> {
        self.context.require(&self.stored, Need::READ)?;
        let prefix = text(info, "refPrefix").unwrap_or("refs/heads/").to_owned();
        let query = text(info, "query").unwrap_or_default().to_lowercase();
        let mut names =
            self.refs().keys().filter(|name| name.starts_with(&prefix)).cloned().collect::<Vec<_>>();
        names.retain(|name| query.is_empty() || name[prefix.len()..].to_lowercase().contains(&query));
        let order = info.arguments().get("orderBy").and_then(|order| order.get("direction"));
        let direction = text(info, "direction").or_else(|| order.and_then(JsonValue::as_str));
        if direction == Some("DESC") {
            names.reverse();
        }
        let nodes =
            names.into_iter().map(|name| RefNode { repository: self.clone(), name, prefix: prefix.clone() });
        Ok(ResolvedValue::object(Page::cut("Ref", nodes.collect(), info)?))
    }

    fn object_field<'a>(&self, info: &ResolveInfo<'_>) -> Result<ResolvedValue<'a>, FieldError> {
        self.context.require(&self.stored, Need::READ)?;
        let core = &self.context.core;
        let oid = match (text(info, "oid"), text(info, "expression")) {
            (Some(oid), _) => Some(oid.to_owned()),
            (None, Some(expression)) => {
                objects::resolve(&core.git, &core.dir(self.stored.id), expression).map_err(broken)?
            }
            (None, None) => None,
        };
        match oid {
            Some(oid) => target(self, &oid),
            None => Ok(ResolvedValue::null()),
        }
    }
}

/// The full name of a ref given in full or as a branch or tag.
fn full_ref(refs: &Refs, name: &str) -> Option<String> {
    ["", "refs/heads/", "refs/tags/", "refs/"]
        .iter()
        .map(|prefix| format!("{prefix}{name}"))
        .find(|full| full.starts_with("refs/") && refs.contains_key(full))
}

impl ObjectValue for RepositoryNode {
    fn type_name(&self) -> &str {
        "Repository"
    }

    fn resolve_field<'a>(&'a self, info: &'a ResolveInfo<'a>) -> Result<ResolvedValue<'a>, FieldError> {
        let name = info.field_name();
        if let Some(value) = self.plain(name) {
            return Ok(ResolvedValue::Leaf(value));
        }
        let pulls_read = Need("pull_requests", Level::Read);
        match name {
            "owner" => {
                Ok(ResolvedValue::nullable_object(AccountNode::by_id(&self.context, self.stored.owner)))
            }
            "defaultBranchRef" => self.ref_field(&format!("refs/heads/{}", self.stored.default_branch)),
            "ref" => self.ref_field(text(info, "qualifiedName").unwrap_or_default()),
            "refs" => self.refs_field(info),
            "object" => self.object_field(info),
            "pullRequest" => {
                self.context.require(&self.stored, pulls_read)?;
                let wanted =
                    number(info, "number").and_then(|number| u64::try_from(number).ok()).unwrap_or(0);
                let pull = self.context.core.read(|world| world.pull(self.stored.id, wanted).cloned());
                match pull {
                    Some(pull) => Ok(ResolvedValue::object(PullNode::new(&self.context, pull))),
                    None => Err(super::typed(
                        "NOT_FOUND",
                        format!("Could not resolve to a PullRequest with the number of {wanted}."),
                    )),
                }
            }
            "pullRequests" => {
                self.context.require(&self.stored, pulls_read)?;
                Ok(ResolvedValue::object(Page::cut("PullRequest", pulls(self, info), info)?))
            }
            _ => Err(self.unknown_field_error(info)),
        }
    }
}

/// A commit, tree, blob or tag; null when the repository does not have it.
pub(super) fn target<'a>(repository: &RepositoryNode, oid: &str) -> Result<ResolvedValue<'a>, FieldError> {
    if let Some(commit) = CommitNode::find(repository, oid)? {
        return Ok(ResolvedValue::object(commit));
    }
    Ok(ResolvedValue::nullable_object(ObjectNode::find(repository, oid)?))
}

/// `Ref`.
#[derive(Clone)]
pub(super) struct RefNode {
    repository: RepositoryNode,
    name: String,
    prefix: String,
}

impl RefNode {
    pub(super) fn find(repository: &RepositoryNode, name: &str) -> Option<Self> {
        let full = full_ref(repository.refs(), name)?;
        let prefix = ["refs/heads/", "refs/tags/"].into_iter().find(|prefix| full.starts_with(prefix));
        let prefix = prefix.unwrap_or("refs/").to_owned();
        Some(Self { repository: repository.clone(), name: full, prefix })
    }

    fn oid(&self) -> &str {
        self.repository.refs().get(&self.name).map_or("", String::as_str)
    }

    fn compare<'a>(&self, head: &str) -> Result<ResolvedValue<'a>, FieldError> {
        let Some(head) = self.repository.resolve(head)? else { return Ok(ResolvedValue::null()) };
        let core = &self.repository.context.core;
        let found = core.compare(self.repository.stored.id, self.oid(), &head).map_err(broken)?;
        Ok(ResolvedValue::nullable_object(found.map(|found| ComparisonNode {
            repository: self.repository.clone(),
            base: self.oid().to_owned(),
            head,
            found,
        })))
    }
}

impl ObjectValue for RefNode {
    fn type_name(&self) -> &str {
        "Ref"
    }

    fn resolve_field<'a>(&'a self, info: &'a ResolveInfo<'a>) -> Result<ResolvedValue<'a>, FieldError> {
        match info.field_name() {
            "id" => Ok(ResolvedValue::leaf(Node::Ref(self.repository.stored.id, self.name.clone()).encode())),
            "name" => Ok(ResolvedValue::leaf(self.name[self.prefix.len()..].to_owned())),
            "prefix" => Ok(ResolvedValue::leaf(self.prefix.clone())),
            "repository" => Ok(ResolvedValue::object(self.repository.clone())),
            "target" => target(&self.repository, self.oid()),
            "compare" => self.compare(text(info, "headRef").unwrap_or_default()),
            "associatedPullRequests" => {
                let branch = self.name.strip_prefix("refs/heads/").unwrap_or_default();
                let mut found = pulls(&self.repository, info);
                found.retain(|pull| pull.is_from(branch));
                Ok(ResolvedValue::object(Page::cut("PullRequest", found, info)?))
            }
            _ => Err(self.unknown_field_error(info)),
        }
    }
}

struct ComparisonNode {
    repository: RepositoryNode,
    base: String,
    head: String,
    found: Comparison,
}

impl ObjectValue for ComparisonNode {
    fn type_name(&self) -> &str {
        "Comparison"
    }

    fn resolve_field<'a>(&'a self, info: &'a ResolveInfo<'a>) -> Result<ResolvedValue<'a>, FieldError> {
        let range = format!("{}..{}", self.base, self.head);
        match info.field_name() {
            "id" => Ok(ResolvedValue::leaf(Node::Comparison(self.repository.stored.id, range).encode())),
            "status" => Ok(ResolvedValue::leaf(self.found.status().to_uppercase())),
            "aheadBy" => Ok(ResolvedValue::leaf(self.found.ahead)),
            "behindBy" => Ok(ResolvedValue::leaf(self.found.behind)),
            "baseTarget" => target(&self.repository, &self.base),
            "headTarget" => target(&self.repository, &self.head),
            "commits" => {
                let core = &self.repository.context.core;
                let dir = core.dir(self.repository.stored.id);
                let oids = history::list(&core.git, &dir, &["--reverse".into(), range]).map_err(broken)?;
                let commits = CommitNode::all(&self.repository, &oids)?;
                Ok(ResolvedValue::object(Page::cut("ComparisonCommit", commits, info)?))
            }
            _ => Err(self.unknown_field_error(info)),
        }
    }
}
