//! Commits, other git objects, and accounts.

use std::sync::Arc;

use apollo_compiler::resolvers::{FieldError, ObjectValue, ResolveInfo, ResolvedValue};
use apollo_compiler::response::JsonValue;

use super::page::Page;
use super::repository::{RepositoryNode, target};
use super::{Context, broken, text};
use crate::git::objects::{self, Commit, Signature};
use crate::git::{history, is_oid};
use crate::ids::{Node, timestamp};
use crate::world::{AccountKind, Actor, Author};

/// `Commit`.
#[derive(Clone)]
pub(super) struct CommitNode {
    repository: RepositoryNode,
    commit: Arc<Commit>,
}

impl CommitNode {
    pub(super) fn find(repository: &RepositoryNode, oid: &str) -> Result<Option<Self>, FieldError> {
        let found = repository.context.core.commit(repository.stored.id, oid).map_err(broken)?;
        Ok(found.map(|commit| Self { repository: repository.clone(), commit }))
    }

    pub(super) fn all(repository: &RepositoryNode, oids: &[String]) -> Result<Vec<Self>, FieldError> {
        let found = repository.context.core.commits(repository.stored.id, oids).map_err(broken)?;
        Ok(found.into_iter().map(|commit| Self { repository: repository.clone(), commit }).collect())
    }

    fn history<'a>(&self, info: &ResolveInfo<'_>) -> Result<ResolvedValue<'a>, FieldError> {
        let core = &self.repository.context.core;
        let mut arguments = vec![self.commit.oid.clone()];
        if let Some(path) = text(info, "path") {
            arguments.extend(["--".to_owned(), path.to_owned()]);
        }
        let oids =
            history::list(&core.git, &core.dir(self.repository.stored.id), &arguments).map_err(broken)?;
        let commits = Self::all(&self.repository, &oids)?;
        Ok(ResolvedValue::object(Page::cut("CommitHistory", commits, info)?))
    }
}

impl ObjectValue for CommitNode {
    fn type_name(&self) -> &str {
        "Commit"
    }

    fn resolve_field<'a>(&'a self, info: &'a ResolveInfo<'a>) -> Result<ResolvedValue<'a>, FieldError> {
        let commit = &self.commit;
        let path = || format!("{}/commit/{}", self.repository.full_name(), commit.oid);
        let body = || commit.message.split_once('\n').map_or("", |(_, rest)| rest.trim_start_matches('\n'));
        Ok(match info.field_name() {
            "id" => ResolvedValue::leaf(Node::Commit(self.repository.stored.id, commit.oid.clone()).encode()),
            "oid" => ResolvedValue::leaf(commit.oid.clone()),
            "abbreviatedOid" => ResolvedValue::leaf(commit.oid[..7].to_owned()),
            "repository" => ResolvedValue::object(self.repository.clone()),
            "tree" => ResolvedValue::object(ObjectNode {
                repository: self.repository.clone(),
                oid: commit.tree.clone(),
                kind: "Tree",
                size: 0,
            }),
            "message" => ResolvedValue::leaf(commit.message.clone()),
            "messageHeadline" => ResolvedValue::leaf(commit.headline().to_owned()),
            "messageBody" => ResolvedValue::leaf(body().to_owned()),
            "committedDate" => ResolvedValue::leaf(commit.committer.date()),
            "authoredDate" => ResolvedValue::leaf(commit.author.date()),
            "author" => ResolvedValue::object(GitActor(commit.author.clone())),
            "committer" => ResolvedValue::object(GitActor(commit.committer.clone())),
            "url" | "commitUrl" => ResolvedValue::leaf(self.repository.context.url(&path())),
            "resourcePath" => ResolvedValue::leaf(format!("/{}", path())),
            "parents" => {
                let parents = Self::all(&self.repository, &commit.parents)?;
                ResolvedValue::object(Page::cut("Commit", parents, info)?)
            }
            "history" => self.history(info)?,
            _ => return Err(self.unknown_field_error(info)),
        })
    }
}

struct GitActor(Signature);

impl ObjectValue for GitActor {
    fn type_name(&self) -> &str {
        "GitActor"
    }

    fn resolve_field<'a>(&'a self, info: &'a ResolveInfo<'a>) -> Result<ResolvedValue<'a>, FieldError> {
        match info.field_name() {
            "name" => Ok(ResolvedValue::leaf(self.0.name.clone())),
            "email" => Ok(ResolvedValue::leaf(self.0.email.clone())),
            "date" => Ok(ResolvedValue::leaf(self.0.local_date())),
            _ => Err(self.unknown_field_error(info)),
        }
    }
}

/// `Tree`, `Blob` or `Tag`.
#[derive(Clone)]
pub(super) struct ObjectNode {
    repository: RepositoryNode,
    oid: String,
    kind: &'static str,
    size: u64,
}

