//! The press across processes: killed in the middle, pressed twice at once, and no token anywhere.

use std::path::Path;
use std::process::Stdio;

use crate::desk::{Database, Desk, DeskOptions, PROJECT, json, told, wait_for_pulls};
use lockstep_testkit::Program;
use serde_json::Value;

/// Slow enough that a press of 30 takes seconds.
const HALF_WAY: DeskOptions = DeskOptions { recipients: 30, pace_ms: 100, database: Database::Sqlite };

#[test]
fn one_press_opens_thirty_pull_requests_and_the_second_sends_nothing() {
    let desk = Desk::ready(DeskOptions::default());
    let first = desk.succeeds(&["sync", PROJECT]);
    assert_eq!(first["run"]["counts"]["opened"], 30, "{}", first["run"]);
    desk.assert_one_pull_each();
    assert_eq!((desk.spending().opened, desk.spending().comments), (30, 0));
    desk.forge.journal().clear();
    let second = desk.succeeds(&["sync", PROJECT]);
    assert_eq!(second["run"]["counts"]["unchanged"], 30, "{}", second["run"]);
    let spent = desk.spending();
    assert_eq!((spent.pushes, spent.opened, spent.comments, spent.fetches), (0, 0, 0, 0), "{spent:?}");
    assert!(spent.rest == 0 && spent.graphql <= 5, "{spent:?}");
    desk.assert_one_pull_each();
    desk.assert_nothing_unexpected();
}

#[test]
fn a_press_killed_in_the_middle_of_the_pass_is_repaired_by_the_next_one_at_once() {
    let desk = Desk::ready(HALF_WAY);
    let mut killed = Program::start(&mut desk.lockstep(&["sync", PROJECT]));
    wait_for_pulls(&desk, 7);
    killed.kill();
    let opened = desk.pull_counts().iter().sum::<usize>();
    assert!((7..30).contains(&opened), "it was killed in the middle: {opened}");
    // No waiting for the window: on one machine a dead process proves itself.
    let next = desk.succeeds(&["sync", PROJECT]);
    assert_eq!(next["run"]["status"], "succeeded", "{}", next["run"]);
    desk.assert_one_pull_each();
    assert_eq!(desk.spending().comments, 0, "nothing was announced twice");
    let runs = desk.succeeds(&["runs", PROJECT]);
    let statuses: Vec<&str> =
        runs.as_array().expect("a list").iter().filter_map(|run| run["status"].as_str()).collect();
    assert_eq!(statuses[..2], ["succeeded", "interrupted"], "{runs}");
    desk.assert_nothing_unexpected();
}

fn two_presses_at_the_same_moment(database: Database) {
    let desk = Desk::ready(DeskOptions { database, ..HALF_WAY });
    let start = || Program::start(&mut desk.lockstep(&["sync", PROJECT]));
    let both = [start(), start()].map(Program::output);
    let mut codes: Vec<Option<i32>> = both.iter().map(|output| output.status.code()).collect();
    codes.sort_unstable();
    assert_eq!(codes, [Some(0), Some(3)], "{}\n{}", told(&both[0]), told(&both[1]));
    let refused = both.iter().find(|output| output.status.code() == Some(3)).expect("one was refused");
    let error = json(&refused.stderr);
    assert_eq!(error["code"], "sync_in_progress", "{error}");
    assert_eq!(error["holder"]["person"], "Ada", "{error}");
    assert!(error["holder"]["host"].as_str().is_some_and(|host| !host.is_empty()), "{error}");
    desk.assert_one_pull_each();
    desk.assert_nothing_unexpected();
}

#[test]
fn of_two_presses_at_the_same_moment_one_runs_and_the_other_names_the_holder_on_sqlite() {
    two_presses_at_the_same_moment(Database::Sqlite);
}

#[test]
fn of_two_presses_at_the_same_moment_one_runs_and_the_other_names_the_holder_on_postgres() {
    two_presses_at_the_same_moment(Database::Postgres);
}

#[test]
fn a_cancel_from_another_process_stops_the_run_between_two_items() {
    let desk = Desk::ready(HALF_WAY);
    let pressing = Program::start(&mut desk.lockstep(&["sync", PROJECT]));
    wait_for_pulls(&desk, 3);
    desk.succeeds(&["cancel", PROJECT, "--reason", "wrong branch"]);
    let output = pressing.output();
    assert_eq!(output.status.code(), Some(7), "{}", told(&output));
    let opened = desk.pull_counts().iter().sum::<usize>();
    assert!(opened < 30, "it stopped before the end");
    let rest = desk.succeeds(&["sync", PROJECT, "--owed"]);
    assert_eq!(rest["run"]["status"], "succeeded", "{}", rest["run"]);
    desk.assert_one_pull_each();
    desk.assert_nothing_unexpected();
}

