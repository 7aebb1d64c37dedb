//! The shared bare store and its folders.
//!
//! ```text
//! <data>/git/store.git     refs/lockstep/src/<source>/heads/*      what a source had
//!                          refs/lockstep/dist/<project>/<branch>   what a distribution has
//!                          refs/lockstep/mark/<project>/owner      its owner mark
//!                          refs/lockstep/keep/<project>/<branch>   the newest commit made and perhaps not yet pushed
//! <data>/git/store.lock    shared: every write to the store; exclusive: maintenance
//! <data>/git/sweep.lock    shared: while a private folder is being made; exclusive: while dead ones are looked for
//! <data>/git/run/*         one per process: empty home, credential channels
//! <data>/git/bench/*       one per workbench: a recipient's objects
//! ```
//!
//! Several processes use it at once. A private folder holds a locked file `alive` as long as its process lives.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lockstep_domain::ports::GitError;
use lockstep_domain::stop::StopSignal;
use tempfile::TempDir;

use crate::answers::local_fault;
use crate::job::Job;
use crate::runner::Runner;

/// Where everything is.
#[derive(Debug, Clone)]
pub(crate) struct Store {
    root: PathBuf,
}

/// A lock on a file, given back when dropped or when the process dies.
#[derive(Debug)]
pub(crate) struct Held {
    _file: File,
}

/// A folder of this process alone, removed when dropped; another process's sweep leaves it while `alive` is locked.
#[derive(Debug)]
pub(crate) struct Private {
    // Dropped in this order: the folder goes while it is still ours.
    folder: TempDir,
    _alive: File,
}

impl Private {
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl Store {
    /// Makes the folders, mode 0700.
    pub(crate) fn open(data_dir: &Path) -> Result<Self, GitError> {
        let root = std::path::absolute(data_dir).map_err(|error| unusable(&error))?.join("git");
        let store = Self { root };
        for folder in [store.root.clone(), store.bench_root(), store.run_root()] {
            make_private(&folder).map_err(|error| unusable(&error))?;
        }
        Ok(store)
    }

    pub(crate) fn git_dir(&self) -> PathBuf {
        self.root.join("store.git")
    }

    pub(crate) fn bench_root(&self) -> PathBuf {
        self.root.join("bench")
    }

    pub(crate) fn run_root(&self) -> PathBuf {
        self.root.join("run")
    }

    /// Makes the bare store if there is none. It appears whole or not at all, also when two processes make it at once.
    pub(crate) async fn ensure(&self, runner: &Runner) -> Result<(), GitError> {
        let git_dir = self.git_dir();
        if git_dir.join("HEAD").is_file() {
            return Ok(());
        }
        let fresh = self.private(&self.run_root()).await?;
        let made = fresh.path().join("store.git");
        let mut job = Job::anywhere().words("init --quiet --bare --template= --object-format=sha1 -b main");
        if runner.version().takes_ref_format() {
            job = job.arg("--ref-format=files");
        }
        let answer = runner.local(job.arg("--").arg(&made)).await?;
        if !answer.good() {
            return Err(local_fault("init", &answer));
        }
        append(&made.join("config"), "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n")
            .map_err(|error| unusable(&error))?;
        match fs::rename(&made, &git_dir) {
            Err(error) if !git_dir.join("HEAD").is_file() => Err(unusable(&error)),
            _ => Ok(()),
        }
    }

    /// A private folder below `parent`.
    pub(crate) async fn private(&self, parent: &Path) -> Result<Private, GitError> {
        let _making = self.lock("sweep.lock", false).await?;
        let make = || -> io::Result<Private> {
            let folder = tempfile::Builder::new().prefix("p-").tempdir_in(parent)?;
            let alive = File::create_new(folder.path().join("alive"))?;
            alive.lock()?;
            Ok(Private { folder, _alive: alive })
        };
        make().map_err(|error| unusable(&error))
    }

    /// Held by everything that writes to the store.
    pub(crate) async fn share(&self) -> Result<Held, GitError> {
        self.lock("store.lock", false).await
    }

    /// The same, unless the lease is lost while waiting.
    pub(crate) async fn share_until(&self, stop: &StopSignal) -> Result<Held, GitError> {
        tokio::select! {
            held = self.share() => held,
            () = stop.lost() => Err(GitError::LeaseLost),
        }
    }

    /// Waits for the lock; whoever holds it exclusively works for seconds.
    pub(crate) async fn lock(&self, name: &str, exclusive: bool) -> Result<Held, GitError> {
        let mut pause = Duration::from_millis(5);
        loop {
            if let Some(held) = self.try_lock(name, exclusive)? {
                return Ok(held);
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(Duration::from_millis(250));
        }
    }

    /// The lock, if it is free now.
    pub(crate) fn try_lock(&self, name: &str, exclusive: bool) -> Result<Option<Held>, GitError> {
        let open = File::options().create(true).truncate(false).write(true).open(self.root.join(name));
        let file = open.map_err(|error| unusable(&error))?;
        match if exclusive { file.try_lock() } else { file.try_lock_shared() } {
            Ok(()) => Ok(Some(Held { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(unusable(&error)),
        }
    }
}

fn append(path: &Path, text: &str) -> io::Result<()> {
    use io::Write;
    File::options().append(true).open(path)?.write_all(text.as_bytes())
}

/// A folder that only this user reads.
fn make_private(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(path)
}

/// A fault of the disk, without the path.
pub(crate) fn unusable(error: &io::Error) -> GitError {
    GitError::StoreUnusable(error.kind().to_string())
}
