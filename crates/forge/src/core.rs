//! The running forge: the world behind a lock, git, the journal, and caches of what never changes.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, Utc};

use crate::clock::Clock;
use crate::git::history::{self, Comparison};
use crate::git::objects::{self, Commit};
use crate::git::refs::{self, Refs};
use crate::git::{Git, merge};
use crate::journal::Journal;
use crate::options::{ForgeError, ForgeOptions};
use crate::selfcheck::SelfCheck;
use crate::world::World;

/// A question about two commits of a repository: its answer never changes once both exist.
type Pair = (u64, String, String);

/// See the module's text.
pub(crate) struct Core {
    pub(crate) git: Git,
    pub(crate) journal: Journal,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) token_seed: u64,
    data: PathBuf,
    base_url: String,
    world: Mutex<World>,
    /// Held while pull requests follow refs, so that two pushes do not both close one.
    pub(crate) following: Mutex<()>,
    saving: Mutex<()>,
    /// While set, changes are kept in memory only (see [`Core::at_once`]).
    deferred: AtomicBool,
    requests: AtomicU64,
    spent: Mutex<HashMap<String, u64>>,
    check: Option<SelfCheck>,
    commits: Mutex<HashMap<(u64, String), Arc<Commit>>>,
    comparisons: Mutex<HashMap<Pair, Option<Comparison>>>,
    merges: Mutex<HashMap<Pair, bool>>,
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Core {
    /// Opens the data folder.
    pub(crate) fn open(options: ForgeOptions, data: PathBuf, base_url: String) -> Result<Self, ForgeError> {
        std::fs::create_dir_all(data.join("repos")).map_err(|error| ForgeError::io("data folder", error))?;
        let git = Git::new(data.join("home"))?;
        let world = World::load(&data.join("state.json"))?;
        let check = if options.self_check { Some(SelfCheck::new()?) } else { None };
        Ok(Self {
            git,
            journal: Journal::default(),
            clock: options.clock,
            token_seed: options.token_seed,
            data,
            base_url,
            world: Mutex::new(world),
            following: Mutex::new(()),
            saving: Mutex::new(()),
            deferred: AtomicBool::new(false),
            requests: AtomicU64::new(0),
            spent: Mutex::default(),
            check,
            commits: Mutex::default(),
            comparisons: Mutex::default(),
            merges: Mutex::default(),
        })
    }

    pub(crate) fn base_url(&self) -> &str {
        &self.base_url
    }

    pub(crate) fn data(&self) -> &Path {
        &self.data
    }

    /// The folder of all bare repositories.
    pub(crate) fn repositories(&self) -> PathBuf {
        self.data.join("repos")
    }

    /// The bare repository with this id.
    pub(crate) fn dir(&self, repository: u64) -> PathBuf {
        self.data.join("repos").join(format!("{repository}.git"))
    }

    pub(crate) fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// A fresh value for `x-github-request-id`.
    pub(crate) fn request_id(&self) -> String {
        crate::ids::request_id(self.requests.fetch_add(1, Ordering::Relaxed))
    }

    /// Counts one request of this identity and returns how many there were.
    pub(crate) fn spend(&self, identity: &str, cost: u64) -> u64 {
        let mut spent = lock(&self.spent);
        let used = spent.entry(identity.to_owned()).or_default();
        *used += cost;
        *used
    }

    /// Reads the world.
    pub(crate) fn read<T>(&self, look: impl FnOnce(&World) -> T) -> T {
        look(&lock(&self.world))
    }

    /// Changes the world and saves it when the change succeeds.
    pub(crate) fn write<T, E: From<ForgeError>>(
        &self,
        change: impl FnOnce(&mut World) -> Result<T, E>,
    ) -> Result<T, E> {
        let value = change(&mut lock(&self.world))?;
        self.save()?;
        Ok(value)
    }

    /// Makes many changes and saves once, at the end.
    pub(crate) fn at_once(&self, changes: impl FnOnce() -> Result<(), ForgeError>) -> Result<(), ForgeError> {
        self.deferred.store(true, Ordering::SeqCst);
        let outcome = changes();
        self.deferred.store(false, Ordering::SeqCst);
        outcome.and_then(|()| self.save())
    }

    fn save(&self) -> Result<(), ForgeError> {
        if self.deferred.load(Ordering::SeqCst) {
            return Ok(());
        }
        let _one_at_a_time = lock(&self.saving);
        let copy = lock(&self.world).clone();
        copy.save(&self.data.join("state.json"))
    }

    /// Keeps an answer that differs from GitHub's description.
    pub(crate) fn self_check(&self) -> Option<&SelfCheck> {
        self.check.as_ref()
    }

    pub(crate) fn self_check_failures(&self) -> Vec<String> {
        self.check.as_ref().map(SelfCheck::failures).unwrap_or_default()
    }

    /// All refs of a repository, read now.
    pub(crate) fn refs(&self, repository: u64) -> Refs {
        refs::read(&self.dir(repository))
    }

    /// One branch's commit.
    pub(crate) fn branch(&self, repository: u64, name: &str) -> Option<String> {
        refs::branch(&self.dir(repository), name)
    }

    /// A commit, `None` when the repository does not have it.
    pub(crate) fn commit(&self, repository: u64, oid: &str) -> Result<Option<Arc<Commit>>, ForgeError> {
        let key = (repository, oid.to_owned());
        if let Some(found) = lock(&self.commits).get(&key) {
            return Ok(Some(found.clone()));
        }
        let found = objects::commit(&self.git, &self.dir(repository), oid)?.map(Arc::new);
        if let Some(commit) = &found {
            lock(&self.commits).insert(key, commit.clone());
        }
        Ok(found)
    }

    /// Several commits in order; missing ones are left out.
    pub(crate) fn commits(&self, repository: u64, oids: &[String]) -> Result<Vec<Arc<Commit>>, ForgeError> {
        let missing = {
            let known = lock(&self.commits);
            oids.iter()
                .filter(|oid| !known.contains_key(&(repository, (*oid).clone())))
                .cloned()
                .collect::<Vec<_>>()
        };
        let read = objects::commits(&self.git, &self.dir(repository), &missing)?;
        let mut known = lock(&self.commits);
        for commit in read {
            known.insert((repository, commit.oid.clone()), Arc::new(commit));
        }
        Ok(oids.iter().filter_map(|oid| known.get(&(repository, oid.clone())).cloned()).collect())
    }

    /// How two existing commits relate; `None`: unrelated histories.
    pub(crate) fn compare(
        &self,
        repository: u64,
        base: &str,
        head: &str,
    ) -> Result<Option<Comparison>, ForgeError> {
        let key = (repository, base.to_owned(), head.to_owned());
        if let Some(found) = lock(&self.comparisons).get(&key) {
            return Ok(found.clone());
        }
        let found = history::compare(&self.git, &self.dir(repository), base, head)?;
        lock(&self.comparisons).insert(key, found.clone());
        Ok(found)
    }

    /// Does `head` merge cleanly into `base`?
    pub(crate) fn merges(&self, repository: u64, base: &str, head: &str) -> Result<bool, ForgeError> {
        let key = (repository, base.to_owned(), head.to_owned());
        if let Some(found) = lock(&self.merges).get(&key) {
            return Ok(*found);
        }
        let clean = merge::tree(&self.git, &self.dir(repository), base, head)?.is_some();
        lock(&self.merges).insert(key, clean);
        Ok(clean)
    }
}
