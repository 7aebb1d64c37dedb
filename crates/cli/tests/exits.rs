//! What a script may rely on: exit codes, one JSON document, errors as JSON, a clean end on Ctrl-C.

#![expect(clippy::unwrap_used, reason = "a test stops where it breaks")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Output, Stdio};

use lockstep_config::variables;
use lockstep_forge::ForgeOptions;
use lockstep_forge::demo::{self, DemoCourse, DemoOptions};
use lockstep_testkit::{Practice, Program};
use serde_json::Value;
use tempfile::TempDir;

const PROJECT: &str = "Lab 4";

/// A data folder and a home of its own.
struct Desk {
    folder: TempDir,
}

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("data")).unwrap();
        let settings = "secrets = \"file\"\n\n[pacing]\nmin_interval_ms = 80\nper_hour = 100000\n";
        std::fs::write(folder.path().join("data").join("settings.toml"), settings).unwrap();
        Self { folder }
    }

    fn lockstep(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
        command
            .env_clear()
            .env("PATH", variables::of_process("PATH").unwrap_or_default())
            .env("HOME", self.folder.path())
            .env("USER", "ada")
            .env("LOCKSTEP_DATA_DIR", self.folder.path().join("data"))
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.lockstep(arguments).output().unwrap()
    }

    /// Exit code, standard output, standard error.
    fn told(&self, arguments: &[&str]) -> (i32, String, String) {
        let output = self.run(arguments);
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    /// Runs with `--json` to its success.
    fn json(&self, arguments: &[&str]) -> Value {
        let (code, out, err) = self.told(&[&["--json"], arguments].concat());
        assert_eq!((code, err.as_str()), (0, ""), "{arguments:?}: {out}");
        serde_json::from_str(&out).unwrap()
    }

    /// Runs with `--json` to its refusal.
    fn refused(&self, arguments: &[&str], exit: i32) -> Value {
        let (code, out, err) = self.told(&[&["--json"], arguments].concat());
        assert_eq!((code, out.as_str()), (exit, ""), "{arguments:?}: {err}");
        serde_json::from_str(&err).unwrap()
    }

    fn feed(&self, arguments: &[&str], input: &str) -> Output {
        let mut child: Child = self.lockstep(arguments).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let _refused_before_reading = stdin.write_all(input.as_bytes());
        drop(stdin);
        child.wait_with_output().unwrap()
    }

    fn course(&self, recipients: u32) -> (Practice, DemoCourse) {
        let forge = Practice::start(ForgeOptions::checked());
        let options = DemoOptions { recipients, ..DemoOptions::default() };
        let course = demo::build(forge.handle(), &options).unwrap();
        let connect = ["--json", "connect", "--base-url", &course.api_root, "--token-stdin"];
        assert!(self.feed(&connect, &format!("{}\n", course.token)).status.success());
        (forge, course)
    }

    fn project(&self, course: &DemoCourse) {
        self.json(&["source", "add", &course.source]);
        let add = ["project", "add", "--name", PROJECT, "--source", &course.source, "--branch", "main"];
        let made =
            self.json(&[&add[..], &["--strategy", "squash", "--adopt", &course.distribution]].concat());
        assert!(made["project"].is_string() && made["run"].is_string(), "{made}");
        let imported =
            self.json(&["recipients", "import", "--project", PROJECT, "--pattern", &course.pattern]);
        assert_eq!(imported["added"], course.recipients.len());
    }
}

#[test]
fn a_token_comes_through_a_pipe_with_or_without_a_line_end_and_is_never_shown() {
    for end in ["", "\n", "\r\n"] {
        let desk = Desk::new();
        let forge = Practice::start(ForgeOptions::checked());
        let course = demo::build(forge.handle(), &DemoOptions { recipients: 1, ..DemoOptions::default() });
        let course = course.unwrap();
        let connect = ["connect", "--base-url", &course.api_root, "--token-stdin"];
        let output = desk.feed(&connect, &format!("{}{end}", course.token));
        let shown = format!("{output:?}");
        assert!(output.status.success() && !shown.contains(&course.token), "{shown}");
        assert!(!shown.contains("Paste the token"), "nobody is asked: {shown}");
    }
}

#[test]
fn usage_and_bad_input_are_2_and_say_what_to_do() {
    let desk = Desk::new();
    assert_eq!(desk.told(&["sync"]).0, 2);
    assert_eq!(desk.told(&["no-such-command"]).0, 2);
    assert_eq!(desk.told(&["connect", "--token", "ghp_x"]).0, 2, "no option takes a token");
    let (code, out, err) = desk.told(&["connect"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.starts_with("error: ") && err.contains("\nhint: ") && err.contains("--token-stdin"), "{err}");
    let error = desk.refused(&["source", "add", "a/b"], 2);
    assert_eq!(error["code"], "bad_input");
    assert!(error["hint"].as_str().unwrap().contains("lockstep connect"), "{error}");
}

#[test]
fn a_typo_in_the_settings_is_2_and_names_the_line() {
    let desk = Desk::new();
    std::fs::write(desk.folder.path().join("data").join("settings.toml"), "\npersom = \"Ada\"\n").unwrap();
    let error = desk.refused(&["init"], 2);
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("line 2") && message.contains("persom"), "{error}");
}