#[test]
fn the_token_is_nowhere_but_in_its_private_file() {
    let desk = Desk::ready(DeskOptions { recipients: 6, ..HALF_WAY });
    let token = desk.course.token.clone();
    let mut pressing = Program::start(desk.lockstep(&["sync", PROJECT]).env("LOCKSTEP_LOG", "trace"));
    let mut seen = 0;
    while desk.pull_counts().iter().sum::<usize>() < 6 {
        seen += assert_no_process_shows(&token);
        assert!(
            pressing.is_running() || desk.pull_counts().iter().sum::<usize>() == 6,
            "the press ended early"
        );
    }
    assert!(seen > 0, "processes were looked at");
    let output = pressing.output();
    assert!(output.status.success(), "{}", told(&output));
    assert!(!told(&output).contains(&token), "the token was printed");
    for arguments in [&["leases"][..], &["runs"], &["project", "show", PROJECT], &["source", "list"]] {
        assert!(!told(&desk.run(arguments)).contains(&token), "{arguments:?}");
    }
    let secret_place = desk.data().join("credentials");
    for file in files_below(&desk.data()) {
        let bytes = std::fs::read(&file).unwrap_or_default();
        let found = bytes.windows(token.len()).any(|window| window == token.as_bytes());
        assert_eq!(found, file.starts_with(&secret_place), "{}", file.display());
    }
}

/// Looks at the arguments of every process of this machine, and at their environment where that may be read.
fn assert_no_process_shows(token: &str) -> usize {
    let mut seen = 0;
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        for what in ["cmdline", "environ"] {
            let Ok(bytes) = std::fs::read(entry.path().join(what)) else { continue };
            seen += 1;
            let shown = bytes.windows(token.len()).any(|window| window == token.as_bytes());
            assert!(!shown, "{what} of {} shows the token", entry.path().display());
        }
    }
    seen
}

fn files_below(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => found.extend(files_below(&path)),
            Ok(kind) if kind.is_file() => found.push(path),
            _ => {}
        }
    }
    found
}

fn refused(desk: &Desk, arguments: &[&str], exit: i32, code: &str) -> Value {
    let output = desk.run(arguments);
    assert_eq!(output.status.code(), Some(exit), "{arguments:?}: {}", told(&output));
    let error = json(&output.stderr);
    assert_eq!(error["code"], code, "{error}");
    let says = |key: &str| error[key].as_str().is_some_and(|text| !text.is_empty());
    assert!(says("message") && says("hint"), "{error}");
    error
}

#[test]
fn a_wrong_token_and_an_address_that_does_not_answer_leave_nothing_behind() {
    let desk = Desk::new(DeskOptions { recipients: 1, ..DeskOptions::default() });
    let wrong = desk.connect_with(&desk.course.api_root, "ghp_00000000000000000000000000000000dead");
    assert_eq!(wrong.status.code(), Some(6), "{}", told(&wrong));
    assert_eq!(json(&wrong.stderr)["code"], "bad_credentials");
    // Port 9 of loopback: nobody listens.
    let nobody = desk.connect_with("http://127.0.0.1:9", &desk.course.token);
    assert_eq!(nobody.status.code(), Some(6), "{}", told(&nobody));
    assert_eq!(json(&nobody.stderr)["code"], "forge_unreachable");
    assert!(files_below(&desk.data().join("credentials")).is_empty(), "no secret stays behind");
    refused(&desk, &["source", "add", &desk.course.source], 2, "bad_input");
}

#[test]
fn a_roster_with_a_bad_line_names_it_and_imports_nothing() {
    let desk = Desk::ready(DeskOptions { recipients: 3, ..DeskOptions::default() });
    let before = desk.succeeds(&["recipients", "list", "--project", PROJECT]);
    let roster = desk.data().join("roster.csv");
    let text = format!("repository,label\n{},First\nnot a repository,Second\n", desk.course.recipients[0]);
    std::fs::write(&roster, text).expect("the roster can be written");
    let file = roster.to_string_lossy().into_owned();
    let error =
        refused(&desk, &["recipients", "import", "--project", PROJECT, "--csv", &file], 2, "bad_roster");
    assert!(error["message"].as_str().is_some_and(|text| text.contains('3')), "names line 3: {error}");
    assert_eq!(desk.succeeds(&["recipients", "list", "--project", PROJECT]), before);
}

#[test]
fn without_git_the_error_says_what_to_install() {
    let desk = Desk::ready(DeskOptions { recipients: 1, ..DeskOptions::default() });
    let output = desk
        .lockstep(&["sync", PROJECT])
        .env("PATH", desk.data())
        .stdin(Stdio::null())
        .output()
        .expect("the headless command starts");
    assert_eq!(output.status.code(), Some(2), "{}", told(&output));
    let run = &json(&output.stdout)["run"];
    assert_eq!((&run["status"], &run["error"]), (&"failed".into(), &"git_missing".into()), "{run}");
    assert!(run["errorText"].as_str().is_some_and(|text| text.contains("git")), "{run}");
    assert_eq!(desk.pull_counts(), [0]);
}

#[test]
fn a_data_folder_that_is_a_file_is_refused_and_left_alone() {
    let desk = Desk::new(DeskOptions { recipients: 1, ..DeskOptions::default() });
    let file = desk.data().join("not-a-folder");
    std::fs::write(&file, "mine").expect("a file");
    let error = refused(&desk, &["--data", &file.to_string_lossy(), "init"], 2, "data_folder_unusable");
    assert!(!error.to_string().contains("panicked"));
    assert_eq!(std::fs::read_to_string(&file).expect("still there"), "mine");
}
