//! What is logged: one line per request with what a person on duty needs, and no credential at any level.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod stub;

use std::io::Write;
use std::sync::{Arc, Mutex};

use lockstep_domain::ports::Forge;
use serde_json::json;
use stub::{Stub, at, forge, guard, json};
use tracing_subscriber::fmt::MakeWriter;

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Self;
    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

#[tokio::test]
async fn each_request_has_one_line_and_no_line_has_the_credential() {
    let lines = Lines::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::TRACE)
        .with_ansi(false)
        .with_writer(lines.clone())
        .finish();
    tracing::subscriber::set_global_default(subscriber).unwrap();
    let stub = Stub::start(vec![json(201, &json!({ "body": "x" }))]).await;
    forge(&stub).comment(&guard(), &at(), 3, "x").await.unwrap();
    let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    assert!(!text.contains("ghp_secret"));
    let ours: Vec<&str> = text.lines().filter(|line| line.contains("lockstep_github")).collect();
    assert_eq!(ours.len(), 1, "{ours:#?}");
    for part in [
        "github.comments.create{repo.id=7 pull.number=3}",
        "method=\"POST\"",
        "route=\"/repositories/{id}/issues/{issue_number}/comments\"",
        "status=201",
        "duration_ms=",
        "request_id=\"A:1\"",
    ] {
        assert!(ours[0].contains(part), "{part} in {}", ours[0]);
    }
}
