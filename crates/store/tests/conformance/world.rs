//! A fresh database per test, with a clock, ids and processes that the test decides.

use std::future::Future;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, Weak};

use lockstep_domain::clock::{BootMillis, Millis};
use lockstep_domain::ids::{ConnectionId, ProjectId, RecipientId, RepoId, RunId, SourceId};
use lockstep_domain::lease::{Holder, LeaseGuard, LeaseView, Window};
use lockstep_domain::model::{ConnectionKind, Counts, ProjectState, RepoIdent, Selection, Spent, Strategy};
use lockstep_domain::names::{BranchName, Oid};
use lockstep_domain::outcome::{RunKind, RunStatus};
use lockstep_domain::skip::RecipientState;
use lockstep_pgtest::Postgres;
use lockstep_store::test_clock::TestClock;
use lockstep_store::{
    Actor, Claim, ClaimRequest, Ending, Host, NewConnection, NewProject, NewRecipient, OpenOptions, Place,
    Store, open,
};
use sqlx::{AssertSqlSafe, Connection as _};

use crate::fakes::{FakeClock, FakeIds, FakeProcesses};
use crate::rows::Hand;

/// The clock's first reading.
pub(crate) const T0: i64 = 1_800_000_000_000;
/// The window of most tests.
pub(crate) const W: i64 = 180_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Sqlite,
    Postgres,
}

pub(crate) struct World {
    pub(crate) kind: Kind,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) place: Place,
    pub(crate) host: Host,
    pub(crate) clock: TestClock,
    pub(crate) boot: Arc<FakeClock>,
    pub(crate) processes: Arc<FakeProcesses>,
    pub(crate) hand: Hand,
    options: OpenOptions,
    folder: Option<tempfile::TempDir>,
    server: Option<(Arc<Postgres>, String)>,
}

/// A law of this suite, as a function.
pub(crate) type Law = for<'w> fn(&'w mut World) -> Pin<Box<dyn Future<Output = ()> + 'w>>;

/// What most tests start from.
pub(crate) struct Course {
    pub(crate) connection: ConnectionId,
    pub(crate) source: SourceId,
    pub(crate) project: ProjectId,
}

pub(crate) async fn run<F>(kind: Kind, case: F)
where
    F: for<'w> FnOnce(&'w mut World) -> Pin<Box<dyn Future<Output = ()> + 'w>>,
{
    run_with(kind, options(), case).await;
}

pub(crate) async fn run_with<F>(kind: Kind, options: OpenOptions, case: F)
where
    F: for<'w> FnOnce(&'w mut World) -> Pin<Box<dyn Future<Output = ()> + 'w>>,
{
    let mut world = World::new(kind, options).await;
    case(&mut world).await;
    world.end().await;
}

pub(crate) fn options() -> OpenOptions {
    OpenOptions { min_window_ms: 1_000, test_clock: true, ..OpenOptions::default() }
}

pub(crate) fn host() -> (Host, Arc<FakeClock>, Arc<FakeProcesses>) {
    let clock = Arc::new(FakeClock::default());
    let processes = Arc::new(FakeProcesses {
        boot: Mutex::new("boot-1".into()),
        alive: Mutex::new([(100, 1), (200, 2), (300, 3)].into()),
    });
    let host = Host {
        clock: clock.clone(),
        ids: Arc::new(FakeIds::fresh()),
        processes: processes.clone(),
        app_version: "1.2.3".into(),
    };
    (host, clock, processes)
}

#[expect(clippy::disallowed_methods, reason = "the runner of the tests names the shared server here")]
fn given_server() -> Option<String> {
    std::env::var("LOCKSTEP_TEST_POSTGRES").ok()
}

/// The server of the run, or one of this process that ends with its last test.
pub(crate) fn server() -> Arc<Postgres> {
    static SERVER: Mutex<Weak<Postgres>> = Mutex::new(Weak::new());
    let mut slot = SERVER.lock().unwrap();
    slot.upgrade().unwrap_or_else(|| {
        let server = Arc::new(Postgres::shared(given_server().as_deref()).expect("a PostgreSQL server"));
        *slot = Arc::downgrade(&server);
        server
    })
}

/// Runs SQL on the server's own database.
pub(crate) async fn admin(server: &Postgres, sql: String) -> Result<(), sqlx::Error> {
    let mut conn = sqlx::PgConnection::connect(&server.url("postgres")).await?;
    let done = sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut conn).await.map(drop);
    conn.close().await?;
    done
}

