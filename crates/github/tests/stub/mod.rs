//! A server that answers exactly what a test scripts, for what GitHub does only on bad days.

#![allow(dead_code, reason = "each test program uses its part")]

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::response::Response;
use lockstep_domain::clock::{BootMillis, Clock, Millis};
use lockstep_domain::ids::{ProjectId, RepoId, RunId};
use lockstep_domain::lease::{Fence, LeaseGuard, OwnerToken, Window};
use lockstep_domain::ports::RecipientAt;
use lockstep_github::{Credential, GithubForge, GithubOptions, Timeouts};
use serde_json::Value;
use uuid::Uuid;

/// What the server saw of a request.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) line: String,
    pub(crate) headers: http::HeaderMap,
    pub(crate) body: Value,
}

/// A scripted answer.
pub(crate) enum Say {
    /// Status, headers, body.
    Answer(u16, Vec<(&'static str, String)>, String),
    /// Half of the announced body, then the end.
    Truncated,
    /// Nothing, for longer than any client waits.
    Silence,
}

pub(crate) fn json(status: u16, body: &Value) -> Say {
    let headers =
        vec![("content-type", "application/json".to_owned()), ("x-github-request-id", "A:1".to_owned())];
    Say::Answer(status, headers, body.to_string())
}

pub(crate) fn page(status: u16) -> Say {
    let html = "<!DOCTYPE html><html><body>Hello future GitHubber!</body></html>";
    Say::Answer(status, vec![("content-type", "text/html".to_owned())], html.to_owned())
}

pub(crate) fn moved(status: u16, location: &str) -> Say {
    let headers = vec![("location", location.to_owned()), ("x-github-request-id", "A:1".to_owned())];
    Say::Answer(status, headers, r#"{"message":"Moved Permanently"}"#.to_owned())
}

#[derive(Default)]
struct Script {
    seen: Vec<Seen>,
    answers: VecDeque<Say>,
}

/// The server and its script.
pub(crate) struct Stub {
    pub(crate) base: String,
    script: Arc<Mutex<Script>>,
}

impl Stub {
    pub(crate) async fn start(answers: Vec<Say>) -> Self {
        let script = Arc::new(Mutex::new(Script { seen: Vec::new(), answers: answers.into() }));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let app = Router::new().fallback(answer).with_state(Arc::clone(&script));
        tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { base, script }
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.script.lock().unwrap().seen.clone()
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.seen().into_iter().map(|seen| seen.line).collect()
    }

    pub(crate) fn add(&self, say: Say) {
        self.script.lock().unwrap().answers.push_back(say);
    }

    pub(crate) fn left(&self) -> usize {
        self.script.lock().unwrap().answers.len()
    }
}

async fn answer(State(script): State<Arc<Mutex<Script>>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, 1 << 20).await.unwrap();
    let say = {
        let mut script = script.lock().unwrap();
        script.seen.push(Seen {
            line: format!("{} {}", parts.method, parts.uri),
            headers: parts.headers,
            body: serde_json::from_slice(&body).unwrap_or(Value::Null),
        });
        script.answers.pop_front()
    };
    match say {
        Some(Say::Answer(status, headers, body)) => {
            let builder = Response::builder().status(status);
            let with =
                |builder: http::response::Builder, (name, value): (&str, String)| builder.header(name, value);
            headers.into_iter().fold(builder, with).body(Body::from(body)).unwrap()
        }
        Some(Say::Truncated) => {
            let parts: [Result<Bytes, std::io::Error>; 2] =
                [Ok(Bytes::from_static(b"{\"number\":")), Err(std::io::Error::other("cut"))];
            let body = Body::from_stream(futures::stream::iter(parts));
            Response::builder().status(201).header("x-github-request-id", "A:1").body(body).unwrap()
        }
        Some(Say::Silence) => std::future::pending().await,
        None => Response::builder().status(599).body(Body::from("not in the script")).unwrap(),
    }
}

/// Time that stands still until a test moves it.
#[derive(Debug, Default)]
pub(crate) struct Still(std::sync::atomic::AtomicI64);

impl Still {
    pub(crate) fn forward(&self, ms: i64) {
        self.0.fetch_add(ms, std::sync::atomic::Ordering::SeqCst);
    }
}

const START: i64 = 1_767_225_600_000;

impl Clock for Still {
    fn now(&self) -> Millis {
        Millis(START).plus(self.0.load(std::sync::atomic::Ordering::SeqCst))
    }
    fn boot(&self) -> BootMillis {
        BootMillis(self.0.load(std::sync::atomic::Ordering::SeqCst))
    }
}

/// Options without pauses.
pub(crate) fn options(base: &str, credential: Credential, clock: Arc<dyn Clock>) -> GithubOptions {
    let mut options = GithubOptions::new(base, credential, clock);
    options.policy.read_retries = vec![Duration::ZERO; 2];
    options.policy.fresh_pause = Duration::ZERO;
    options
}

pub(crate) fn forge(stub: &Stub) -> GithubForge {
    GithubForge::new(options(&stub.base, Credential::Token("ghp_secret".into()), Arc::new(Still::default())))
        .unwrap()
}

pub(crate) fn impatient(stub: &Stub) -> GithubForge {
    let mut options = options(&stub.base, Credential::Token("ghp_secret".into()), Arc::new(Still::default()));
    let short = Duration::from_millis(200);
    options.timeouts = Timeouts { connect: short, read: short, write: short };
    GithubForge::new(options).unwrap()
}

/// A guard that is good at boot time 0.
#[allow(clippy::disallowed_methods, reason = "tests stand in for the store's claim")]
pub(crate) fn guard() -> LeaseGuard {
    let (project, run) = (ProjectId(Uuid::from_u128(1)), RunId(Uuid::from_u128(2)));
    LeaseGuard::mint(project, run, Fence(1), OwnerToken::new([1; 16]), Window::DEFAULT, BootMillis(0))
}

pub(crate) fn at() -> RecipientAt {
    RecipientAt { id: RepoId(7), slug: "o/r".parse().unwrap() }
}
