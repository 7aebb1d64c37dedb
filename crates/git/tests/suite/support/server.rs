//! A small smart-HTTP server: `git http-backend` behind a password, with faults on demand and a record of requests.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::response::Response;
use base64::Engine;
use futures::StreamExt;
use http::HeaderMap;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;
use tokio::sync::Notify;

use super::search_path;

pub(crate) const USER: &str = "x-access-token";
pub(crate) const TOKEN: &str = "ghs_verysecrettoken0123456789";

/// A step of the protocol that a fault can hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// `info/refs?service=git-upload-pack`, which `ls-remote` and fetches ask.
    Refs,
    /// `POST git-upload-pack`.
    Fetch,
    /// `info/refs?service=git-receive-pack`.
    PushRefs,
    /// `POST git-receive-pack`.
    Push,
}

/// What happens then, once.
#[derive(Clone)]
pub(crate) enum Act {
    /// Answer this instead.
    Answer(u16, String),
    /// Send the client elsewhere.
    Redirect(String),
    /// The same, also to a client that did not sign in.
    RedirectAll(String),
    /// Do it, and cut the answer off.
    ApplyAndCut,
    /// Do it, and close the connection without a byte.
    ApplyAndDrop,
    /// Cut the connection without doing it.
    Cut,
    /// Tell that it came, wait, then do it.
    Hold(Arc<Notify>, Arc<Notify>),
    /// Refuse the one ref of a push with these words, and tell those.
    Report { ng: String, remote: String },
    /// Run this before it is done.
    Before(Arc<dyn Fn() + Send + Sync>),
}

/// One request, as it came.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) step: Option<Step>,
    pub(crate) path: String,
    pub(crate) auth: Option<String>,
    pub(crate) body: Bytes,
}

/// The server; it ends with the test's runtime.
pub(crate) struct Server {
    root: PathBuf,
    port: u16,
    calls: Mutex<Vec<Call>>,
    faults: Mutex<Vec<(Step, Act)>>,
    done: tokio::sync::broadcast::Sender<Option<Step>>,
}

