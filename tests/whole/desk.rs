//! A desk: one data folder, one practice forge, and the headless command as people run it, in processes of its own.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use lockstep_forge::demo::{self, DemoCourse, DemoOptions};
use lockstep_forge::{Entry, ForgeOptions};
use lockstep_pgtest::Postgres;
use lockstep_testkit::{Practice, Spending, sibling_program};
use serde_json::Value;
use tempfile::TempDir;

/// The project's name in every test.
pub(crate) const PROJECT: &str = "Lab 4";

/// Database of a desk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Database {
    /// The embedded file.
    Sqlite,
    /// A database of its own on a private server.
    Postgres,
}

/// What a desk differs in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DeskOptions {
    /// Recipients of the course.
    pub(crate) recipients: u32,
    /// Start to start of two content writes: long enough that a press can be met half way.
    pub(crate) pace_ms: u32,
    /// Database.
    pub(crate) database: Database,
}

impl Default for DeskOptions {
    fn default() -> Self {
        Self { recipients: 30, pace_ms: 0, database: Database::Sqlite }
    }
}

/// See the module.
pub(crate) struct Desk {
    /// The practice forge, in this process.
    pub(crate) forge: Practice,
    /// Its course.
    pub(crate) course: DemoCourse,
    database: Option<String>,
    _server: Option<Postgres>,
    folder: TempDir,
}

impl Desk {
    /// A desk with a course, nothing connected yet.
    pub(crate) fn new(options: DeskOptions) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let forge = Practice::start(ForgeOptions::checked());
        let demo = DemoOptions { recipients: options.recipients, ..DemoOptions::default() };
        let course = demo::build(forge.handle(), &demo).expect("the practice course");
        let server = (options.database == Database::Postgres).then(postgres);
        let database = server.as_ref().map(|server| fresh_database(server, folder.path()));
        let desk = Self { forge, course, database, _server: server, folder };
        for folder in [desk.data(), desk.home()] {
            std::fs::create_dir_all(folder).expect("a folder");
        }
        let pacing = format!(
            "person = \"Ada\"\nsecrets = \"file\"\n\n[pacing]\nmin_interval_ms = {}\nper_hour = 100000\n",
            options.pace_ms
        );
        std::fs::write(desk.data().join("settings.toml"), pacing).expect("the settings can be written");
        desk
    }

    /// A desk whose project is adopted and has its recipients.
    pub(crate) fn ready(options: DeskOptions) -> Self {
        let desk = Self::new(options);
        desk.connect();
        let source = desk.course.source.clone();
        desk.succeeds(&["source", "add", &source]);
        let adopt = desk.course.distribution.clone();
        desk.succeeds(&[
            "project",
            "add",
            "--name",
            PROJECT,
            "--source",
            &source,
            "--branch",
            "main",
            "--strategy",
            "squash",
            "--adopt",
            &adopt,
        ]);
        let pattern = format!("{}/{}", desk.course.org, desk.course.pattern);
        desk.succeeds(&["recipients", "import", "--project", PROJECT, "--pattern", &pattern]);
        desk.forge.journal().clear();
        desk
    }

    /// Connects to the forge with the course's token, over standard input.
    pub(crate) fn connect(&self) {
        let output = self.connect_with(&self.course.api_root, &self.course.token);
        assert!(output.status.success(), "{}", told(&output));
    }

    /// The same with any address and token.
    pub(crate) fn connect_with(&self, base_url: &str, token: &str) -> Output {
        let mut child = self
            .lockstep(&["connect", "--name", "Practice", "--base-url", base_url, "--token-stdin"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the headless command starts");
        let mut input = child.stdin.take().expect("a pipe");
        // A command that refuses before it reads has closed the pipe; its own message says why.
        let _closed = writeln!(input, "{token}");
        drop(input);
        child.wait_with_output().expect("it ends")
    }

    /// The data folder.
    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// The environment of a person with an empty home, for any program of ours.
    pub(crate) fn clean(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", path())
            .env("HOME", self.home())
            .env("LOCKSTEP_DATA_DIR", self.data());
        if let Some(url) = &self.database {
            command.env("LOCKSTEP_DATABASE_URL", url);
        }
        command
    }

    /// The headless command with `--json`.
    pub(crate) fn lockstep(&self, arguments: &[&str]) -> Command {
        let mut command = self.clean(&sibling_program("lockstep"));
        command.arg("--json").args(arguments);
        command
    }

    /// Runs it to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.lockstep(arguments).stdin(Stdio::null()).output().expect("the headless command starts")
    }

    /// Runs it to its success and gives its JSON.
    pub(crate) fn succeeds(&self, arguments: &[&str]) -> Value {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", told(&output));
        json(&output.stdout)
    }

    /// What the forge saw since the journal was cleared.
    pub(crate) fn spending(&self) -> Spending {
        Spending::of(&self.forge.journal())
    }

    /// Pull requests of each recipient.
    pub(crate) fn pull_counts(&self) -> Vec<usize> {
        let control = self.forge.control();
        let count = |name: &String| control.pull_requests(name).expect("the repository exists").len();
        self.course.recipients.iter().map(count).collect()
    }

    /// Every recipient has exactly one pull request, from `sync/main` at the distribution's head.
    pub(crate) fn assert_one_pull_each(&self) {
        assert_eq!(self.pull_counts(), vec![1; self.course.recipients.len()]);
        let control = self.forge.control();
        let head = control.branch(&self.course.distribution, "main").expect("the distribution exists");
        for name in &self.course.recipients {
            assert_eq!(control.branch(name, "sync/main").expect("the repository exists"), head, "{name}");
        }
    }

    /// No unknown request, no answer that differs from GitHub's description.
    pub(crate) fn assert_nothing_unexpected(&self) {
        let unexpected = self.forge.journal().unexpected();
        assert!(unexpected.is_empty(), "{unexpected:?}");
        let differing = self.forge.handle().self_check_failures();
        assert!(differing.is_empty(), "{differing:?}");
    }
}

