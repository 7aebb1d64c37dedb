//! A desk for chaos: one practice course, one database, and presses in processes of their own.

mod look;
mod pressing;

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use lockstep_domain::ids::ProjectId;
use lockstep_forge::ForgeOptions;
use lockstep_forge::demo::{self, DemoCourse, DemoOptions};
use lockstep_pgtest::Postgres;
use lockstep_store::{Host, OpenOptions, Place, Store};
use lockstep_testkit::{Database, Practice, SeededIds, TestProcesses, wall_clock};
use tempfile::TempDir;

use crate::control::Control;
use crate::event::{Event, What, now_ns, wall_ms};
pub use pressing::{Ended, Pressing};

/// The project's name.
pub const PROJECT: &str = "Lab 4";

/// What a desk differs in.
#[derive(Debug, Clone)]
pub struct RigOptions {
    /// Database.
    pub database: Database,
    /// Lease window in milliseconds.
    pub window_ms: i64,
    /// Recipients of the course.
    pub recipients: u32,
    /// The program `lockstep-chaos`.
    pub program: PathBuf,
    /// URL of a PostgreSQL server to use instead of one of its own.
    pub postgres: Option<String>,
    /// The search path, so that git is found.
    pub path: OsString,
}

/// See the module.
#[derive(Debug)]
pub struct Rig {
    /// The practice forge, in this process.
    pub forge: Practice,
    /// Its course.
    pub course: DemoCourse,
    /// What it was built with.
    pub options: RigOptions,
    events: Mutex<Vec<Event>>,
    processes: AtomicU32,
    runtime: tokio::runtime::Runtime,
    store: Option<(Arc<dyn Store>, ProjectId)>,
    database: Option<String>,
    _server: Option<Postgres>,
    folder: TempDir,
}

impl Rig {
    /// A desk whose project is adopted, published and has its recipients; the journal begins afterwards.
    ///
    /// # Panics
    /// Some part of it cannot be set up; the message says which.
    #[must_use]
    pub fn ready(options: RigOptions) -> Self {
        let mut rig = Self::bare(options);
        rig.set_up();
        rig.open_store();
        rig.forge.journal().clear();
        rig
    }