impl ObjectNode {
    pub(super) fn find(repository: &RepositoryNode, oid: &str) -> Result<Option<Self>, FieldError> {
        if !is_oid(oid) {
            return Ok(None);
        }
        let core = &repository.context.core;
        let found = objects::kind(&core.git, &core.dir(repository.stored.id), oid).map_err(broken)?;
        Ok(found.and_then(|(kind, size)| {
            let kind = match kind.as_str() {
                "tree" => "Tree",
                "blob" => "Blob",
                "tag" => "Tag",
                _ => return None,
            };
            Some(Self { repository: repository.clone(), oid: oid.to_owned(), kind, size })
        }))
    }

    fn node(&self) -> Node {
        let repository = self.repository.stored.id;
        match self.kind {
            "Tree" => Node::Tree(repository, self.oid.clone()),
            "Blob" => Node::Blob(repository, self.oid.clone()),
            _ => Node::Tag(repository, self.oid.clone()),
        }
    }

    /// Name, message and target of an annotated tag.
    fn tag(&self) -> Result<(String, String, String), FieldError> {
        let core = &self.repository.context.core;
        let dir = core.dir(self.repository.stored.id);
        let text = core.git.run(&dir, &["cat-file", "tag", &self.oid], b"").map_err(broken)?.text();
        let (head, message) = text.split_once("\n\n").unwrap_or((&text, ""));
        let line =
            |name: &str| head.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default().to_owned();
        Ok((line("tag "), message.to_owned(), line("object ")))
    }
}

impl ObjectValue for ObjectNode {
    fn type_name(&self) -> &str {
        self.kind
    }

    fn resolve_field<'a>(&'a self, info: &'a ResolveInfo<'a>) -> Result<ResolvedValue<'a>, FieldError> {
        match info.field_name() {
            "id" => Ok(ResolvedValue::leaf(self.node().encode())),
            "oid" => Ok(ResolvedValue::leaf(self.oid.clone())),
            "abbreviatedOid" => Ok(ResolvedValue::leaf(self.oid[..7].to_owned())),
            "repository" => Ok(ResolvedValue::object(self.repository.clone())),
            "byteSize" => Ok(ResolvedValue::leaf(self.size)),
            "name" => Ok(ResolvedValue::leaf(self.tag()?.0)),
            "message" => Ok(ResolvedValue::leaf(self.tag()?.1)),
            "target" => target(&self.repository, &self.tag()?.2),
            _ => Err(self.unknown_field_error(info)),
        }
    }
}

/// `User`, `Organization` or `Bot`.
#[derive(Clone)]
pub(super) struct AccountNode {
    context: Arc<Context>,
    id: u64,
    login: String,
    kind: &'static str,
}

impl AccountNode {
    pub(super) fn by_id(context: &Arc<Context>, id: u64) -> Option<Self> {
        let account = context.core.read(|world| world.accounts.get(&id).cloned())?;
        let kind = match account.kind {
            AccountKind::User => "User",
            AccountKind::Organization => "Organization",
        };
        Some(Self { context: context.clone(), id, login: account.login, kind })
    }

    /// The author of something. Without GraphQL's `[bot]`, as on GitHub.
    pub(super) fn author(context: &Arc<Context>, author: &Author) -> Option<Self> {
        match author {
            Author::User(id) => Self::by_id(context, *id),
            Author::App(id) => {
                let app = context.core.read(|world| world.apps.get(id).cloned())?;
                Some(Self { context: context.clone(), id: app.bot, login: app.slug, kind: "Bot" })
            }
        }
    }

    /// Whose token it is. An App shows up as the user `slug[bot]`.
    pub(super) fn viewer(context: &Arc<Context>) -> Option<Self> {
        match &context.actor {
            Actor::User { id, .. } => Self::by_id(context, *id),
            Actor::Installation { app, .. } => {
                let app = context.core.read(|world| world.apps.get(app).cloned())?;
                let login = format!("{}[bot]", app.slug);
                Some(Self { context: context.clone(), id: app.bot, login, kind: "User" })
            }
            Actor::Anonymous | Actor::App(_) => None,
        }
    }
}

impl ObjectValue for AccountNode {
    fn type_name(&self) -> &str {
        self.kind
    }

    fn resolve_field<'a>(&'a self, info: &'a ResolveInfo<'a>) -> Result<ResolvedValue<'a>, FieldError> {
        let page = if self.kind == "Bot" { format!("apps/{}", self.login) } else { self.login.clone() };
        let node = match self.kind {
            "Organization" => Node::Organization(self.id),
            "Bot" => Node::Bot(self.id),
            _ => Node::User(self.id),
        };
        Ok(ResolvedValue::Leaf(match info.field_name() {
            "id" => node.encode().into(),
            "databaseId" => self.id.into(),
            "login" => self.login.clone().into(),
            "name" => JsonValue::Null,
            "url" => self.context.url(&page).into(),
            "resourcePath" => format!("/{page}").into(),
            "avatarUrl" => self.context.url(&format!("avatars/u/{}", self.id)).into(),
            "createdAt" | "updatedAt" => timestamp(self.context.core.now()).into(),
            _ => return Err(self.unknown_field_error(info)),
        }))
    }
}
