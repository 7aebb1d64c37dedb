//! The root types.

use std::sync::Arc;

use apollo_compiler::resolvers::{FieldError, ObjectValue, ResolveInfo, ResolvedValue};
use apollo_compiler::response::{JsonMap, JsonValue};

use super::objects::{AccountNode, CommitNode, ObjectNode};
use super::pulls::PullNode;
use super::repository::{RefNode, RepositoryNode};
use super::{Context, broken, text, typed};
use crate::git::write::{RefMove, update_refs};
use crate::git::{ZERO, history, is_oid};
use crate::http::answer::{LIMIT, reset};
use crate::ids::{Node, timestamp};
use crate::options::ForgeError;
use crate::world::{Need, Repository};

/// The root of queries.
pub(super) struct Query(pub(super) Arc<Context>);

impl ObjectValue for Query {
    fn type_name(&self) -> &str {
        "Query"
    }

    fn resolve_field<'a>(&'a self, info: &'a ResolveInfo<'a>) -> Result<ResolvedValue<'a>, FieldError> {
        let context = &self.0;
        match info.field_name() {
            "id" => Ok(ResolvedValue::leaf("Q_query")),
            "viewer" => Ok(ResolvedValue::nullable_object(AccountNode::viewer(context))),
            "rateLimit" => Ok(ResolvedValue::object(RateLimit(context.clone()))),
            "node" => node(context, text(info, "id").unwrap_or_default()),
            "nodes" => {
                let ids = info.arguments().get("ids").and_then(JsonValue::as_array).into_iter().flatten();
                let ids = ids.filter_map(JsonValue::as_str).collect::<Vec<_>>();
                if ids.len() > 100 {
                    return Err(typed("ARGUMENT_LIMIT", "You may not provide more than 100 node ids"));
                }
                let found = ids.into_iter().enumerate().map(|(index, id)| {
                    node(context, id).unwrap_or_else(|error| {
                        context.lose(info, index, &error);
                        ResolvedValue::null()
                    })
                });
                Ok(ResolvedValue::list(found.collect::<Vec<_>>()))
            }
            "repository" => repository(context, info),
            _ => Err(self.unknown_field_error(info)),
        }
    }
}

fn repository<'a>(context: &Arc<Context>, info: &ResolveInfo<'_>) -> Result<ResolvedValue<'a>, FieldError> {
    let (owner, name) = (text(info, "owner").unwrap_or_default(), text(info, "name").unwrap_or_default());
    let follow = info.arguments().get("followRenames").and_then(JsonValue::as_bool).unwrap_or(true);
    let found = context.core.read(|world| {
        let former = || if follow { world.renamed(owner, name) } else { None };
        let found = world.repository(owner, name).or_else(former);
        found.filter(|found| world.sees(&context.actor, found)).cloned()
    });
    match found {
        Some(found) => Ok(ResolvedValue::object(RepositoryNode::new(context, found))),
        None => {
            let message = format!("Could not resolve to a Repository with the name '{owner}/{name}'.");
            Err(typed("NOT_FOUND", message))
        }
    }
}

fn node<'a>(context: &Arc<Context>, id: &str) -> Result<ResolvedValue<'a>, FieldError> {
    let missing = || typed("NOT_FOUND", format!("Could not resolve to a node with the global id of '{id}'."));
    let repository = |number: u64| context.repository(number).ok_or_else(missing);
    match Node::decode(id).ok_or_else(missing)? {
        Node::Repository(number) => {
            Ok(ResolvedValue::object(RepositoryNode::new(context, repository(number)?)))
        }
        Node::PullRequest(of, number) => {
            let found = repository(of)?;
            context.require(&found, Need("pull_requests", crate::world::Level::Read))?;
            let pull = context.core.read(|world| {
                world.pulls.get(&of).and_then(|pulls| pulls.values().find(|pull| pull.id == number)).cloned()
            });
            Ok(ResolvedValue::object(PullNode::new(context, pull.ok_or_else(missing)?)))
        }
        Node::Ref(of, name) => {
            let repository = RepositoryNode::new(context, repository(of)?);
            let found = RefNode::find(&repository, &name).ok_or_else(missing)?;
            Ok(ResolvedValue::object(found))
        }
        Node::Commit(of, oid) => {
            let repository = RepositoryNode::new(context, repository(of)?);
            let commit = CommitNode::find(&repository, &oid)?.ok_or_else(missing)?;
            Ok(ResolvedValue::object(commit))
        }
        Node::Tree(of, oid) | Node::Blob(of, oid) | Node::Tag(of, oid) => {
            let repository = RepositoryNode::new(context, repository(of)?);
            Ok(ResolvedValue::object(ObjectNode::find(&repository, &oid)?.ok_or_else(missing)?))
        }
        Node::User(number) | Node::Organization(number) => {
            Ok(ResolvedValue::object(AccountNode::by_id(context, number).ok_or_else(missing)?))
        }
        Node::Bot(_) | Node::Comment(_) | Node::Comparison(..) => Err(missing()),
    }
}

struct RateLimit(Arc<Context>);

impl ObjectValue for RateLimit {
    fn type_name(&self) -> &str {
        "RateLimit"
    }