impl Server {
    pub(crate) async fn start(root: PathBuf) -> Arc<Self> {
        std::fs::create_dir_all(&root).unwrap();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = Arc::new(Self {
            root,
            port,
            calls: Mutex::default(),
            faults: Mutex::default(),
            done: tokio::sync::broadcast::Sender::new(64),
        });
        let router = axum::Router::new().fallback(answer).with_state(Arc::clone(&server));
        tokio::spawn(async move { axum::serve(listener, router).await });
        server
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The next request of this step meets this fault.
    pub(crate) fn on(&self, step: Step, act: Act) {
        self.faults.lock().unwrap().push((step, act));
    }

    /// The next request of this step is announced, and goes on when told.
    pub(crate) fn hold(&self, step: Step) -> (Arc<Notify>, Arc<Notify>) {
        let (came, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        self.on(step, Act::Hold(Arc::clone(&came), Arc::clone(&go)));
        (came, go)
    }

    /// Resolves when the server has finished the next request of this step.
    pub(crate) fn finished(&self, step: Step) -> impl Future<Output = ()> + use<> {
        let mut done = self.done.subscribe();
        async move { while done.recv().await.unwrap() != Some(step) {} }
    }

    pub(crate) fn calls(&self) -> Vec<Call> {
        self.calls.lock().unwrap().clone()
    }

    /// How many authorised requests of this step came.
    pub(crate) fn count(&self, step: Step) -> usize {
        self.calls().iter().filter(|call| call.step == Some(step) && call.auth.is_some()).count()
    }

    pub(crate) fn forget(&self) {
        self.calls.lock().unwrap().clear();
    }

    pub(crate) fn no_fault_left(&self) -> bool {
        self.faults.lock().unwrap().is_empty()
    }

    fn open_redirect(&self, step: Option<Step>) -> Option<String> {
        let faults = self.faults.lock().unwrap();
        faults.iter().find_map(|(wanted, act)| match act {
            Act::RedirectAll(url) if Some(*wanted) == step => Some(url.clone()),
            _ => None,
        })
    }

    fn fault(&self, step: Option<Step>) -> Option<Act> {
        let mut faults = self.faults.lock().unwrap();
        let at = faults.iter().position(|(wanted, _)| Some(*wanted) == step)?;
        Some(faults.remove(at).1)
    }
}

fn step_of(request: &Request) -> Option<Step> {
    let (path, query) = (request.uri().path(), request.uri().query().unwrap_or_default());
    if path.ends_with("/info/refs") {
        return Some(if query.contains("receive") { Step::PushRefs } else { Step::Refs });
    }
    match path.rsplit('/').next() {
        Some("git-upload-pack") => Some(Step::Fetch),
        Some("git-receive-pack") => Some(Step::Push),
        _ => None,
    }
}

fn plain(status: u16, text: &str) -> Response {
    let mut response = Response::builder().status(status).header("content-type", "text/plain");
    if status == 401 {
        response = response.header("www-authenticate", "Basic realm=\"test\"");
    }
    response.body(Body::from(text.to_owned())).unwrap()
}

/// Headers, a piece of the body, and then nothing.
fn cut() -> Response {
    let pieces = [Ok(Bytes::from_static(b"00")), Err(io::Error::other("cut"))];
    let pieces = futures::stream::iter(pieces).then(|piece| async {
        tokio::task::yield_now().await;
        piece
    });
    let kind = "application/x-git-receive-pack-result";
    Response::builder().header("content-type", kind).body(Body::from_stream(pieces)).unwrap()
}

/// Not a byte: curl sends such a request again by itself when its connection had been used before.
fn drop_connection() -> Response {
    let end = futures::stream::once(async { Err::<Bytes, _>(io::Error::other("cut")) });
    Response::new(Body::from_stream(end))
}

/// A receive-pack answer over the side band: nothing was updated.
fn report(ng: &str, remote: &str) -> Response {
    let line = |text: &str| format!("{:04x}{text}", text.len() + 4);
    let status = line("unpack ok\n") + &line(&format!("ng refs/heads/sync/main {ng}\n")) + "0000";
    let mut body = String::new();
    if !remote.is_empty() {
        body += &line(&format!("\u{2}{remote}"));
    }
    body += &line(&format!("\u{1}{status}"));
    body += "0000";
    let kind = "application/x-git-receive-pack-result";
    Response::builder().header("content-type", kind).body(Body::from(body)).unwrap()
}

/// A task of its own: a client that goes away does not end what it asked for.
async fn answer(State(server): State<Arc<Server>>, request: Request) -> Response {
    tokio::spawn(async move {
        let step = step_of(&request);
        let response = serve(&server, request).await;
        // Nobody may be listening.
        let _ = server.done.send(step);
        response
    })
    .await
    .unwrap()
}

async fn serve(server: &Server, request: Request) -> Response {
    let step = step_of(&request);
    let (parts, body) = request.into_parts();
    let auth = parts.headers.get("authorization").map(|value| value.to_str().unwrap().to_owned());
    let body = axum::body::to_bytes(body, usize::MAX).await.unwrap_or_default();
    let path = parts.uri.path().to_owned();
    let call = Call { step, path: path.clone(), auth: auth.clone(), body: body.clone() };
    server.calls.lock().unwrap().push(call);
    if let Some(url) = server.open_redirect(step) {
        return Response::builder().status(301).header("location", url).body(Body::empty()).unwrap();
    }
    let expected = base64::engine::general_purpose::STANDARD.encode(format!("{USER}:{TOKEN}"));
    if auth != Some(format!("Basic {expected}")) {
        return plain(401, "sign in");
    }
    let act = server.fault(step);
    match &act {
        Some(Act::Answer(status, text)) => return plain(*status, text),
        Some(Act::Redirect(url) | Act::RedirectAll(url)) => {
            return Response::builder().status(301).header("location", url).body(Body::empty()).unwrap();
        }
        Some(Act::Cut) => return cut(),
        Some(Act::Report { ng, remote }) => return report(ng, remote),
        Some(Act::Hold(came, go)) => {
            came.notify_one();
            go.notified().await;
        }
        Some(Act::Before(run)) => run(),
        Some(Act::ApplyAndCut | Act::ApplyAndDrop) | None => {}
    }
    if !server
        .root
        .join(path.split(".git").next().unwrap().trim_start_matches('/'))
        .with_extension("git")
        .is_dir()
    {
        return plain(404, "Repository not found.");
    }
    let query = parts.uri.query().unwrap_or_default();
    let response = backend(&server.root, parts.method.as_str(), &path, query, &parts.headers, &body).await;
    match act {
        Some(Act::ApplyAndCut) => cut(),
        Some(Act::ApplyAndDrop) => drop_connection(),
        _ => response,
    }
}

/// `git http-backend` as CGI.
async fn backend(
    root: &Path,
    method: &str,
    path: &str,
    query: &str,
    headers: &HeaderMap,
    body: &[u8],
) -> Response {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut child = Command::new("git")
        .arg("http-backend")
        .env_clear()
        .env("PATH", search_path())
        .env("HOME", "/nonexistent")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_PROJECT_ROOT", root)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("REMOTE_USER", USER)
        .env("REQUEST_METHOD", method)
        .env("PATH_INFO", path)
        .env("QUERY_STRING", query)
        .env("CONTENT_TYPE", header("content-type"))
        .env("CONTENT_LENGTH", body.len().to_string())
        .env("HTTP_CONTENT_ENCODING", header("content-encoding"))
        .env("GIT_PROTOCOL", header("git-protocol"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let body = body.to_vec();
    tokio::spawn(async move { stdin.write_all(&body).await });
    let out = child.wait_with_output().await.unwrap().stdout;
    let Some(end) = out.windows(4).position(|window| window == b"\r\n\r\n") else {
        return plain(500, "no header");
    };
    let mut response = Response::builder();
    for line in String::from_utf8_lossy(&out[..end]).lines() {
        let (name, value) = line.split_once(": ").unwrap();
        response = if name == "Status" {
            response.status(value[..3].parse::<u16>().unwrap())
        } else {
            response.header(name, value)
        };
    }
    response.body(Body::from(out[end + 4..].to_vec())).unwrap()
}
