//! git over smart HTTP: `git http-backend` as a CGI child, streamed both ways.

use std::process::Stdio;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use bytes::Bytes;
use futures::StreamExt as _;
use http::{HeaderName, header};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdout, Command};
use tokio::sync::mpsc;

use super::answer::{Content, Exchange, JournalNumber, Reply, respond};
use super::auth;
use crate::core::Core;
use crate::git::hook;
use crate::git::refs::Refs;
use crate::journal::{AgentKind, MovedRef};
use crate::options::ForgeError;
use crate::world::{Actor, Author, Level, Need, Repository};

/// What a git client asks for.
pub(crate) struct Target {
    owner: String,
    name: String,
    tail: String,
}

impl Target {
    /// `/{owner}/{repo}[.git]/info/refs` and the two services.
    pub(crate) fn parse(path: &str) -> Option<Self> {
        let (owner, rest) = path.strip_prefix('/')?.split_once('/')?;
        let (name, tail) = rest.split_once('/')?;
        if !matches!(tail, "info/refs" | "git-upload-pack" | "git-receive-pack") {
            return None;
        }
        let name = name.strip_suffix(".git").unwrap_or(name);
        Some(Self { owner: owner.to_owned(), name: name.to_owned(), tail: tail.to_owned() })
    }
}

/// A request that may go to git.
struct Admitted {
    repository: Repository,
    by: Option<Author>,
    who: String,
    judge_workflows: bool,
}

/// Answers a git client.
pub(crate) async fn serve(core: Arc<Core>, target: Target, request: Request) -> Response {
    let mut exchange = Exchange::new(&core, request.method(), request.uri());
    exchange.kind = AgentKind::Git;
    exchange.route = Some(format!("/{{owner}}/{{repo}}.git/{}", target.tail));
    let service = match target.tail.as_str() {
        "info/refs" => super::call::parse_query(exchange.query.as_deref().unwrap_or_default())
            .remove("service")
            .unwrap_or_default(),
        tail => tail.to_owned(),
    };
    if !matches!(service.as_str(), "git-upload-pack" | "git-receive-pack") {
        let text = "Please upgrade your git client.\nOnly the smart HTTP protocol is served.\n";
        return respond(&core, exchange, Reply::text(403, text));
    }
    exchange.service = Some(service.clone());
    let admitted = match admit(&core, &target, &service, &request, &mut exchange) {
        Ok(admitted) => admitted,
        Err(reply) => return respond(&core, exchange, *reply),
    };
    match run(core.clone(), &admitted, &target.tail, &service, request, exchange).await {
        Ok(response) => response,
        Err((exchange, error)) => {
            tracing::error!(%error, "git http-backend");
            respond(&core, *exchange, Reply::text(500, "Internal Server Error\n"))
        }
    }
}

fn challenge(text: &str) -> Box<Reply> {
    Box::new(Reply::text(401, text).with("www-authenticate", "Basic realm=\"GitHub\""))
}

fn refused(status: u16, text: impl Into<String>) -> Box<Reply> {
    Box::new(Reply::text(status, text))
}

