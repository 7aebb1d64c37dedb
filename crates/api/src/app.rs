//! What a host holds: configuration, database, git, credentials, forges, engine, and the presses of this process.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use lockstep_config::system::{self, SystemClock, SystemIds};
use lockstep_config::{Config, Database, SecretsKind};
use lockstep_domain::clock::Clock;
use lockstep_domain::ids::Ids;
use lockstep_domain::lease::{Holder, Window};
use lockstep_domain::ports::{Git, GitError};
use lockstep_engine::{Engine, EngineParts, EngineSettings};
use lockstep_git::{GitOptions, GitProgram};
use lockstep_secrets::{Choice, Chosen, Wanted};
use lockstep_store::{Actor, Host, OpenOptions, Pace, Place, Store};
use secrecy::ExposeSecret as _;

use crate::error::Result;
use crate::forges::ForgeBook;
use crate::machine::Machine;
use crate::nogit::NoGit;
use crate::pending::PendingBook;
use crate::practice::Practice;
use crate::presses::Presses;
use crate::seams::{Plain, Seams};
use crate::wire::ApiError;

/// Version of this program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// How long a quitting host waits for its running items.
const PATIENCE: Duration = Duration::from_secs(120);

/// The application as a host holds it. Cheap to clone. Needs a tokio runtime.
#[derive(Debug, Clone)]
pub struct App(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    config: Config,
    seams: Arc<dyn Seams>,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    secrets: Chosen,
    forges: Arc<ForgeBook>,
    works: RwLock<Works>,
    presses: Presses,
    practice: Practice,
    pending: PendingBook,
}

/// What may be exchanged while the program runs: git can be installed, a person can change the name.
#[derive(Debug, Clone)]
struct Works {
    holder: Holder,
    git: std::result::Result<String, GitError>,
    engine: Engine,
}

impl App {
    /// Opens the database (bringing its schema up to date), the place of credentials, and git. A missing git is no
    /// error here: whatever needs it says so.
    ///
    /// # Errors
    /// `database_unusable`, `database_newer`, `secrets_unusable`, `bad_input` (a certificate file that cannot be read).
    pub async fn open(config: Config) -> Result<Self> {
        Self::open_through(config, Arc::new(Plain)).await
    }

