//! What stands in for git while no usable one was found: everything that needs it says so, the rest works.

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

/// Answers every question with why there is no git.
#[derive(Debug, Clone)]
pub(crate) struct NoGit(pub(crate) GitError);

type Answer<T> = Result<T, GitError>;

#[async_trait]
impl Git for NoGit {
    async fn version(&self) -> Answer<String> {
        Err(self.0.clone())
    }

    async fn fetch_source(&self, _: SourceId, _: &Remote, _: &StopSignal) -> Answer<Vec<(String, Oid)>> {
        Err(self.0.clone())
    }

    async fn fetch_distribution(&self, _: ProjectId, _: &Remote, _: &StopSignal) -> Answer<DistributionRefs> {
        Err(self.0.clone())
    }

    async fn tree_of(&self, _: Oid) -> Answer<Oid> {
        Err(self.0.clone())
    }

    async fn tree_facts(&self, _: Oid) -> Answer<TreeFacts> {
        Err(self.0.clone())
    }

    async fn commit(&self, _: ProjectId, _: &BranchName, _: &CommitSpec) -> Answer<Oid> {
        Err(self.0.clone())
    }

    async fn mark_commit(&self, _: &str, _: Millis) -> Answer<Oid> {
        Err(self.0.clone())
    }

    async fn message_of(&self, _: Oid) -> Answer<String> {
        Err(self.0.clone())
    }

    async fn ancestry(&self, _: Oid, _: Oid) -> Answer<Ancestry> {
        Err(self.0.clone())
    }

    async fn newest_with_tree(&self, _: Oid, _: Oid) -> Answer<Option<Oid>> {
        Err(self.0.clone())
    }

    async fn log(&self, _: Option<Oid>, _: Oid, _: u32) -> Answer<Vec<CommitInfo>> {
        Err(self.0.clone())
    }

    async fn changes(&self, _: Option<Oid>, _: Oid) -> Answer<Vec<PathChange>> {
        Err(self.0.clone())
    }

    async fn push_bytes(&self, _: Option<Oid>, _: Oid) -> Answer<u64> {
        Err(self.0.clone())
    }

    async fn people_of(&self, _: Oid) -> Answer<Vec<(String, String)>> {
        Err(self.0.clone())
    }

    async fn push_distribution(&self, _: &LeaseGuard, _: &Remote, _: &[RefMove]) -> Answer<Vec<RefResult>> {
        Err(self.0.clone())
    }

    async fn workbench(&self) -> Answer<Box<dyn Workbench>> {
        Err(self.0.clone())
    }

    async fn sweep(&self) -> Answer<()> {
        Err(self.0.clone())
    }
}
