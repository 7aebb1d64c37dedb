//! A whole world for one test.

use std::ffi::OsString;
use std::sync::Arc;

use lockstep_config::system::SystemClock;
use lockstep_domain::clock::Clock;
use lockstep_domain::ids::{ConnectionId, Ids as _, ProjectId, SourceId};
use lockstep_domain::model::{ConnectionKind, ProjectState, RepoIdent};
use lockstep_domain::names::{BranchName, RepoSlug};
use lockstep_domain::outcome::RunStatus;
use lockstep_domain::ports::RepoInfo;
use lockstep_engine::{
    AdoptRequest, Engine, EngineParts, EngineSettings, Forges as _, ImportRequest, Press, RunEnd,
    SyncRequest, Wanted,
};
use lockstep_forge::demo::{self, DemoCourse};
use lockstep_forge::{Entry, ForgeOptions};
use lockstep_git::{GitOptions, GitProgram};
use lockstep_github::Credential;
use lockstep_pgtest::PgServer;
use lockstep_store::{Actor, Host, NewConnection, NewProject, OpenOptions, Place, Store};
use tempfile::TempDir;

use crate::forges::TestForges;
use crate::machine::{SeededIds, TestProcesses, holder};
use crate::options::{Access, Database, WorldOptions};
use crate::practice::Practice;
use crate::turnstile::{ThroughTurnstile, Turnstile};

/// Database, git, forge, course, engine: all real.
#[derive(Debug)]
pub struct World {
    /// The forge.
    pub forge: Practice,
    /// The practice course in it.
    pub course: DemoCourse,
    /// The database.
    pub store: Arc<dyn Store>,
    /// The engine of the first person.
    pub engine: Engine,
    /// The forges by connection.
    pub forges: Arc<TestForges>,
    /// Stands before the announcements of the first person's engine; open until it is shut.
    pub turnstile: Arc<Turnstile>,
    /// The one connection.
    pub connection: ConnectionId,
    /// The course's source.
    pub source: SourceId,
    /// The one project.
    pub project: ProjectId,
    /// What it was built with.
    pub options: WorldOptions,
    pub(crate) place: Place,
    git: Arc<GitProgram>,
    clock: Arc<dyn Clock>,
    ids: Arc<SeededIds>,
    // Dropped last, in this order.
    _server: Option<PgServer>,
    pub(crate) folder: TempDir,
}

impl World {
    /// The practice course (30 recipients, 3 commits ahead), adopted and published, on SQLite.
    pub async fn new() -> Self {
        Self::with(WorldOptions::default()).await
    }

    /// The same on PostgreSQL.
    pub async fn postgres() -> Self {
        Self::with(WorldOptions { database: Database::Postgres, ..WorldOptions::default() }).await
    }

