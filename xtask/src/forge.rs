//! The practice forge as a child of ours: started, asked, ended.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde::Deserialize;

use crate::failure::Failure;
use crate::house::House;
use crate::http;

/// How long a forge may take to end after its input closed.
const PATIENCE: Duration = Duration::from_secs(5);

/// What the forge says in its first line, as far as the course needs it.
#[derive(Deserialize)]
pub(crate) struct Offer {
    pub(crate) base_url: String,
    pub(crate) token: String,
    pub(crate) source: String,
    pub(crate) distribution: String,
    pub(crate) pattern: String,
    #[serde(default = "main_only")]
    pub(crate) branches: Vec<String>,
}

fn main_only() -> Vec<String> {
    vec!["main".to_owned()]
}

/// A running practice forge with its course; ended when dropped, and by the system when we die (its input closes).
pub(crate) struct Forge {
    child: Child,
    /// Closing it ends the forge.
    input: Option<ChildStdin>,
    /// Kept open so that the forge may go on writing.
    _output: BufReader<ChildStdout>,
    pub(crate) offer: Offer,
}

impl Forge {
    /// Starts a course of `recipients` repositories whose source is `ahead` commits ahead.
    pub(crate) fn start(house: &House, release: bool, recipients: u32, ahead: u32) -> Result<Self, Failure> {
        let mut child = Command::new(house.binary("lockstep-forge", release))
            .args(["demo", "--seed", "1", "--json", "--until-stdin-closes"])
            .args(["--recipients", &recipients.to_string(), "--ahead", &ahead.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(Failure::io("starting lockstep-forge"))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Failure::new(
                "lockstep-forge has no pipes",
                "this is a fault of xtask; please report it",
            ));
        };
        let mut output = BufReader::new(output);
        let mut line = String::new();
        let read = output.by_ref().read_line(&mut line);
        let offer = read.map_err(|error| error.to_string()).and_then(|_bytes| understand(&line));
        match offer {
            Ok(offer) => Ok(Self { child, input: Some(input), _output: output, offer }),
            Err(why) => {
                drop(input);
                end(&mut child);
                Err(Failure::new(
                    format!("lockstep-forge did not offer a course: {why}"),
                    "see its own message above; `lockstep-forge demo --json` repeats it",
                ))
            }
        }
    }

    /// All requests that the forge has seen.
    pub(crate) fn journal(&self) -> Result<Vec<Request>, Failure> {
        let unreadable = |error: serde_json::Error| {
            Failure::new(
                format!("the forge's journal is unreadable: {error}"),
                "see crates/forge/src/journal.rs",
            )
        };
        let text = http::get(&self.offer.base_url, "/_forge/journal")?;
        match serde_json::from_str(&text).map_err(unreadable)? {
            Journal::Plain(entries) | Journal::Wrapped { entries } => Ok(entries),
        }
    }
}

impl Drop for Forge {
    fn drop(&mut self) {
        drop(self.input.take());
        end(&mut self.child);
    }
}

fn understand(line: &str) -> Result<Offer, String> {
    if line.trim().is_empty() {
        return Err("it ended without a word".to_owned());
    }
    // The line holds the token: an error may not repeat it.
    serde_json::from_str(line).map_err(|error| format!("its first line is not what was agreed ({error})"))
}

/// The input is closed already; a forge that stays is ended by its process id.
fn end(child: &mut Child) {
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        if !matches!(child.try_wait(), Ok(None)) {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    // Gone in between is as good.
    let _killed = child.kill();
    let _waited = child.wait();
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Journal {
    Plain(Vec<Request>),
    Wrapped { entries: Vec<Request> },
}

/// One line of the forge's journal.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Request {
    kind: String,
    method: String,
    route: Option<String>,
    status: u16,
    operation: Option<String>,
    service: Option<String>,
}

impl Request {
    /// A request of a person's own tools, not of Lockstep.
    pub(crate) fn is_ours(&self) -> bool {
        matches!(self.kind.as_str(), "control" | "site")
    }

    pub(crate) fn is_push(&self) -> bool {
        self.kind == "git"
            && self.method == "POST"
            && self.service.as_deref() == Some("git-receive-pack")
            && self.status == 200
    }

    /// The name under which a table counts it.
    pub(crate) fn label(&self) -> String {
        let what = match self.kind.as_str() {
            "git" => self.service.as_deref(),
            "graphql" => self.operation.as_deref(),
            _ => self.route.as_deref(),
        };
        format!("{:<8}{:<6}{}", self.kind, self.method, what.unwrap_or("?"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unreadable_offer_does_not_repeat_the_token() {
        let why = understand(r#"{"token":"ghs_secret","base_url":"http://127.0.0.1:1"}"#).err().unwrap();
        assert!(!why.contains("ghs_secret"), "{why}");
        assert!(why.contains("source"), "{why}");
    }

    #[test]
    fn a_push_is_the_request_that_carries_it() {
        let request = |method: &str| Request {
            kind: "git".into(),
            method: method.into(),
            route: None,
            status: 200,
            operation: None,
            service: Some("git-receive-pack".into()),
        };
        assert!(request("POST").is_push());
        assert!(!request("GET").is_push());
        assert_eq!(request("POST").label(), "git     POST  git-receive-pack");
    }
}