    /// A desk with a course and an empty database.
    ///
    /// # Panics
    /// As [`Self::ready`].
    #[must_use]
    pub fn bare(options: RigOptions) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let forge = Practice::start(ForgeOptions::checked());
        let demo = DemoOptions { recipients: options.recipients, ..DemoOptions::default() };
        let course = demo::build(forge.handle(), &demo).expect("the practice course");
        let server = (options.database == Database::Postgres)
            .then(|| Postgres::shared(options.postgres.as_deref()).expect("a PostgreSQL server"));
        let database = server.as_ref().map(|server| fresh_database(server, folder.path()));
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let rig = Self {
            forge,
            course,
            options,
            events: Mutex::default(),
            processes: AtomicU32::new(0),
            runtime: runtime.expect("a runtime for the desk"),
            store: None,
            database,
            _server: server,
            folder,
        };
        for folder in [rig.data(), rig.at("home"), rig.at("logs")] {
            std::fs::create_dir_all(folder).expect("a folder");
        }
        let settings =
            "person = \"Ada\"\nsecrets = \"file\"\n\n[pacing]\nmin_interval_ms = 0\nper_hour = 100000\n";
        std::fs::write(rig.data().join("settings.toml"), settings).expect("the settings can be written");
        rig
    }

    fn set_up(&self) {
        let address = self.course.api_root.clone();
        let mut connect = self.start(
            Control::default(),
            &["connect", "--name", "Practice", "--base-url", &address, "--token-stdin"],
        );
        connect.say(&self.course.token);
        connect.hush();
        connect.ended().assert_success();
        let (source, adopt) = (self.course.source.clone(), self.course.distribution.clone());
        self.succeeds(&["source", "add", &source]);
        let project = [
            &["project", "add", "--name", PROJECT, "--source", &source, "--branch", "main"][..],
            &["--strategy", "squash", "--adopt", &adopt],
        ];
        self.succeeds(&project.concat());
        let pattern = format!("{}/{}", self.course.org, self.course.pattern);
        self.succeeds(&["recipients", "import", "--project", PROJECT, "--pattern", &pattern]);
    }

    fn open_store(&mut self) {
        let host = Host {
            clock: Arc::new(wall_clock()),
            ids: Arc::new(SeededIds::new(1)),
            processes: Arc::new(TestProcesses),
            app_version: "test".to_owned(),
        };
        let options = OpenOptions { migrate: false, ..OpenOptions::default() };
        let (store, project) = self.runtime.block_on(async {
            let store = lockstep_store::open(&self.place(), host, options).await.expect("the database");
            let projects = store.projects().await.expect("the projects");
            (store, projects.first().expect("the project").id)
        });
        self.store = Some((store, project));
    }

    /// Where the database is.
    #[must_use]
    pub fn place(&self) -> Place {
        match &self.database {
            Some(url) => Place::Postgres(url.clone()),
            None => Place::Sqlite(self.data().join("lockstep.db")),
        }
    }

    /// The data folder.
    #[must_use]
    pub fn data(&self) -> PathBuf {
        self.at("data")
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.options.program);
        command
            .env_clear()
            .env("PATH", &self.options.path)
            .env("HOME", self.at("home"))
            .env("LOCKSTEP_DATA_DIR", self.data())
            .env("LOCKSTEP_TEST_WINDOW_MS", self.options.window_ms.to_string());
        if let Some(url) = &self.database {
            command.env("LOCKSTEP_DATABASE_URL", url);
        }
        command
    }

    /// Starts a process under these orders; its log is part of the history from now on.
    ///
    /// # Panics
    /// It does not start.
    #[must_use]
    pub fn start(&self, mut control: Control, arguments: &[&str]) -> Pressing<'_> {
        let number = self.processes.fetch_add(1, Ordering::SeqCst);
        let file = |end: &str| self.at("logs").join(format!("{number:05}.{end}"));
        control.log = file("log");
        let orders = serde_json::to_vec(&control).expect("orders are JSON");
        std::fs::write(file("orders"), orders).expect("the orders can be written");
        let open = |end| File::create(file(end)).expect("an output file");
        let child = self
            .command()
            .arg(file("orders"))
            .arg("--json")
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(open("out"))
            .stderr(open("err"))
            .spawn()
            .expect("the chaos program starts");
        Pressing::new(self, child, control.log, file("out"), file("err"))
    }

    /// Runs a process to its success.
    ///
    /// # Panics
    /// It fails.
    pub fn succeeds(&self, arguments: &[&str]) -> serde_json::Value {
        let ended = self.start(Control::default(), arguments).ended();
        ended.assert_success();
        ended.json()
    }

    /// Presses Sync and waits for the end.
    ///
    /// # Panics
    /// It does not start.
    #[must_use]
    pub fn press(&self) -> Ended {
        self.start(Control::default(), &["sync", PROJECT]).ended()
    }

    /// The source moves on by one commit.
    ///
    /// # Panics
    /// The forge refuses.
    pub fn advance(&self) {
        demo::advance(self.forge.control(), 1).expect("the course has a source");
    }

    pub(crate) fn note(&self, pid: u32, what: What) {
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        let seq = u64::MAX / 2 + events.len() as u64;
        events.push(Event { pid, seq, at_ns: now_ns(), wall_ms: wall_ms(), what });
    }

    pub(crate) fn own_events(&self) -> Vec<Event> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Runs one statement against a PostgreSQL desk.
    ///
    /// # Panics
    /// It fails, or the desk is on SQLite.
    pub fn psql(&self, statement: &str) {
        let url = self.database.as_deref().expect("a desk on PostgreSQL");
        psql(url, statement);
    }
}

/// Creates a database named after the desk's folder.
fn fresh_database(server: &Postgres, folder: &Path) -> String {
    let tail = folder.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = format!("chaos_{tail}").chars().map(plain).collect();
    psql(&server.url("postgres"), &format!("CREATE DATABASE {name}"));
    server.url(&name)
}

fn psql(url: &str, statement: &str) {
    let output = Command::new("psql")
        .args([OsStr::new("--no-psqlrc"), OsStr::new("--quiet"), OsStr::new("--dbname"), OsStr::new(url)])
        .args(["--set", "ON_ERROR_STOP=1", "--command", statement])
        .stdin(Stdio::null())
        .output()
        .expect("psql comes with PostgreSQL");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{statement}: {said}");
    // Nothing of a failure goes unseen, and nothing is printed.
    drop(std::io::sink().write(&output.stdout));
}
