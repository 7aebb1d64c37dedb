//! The GraphQL interface, over an extract of GitHub's own schema.

mod objects;
mod page;
mod pulls;
mod repository;
mod roots;

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use apollo_compiler::executable::{Operation, Selection, SelectionSet};
use apollo_compiler::resolvers::{Execution, FieldError, ResolveInfo};
use apollo_compiler::response::{GraphQLError, JsonMap, JsonValue};
use apollo_compiler::validation::Valid;
use apollo_compiler::{ExecutableDocument, Schema};
use http::request::Parts;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::core::Core;
use crate::http::answer::{Exchange, Fault, Reply};
use crate::http::auth;
use crate::world::{Actor, Need, Repository};

const SCHEMA: &str = include_str!("../../schema/github.graphql");

/// What every resolver needs.
pub(crate) struct Context {
    core: Arc<Core>,
    actor: Actor,
    cost: Cost,
    /// Errors of list items, in the answer's form: the executor would give up the whole list for one of them.
    lost: Mutex<Vec<Value>>,
}

/// What a document costs, by GitHub's formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cost {
    points: u64,
    nodes: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Asked {
    query: String,
    #[serde(default)]
    variables: Option<JsonMap>,
    #[serde(default)]
    operation_name: Option<String>,
}

fn schema() -> Result<&'static Valid<Schema>, Fault> {
    static PARSED: OnceLock<Option<Valid<Schema>>> = OnceLock::new();
    PARSED
        .get_or_init(|| Schema::parse_and_validate(SCHEMA, "github.graphql").ok())
        .as_ref()
        .ok_or_else(|| Fault::new(500, "practice forge: the GraphQL schema is broken"))
}

/// Answers `POST /graphql`.
pub(crate) fn serve(core: &Arc<Core>, exchange: &mut Exchange, parts: &Parts, body: &[u8]) -> Reply {
    match answer(core, exchange, parts, body) {
        Ok(reply) => reply,
        Err(fault) => fault.into(),
    }
}

fn answer(core: &Arc<Core>, exchange: &mut Exchange, parts: &Parts, body: &[u8]) -> Result<Reply, Fault> {
    let actor = auth::actor(core, &parts.headers)?;
    match actor {
        Actor::Anonymous => return Err(Fault::new(401, "This endpoint requires you to be authenticated.")),
        Actor::App(_) => return Err(auth::bad_credentials()),
        _ => {}
    }
    exchange.budget = crate::rest::budget(&actor, "graphql");
    let asked: Asked = serde_json::from_slice(body).map_err(|_| Fault::new(400, "Problems parsing JSON"))?;
    let schema = schema()?;
    let document = match ExecutableDocument::parse_and_validate(schema, asked.query, "query.graphql") {
        Ok(document) => document,
        Err(broken) => {
            let errors = broken.errors.iter().map(|error| json!(error.to_json())).collect::<Vec<_>>();
            return Ok(Reply::ok(json!({ "errors": errors })));
        }
    };
    let operation = match document.operations.get(asked.operation_name.as_deref()) {
        Ok(operation) => operation,
        Err(_) => return Ok(failed("An operation name is required")),
    };
    exchange.operation = operation.name.as_ref().map(ToString::to_string);
    let variables = asked.variables.unwrap_or_default();
    let cost = cost(&document, operation, &variables);
    let context = Arc::new(Context { core: core.clone(), actor, cost, lost: Mutex::default() });
    Ok(execute(schema, &document, operation, &variables, &context))
}

fn failed(message: impl std::fmt::Display) -> Reply {
    Reply::ok(json!({ "errors": [{ "message": message.to_string() }] }))
}

fn execute(
    schema: &Valid<Schema>,
    document: &Valid<ExecutableDocument>,
    operation: &Operation,
    variables: &JsonMap,
    context: &Arc<Context>,
) -> Reply {
    let run = Execution::new(schema, document).operation(operation).raw_variable_values(variables);
    let outcome = if operation.is_mutation() {
        run.execute_sync(&roots::Mutation(context.clone()))
    } else {
        run.execute_sync(&roots::Query(context.clone()))
    };
    match outcome {
        Ok(response) => {
            let mut errors =
                std::mem::take(&mut *context.lost.lock().unwrap_or_else(PoisonError::into_inner));
            errors.extend(response.errors.iter().map(named));
            let mut body = json!({ "data": response.data });
            if let (false, Some(object)) = (errors.is_empty(), body.as_object_mut()) {
                object.insert("errors".into(), Value::Array(errors));
            }
            Reply::ok(body)
        }
        Err(error) => failed(error.message()),
    }
}