#[test]
fn an_unknown_project_is_4_and_its_code_is_printed() {
    let desk = Desk::new();
    let (code, out, err) = desk.told(&["sync", "Nope"]);
    assert_eq!((code, out.as_str()), (4, ""));
    assert!(err.contains("Nope") && err.contains("code: project_missing"), "{err}");
    assert_eq!(desk.refused(&["sync", "Nope"], 4)["code"], "project_missing");
}

#[test]
fn a_file_that_is_no_database_is_5_and_stays_as_it_is() {
    let desk = Desk::new();
    let file = desk.folder.path().join("data").join("lockstep.db");
    std::fs::write(&file, "this is no database, and longer than its header would be").unwrap();
    let before = std::fs::read(&file).unwrap();
    let error = desk.refused(&["init"], 5);
    assert_eq!(error["code"], "database_unusable");
    assert_eq!(std::fs::read(&file).unwrap(), before);
}

#[test]
fn empty_lists_are_empty_documents_and_sentences() {
    let desk = Desk::new();
    for list in [&["source", "list"][..], &["project", "list"], &["leases"], &["runs"]] {
        assert_eq!(desk.json(list), Value::Array(vec![]), "{list:?}");
        let (code, out, err) = desk.told(list);
        assert_eq!((code, err.as_str()), (0, ""), "{list:?}");
        assert!(out.trim_end().ends_with('.'), "{out}");
    }
    assert!(desk.json(&["init"])["info"]["database"]["engine"].is_string());
}

#[test]
fn a_whole_course_tells_its_shapes_and_nothing_to_take_back_is_4() {
    let desk = Desk::new();
    let (_forge, course) = desk.course(3);
    desk.project(&course);
    let synced = desk.json(&["sync", PROJECT]);
    assert_eq!(
        (&synced["run"]["status"], &synced["run"]["counts"]["opened"]),
        (&"succeeded".into(), &3.into())
    );
    assert_eq!(synced["recipients"].as_array().unwrap().len(), 3);
    let (code, out, err) = desk.told(&["sync", PROJECT, "--owed"]);
    assert_eq!((code, err.as_str()), (0, ""), "a pipe is quiet: {out}");
    let shown = desk.json(&["project", "show", "lab 4"]);
    assert_eq!(shown["project"]["row"]["owed"], 0);
    assert_eq!(desk.json(&["leases", "--project", PROJECT])[0]["state"], "free");
    assert_eq!(desk.json(&["runs", PROJECT]).as_array().unwrap().len(), 3);
    for command in ["reclaim", "cancel"] {
        let error = desk.refused(&[command, PROJECT], 4);
        assert_eq!(error["code"], "already_finished");
        assert!(error["message"].as_str().unwrap().contains(PROJECT), "{error}");
    }
    let locked = desk.json(&["recipients", "lock", "--project", PROJECT, &course.recipients[0]]);
    assert_eq!(locked["locked"], true);
    assert_eq!(
        desk.refused(&["recipients", "unlock", "--project", PROJECT, "no/body"], 2)["code"],
        "not_found"
    );
    let roster = format!("repository,label\n{},Ada\n", course.recipients[1]);
    let import = ["--json", "recipients", "import", "--project", PROJECT, "--csv", "-"];
    assert!(desk.feed(&import, &roster).status.success());
    assert_eq!(desk.feed(&import, "repository\n").status.code(), Some(2), "an empty roster");
}

#[cfg(unix)]
#[test]
fn ctrl_c_finishes_what_runs_gives_the_lease_back_and_resume_does_the_rest() {
    let desk = Desk::new();
    let (forge, course) = desk.course(15);
    desk.project(&course);
    let mut pressing = Program::start(&mut desk.lockstep(&["--json", "sync", PROJECT]));
    let pulls = || -> usize {
        course.recipients.iter().map(|name| forge.control().pull_requests(name).unwrap().len()).sum()
    };
    while pulls() < 3 {
        assert!(pressing.is_running(), "it ended early");
        std::thread::yield_now();
    }
    let sent = Command::new("kill").args(["-INT", &pressing.pid().to_string()]).status().unwrap();
    assert!(sent.success());
    let output = pressing.output();
    let run: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{run}");
    assert_eq!((&run["run"]["status"], &run["run"]["error"]), (&"interrupted".into(), &"quit".into()));
    assert!(pulls() < 15);
    assert_eq!(desk.json(&["leases"])[0]["state"], "free", "given back at once");
    let resumed = desk.json(&["sync", PROJECT, "--resume", "last"]);
    assert_eq!(resumed["run"]["status"], "succeeded");
    assert_eq!(pulls(), 15);
    assert_eq!(desk.refused(&["sync", PROJECT, "--resume", "last"], 2)["code"], "not_found");
}