    /// A world of one's own.
    ///
    /// # Panics
    /// Some part of it cannot be set up; the message says which.
    pub async fn with(options: WorldOptions) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let forge = Practice::start(ForgeOptions::checked());
        let course = demo::build(forge.handle(), &options.demo).expect("the practice course");
        let server = (options.database == Database::Postgres).then(start_postgres);
        let place = match &server {
            Some(server) => Place::Postgres(server.url("postgres")),
            None => Place::Sqlite(folder.path().join("lockstep.db")),
        };
        let clock: Arc<dyn Clock> = match &options.clock {
            Some(clock) => clock.clone(),
            None => Arc::new(SystemClock),
        };
        let ids = Arc::new(SeededIds::new(options.demo.seed));
        let store = open(&place, &clock, &ids).await;
        let git_options = GitOptions::new(folder.path().join("data"), search_path());
        let git = Arc::new(GitProgram::new(git_options).await.expect("git is here"));
        let forges = Arc::new(TestForges::new(clock.clone()));
        let turnstile = Arc::new(Turnstile::default());
        let connection = ConnectionId(ids.uuid());
        forges.put(connection, &course.api_root, credential(&course, options.access));
        let parts = EngineParts {
            store: store.clone(),
            git: git.clone(),
            forges: Arc::new(ThroughTurnstile::new(forges.clone(), turnstile.clone())),
            clock: clock.clone(),
            ids: ids.clone(),
            holder: holder("Ada"),
            settings: options.settings.clone(),
        };
        let mut world = Self {
            engine: Engine::new(parts),
            forge,
            course,
            store,
            forges,
            turnstile,
            connection,
            source: SourceId(ids.uuid()),
            project: ProjectId(ids.uuid()),
            options,
            place,
            git,
            clock,
            ids,
            _server: server,
            folder,
        };
        world.set_up().await;
        world
    }

    async fn set_up(&mut self) {
        self.insert_connection().await;
        let repo = self.repository(&self.course.source).await;
        let ident = self.ident(repo);
        let source = self.store.source_insert(&ident, &actor()).await.expect("the source is new");
        self.source = source.id;
        let main: BranchName = "main".parse().expect("a branch name");
        self.project = self.insert_project("Lab 4: heaps", vec![(main.clone(), main)]).await;
        if self.options.adopted {
            self.adopt().await;
            self.import().await;
            self.engine.check_source(self.source).await.expect("the source can be looked at");
        }
        if self.options.state == ProjectState::Published {
            self.publish().await;
        }
        self.clear_journal();
    }

    async fn insert_connection(&self) {
        let (kind, app, login) = match self.options.access {
            Access::Token => (ConnectionKind::Token, None, self.course.user.clone()),
            Access::App => {
                let number = |id: u64| i64::try_from(id).expect("an id in range");
                let app = (number(self.course.app.id), number(self.course.app.installation));
                (ConnectionKind::App, Some(app), format!("{}[bot]", self.course.app.slug))
            }
        };
        let new = NewConnection {
            id: self.connection,
            name: "Practice".to_owned(),
            base_url: self.course.api_root.clone(),
            kind,
            app,
            login,
        };
        self.store.connection_insert(&new, &actor()).await.expect("the connection is new");
    }

    /// Another project over the same source, a draft without a distribution.
    ///
    /// # Panics
    /// The name is taken.
    pub async fn insert_project(&self, name: &str, branches: Vec<(BranchName, BranchName)>) -> ProjectId {
        let new = NewProject {
            name: name.to_owned(),
            source: self.source,
            strategy: self.options.strategy,
            state: ProjectState::Draft,
            deadline: None,
            note: self.options.note.clone(),
            branches,
        };
        self.store.project_insert(&new, &actor()).await.expect("the project is new").id
    }

    /// Takes the course's distribution.
    ///
    /// # Panics
    /// It is refused.
    pub async fn adopt(&self) {
        let request = AdoptRequest {
            project: self.project,
            connection: self.connection,
            slug: slug(&self.course.distribution),
            take_over: false,
        };
        let end = self.engine.adopt(request).await.expect("nothing is in the way").finished().await;
        assert_eq!(end.status, RunStatus::Succeeded, "{:?}", end.error);
    }

    /// Imports the course's recipients by their pattern.
    ///
    /// # Panics
    /// It is refused.
    pub async fn import(&self) {
        let wanted = Wanted::Like { owner: self.course.org.clone(), pattern: self.course.pattern.clone() };
        let request = ImportRequest { project: self.project, connection: self.connection, wanted };
        self.engine.import_recipients(request).await.expect("the recipients are found");
    }

    /// Publishes the project: from now on recipients get something.
    ///
    /// # Panics
    /// The database refuses.
    pub async fn publish(&self) {
        let published = self.store.project_set_state(self.project, ProjectState::Published, &actor()).await;
        published.expect("the project can be published");
    }

    /// Presses Sync for everybody and waits for the end.
    ///
    /// # Panics
    /// The press is refused before the claim.
    pub async fn press(&self) -> RunEnd {
        self.start().await.finished().await
    }

    /// Presses Sync for everybody and returns right after the claim.
    ///
    /// # Panics
    /// The press is refused before the claim.
    pub async fn start(&self) -> Press {
        self.engine.press(SyncRequest::all(self.project)).await.expect("the claim stands")
    }

    /// Waits until the press stands before the turnstile.
    ///
    /// # Panics
    /// It ends before.
    pub async fn halfway(&self, press: &Press) {
        tokio::select! {
            () = self.turnstile.somebody_waits() => {}
            end = press.finished() => panic!("the press ended before its middle: {end:?}"),
        }
    }

    /// Presses Sync for what is owed and waits for the end.
    ///
    /// # Panics
    /// The press is refused before the claim.
    pub async fn press_owed(&self) -> RunEnd {
        self.engine.press(SyncRequest::owed(self.project)).await.expect("the claim stands").finished().await
    }

    /// A second engine over the same database: another person, other settings.
    #[must_use]
    pub fn engine_of(&self, person: &str, settings: EngineSettings) -> Engine {
        Engine::new(EngineParts {
            store: self.store.clone(),
            git: self.git.clone(),
            forges: self.forges.clone(),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
            holder: holder(person),
            settings,
        })
    }

    /// An engine with a git store of its own that is still empty: another machine.
    ///
    /// # Panics
    /// git is missing.
    pub async fn engine_elsewhere(&self, person: &str) -> Engine {
        let data = self.folder.path().join(format!("data of {person}"));
        let git = GitProgram::new(GitOptions::new(data, search_path())).await.expect("git is here");
        Engine::new(EngineParts {
            store: self.store.clone(),
            git: Arc::new(git),
            forges: self.forges.clone(),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
            holder: holder(person),
            settings: self.options.settings.clone(),
        })
    }

    /// Commits to the source.
    ///
    /// # Panics
    /// The forge refuses.
    pub fn advance_source(&self, commits: u32) -> Vec<String> {
        demo::advance(self.forge.control(), commits).expect("the course has a source")
    }

    /// Waits until the forge saw `count` requests that satisfy `which`.
    pub async fn forge_saw(&self, count: usize, which: impl Fn(&Entry) -> bool) {
        crate::process::journal_holds(&self.forge.journal(), count, which).await;
    }

    /// The repository as the forge tells it.
    ///
    /// # Panics
    /// There is none of that name.
    pub async fn repository(&self, full_name: &str) -> RepoInfo {
        let forge = self.forges.forge(self.connection).await.expect("the connection is known");
        forge.repository_by_name(&slug(full_name)).await.expect("the repository exists")
    }

    fn ident(&self, repo: RepoInfo) -> RepoIdent {
        RepoIdent { connection: self.connection, id: repo.id, node_id: repo.node_id, slug: repo.slug }
    }
}