/// Whether a request opened a pull request.
pub(crate) fn opened_a_pull(entry: &Entry) -> bool {
    entry.method == "POST"
        && entry.status == 201
        && entry.route.as_deref().is_some_and(|route| route.ends_with("/pulls"))
}

/// Waits until the journal holds `count` opened pull requests.
pub(crate) fn wait_for_pulls(desk: &Desk, count: usize) {
    let journal = desk.forge.journal();
    let started = std::time::Instant::now();
    while journal.count(opened_a_pull) < count {
        assert!(started.elapsed().as_secs() < 60, "{count} pull requests were not opened within a minute");
        // The journal is written by the forge's own threads and has no bell to wait for.
        std::thread::yield_now();
        std::thread::park_timeout(std::time::Duration::from_millis(5));
    }
}

/// The JSON document of an output.
pub(crate) fn json(bytes: &[u8]) -> Value {
    let text = String::from_utf8_lossy(bytes);
    serde_json::from_str(text.trim()).unwrap_or_else(|error| panic!("no JSON ({error}): {text}"))
}

/// Everything a process said, for messages of tests.
pub(crate) fn told(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!("{:?}\n{}\n{}", output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// The server of the whole test run when there is one, else a private one.
#[expect(clippy::disallowed_methods, reason = "the runner names its server in the environment")]
fn postgres() -> Postgres {
    let shared = std::env::var("LOCKSTEP_TEST_POSTGRES").ok();
    Postgres::shared(shared.as_deref()).expect("a private PostgreSQL")
}

/// The search path of the test, so that git is found.
#[expect(clippy::disallowed_methods, reason = "tests take git from where they run")]
fn path() -> impl AsRef<OsStr> {
    std::env::var_os("PATH").unwrap_or_default()
}

/// Creates a database named after the desk's folder.
fn fresh_database(server: &Postgres, folder: &Path) -> String {
    let tail = folder.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let name: String =
        format!("desk_{tail}").chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let output = Command::new("psql")
        .args(["--no-psqlrc", "--quiet", "--dbname", &server.url("postgres"), "--command"])
        .arg(format!("CREATE DATABASE {name}"))
        .output()
        .expect("psql comes with PostgreSQL");
    assert!(output.status.success(), "{}", told(&output));
    server.url(&name)
}
