//! The git program over the shared store: the port's face, one line per question.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use lockstep_domain::clock::Millis;
use lockstep_domain::ids::{ProjectId, SourceId};
use lockstep_domain::lease::LeaseGuard;
use lockstep_domain::names::{BranchName, Oid};
use lockstep_domain::ports::{
    Ancestry, CommitInfo, CommitSpec, DistributionRefs, Git, GitError, PathChange, RefMove, RefResult,
    Remote, TreeFacts, Workbench,
};
use lockstep_domain::stop::StopSignal;

use crate::bench::Bench;
use crate::options::GitOptions;
use crate::runner::Runner;
use crate::store::{Private, Store, unusable};

/// git, found and checked, over the shared store of one data folder. Cheap to clone.
#[derive(Clone)]
pub struct GitProgram(pub(crate) Arc<Inner>);

/// What every part works with.
pub(crate) struct Inner {
    pub(crate) runner: Runner,
    pub(crate) store: Store,
    /// Longest silence of a distribution's push.
    pub(crate) publish_idle: Duration,
    /// Holds the empty home and the credential channels of this process.
    _private: Private,
}

impl GitProgram {
    /// Finds git, checks its version and makes the store if there is none.
    ///
    /// # Errors
    /// `Missing`, `TooOld` (names what was found), `StoreUnusable`.
    pub async fn new(options: GitOptions) -> Result<Self, GitError> {
        options.find()?;
        let store = Store::open(&options.data_dir)?;
        let private = store.private(&store.run_root()).await?;
        fs::create_dir(private.path().join("home")).map_err(|error| unusable(&error))?;
        let runner = Runner::start(&options, private.path()).await?;
        store.ensure(&runner).await?;
        Ok(Self(Arc::new(Inner { runner, store, publish_idle: options.publish_idle, _private: private })))
    }
}

impl std::fmt::Debug for GitProgram {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("GitProgram").field(&self.0.runner.version().as_str()).finish()
    }
}

#[async_trait]
impl Git for GitProgram {
    async fn version(&self) -> Result<String, GitError> {
        Ok(self.0.runner.version().as_str().to_owned())
    }

    async fn fetch_source(
        &self,
        source: SourceId,
        remote: &Remote,
        stop: &StopSignal,
    ) -> Result<Vec<(String, Oid)>, GitError> {
        self.0.fetch_source(source, remote, stop).await
    }

    async fn fetch_distribution(
        &self,
        project: ProjectId,
        remote: &Remote,
        stop: &StopSignal,
    ) -> Result<DistributionRefs, GitError> {
        self.0.fetch_distribution(project, remote, stop).await
    }

    async fn tree_of(&self, commit: Oid) -> Result<Oid, GitError> {
        self.0.tree_of(&self.0.store.git_dir(), commit).await
    }

    async fn tree_facts(&self, commit: Oid) -> Result<TreeFacts, GitError> {
        self.0.tree_facts(commit).await
    }

    async fn commit(
        &self,
        project: ProjectId,
        branch: &BranchName,
        spec: &CommitSpec,
    ) -> Result<Oid, GitError> {
        self.0.commit(project, branch, spec).await
    }

    async fn mark_commit(&self, message: &str, at: Millis) -> Result<Oid, GitError> {
        self.0.mark_commit(message, at).await
    }

    async fn message_of(&self, commit: Oid) -> Result<String, GitError> {
        self.0.message_of(commit).await
    }

    async fn ancestry(&self, old: Oid, new: Oid) -> Result<Ancestry, GitError> {
        self.0.ancestry(old, new).await
    }

    async fn newest_with_tree(&self, tip: Oid, tree: Oid) -> Result<Option<Oid>, GitError> {
        self.0.newest_with_tree(tip, tree).await
    }

    async fn log(&self, old: Option<Oid>, new: Oid, limit: u32) -> Result<Vec<CommitInfo>, GitError> {
        self.0.log(old, new, limit).await
    }

    async fn changes(&self, old: Option<Oid>, new: Oid) -> Result<Vec<PathChange>, GitError> {
        self.0.changes(old, new).await
    }

    async fn push_bytes(&self, old: Option<Oid>, new: Oid) -> Result<u64, GitError> {
        self.0.push_bytes(old, new).await
    }

    async fn people_of(&self, tip: Oid) -> Result<Vec<(String, String)>, GitError> {
        self.0.people_of(tip).await
    }

    async fn push_distribution(
        &self,
        guard: &LeaseGuard,
        remote: &Remote,
        moves: &[RefMove],
    ) -> Result<Vec<RefResult>, GitError> {
        self.0.push_distribution(guard, remote, moves).await
    }

    async fn workbench(&self) -> Result<Box<dyn Workbench>, GitError> {
        Ok(Box::new(Bench::open(Arc::clone(&self.0)).await?))
    }

    async fn sweep(&self) -> Result<(), GitError> {
        self.0.store.sweep(&self.0.runner).await
    }
}
