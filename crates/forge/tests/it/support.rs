//! A forge with a small school, a plain HTTP client, and a git client with nothing of the user's.

use std::path::{Path, PathBuf};
use std::process::Output;

use lockstep_forge::{Control, Forge, ForgeHandle, ForgeOptions, NewRepository};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The repository that most tests use.
pub(crate) const REPO: &str = "school/lab";

pub(crate) struct School {
    pub(crate) forge: ForgeHandle,
    pub(crate) token: String,
    pub(crate) work: tempfile::TempDir,
}

impl School {
    /// A checked forge with `school`, its owner `teacher`, and one private repository with one commit.
    pub(crate) async fn open() -> Self {
        Self::with(ForgeOptions::checked()).await
    }

    pub(crate) async fn with(options: ForgeOptions) -> Self {
        let forge = Forge::start(options).await.unwrap();
        let control = forge.control();
        control.create_user("teacher").unwrap();
        control.create_org("school", &["teacher"]).unwrap();
        let token = control.create_token("teacher").unwrap();
        control.create_repository(&NewRepository::private(REPO)).unwrap();
        control.commit_file(REPO, "main", "README.md", b"one\ntwo\nthree\n", "First").unwrap();
        Self { forge, token, work: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn control(&self) -> &Control {
        self.forge.control()
    }

    pub(crate) fn head(&self, branch: &str) -> String {
        self.control().branch(REPO, branch).unwrap().unwrap()
    }

    /// A branch with one more commit than main.
    pub(crate) fn branch_ahead(&self, branch: &str) -> String {
        let main = self.head("main");
        self.control().set_ref(REPO, &format!("refs/heads/{branch}"), &main).unwrap();
        self.control().commit_file(REPO, branch, &format!("{branch}.txt"), b"new\n", "Update").unwrap()
    }

    pub(crate) async fn call(&self, method: &str, path: &str, body: Option<Value>) -> Answer {
        call(self.forge.base_url(), method, path, Some(&self.token), body).await
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.call("GET", path, None).await
    }

    pub(crate) async fn graphql(&self, query: &str, variables: Value) -> Value {
        let body = serde_json::json!({ "query": query, "variables": variables });
        let answer = self.call("POST", "/graphql", Some(body)).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()
    }

    /// Opens a pull request from `head` into main and returns its number.
    pub(crate) async fn open_pull(&self, head: &str) -> u64 {
        let body = serde_json::json!({ "title": "Update", "head": head, "base": "main" });
        let answer = self.call("POST", &format!("/repos/{REPO}/pulls"), Some(body)).await;
        assert_eq!(answer.status, 201, "{}", answer.text);
        answer.json()["number"].as_u64().unwrap()
    }

    /// The address with credentials.
    pub(crate) fn url(&self, repository: &str) -> String {
        with_token(&self.forge.clone_url(repository), &self.token)
    }

    /// A clone of `repository`, its `origin` with credentials.
    pub(crate) async fn clone(&self, repository: &str) -> PathBuf {
        let dir = self.work.path().join(repository.replace('/', "-"));
        git(self.work.path(), &["clone", "-q", &self.url(repository), dir.to_str().unwrap()]).await.ok();
        dir
    }

    /// The end of every test: nothing unexpected was asked, no answer differed from GitHub's description.
    pub(crate) fn done(self) {
        let unexpected = self.forge.journal().unexpected();
        assert!(unexpected.is_empty(), "{unexpected:?}");
        assert_eq!(self.forge.self_check_failures(), Vec::<String>::new());
    }
}

pub(crate) fn with_token(url: &str, token: &str) -> String {
    url.replacen("http://", &format!("http://x-access-token:{token}@"), 1)
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) text: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(": ")?;
            key.eq_ignore_ascii_case(name).then_some(value)
        })
    }

    pub(crate) fn message(&self) -> String {
        self.json()["message"].as_str().unwrap_or_default().to_owned()
    }
}

/// HTTP/1.0, so that the body ends with the connection.
pub(crate) async fn call(
    base: &str,
    method: &str,
    path: &str,
    token: Option<&str>,
    body: Option<Value>,
) -> Answer {
    let extra = token.map(|token| format!("Authorization: Bearer {token}\r\n")).unwrap_or_default();
    request(base, method, path, &extra, body).await
}

pub(crate) async fn request(
    base: &str,
    method: &str,
    path: &str,
    extra: &str,
    body: Option<Value>,
) -> Answer {
    let host = base.trim_start_matches("http://");
    let body = body.map(|body| body.to_string()).unwrap_or_default();
    let mut stream = TcpStream::connect(host).await.unwrap();
    let length = body.len();
    let text =
        format!("{method} {path} HTTP/1.0\r\nHost: {host}\r\n{extra}Content-Length: {length}\r\n\r\n{body}");
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Answer { status, head: head.replace("\r\n", "\n"), text: body.to_owned() }
}

pub(crate) struct Git(pub(crate) Output);

impl Git {
    pub(crate) fn code(&self) -> i32 {
        self.0.status.code().unwrap()
    }

    pub(crate) fn out(&self) -> String {
        String::from_utf8_lossy(&self.0.stdout).trim_end().to_owned()
    }

    pub(crate) fn err(&self) -> String {
        String::from_utf8_lossy(&self.0.stderr).into_owned()
    }

    pub(crate) fn ok(self) -> Self {
        assert!(self.0.status.success(), "{}{}", self.out(), self.err());
        self
    }
}

/// Runs git as the product does: an emptied environment and no configuration of the user's.
pub(crate) async fn git(dir: &Path, arguments: &[&str]) -> Git {
    let path = std::env::vars().find(|(name, _)| name == "PATH").unwrap().1;
    let output = tokio::process::Command::new("git")
        .env_clear()
        .env("PATH", path)
        .env("HOME", "/nonexistent")
        .env("LC_ALL", "C")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_TERMINAL_PROMPT", "0")
        .envs([("GIT_AUTHOR_NAME", "S"), ("GIT_AUTHOR_EMAIL", "s@x"), ("GIT_COMMITTER_NAME", "S")])
        .env("GIT_COMMITTER_EMAIL", "s@x")
        .args(arguments)
        .current_dir(dir)
        .stdin(std::process::Stdio::null())
        .output()
        .await
        .unwrap();
    Git(output)
}

/// Writes, adds and commits a file, and returns the commit.
pub(crate) async fn commit(dir: &Path, path: &str, content: &str) -> String {
    let file = dir.join(path);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, content).unwrap();
    git(dir, &["add", "-A"]).await.ok();
    git(dir, &["commit", "-q", "-m", path]).await.ok();
    git(dir, &["rev-parse", "HEAD"]).await.ok().out()
}