/// The person and machine of the set-up.
fn actor() -> Actor {
    Actor { person: "Ada".to_owned(), machine: "tester@testbench".to_owned() }
}

pub(crate) fn slug(full_name: &str) -> RepoSlug {
    full_name.parse().expect("an owner/name")
}

fn credential(course: &DemoCourse, access: Access) -> Credential {
    match access {
        Access::Token => Credential::Token(course.token.clone().into()),
        Access::App => Credential::App {
            app_id: course.app.id,
            installation_id: course.app.installation,
            private_key_pem: course.app.private_key.clone().into(),
        },
    }
}

async fn open(place: &Place, clock: &Arc<dyn Clock>, ids: &Arc<SeededIds>) -> Arc<dyn Store> {
    let host = Host {
        clock: clock.clone(),
        ids: ids.clone(),
        processes: Arc::new(TestProcesses),
        app_version: "test".to_owned(),
    };
    let options = OpenOptions { min_window_ms: 300, ..OpenOptions::default() };
    lockstep_store::open(place, host, options).await.expect("a fresh database")
}

fn start_postgres() -> PgServer {
    PgServer::start(lockstep_pgtest::Options::default()).expect("a private PostgreSQL")
}

/// The search path of the test process, so that git is found.
#[expect(clippy::disallowed_methods, reason = "tests take git from where they run")]
fn search_path() -> OsString {
    std::env::var_os("PATH").unwrap_or_default()
}
