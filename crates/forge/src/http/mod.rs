//! The HTTP front: which interface a request is for, and the one place that every answer passes.

pub(crate) mod answer;
pub(crate) mod auth;
pub(crate) mod call;
pub(crate) mod transport;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use http::{Method, header};

use crate::core::Core;
use crate::journal::AgentKind;
use answer::{Exchange, Fault, Reply};

/// GitHub refuses larger bodies.
const LARGEST_BODY: usize = 25 * 1024 * 1024;

/// The application: one fallback, because the interfaces overlap (`/{owner}/{repo}` beside `/user/repos`) and every
/// answer must pass [`answer::respond`].
pub(crate) fn app(core: Arc<Core>) -> Router {
    Router::new().fallback(serve).with_state(core)
}

async fn serve(State(core): State<Arc<Core>>, request: Request) -> Response {
    let path = request.uri().path().to_owned();
    if let Some(target) = transport::Target::parse(&path) {
        return transport::serve(core, target, request).await;
    }
    let mut exchange = Exchange::new(&core, request.method(), request.uri());
    let (parts, body) = request.into_parts();
    let Ok(body) = axum::body::to_bytes(body, LARGEST_BODY).await else {
        let fault = Fault::new(413, "Payload too large");
        return answer::respond(&core, exchange, fault.into());
    };
    let worker = core.clone();
    let done = tokio::task::spawn_blocking(move || {
        let reply = dispatch(&worker, &mut exchange, &parts, &body);
        (exchange, reply)
    })
    .await;
    match done {
        Ok((exchange, reply)) => answer::respond(&core, exchange, reply),
        Err(error) => {
            tracing::error!(%error, path, "a request handler of the practice forge failed");
            let mut response = Response::new(Body::from("handler failed"));
            *response.status_mut() = http::StatusCode::INTERNAL_SERVER_ERROR;
            response
        }
    }
}

fn dispatch(core: &Arc<Core>, exchange: &mut Exchange, parts: &http::request::Parts, body: &[u8]) -> Reply {
    let path = parts.uri.path();
    if let Some(rest) = path.strip_prefix("/_forge/") {
        exchange.kind = AgentKind::Control;
        if foreign_origin(core, parts) {
            return Reply::text(403, "only for pages of this forge\n");
        }
        return crate::control::http::serve(core, exchange, rest, body);
    }
    if path == "/favicon.ico" {
        exchange.kind = AgentKind::Site;
        exchange.route = Some("/favicon.ico".into());
        return Reply::empty(204);
    }
    if wants_html(parts) && !path.starts_with("/api/") {
        exchange.kind = AgentKind::Site;
        return crate::site::serve(core, exchange, path);
    }
    if matches!(path, "/graphql" | "/api/graphql") && parts.method == Method::POST {
        exchange.kind = AgentKind::Graphql;
        exchange.route = Some(path.to_owned());
        return crate::graphql::serve(core, exchange, parts, body);
    }
    crate::rest::serve(core, exchange, parts, body)
}

/// A page of another site may not press the forge's buttons.
fn foreign_origin(core: &Core, parts: &http::request::Parts) -> bool {
    parts.headers.get(header::ORIGIN).is_some_and(|origin| origin.as_bytes() != core.base_url().as_bytes())
}

fn wants_html(parts: &http::request::Parts) -> bool {
    let accept = parts.headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    parts.method == Method::GET && accept.contains("text/html")
}
