//! Answers in GitHub's shapes. Every answer of every interface passes [`respond`]: it writes the journal, adds the
//! headers and runs the self-check. A fault plan and a limit model belong there, before the headers.

use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use chrono::{DateTime, Utc};
use http::{HeaderName, HeaderValue, Method, StatusCode, Uri};
use serde_json::{Value, json};

use crate::core::Core;
use crate::journal::{AgentKind, Entry, MovedRef};
use crate::options::ForgeError;
use crate::world::Need;

/// What an answer carries.
pub(crate) enum Content {
    Json(Value),
    Html(String),
    Text(String),
    Stream(Body),
    Empty,
}

/// An answer before the common headers.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) content: Content,
    pub(crate) headers: Vec<(HeaderName, String)>,
}

impl Reply {
    pub(crate) fn json(status: u16, body: Value) -> Self {
        Self { status, content: Content::Json(body), headers: Vec::new() }
    }

    pub(crate) fn ok(body: Value) -> Self {
        Self::json(200, body)
    }

    pub(crate) fn html(status: u16, page: String) -> Self {
        Self { status, content: Content::Html(page), headers: Vec::new() }
    }

    pub(crate) fn text(status: u16, text: impl Into<String>) -> Self {
        Self { status, content: Content::Text(text.into()), headers: Vec::new() }
    }

    pub(crate) fn empty(status: u16) -> Self {
        Self { status, content: Content::Empty, headers: Vec::new() }
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((HeaderName::from_static(name), value.into()));
        self
    }
}

/// An error answer of the REST interface.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) status: u16,
    pub(crate) message: String,
    pub(crate) errors: Vec<Value>,
    pub(crate) docs: &'static str,
    pub(crate) location: Option<String>,
    pub(crate) needs: Option<Need>,
}

const DOCS: &str = "https://docs.github.com/rest";

impl Fault {
    pub(crate) fn new(status: u16, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), errors: Vec::new(), docs: DOCS, location: None, needs: None }
    }

    pub(crate) fn not_found() -> Self {
        Self::new(404, "Not Found")
    }

    pub(crate) fn docs(mut self, url: &'static str) -> Self {
        self.docs = url;
        self
    }

    /// 422 `Validation Failed` with one entry.
    pub(crate) fn invalid(error: Value) -> Self {
        Self { errors: vec![error], ..Self::new(422, "Validation Failed") }
    }

    /// 422 about a field: `{"resource", "field", "code"}`.
    pub(crate) fn field(resource: &str, field: &str, code: &str) -> Self {
        Self::invalid(json!({ "resource": resource, "field": field, "code": code }))
    }

    /// 422 with a text of its own: `{"resource", "code": "custom", "message"}`.
    pub(crate) fn custom(resource: &str, message: impl Into<String>) -> Self {
        Self::invalid(json!({ "resource": resource, "code": "custom", "message": message.into() }))
    }
}

impl From<ForgeError> for Fault {
    fn from(error: ForgeError) -> Self {
        match error {
            ForgeError::NotFound(_) => Self::not_found(),
            ForgeError::Refused(why) => Self::new(422, why),
            other => {
                tracing::error!(error = %other, "the practice forge could not answer");
                Self::new(500, format!("practice forge: {other}"))
            }
        }
    }
}

impl From<Fault> for Reply {
    fn from(fault: Fault) -> Self {
        let moved = matches!(fault.status, 301 | 307);
        let mut body = json!({ "message": fault.message, "documentation_url": fault.docs });
        if let Some(object) = body.as_object_mut() {
            if !fault.errors.is_empty() {
                object.insert("errors".into(), Value::Array(fault.errors));
            }
            match &fault.location {
                Some(location) if moved => object.insert("url".into(), json!(location)),
                _ => object.insert("status".into(), json!(fault.status.to_string())),
            };
        }
        let mut reply = Self::json(fault.status, body);
        if let Some(location) = fault.location {
            reply = reply.with("location", location);
        }
        if let Some(Need(name, level)) = fault.needs {
            reply = reply.with("x-accepted-github-permissions", format!("{name}={}", level.word()));
        }
        reply
    }
}

/// What is known about a request while it is answered.
pub(crate) struct Exchange {
    pub(crate) kind: AgentKind,
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) query: Option<String>,
    pub(crate) route: Option<String>,
    pub(crate) repository: Option<u64>,
    pub(crate) operation: Option<String>,
    pub(crate) service: Option<String>,
    pub(crate) moved: Vec<MovedRef>,
    pub(crate) request_id: String,
    pub(crate) at: DateTime<Utc>,
    /// The identity whose budget pays, with the budget's name; `None`: no limit headers.
    pub(crate) budget: Option<(String, &'static str)>,
}