/// An error as GitHub writes it: the executor's prefix goes, the type that [`typed`] put before the message becomes a
/// field.
fn named(error: &GraphQLError) -> Value {
    let message = error.message.strip_prefix("resolver error: ").unwrap_or(&error.message);
    let mut body = json!(error);
    if let Some(object) = body.as_object_mut() {
        match message.split_once('\u{1}') {
            Some((kind, text)) => {
                object.insert("type".into(), json!(kind));
                object.insert("message".into(), json!(text));
            }
            None => {
                object.insert("message".into(), json!(message));
            }
        }
    }
    body
}

impl Context {
    /// Keeps the error of the list item at `index` of the field being resolved.
    fn lose(&self, info: &ResolveInfo<'_>, index: usize, error: &FieldError) {
        let Some(field) = info.field_selections().first() else { return };
        let (kind, text) = error.message.split_once('\u{1}').unwrap_or(("INTERNAL", &error.message));
        let place = field.name.location().and_then(|span| span.line_column_range(&info.document().sources));
        let place = place.map(|range| json!([{ "line": range.start.line, "column": range.start.column }]));
        let mut lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner);
        lost.push(json!({
            "type": kind,
            "path": [field.response_key().as_str(), index],
            "locations": place.unwrap_or_else(|| json!([])),
            "message": text,
        }));
    }
}

/// A field error with GitHub's `type`.
fn typed(kind: &str, message: impl std::fmt::Display) -> FieldError {
    FieldError { message: format!("{kind}\u{1}{message}") }
}

/// A field error for trouble of the forge itself.
fn broken(error: impl std::fmt::Display) -> FieldError {
    typed("INTERNAL", format!("practice forge: {error}"))
}

impl Context {
    /// The repository with this id, if the actor may see it.
    fn repository(&self, id: u64) -> Option<Repository> {
        self.core
            .read(|world| world.repositories.get(&id).filter(|found| world.sees(&self.actor, found)).cloned())
    }

    /// Refuses a field whose permission the token lacks.
    fn require(&self, repository: &Repository, need: Need) -> Result<(), FieldError> {
        if self.core.read(|world| world.allows(&self.actor, repository, need)) {
            return Ok(());
        }
        let by = if self.actor.is_integration() { "integration" } else { "personal access token" };
        Err(typed("FORBIDDEN", format!("Resource not accessible by {by}")))
    }

    fn url(&self, path: &str) -> String {
        format!("{}/{path}", self.core.base_url())
    }
}

/// An argument that is a text.
fn text<'a>(info: &'a ResolveInfo<'_>, name: &str) -> Option<&'a str> {
    info.arguments().get(name).and_then(JsonValue::as_str)
}

/// An argument that is a number.
fn number(info: &ResolveInfo<'_>, name: &str) -> Option<i64> {
    info.arguments().get(name).and_then(JsonValue::as_i64)
}

/// One point per hundred connections that must be filled, at least one; nodes are what the connections may hold.
fn cost(document: &ExecutableDocument, operation: &Operation, variables: &JsonMap) -> Cost {
    let mut tally = Tally { document, variables, connections: 0, nodes: 0 };
    tally.walk(&operation.selection_set, 1);
    Cost { points: (tally.connections as f64 / 100.0).round().max(1.0) as u64, nodes: tally.nodes }
}

struct Tally<'a> {
    document: &'a ExecutableDocument,
    variables: &'a JsonMap,
    connections: u64,
    nodes: u64,
}

impl Tally<'_> {
    fn walk(&mut self, set: &SelectionSet, times: u64) {
        for selection in &set.selections {
            match selection {
                Selection::Field(field) => {
                    let many = self.size(field);
                    if field.name == "nodes" && set.ty == "Query" {
                        self.nodes += many.unwrap_or_default();
                    } else if let Some(many) = many {
                        self.connections += times;
                        self.nodes += times * many;
                    }
                    self.walk(&field.selection_set, times * many.unwrap_or(1));
                }
                Selection::InlineFragment(inline) => self.walk(&inline.selection_set, times),
                Selection::FragmentSpread(spread) => {
                    if let Some(fragment) = self.document.fragments.get(&spread.fragment_name) {
                        let set = fragment.selection_set.clone();
                        self.walk(&set, times);
                    }
                }
            }
        }
    }

    /// How many nodes a field may hold: `first`, `last`, or the length of `ids`.
    fn size(&self, field: &apollo_compiler::executable::Field) -> Option<u64> {
        ["first", "last", "ids"].iter().find_map(|name| {
            let argument = field.arguments.iter().find(|argument| argument.name == *name)?;
            if let Some(number) = argument.value.to_i32() {
                return u64::try_from(number).ok();
            }
            if let Some(list) = argument.value.as_list() {
                return u64::try_from(list.len()).ok();
            }
            let variable = self.variables.get(argument.value.as_variable()?.as_str())?;
            match variable {
                JsonValue::Array(list) => u64::try_from(list.len()).ok(),
                other => other.as_u64(),
            }
        })
    }
}
