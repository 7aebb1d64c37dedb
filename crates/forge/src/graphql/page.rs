//! Connections: pages of nodes with cursors.

use apollo_compiler::resolvers::{FieldError, ObjectValue, ResolveInfo, ResolvedValue};
use apollo_compiler::response::JsonValue;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{number, text, typed};

/// A page of a connection.
pub(super) struct Page<T> {
    kind: &'static str,
    items: Vec<T>,
    start: usize,
    total: usize,
}

fn cursor(place: usize) -> String {
    STANDARD.encode(format!("cursor:v2:{place}"))
}

fn place(cursor: &str) -> Option<usize> {
    let plain = String::from_utf8(STANDARD.decode(cursor).ok()?).ok()?;
    plain.strip_prefix("cursor:v2:")?.parse().ok()
}

impl<T> Page<T> {
    /// Cuts the page out of `all` that the field's arguments ask for. `kind` is the connection's type without
    /// `Connection`.
    pub(super) fn cut(kind: &'static str, all: Vec<T>, info: &ResolveInfo<'_>) -> Result<Self, FieldError> {
        let field = info.field_name();
        let total = all.len();
        let after = text(info, "after").and_then(place).map_or(0, |place| place + 1).min(total);
        let before = text(info, "before").and_then(place).unwrap_or(total).clamp(after, total);
        let (name, count) = match (number(info, "first"), number(info, "last")) {
            (Some(first), _) => ("first", first),
            (None, Some(last)) => ("last", last),
            (None, None) => {
                let message = format!(
                    "You must provide a `first` or `last` value to properly paginate the `{field}` connection."
                );
                return Err(typed("MISSING_PAGINATION_BOUNDARIES", message));
            }
        };
        let count = match usize::try_from(count) {
            Ok(count) if count <= 100 => count,
            _ => {
                let message = format!(
                    "Requesting {count} records on the `{field}` connection exceeds the `{name}` limit of 100 records."
                );
                return Err(typed("EXCESSIVE_PAGINATION", message));
            }
        };
        let (start, end) = match name {
            "first" => (after, before.min(after + count)),
            _ => (after.max(before.saturating_sub(count)), before),
        };
        let items = all.into_iter().skip(start).take(end - start).collect();
        Ok(Self { kind, items, start, total })
    }
}

impl<T: ObjectValue + Clone + 'static> ObjectValue for Page<T> {
    fn type_name(&self) -> &str {
        match self.kind {
            "Ref" => "RefConnection",
            "PullRequest" => "PullRequestConnection",
            "CommitHistory" => "CommitHistoryConnection",
            "ComparisonCommit" => "ComparisonCommitConnection",
            _ => "CommitConnection",
        }
    }

    fn resolve_field<'a>(&'a self, info: &'a ResolveInfo<'a>) -> Result<ResolvedValue<'a>, FieldError> {
        match info.field_name() {
            "nodes" => {
                Ok(ResolvedValue::list(self.items.iter().map(|item| ResolvedValue::object(item.clone()))))
            }
            "edges" => Ok(ResolvedValue::list(self.items.iter().enumerate().map(|(index, item)| {
                let kind = if self.kind == "Ref" { "RefEdge" } else { "PullRequestEdge" };
                ResolvedValue::object(Edge { kind, place: self.start + index, node: item.clone() })
            }))),
            "totalCount" => Ok(ResolvedValue::leaf(self.total)),
            "pageInfo" => Ok(ResolvedValue::object(PageInfo {
                start: self.start,
                end: self.start + self.items.len(),
                total: self.total,
            })),
            _ => Err(self.unknown_field_error(info)),
        }
    }
}

struct Edge<T> {
    kind: &'static str,
    place: usize,
    node: T,
}

impl<T: ObjectValue + Clone + 'static> ObjectValue for Edge<T> {
    fn type_name(&self) -> &str {
        self.kind
    }

    fn resolve_field<'a>(&'a self, info: &'a ResolveInfo<'a>) -> Result<ResolvedValue<'a>, FieldError> {
        match info.field_name() {
            "cursor" => Ok(ResolvedValue::leaf(cursor(self.place))),
            "node" => Ok(ResolvedValue::object(self.node.clone())),
            _ => Err(self.unknown_field_error(info)),
        }
    }
}

struct PageInfo {
    start: usize,
    end: usize,
    total: usize,
}

impl ObjectValue for PageInfo {
    fn type_name(&self) -> &str {
        "PageInfo"
    }

    fn resolve_field<'a>(&'a self, info: &'a ResolveInfo<'a>) -> Result<ResolvedValue<'a>, FieldError> {
        let at = |place: Option<usize>| place.map_or(JsonValue::Null, |place| cursor(place).into());
        let filled = self.end > self.start;
        Ok(ResolvedValue::Leaf(match info.field_name() {
            "hasNextPage" => (self.end < self.total).into(),
            "hasPreviousPage" => (self.start > 0).into(),
            "startCursor" => at(filled.then_some(self.start)),
            "endCursor" => at(filled.then(|| self.end - 1)),
            _ => return Err(self.unknown_field_error(info)),
        }))
    }
}
