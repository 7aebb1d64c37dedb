//! What dead processes left, and the store's upkeep.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io;
use std::path::Path;

use lockstep_domain::ports::GitError;

use crate::answers::local_fault;
use crate::job::Job;
use crate::runner::Runner;
use crate::store::{Store, unusable};

/// Loose objects from which `git gc` packs.
const LOOSE_OBJECTS: &str = "2000";

impl Store {
    /// Removes private folders whose process is dead, then keeps the store tidy if nobody uses it right now.
    pub(crate) async fn sweep(&self, runner: &Runner) -> Result<(), GitError> {
        {
            let _looking = self.lock("sweep.lock", true).await?;
            for parent in [self.bench_root(), self.run_root()] {
                let removed = tokio::task::spawn_blocking(move || remove_dead(&parent)).await;
                removed.map_err(io::Error::other).flatten().map_err(|error| unusable(&error))?;
            }
        }
        match self.try_lock("store.lock", true)? {
            Some(_alone) => self.maintain(runner).await,
            None => Ok(()),
        }
    }

    /// Under the exclusive lock: every lock file is stale. Default expiry; never `--prune=now`, because other processes
    /// borrow from the store without a lock.
    async fn maintain(&self, runner: &Runner) -> Result<(), GitError> {
        let git_dir = self.git_dir();
        remove_leftovers(&git_dir).map_err(|error| unusable(&error))?;
        self.forget_published(runner).await?;
        let upkeep = [
            Job::on(&git_dir).words("pack-refs --all --prune"),
            Job::on(&git_dir)
                .words("gc --auto --quiet")
                .config("gc.auto", LOOSE_OBJECTS)
                .config("gc.autoDetach", "false"),
        ];
        for job in upkeep {
            let name = job.name();
            let answer = runner.local(job).await?;
            if !answer.good() {
                return Err(local_fault(&name, &answer));
            }
        }
        Ok(())
    }

    /// Drops keep refs whose commit a distribution has by now.
    async fn forget_published(&self, runner: &Runner) -> Result<(), GitError> {
        let git_dir = self.git_dir();
        let list = |pattern: &str| {
            let format = "--format=%(objectname) %(refname)";
            runner.local(Job::on(&git_dir).arg("for-each-ref").arg(format).arg(pattern))
        };
        let kept = list("refs/lockstep/keep/").await?.text();
        if kept.is_empty() {
            return Ok(());
        }
        let published =
            list("refs/lockstep/dist/").await?.text() + &list("refs/lockstep/mark/").await?.text();
        let oids = |text: &str, mark: &str| -> String {
            text.lines()
                .filter_map(|line| line.split(' ').next())
                .map(|oid| format!("{mark}{oid}\n"))
                .collect()
        };
        let input = oids(&kept, "") + &oids(&published, "^");
        let answer = runner.local(Job::on(&git_dir).words("rev-list --stdin").input(input)).await?;
        if !answer.good() {
            return Err(local_fault("rev-list", &answer));
        }
        let open = answer.text();
        let open: HashSet<&str> = open.lines().collect();
        let commands: String = kept
            .lines()
            .filter_map(|line| line.split_once(' '))
            .filter(|(oid, _)| !open.contains(oid))
            .map(|(oid, name)| format!("delete {name} {oid}\n"))
            .collect();
        let answer = runner.local(Job::on(&git_dir).words("update-ref --stdin").input(commands)).await?;
        if answer.good() { Ok(()) } else { Err(local_fault("update-ref", &answer)) }
    }
}

/// A folder whose `alive` can be locked, or has none, belongs to nobody. Made folders are locked before the sweep may
/// look (see `Store::private`).
fn remove_dead(parent: &Path) -> io::Result<()> {
    for entry in fs::read_dir(parent)? {
        let path = entry?.path();
        let dead = match File::open(path.join("alive")) {
            Ok(alive) => alive.try_lock().is_ok(),
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        };
        if dead && let Err(error) = fs::remove_dir_all(&path) {
            tracing::debug!(kind = %error.kind(), "a left folder could not be removed");
        }
    }
    Ok(())
}

/// Lock files of the store and its refs, half-written objects, and marks of fetches that were killed. Everything that
/// writes to the store holds the shared lock, so under the exclusive one all of them are stale.
fn remove_leftovers(git_dir: &Path) -> io::Result<()> {
    remove_files(git_dir, 0, is_lock)?;
    remove_files(&git_dir.join("refs"), usize::MAX, is_lock)?;
    remove_files(&git_dir.join("objects"), 1, |name| {
        name.starts_with("tmp_") || name.ends_with(".keep") || is_lock(name)
    })
}

fn is_lock(name: &str) -> bool {
    name.ends_with(".lock")
}

fn remove_files(folder: &Path, depth: usize, stale: fn(&str) -> bool) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            if let Some(below) = depth.checked_sub(1) {
                remove_files(&entry.path(), below, stale)?;
            }
        } else if entry.file_name().to_str().is_some_and(stale) {
            fs::remove_file(entry.path())?;
            tracing::debug!("a leftover of the store was removed");
        }
    }
    Ok(())
}