    fn resolve_field<'a>(&'a self, info: &'a ResolveInfo<'a>) -> Result<ResolvedValue<'a>, FieldError> {
        let context = &self.0;
        let identity = crate::rest::budget(&context.actor, "graphql").map(|(identity, _)| identity);
        let used = context.core.spend(&format!("{}/graphql", identity.unwrap_or_default()), 0);
        let used = (used + context.cost.points).min(LIMIT);
        Ok(ResolvedValue::Leaf(match info.field_name() {
            "cost" => context.cost.points.into(),
            "nodeCount" => context.cost.nodes.into(),
            "limit" => LIMIT.into(),
            "used" => used.into(),
            "remaining" => (LIMIT - used).into(),
            "resetAt" => {
                let at = chrono::DateTime::from_timestamp(reset(context.core.now()), 0).unwrap_or_default();
                timestamp(at).into()
            }
            _ => return Err(self.unknown_field_error(info)),
        }))
    }
}

/// The root of mutations.
pub(super) struct Mutation(pub(super) Arc<Context>);

impl ObjectValue for Mutation {
    fn type_name(&self) -> &str {
        "Mutation"
    }

    fn resolve_field<'a>(&'a self, info: &'a ResolveInfo<'a>) -> Result<ResolvedValue<'a>, FieldError> {
        match info.field_name() {
            "updateRefs" => {
                let empty = JsonMap::new();
                let input = info.arguments().get("input").and_then(JsonValue::as_object).unwrap_or(&empty);
                update(&self.0, input)?;
                let mutation = input.get("clientMutationId").cloned().unwrap_or(JsonValue::Null);
                Ok(ResolvedValue::object(UpdateRefsPayload(mutation)))
            }
            _ => Err(self.unknown_field_error(info)),
        }
    }
}

struct UpdateRefsPayload(JsonValue);

impl ObjectValue for UpdateRefsPayload {
    fn type_name(&self) -> &str {
        "UpdateRefsPayload"
    }

    fn resolve_field<'a>(&'a self, info: &'a ResolveInfo<'a>) -> Result<ResolvedValue<'a>, FieldError> {
        match info.field_name() {
            "clientMutationId" => Ok(ResolvedValue::Leaf(self.0.clone())),
            _ => Err(self.unknown_field_error(info)),
        }
    }
}

/// One wanted update.
struct Wanted {
    step: RefMove,
    force: bool,
}

/// All or none, each ref compared with its expected value.
fn update(context: &Arc<Context>, input: &JsonMap) -> Result<(), FieldError> {
    let id = input.get("repositoryId").and_then(JsonValue::as_str).unwrap_or_default();
    let missing = || typed("NOT_FOUND", format!("Could not resolve to a node with the global id of '{id}'."));
    let Some(Node::Repository(number)) = Node::decode(id) else { return Err(missing()) };
    let repository = context.repository(number).ok_or_else(missing)?;
    context.require(&repository, Need::WRITE)?;
    if repository.archived_at.is_some() {
        return Err(typed("FORBIDDEN", "Repository was archived so is read-only."));
    }
    let wanted = input.get("refUpdates").and_then(JsonValue::as_array).into_iter().flatten();
    let wanted = wanted.map(wanted_of).collect::<Result<Vec<_>, _>>()?;
    for one in &wanted {
        permit(context, &repository, one)?;
    }
    let steps = wanted.into_iter().map(|one| one.step).collect::<Vec<_>>();
    let core = &context.core;
    update_refs(&core.git, &core.dir(repository.id), &steps).map_err(|error| match error {
        ForgeError::Git(why) => typed("UNPROCESSABLE", format!("Reference update failed: {why}")),
        other => broken(other),
    })?;
    crate::pulls::pushed(core, repository.id, &core.refs(repository.id), context.actor.author())
        .map_err(broken)
}

fn wanted_of(update: &JsonValue) -> Result<Wanted, FieldError> {
    let field = |name: &str| update.get(name).and_then(JsonValue::as_str).map(str::to_owned);
    let name = field("name").unwrap_or_default();
    let new = field("afterOid").unwrap_or_default();
    let expected = field("beforeOid");
    let valid = name.starts_with("refs/heads/") || name.starts_with("refs/tags/");
    if !valid || !is_oid(&new) || expected.as_ref().is_some_and(|oid| !is_oid(oid)) {
        return Err(typed("UNPROCESSABLE", format!("Reference update of {name} is not valid")));
    }
    let force = update.get("force").and_then(JsonValue::as_bool).unwrap_or(false);
    Ok(Wanted { step: RefMove { name, expected, new }, force })
}

/// Rules, missing objects, and updates that are no fast-forward.
fn permit(context: &Context, repository: &Repository, wanted: &Wanted) -> Result<(), FieldError> {
    let core = &context.core;
    let RefMove { name, new, .. } = &wanted.step;
    if repository.rules.iter().any(|rule| rule.covers(name)) {
        return Err(typed("UNPROCESSABLE", format!("Repository rule violations found for {name}")));
    }
    if new == ZERO {
        return Ok(());
    }
    if core.commit(repository.id, new).map_err(broken)?.is_none() {
        return Err(typed("UNPROCESSABLE", format!("Object {new} does not exist")));
    }
    let current = core.refs(repository.id).remove(name);
    if let (false, Some(current)) = (wanted.force, current) {
        let forward =
            history::is_ancestor(&core.git, &core.dir(repository.id), &current, new).map_err(broken)?;
        if !forward {
            return Err(typed("UNPROCESSABLE", format!("Update of {name} is not a fast forward")));
        }
    }
    Ok(())
}