/// An empty database of its own.
pub(crate) async fn empty_database(server: &Postgres) -> String {
    let name = fresh_name();
    admin(server, format!("CREATE DATABASE {name}")).await.unwrap();
    name
}

thread_local! {
    /// The database of this thread's world, for whoever cleans up after a law that broke.
    pub(crate) static OPENED: std::cell::Cell<Option<String>> = const { std::cell::Cell::new(None) };
}

fn fresh_name() -> String {
    format!("lockstep_store_{}_{}", std::process::id(), FakeIds::fresh().next() as u64)
}

/// A migrated database to copy, made by the first test that needs it and named by the schema that it holds.
async fn template(server: &Postgres) -> String {
    const SCHEMA: &str = include_str!("../../../../migrations/postgres/0001_first.sql");
    const DRIVER: &str = include_str!("../../src/postgres/driver.rs");
    let mut hash = DefaultHasher::new();
    (SCHEMA, DRIVER).hash(&mut hash);
    let name = format!("lockstep_store_template_{:016x}", hash.finish());
    let mut conn = sqlx::PgConnection::connect(&server.url("postgres")).await.unwrap();
    // One maker at a time; the lock goes with the connection.
    sqlx::raw_sql("SELECT pg_advisory_lock(7073)").execute(&mut conn).await.unwrap();
    let known = sqlx::query("SELECT 1 FROM pg_database WHERE datname = $1").bind(&name);
    if known.fetch_optional(&mut conn).await.unwrap().is_none() {
        let fresh = empty_database(server).await;
        let store = open(&Place::Postgres(server.url(&fresh)), host().0, options()).await.unwrap();
        store.close().await;
        let settle = format!("ALTER DATABASE {fresh} RENAME TO {name}");
        while admin(server, settle.clone()).await.is_err() {
            // A connection that was just closed is still on its way out of the server.
            tokio::task::yield_now().await;
        }
    }
    conn.close().await.unwrap();
    name
}

impl World {
    pub(crate) async fn new(kind: Kind, options: OpenOptions) -> Self {
        let (place, folder, server) = match kind {
            Kind::Sqlite => {
                let folder = tempfile::tempdir().unwrap();
                (Place::Sqlite(folder.path().join("lockstep.db")), Some(folder), None)
            }
            Kind::Postgres => {
                let server = server();
                let template = template(&server).await;
                let name = fresh_name();
                admin(&server, format!("CREATE DATABASE {name} TEMPLATE {template}")).await.unwrap();
                OPENED.set(Some(name.clone()));
                // A server that thinks in another time zone and another isolation level: neither may matter.
                let odd = format!(
                    "ALTER DATABASE {name} SET timezone = 'Pacific/Kiritimati'; \
                     ALTER DATABASE {name} SET default_transaction_isolation = 'serializable'"
                );
                admin(&server, odd).await.unwrap();
                (Place::Postgres(server.url(&name)), None, Some((server, name)))
            }
        };
        let (host, boot, processes) = host();
        let store = open(&place, host.clone(), options).await.unwrap();
        let clock = TestClock::connect(&place).await.unwrap();
        clock.set(Some(Millis(T0))).await.unwrap();
        let hand = Hand::connect(&place).await;
        Self { kind, store, place, host, clock, boot, processes, hand, options, folder, server }
    }

    pub(crate) async fn end(self) {
        self.store.close().await;
        drop(self.clock);
        drop(self.hand);
        if let Some((server, name)) = self.server {
            admin(&server, format!("DROP DATABASE {name} WITH (FORCE)")).await.unwrap();
            OPENED.set(None);
        }
        drop(self.folder);
    }

    /// Another process on the same database.
    pub(crate) async fn another(&self) -> Arc<dyn Store> {
        let (mut host, _, _) = host();
        host.processes = self.processes.clone();
        open(&self.place, host, self.options).await.unwrap()
    }

    /// Moves both clocks: the database's and this machine's.
    pub(crate) async fn at(&self, ms: i64) {
        self.boot.wall.store(ms - T0, Ordering::SeqCst);
        self.clock.set(Some(Millis(ms))).await.unwrap();
    }