impl Exchange {
    pub(crate) fn new(core: &Core, method: &Method, uri: &Uri) -> Self {
        Self {
            kind: AgentKind::Rest,
            method: method.clone(),
            path: uri.path().to_owned(),
            query: uri.query().map(str::to_owned),
            route: None,
            repository: None,
            operation: None,
            service: None,
            moved: Vec::new(),
            request_id: core.request_id(),
            at: core.now(),
            budget: None,
        }
    }
}

/// The last step of every answer. Returns the response; the journal's number of the request is in its extensions.
pub(crate) fn respond(core: &Arc<Core>, exchange: Exchange, reply: Reply) -> Response {
    if let (Some(check), Content::Json(body), AgentKind::Rest, Some(route)) =
        (core.self_check(), &reply.content, exchange.kind, &exchange.route)
    {
        check.check(exchange.method.as_str(), route, reply.status, body);
    }
    let mut headers = reply.headers;
    if matches!(exchange.kind, AgentKind::Rest | AgentKind::Graphql) {
        api_headers(core, &exchange, &mut headers);
    }
    headers.push((HeaderName::from_static("x-github-request-id"), exchange.request_id.clone()));
    headers.push((http::header::SERVER, "lockstep-forge".into()));
    let (media, body) = match reply.content {
        Content::Json(value) => (Some("application/json; charset=utf-8"), Body::from(value.to_string())),
        Content::Html(page) => (Some("text/html; charset=utf-8"), Body::from(page)),
        Content::Text(text) => (Some("text/plain; charset=utf-8"), Body::from(text)),
        Content::Stream(body) => (None, body),
        Content::Empty => (None, Body::empty()),
    };
    if let Some(media) = media {
        headers.push((http::header::CONTENT_TYPE, media.into()));
    }
    let number = core.journal.record(entry(core, exchange, reply.status));
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in headers {
        if let Ok(value) = HeaderValue::from_str(&value) {
            response.headers_mut().insert(name, value);
        }
    }
    response.extensions_mut().insert(JournalNumber(number));
    response
}

/// The journal's number of a request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JournalNumber(pub(crate) u64);

fn api_headers(core: &Core, exchange: &Exchange, headers: &mut Vec<(HeaderName, String)>) {
    let mut put = |name: &'static str, value: String| headers.push((HeaderName::from_static(name), value));
    put("x-github-media-type", "github.v3; format=json".into());
    if exchange.kind == AgentKind::Rest {
        put("x-github-api-version-selected", "2022-11-28".into());
    }
    put("access-control-expose-headers", "ETag, Link, Location, Retry-After, X-GitHub-Request-Id".into());
    if let Some((identity, resource)) = &exchange.budget {
        let free = exchange.route.as_deref() == Some("/rate_limit");
        let used = core.spend(&format!("{identity}/{resource}"), u64::from(!free)).min(LIMIT);
        put("x-ratelimit-limit", LIMIT.to_string());
        put("x-ratelimit-remaining", (LIMIT - used).to_string());
        put("x-ratelimit-used", used.to_string());
        put("x-ratelimit-reset", reset(exchange.at).to_string());
        put("x-ratelimit-resource", (*resource).to_owned());
    }
}

/// Requests an hour. Shown, not enforced.
pub(crate) const LIMIT: u64 = 5000;

/// The end of the current hour, seconds since 1970.
pub(crate) fn reset(now: DateTime<Utc>) -> i64 {
    (now.timestamp() / 3600 + 1) * 3600
}

fn entry(core: &Core, exchange: Exchange, status: u16) -> Entry {
    let repository = exchange.repository.and_then(|id| {
        core.read(|world| world.repositories.get(&id).map(|repository| world.full_name(repository)))
    });
    let path = match exchange.query {
        Some(query) => format!("{}?{query}", exchange.path),
        None => exchange.path,
    };
    Entry {
        number: 0,
        at: exchange.at,
        kind: exchange.kind,
        method: exchange.method.to_string(),
        route: exchange.route,
        path,
        status,
        request_id: exchange.request_id,
        repository,
        operation: exchange.operation,
        service: exchange.service,
        moved: exchange.moved,
    }
}