/// `--json` documents, one a line, until one is as wanted.
fn until(
    lines: &mut impl Iterator<Item = std::io::Result<String>>,
    wanted: impl Fn(&Value) -> bool,
) -> Value {
    loop {
        let card: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        if wanted(&card) {
            return card;
        }
    }
}

#[cfg(unix)]
#[test]
fn a_watch_tells_every_change_in_a_line_and_ends_well_on_ctrl_c() {
    let desk = Desk::new();
    let (_forge, course) = desk.course(6);
    desk.project(&course);
    let mut watch = desk.lockstep(&["--json", "leases", "--watch", "--project", PROJECT]).spawn().unwrap();
    let mut lines = BufReader::new(watch.stdout.take().unwrap()).lines();
    let before = until(&mut lines, |_| true);
    assert_eq!((&before["state"], &before["projectName"]), (&"free".into(), &PROJECT.into()));
    desk.json(&["sync", PROJECT]);
    let live = until(&mut lines, |card| card["state"] == "live");
    assert_ne!(live["fence"], before["fence"]);
    assert_eq!(live["person"], "ada");
    until(&mut lines, |card| card["state"] == "free" && card["fence"] == live["fence"]);
    let sent = Command::new("kill").args(["-INT", &watch.id().to_string()]).status().unwrap();
    assert!(sent.success());
    assert_eq!(watch.wait().unwrap().code(), Some(0));
}

#[test]
fn a_lease_is_explained_and_its_history_read() {
    let desk = Desk::new();
    let (_forge, course) = desk.course(2);
    desk.project(&course);
    desk.json(&["sync", PROJECT]);
    let told = desk.json(&["leases", "explain", PROJECT]);
    assert_eq!(
        (&told["state"], &told["reason"], &told["takeable"]),
        (&"free".into(), &"free".into(), &true.into())
    );
    let (code, out, _) = desk.told(&["leases", "explain", PROJECT]);
    assert_eq!(
        (code, out.trim_end()),
        (0, told["sentence"].as_str().unwrap()),
        "one sentence and nothing else"
    );
    let events: Vec<_> = desk.json(&["leases", "history", PROJECT])["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["event"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(events, ["finished", "claimed", "finished", "claimed"], "the build and the sync");
    let page = desk.json(&["leases", "history", "--limit", "1"]);
    let older =
        desk.json(&["leases", "history", "--limit", "1", "--before", page["before"].as_str().unwrap()]);
    assert_eq!(
        (&page["rows"][0]["event"], &older["rows"][0]["event"]),
        (&"finished".into(), &"claimed".into())
    );
    assert_eq!(desk.refused(&["leases", "explain", "Nope"], 4)["code"], "project_missing");
    assert_eq!(desk.told(&["leases", "history", "--limit", "0"]).0, 2);
}

#[test]
fn an_unreachable_database_leaves_a_lease_unknown_and_is_5() {
    let desk = Desk::new();
    let file = desk.folder.path().join("data").join("lockstep.db");
    std::fs::write(&file, "this is no database, and longer than its header would be").unwrap();
    let (code, out, err) = desk.told(&["--json", "leases", "explain", PROJECT]);
    let told: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, err.as_str(), &told["state"]), (5, "", &"unknown".into()));
    assert_eq!((&told["reason"], &told["takeable"]), (&"unreachable".into(), &false.into()));
    let (code, out, _) = desk.told(&["leases", "explain", PROJECT]);
    assert!(code == 5 && out.contains("nothing can be taken"), "{out}");
}

#[test]
fn a_script_archives_deletes_and_retires_only_when_it_says_yes() {
    let desk = Desk::new();
    let (_forge, course) = desk.course(1);
    desk.project(&course);
    assert_eq!(desk.json(&["project", "archive", PROJECT])["state"], "archived");
    assert_eq!(desk.json(&["project", "unarchive", PROJECT])["state"], "published");
    assert_eq!(desk.refused(&["project", "delete", PROJECT], 2)["code"], "bad_input");
    assert_eq!(desk.refused(&["source", "retire", &course.source], 2)["code"], "bad_input");
    assert_eq!(desk.json(&["project", "delete", PROJECT, "--yes"])["deleted"], true);
    desk.json(&["source", "retire", &course.source, "--yes"]);
    assert_eq!(desk.json(&["source", "list"]), Value::Array(vec![]));
}