    /// Everything that a run may write.
    pub(crate) async fn everything(&self) -> Vec<String> {
        self.dump(&[
            "projects",
            "project_branches",
            "recipients",
            "leases",
            "runs",
            "items",
            "last_outcomes",
            "pull_requests",
            "own_commits",
            "inventory",
            "publications",
            "verdicts",
            "feed",
            "audit",
        ])
        .await
    }

    pub(crate) async fn course(&self) -> Course {
        let connection = ConnectionId(self.host.ids.uuid());
        let new = NewConnection {
            id: connection,
            name: format!("forge {connection}"),
            base_url: "https://api.github.com".into(),
            kind: ConnectionKind::Token,
            app: None,
            login: "lockstep".into(),
        };
        self.store.connection_insert(&new, &actor()).await.unwrap();
        let source =
            self.store.source_insert(&repo(connection, 1, "course/source"), &actor()).await.unwrap().id;
        let project = self.project(source, "Algorithms").await;
        Course { connection, source, project }
    }

    pub(crate) async fn project(&self, source: SourceId, name: &str) -> ProjectId {
        let new = NewProject {
            name: name.into(),
            source,
            strategy: Strategy::Squash,
            state: ProjectState::Published,
            deadline: None,
            note: "Read chapter 3.".into(),
            branches: vec![(branch("main"), branch("main")), (branch("bonus"), branch("extra"))],
        };
        self.store.project_insert(&new, &actor()).await.unwrap().id
    }

    pub(crate) async fn recipients(&self, course: &Course, count: i64) -> Vec<RecipientId> {
        let new: Vec<_> = (0..count).map(|n| recipient(course.connection, n)).collect();
        self.store.recipients_import(course.project, &new, &actor()).await.unwrap();
        self.store.recipients(course.project).await.unwrap().iter().map(|r| r.id).collect()
    }

    pub(crate) fn request(&self, project: ProjectId, person: &str) -> ClaimRequest {
        ClaimRequest {
            project,
            run: RunId(self.host.ids.uuid()),
            kind: RunKind::Sync,
            holder: holder(person),
            selection: Selection::All,
            window: Window::new(W, 1_000).unwrap(),
            resumes: None,
            token: self.host.ids.token(),
            sent: BootMillis(0),
        }
    }

    pub(crate) async fn claim(&self, project: ProjectId, person: &str) -> LeaseGuard {
        match self.store.claim(&self.request(project, person)).await.unwrap() {
            Claim::Claimed { guard, .. } => guard,
            other => panic!("not claimed: {other:?}"),
        }
    }

    pub(crate) async fn lease(&self, project: ProjectId) -> LeaseView {
        self.store.lease(project).await.unwrap().unwrap()
    }
}

pub(crate) fn actor() -> Actor {
    Actor { person: "Ada".into(), machine: "ada@desk".into() }
}

/// Known people have processes that exist: `ada` 100, `bob` 200, `eve` 300.
pub(crate) fn holder(person: &str) -> Holder {
    let (pid, process_start) = match person {
        "ada" => (100, 1),
        "bob" => (200, 2),
        _ => (300, 3),
    };
    Holder {
        person: person.into(),
        os_user: person.into(),
        host: "desk".into(),
        pid,
        process_start,
        started_at: Some(1_700_000_000_000),
        app_version: "1.2.3".into(),
        boot_id: "boot-1".into(),
    }
}

pub(crate) fn branch(name: &str) -> BranchName {
    name.parse().unwrap()
}

/// An object id of one repeated digit.
pub(crate) fn oid(digit: char) -> Oid {
    digit.to_string().repeat(40).parse().unwrap()
}

pub(crate) fn repo(connection: ConnectionId, id: i64, slug: &str) -> RepoIdent {
    RepoIdent { connection, id: RepoId(id), node_id: format!("R_{id}"), slug: slug.parse().unwrap() }
}

pub(crate) fn recipient(connection: ConnectionId, n: i64) -> NewRecipient {
    NewRecipient {
        repo: repo(connection, 1_000 + n, &format!("class/team-{n:03}")),
        label: format!("Team {n}"),
        deadline: None,
        state: RecipientState::Live,
        mapping: Vec::new(),
        pulls: Vec::new(),
    }
}

pub(crate) fn ending(status: RunStatus) -> Ending {
    Ending { status, error: None, counts: Counts::default(), spent: Spent::default(), ahead: Vec::new() }
}