    /// The same with something between the engine and what it works with; no shipped program calls it.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub async fn open_through(config: Config, seams: Arc<dyn Seams>) -> Result<Self> {
        let clock = seams.clock(Arc::new(SystemClock));
        let ids: Arc<dyn Ids> = Arc::new(SystemIds);
        let secrets = choose_secrets(&config).await?;
        let host = Host {
            clock: Arc::clone(&clock),
            ids: Arc::clone(&ids),
            processes: seams.processes(Arc::new(Machine::default())),
            app_version: VERSION.to_owned(),
        };
        // The configuration keeps to the minimum; only a debug build can have gone below it.
        let options =
            OpenOptions { min_window_ms: config.window.ms().min(Window::MIN_MS), ..OpenOptions::default() };
        let opened = lockstep_store::open(&place(&config), host, seams.opening(options)).await?;
        let store = seams.store(opened);
        let forges = Arc::new(ForgeBook::new(
            Arc::clone(&store),
            Arc::clone(&secrets.store),
            Arc::clone(&clock),
            &config,
        )?);
        let holder = seams.holder(system::holder(&config, VERSION));
        let (version, git) = find_git(&config).await;
        let parts = EngineParts {
            store: Arc::clone(&store),
            git: seams.git(git),
            forges: seams.forges(Arc::clone(&forges) as _),
            clock: Arc::clone(&clock),
            ids: Arc::clone(&ids),
            holder: holder.clone(),
            settings: settings(&config),
        };
        let works = RwLock::new(Works { holder, git: version, engine: Engine::new(parts) });
        let practice = Practice::new(config.practice.clone());
        let presses = Presses::default();
        let pending = PendingBook::default();
        let inner =
            Inner { config, seams, store, clock, ids, secrets, forges, works, presses, practice, pending };
        Ok(Self(Arc::new(inner)))
    }

    /// The configuration of this process.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.0.config
    }

    /// Runs of this process that are under way.
    #[must_use]
    pub fn live_runs(&self) -> usize {
        self.0.presses.count()
    }

    /// Asks the runs of this process to quit (running items are finished, the lease is given back as `interrupted`),
    /// waits for them, ends the practice forge if it was started here, and closes the database.
    pub async fn shutdown(&self) {
        if tokio::time::timeout(PATIENCE, self.0.presses.quit()).await.is_err() {
            tracing::error!("a run did not end in time; its lease expires by itself");
        }
        self.0.practice.end().await;
        self.0.store.close().await;
    }

    pub(crate) fn store(&self) -> &dyn Store {
        self.0.store.as_ref()
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        self.0.clock.as_ref()
    }

    pub(crate) fn ids(&self) -> &dyn Ids {
        self.0.ids.as_ref()
    }

    pub(crate) fn secrets(&self) -> &Chosen {
        &self.0.secrets
    }

    pub(crate) fn forges(&self) -> &ForgeBook {
        &self.0.forges
    }

    pub(crate) fn presses(&self) -> &Presses {
        &self.0.presses
    }

    pub(crate) fn pending(&self) -> &PendingBook {
        &self.0.pending
    }

    pub(crate) fn practice(&self) -> &Practice {
        &self.0.practice
    }

    pub(crate) fn engine(&self) -> Engine {
        self.works(|works| works.engine.clone())
    }

    pub(crate) fn actor(&self) -> Actor {
        self.engine().actor()
    }

    pub(crate) fn holder(&self) -> Holder {
        self.works(|works| works.holder.clone())
    }

    /// git's version. A git that was missing is looked for again: it may have been installed meanwhile.
    pub(crate) async fn git_version(&self) -> std::result::Result<String, GitError> {
        let known = self.works(|works| works.git.clone());
        if known.is_ok() {
            return known;
        }
        let (version, git) = find_git(&self.0.config).await;
        if version.is_ok() {
            let holder = self.holder();
            self.exchange(holder, version.clone(), git);
        }
        version
    }

    /// The person acts under another name from now on; runs under way keep theirs.
    pub(crate) async fn rename_person(&self, person: &str) {
        let (version, git) = find_git(&self.0.config).await;
        let holder = Holder { person: person.to_owned(), ..self.holder() };
        self.exchange(holder, version, git);
    }

    fn exchange(&self, holder: Holder, version: std::result::Result<String, GitError>, git: Arc<dyn Git>) {
        let parts = EngineParts {
            store: Arc::clone(&self.0.store),
            git: self.0.seams.git(git),
            forges: self.0.seams.forges(Arc::clone(&self.0.forges) as _),
            clock: Arc::clone(&self.0.clock),
            ids: Arc::clone(&self.0.ids),
            holder: holder.clone(),
            settings: settings(&self.0.config),
        };
        let works = Works { holder, git: version, engine: Engine::new(parts) };
        *self.0.works.write().unwrap_or_else(PoisonError::into_inner) = works;
    }

    fn works<T>(&self, read: impl FnOnce(&Works) -> T) -> T {
        read(&self.0.works.read().unwrap_or_else(PoisonError::into_inner))
    }
}

fn place(config: &Config) -> Place {
    match &config.database {
        Database::Sqlite(file) => Place::Sqlite(file.clone()),
        Database::Postgres(url) => Place::Postgres(url.expose_secret().to_owned()),
    }
}

fn settings(config: &Config) -> EngineSettings {
    let pace = Pace { min_interval_ms: config.pacing.min_interval_ms, per_hour: config.pacing.per_hour };
    EngineSettings { window: config.window, pace, ..EngineSettings::default() }
}

/// A keychain may ask a person to unlock it: never on an asynchronous thread.
async fn choose_secrets(config: &Config) -> Result<Chosen> {
    let choice = Choice {
        wanted: match config.secrets {
            SecretsKind::Auto => Wanted::Auto,
            SecretsKind::Keychain => Wanted::Keychain,
            SecretsKind::File => Wanted::File,
            SecretsKind::Environment => Wanted::Environment,
        },
        environment: config.token.clone(),
        data: config.data.clone(),
    };
    blocking(move || lockstep_secrets::choose(&choice)).await?.map_err(ApiError::from)
}

async fn find_git(config: &Config) -> (std::result::Result<String, GitError>, Arc<dyn Git>) {
    let mut options = GitOptions::new(&config.data, &config.path);
    if let Some(program) = &config.git {
        options.git.clone_from(program);
    }
    options.proxy = config.network.proxy.as_ref().map(|proxy| proxy.expose_secret().to_owned());
    options.ca_file.clone_from(&config.network.ca_file);
    let found = match GitProgram::new(options).await {
        Ok(git) => git.version().await.map(|version| (version, git)),
        Err(error) => Err(error),
    };
    match found {
        Ok((version, git)) => (Ok(version), Arc::new(git)),
        Err(error) => (Err(error.clone()), Arc::new(NoGit(error))),
    }
}

/// Work that blocks, on a thread of its own.
pub(crate) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|_panicked| ApiError::new(lockstep_domain::code::Code::Bug, "A piece of work broke off."))
}