/// The checks before git runs, in GitHub's order.
fn admit(
    core: &Core,
    target: &Target,
    service: &str,
    request: &Request,
    exchange: &mut Exchange,
) -> Result<Admitted, Box<Reply>> {
    const WRONG: &str =
        "Invalid username or token. Password authentication is not supported for Git operations.\n";
    let actor = match auth::secret(request.headers()) {
        Some(secret) => {
            let now = core.now();
            core.read(|world| world.actor(&secret, now)).map_err(|_| challenge(WRONG))?
        }
        None => Actor::Anonymous,
    };
    let writes = service == "git-receive-pack";
    let anonymous = actor == Actor::Anonymous;
    let gone = || {
        if anonymous {
            challenge("Authentication required\n")
        } else {
            refused(404, "Repository not found.\n")
        }
    };
    core.read(|world| {
        let found = world.repository(&target.owner, &target.name);
        let moved = found.is_none();
        let repository = found
            .or_else(|| world.renamed(&target.owner, &target.name))
            .filter(|found| world.sees(&actor, found));
        let Some(repository) = repository else { return Err(gone()) };
        if anonymous && writes {
            return Err(challenge("Authentication required\n"));
        }
        exchange.repository = Some(repository.id);
        let full_name = world.full_name(repository);
        if moved {
            let query = exchange.query.as_ref().map(|query| format!("?{query}")).unwrap_or_default();
            let location = format!("{}/{full_name}.git/{}{query}", core.base_url(), target.tail);
            return Err(Box::new(Reply::text(301, "Moved Permanently\n").with("location", location)));
        }
        if writes && repository.archived_at.is_some() {
            return Err(refused(403, "This repository was archived so it is read-only.\n"));
        }
        let who = actor.author().map_or_else(|| "anonymous".to_owned(), |author| world.login(&author));
        let need = if writes { Need::WRITE } else { Need::READ };
        if !world.allows(&actor, repository, need) {
            return Err(refused(403, format!("Permission to {full_name}.git denied to {who}.\n")));
        }
        let judge_workflows =
            writes && actor.is_integration() && world.level(&actor, repository, "workflows") < Level::Write;
        Ok(Admitted { repository: repository.clone(), by: actor.author(), who, judge_workflows })
    })
}

type Broken = (Box<Exchange>, ForgeError);

async fn run(
    core: Arc<Core>,
    admitted: &Admitted,
    tail: &str,
    service: &str,
    request: Request,
    exchange: Exchange,
) -> Result<Response, Broken> {
    let pushes = service == "git-receive-pack" && request.method() == http::Method::POST;
    let before = if pushes { core.refs(admitted.repository.id) } else { Refs::new() };
    let mut command = command(&core, admitted, tail, &request);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return Err((Box::new(exchange), ForgeError::io("git http-backend", error))),
    };
    if let Some(stdin) = child.stdin.take() {
        tokio::spawn(feed(stdin, request.into_body()));
    }
    let Some(stdout) = child.stdout.take() else {
        return Err((Box::new(exchange), ForgeError::Git("http-backend has no output".into())));
    };
    let mut output = BufReader::new(stdout);
    let mut reply = match cgi_head(&mut output).await {
        Ok(reply) => reply,
        Err(error) => return Err((Box::new(exchange), ForgeError::io("git http-backend", error))),
    };
    let (sender, receiver) = mpsc::channel::<Result<Bytes, std::io::Error>>(16);
    reply.content =
        Content::Stream(Body::from_stream(futures::stream::unfold(receiver, |mut receiver| async {
            receiver.recv().await.map(|chunk| (chunk, receiver))
        })));
    let response = respond(&core, exchange, reply);
    let number = response.extensions().get::<JournalNumber>().map_or(0, |number| number.0);
    let landing = pushes.then(|| Landing {
        core,
        repository: admitted.repository.id,
        by: admitted.by,
        before,
        journal: number,
    });
    tokio::spawn(pump(child, output, sender, landing));
    Ok(response)
}

