use std::process::Stdio;

use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Command;

use crate::support::call;

#[tokio::test(flavor = "multi_thread")]
async fn the_program_says_how_to_connect_and_ends_with_its_input() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_lockstep-forge"))
        .args([
            "demo",
            "--recipients",
            "2",
            "--ahead",
            "1",
            "--token",
            "chosen",
            "--json",
            "--until-stdin-closes",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).await.unwrap();
    let course: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(course["token"], "chosen");
    assert_eq!(course["pattern"], "lab4-student-*");
    assert_eq!(course["recipients"].as_array().unwrap().len(), 2);
    let base = course["base_url"].as_str().unwrap();
    let source = call(base, "GET", "/repos/practice-school/algorithms-source", Some("chosen"), None).await;
    assert_eq!(source.status, 200);
    drop(child.stdin.take());
    assert!(child.wait().await.unwrap().success());
}
