//! A workbench: one recipient's quarantine repository.
//!
//! It borrows objects from the shared store and keeps the recipient's own: nothing of theirs enters the store, no
//! filter turns the store's configuration into a partial clone's, and three thousand recipients do not become three
//! thousand haves. The folder goes away with the value; a dead process's is swept.

mod bring;
mod decide;
mod merge;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use lockstep_domain::lease::LeaseGuard;
use lockstep_domain::ports::{DecideRequest, Decision, GitError, RefMove, RefResult, Remote, Workbench};
use lockstep_domain::stop::StopSignal;

use crate::program::Inner;
use crate::push::Plan;
use crate::store::{Private, unusable};

/// Only distributions are offered as haves: neither sources nor commits that were never published.
const CONFIG: &str = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n\
     \talternateRefsPrefixes = refs/lockstep/dist\n[gc]\n\tauto = 0\n";

/// From the workbench's objects folder, so that no path needs quoting.
const STORE_OBJECTS: &str = "../../../../store.git/objects\n";

/// The quarantine repository.
pub(crate) struct Bench {
    inner: Arc<Inner>,
    folder: Arc<Private>,
    fetches: u32,
}

impl Bench {
    /// Makes it by hand: four files are a repository.
    pub(crate) async fn open(inner: Arc<Inner>) -> Result<Self, GitError> {
        let folder = inner.store.private(&inner.store.bench_root()).await?;
        lay_out(&folder.path().join("repo")).map_err(|error| unusable(&error))?;
        Ok(Self { inner, folder: Arc::new(folder), fetches: 0 })
    }

    fn git_dir(&self) -> PathBuf {
        self.folder.path().join("repo")
    }
}

fn lay_out(repo: &Path) -> io::Result<()> {
    fs::create_dir_all(repo.join("objects/info"))?;
    fs::create_dir_all(repo.join("refs/heads"))?;
    fs::write(repo.join("HEAD"), "ref: refs/heads/none\n")?;
    fs::write(repo.join("config"), CONFIG)?;
    fs::write(repo.join("objects/info/alternates"), STORE_OBJECTS)
}

#[async_trait]
impl Workbench for Bench {
    async fn decide(
        &mut self,
        remote: &Remote,
        requests: &[DecideRequest],
        stop: &StopSignal,
    ) -> Result<Vec<Decision>, GitError> {
        self.bring(remote, requests, stop).await?;
        let mut decisions = Vec::with_capacity(requests.len());
        for request in requests {
            if stop.is_lost() {
                return Err(GitError::LeaseLost);
            }
            decisions.push(self.judge(request).await?);
        }
        Ok(decisions)
    }

    async fn push(
        &mut self,
        guard: &LeaseGuard,
        remote: &Remote,
        moves: &[RefMove],
        negotiate: bool,
    ) -> Result<Vec<RefResult>, GitError> {
        let git_dir = self.git_dir();
        let idle = self.inner.runner.idle();
        let plan = Plan {
            git_dir: &git_dir,
            remote,
            guard,
            atomic: false,
            negotiate,
            idle,
            folder: Some(&self.folder),
        };
        self.inner.push_refs(&plan, moves).await
    }

    fn fetches(&self) -> u32 {
        self.fetches
    }
}