fn command(core: &Core, admitted: &Admitted, tail: &str, request: &Request) -> Command {
    let header = |name: HeaderName| {
        request.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
    };
    let mut command = Command::new("git");
    command
        .arg("http-backend")
        .env_clear()
        .envs(core.git.environment())
        .env("GIT_PROJECT_ROOT", core.repositories())
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("PATH_INFO", format!("/{}.git/{tail}", admitted.repository.id))
        .env("REQUEST_METHOD", request.method().as_str())
        .env("QUERY_STRING", request.uri().query().unwrap_or_default())
        .env("CONTENT_TYPE", header(header::CONTENT_TYPE))
        .env("HTTP_CONTENT_ENCODING", header(header::CONTENT_ENCODING))
        .env("GIT_PROTOCOL", header(HeaderName::from_static("git-protocol")))
        .env("REMOTE_USER", &admitted.who)
        .env("REMOTE_ADDR", "127.0.0.1");
    let length = header(header::CONTENT_LENGTH);
    if !length.is_empty() {
        command.env("CONTENT_LENGTH", length);
    }
    let routed = hook::routed(&admitted.repository.rules, admitted.judge_workflows);
    let mut settings = vec![("safe.directory", "*".to_owned())];
    settings.extend(routed.iter().map(|prefix| ("receive.procReceiveRefs", (*prefix).to_owned())));
    command.env("GIT_CONFIG_COUNT", settings.len().to_string());
    for (index, (key, value)) in settings.into_iter().enumerate() {
        command.env(format!("GIT_CONFIG_KEY_{index}"), key).env(format!("GIT_CONFIG_VALUE_{index}"), value);
    }
    if admitted.judge_workflows {
        command.env("FORGE_WORKFLOWS", "deny");
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

async fn feed(mut stdin: tokio::process::ChildStdin, body: Body) {
    let mut chunks = body.into_data_stream();
    while let Some(Ok(chunk)) = chunks.next().await {
        if stdin.write_all(&chunk).await.is_err() {
            return;
        }
    }
    // Dropping the pipe is the end of input.
    drop(stdin.shutdown().await);
}

/// Reads the CGI header block.
async fn cgi_head(output: &mut BufReader<ChildStdout>) -> Result<Reply, std::io::Error> {
    let mut reply = Reply::empty(200);
    let mut line = String::new();
    loop {
        line.clear();
        if output.read_line(&mut line).await? == 0 {
            return Err(std::io::Error::other("no header from git http-backend"));
        }
        let text = line.trim_end();
        if text.is_empty() {
            return Ok(reply);
        }
        let Some((name, value)) = text.split_once(':') else { continue };
        if name.eq_ignore_ascii_case("status") {
            reply.status = value.trim().split(' ').next().and_then(|code| code.parse().ok()).unwrap_or(500);
        } else if let Ok(name) = HeaderName::from_bytes(name.as_bytes()) {
            reply.headers.push((name, value.trim().to_owned()));
        }
    }
}

/// What happens when a push has been carried out.
struct Landing {
    core: Arc<Core>,
    repository: u64,
    by: Option<Author>,
    before: Refs,
    journal: u64,
}

/// Passes git's output on. After a push the last piece is held back until the pull requests have followed, so that a
/// client which has its answer sees their new state. A client that went away does not stop this.
async fn pump(
    mut child: Child,
    mut output: BufReader<ChildStdout>,
    sender: mpsc::Sender<Result<Bytes, std::io::Error>>,
    landing: Option<Landing>,
) {
    let mut held: Option<Bytes> = None;
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(count) = output.read(&mut buffer).await {
        if count == 0 {
            break;
        }
        let next = Bytes::copy_from_slice(&buffer[..count]);
        let ready = if landing.is_some() { held.replace(next) } else { Some(next) };
        if let Some(ready) = ready {
            // A closed channel: the client is gone, git goes on.
            drop(sender.send(Ok(ready)).await);
        }
    }
    if let Err(error) = child.wait().await {
        tracing::warn!(%error, "git http-backend");
    }
    if let Some(landing) = landing {
        let landed = tokio::task::spawn_blocking(move || landing.land()).await;
        if let Ok(Err(error)) = landed {
            tracing::error!(%error, "pull requests could not follow a push");
        }
    }
    if let Some(last) = held {
        drop(sender.send(Ok(last)).await);
    }
}

impl Landing {
    fn land(self) -> Result<(), ForgeError> {
        let after = self.core.refs(self.repository);
        let moved = moved(&self.before, &after);
        if moved.is_empty() {
            return Ok(());
        }
        self.core.journal.add_moved(self.journal, moved);
        crate::pulls::pushed(&self.core, self.repository, &after, self.by)
    }
}

fn moved(before: &Refs, after: &Refs) -> Vec<MovedRef> {
    let mut names = before.keys().chain(after.keys()).collect::<Vec<_>>();
    names.sort();
    names.dedup();
    names
        .into_iter()
        .filter(|name| !name.starts_with("refs/pull/") && before.get(*name) != after.get(*name))
        .map(|name| MovedRef {
            name: name.clone(),
            old: before.get(name).cloned(),
            new: after.get(name).cloned(),
        })
        .collect()
}
