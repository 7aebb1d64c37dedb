//! git behind the keeper: every push is written down and passes a gate.

use std::sync::Arc;

use async_trait::async_trait;
use lockstep_domain::clock::Millis;
use lockstep_domain::ids::{ProjectId, SourceId};
use lockstep_domain::lease::LeaseGuard;
use lockstep_domain::names::{BranchName, Oid};
use lockstep_domain::ports::{
    Ancestry, CommitInfo, CommitSpec, DecideRequest, Decision, DistributionRefs, Git, GitError, PathChange,
    RefMove, RefResult, Remote, TreeFacts, Workbench,
};
use lockstep_domain::stop::StopSignal;

use crate::event::What;
use crate::gate::Gate;
use crate::keeper::Keeper;

/// See the module.
pub(crate) struct KeptGit {
    inner: Arc<dyn Git>,
    keeper: Arc<Keeper>,
}

impl KeptGit {
    pub(crate) fn new(inner: Arc<dyn Git>, keeper: Arc<Keeper>) -> Self {
        Self { inner, keeper }
    }
}

/// `owner/name` of a remote.
fn repo(remote: &Remote) -> String {
    let mut parts = remote.url.trim_end_matches(".git").rsplit('/');
    let (name, owner) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    format!("{owner}/{name}")
}

fn ended(keeper: &Keeper, write: u64, result: &Result<Vec<RefResult>, GitError>) {
    keeper.note(What::WriteEnded { write, sent: !matches!(result, Err(GitError::LeaseLost)) });
}

/// A method per line that only passes on; the rest is written out.
macro_rules! kept {
    ($(fn $name:ident($($arg:ident: $ty:ty),*) -> $out:ty;)* --- $($own:tt)*) => {
        #[async_trait]
        impl Git for KeptGit {
            $(async fn $name(&self, $($arg: $ty),*) -> Result<$out, GitError> {
                self.inner.$name($($arg),*).await
            })*
            $($own)*
        }
    };
}

kept! {
    fn version() -> String;
    fn fetch_source(source: SourceId, remote: &Remote, stop: &StopSignal) -> Vec<(String, Oid)>;
    fn fetch_distribution(project: ProjectId, remote: &Remote, stop: &StopSignal) -> DistributionRefs;
    fn tree_of(commit: Oid) -> Oid;
    fn tree_facts(commit: Oid) -> TreeFacts;
    fn commit(project: ProjectId, branch: &BranchName, spec: &CommitSpec) -> Oid;
    fn mark_commit(message: &str, at: Millis) -> Oid;
    fn message_of(commit: Oid) -> String;
    fn ancestry(old: Oid, new: Oid) -> Ancestry;
    fn newest_with_tree(tip: Oid, tree: Oid) -> Option<Oid>;
    fn log(old: Option<Oid>, new: Oid, limit: u32) -> Vec<CommitInfo>;
    fn changes(old: Option<Oid>, new: Oid) -> Vec<PathChange>;
    fn push_bytes(old: Option<Oid>, new: Oid) -> u64;
    fn people_of(tip: Oid) -> Vec<(String, String)>;
    fn sweep() -> ();
    ---

    async fn push_distribution(
        &self,
        guard: &LeaseGuard,
        remote: &Remote,
        moves: &[RefMove],
    ) -> Result<Vec<RefResult>, GitError> {
        let write = self.keeper.began("push", &repo(remote), guard);
        let result = self.inner.push_distribution(guard, remote, moves).await;
        ended(&self.keeper, write, &result);
        self.keeper.at(Gate::AfterDistributionPush).await;
        result
    }

    async fn workbench(&self) -> Result<Box<dyn Workbench>, GitError> {
        let inner = self.inner.workbench().await?;
        Ok(Box::new(KeptBench { inner, keeper: Arc::clone(&self.keeper) }))
    }
}

struct KeptBench {
    inner: Box<dyn Workbench>,
    keeper: Arc<Keeper>,
}

#[async_trait]
impl Workbench for KeptBench {
    async fn decide(
        &mut self,
        remote: &Remote,
        requests: &[DecideRequest],
        stop: &StopSignal,
    ) -> Result<Vec<Decision>, GitError> {
        self.inner.decide(remote, requests, stop).await
    }

    async fn push(
        &mut self,
        guard: &LeaseGuard,
        remote: &Remote,
        moves: &[RefMove],
        negotiate: bool,
    ) -> Result<Vec<RefResult>, GitError> {
        let write = self.keeper.began("push", &repo(remote), guard);
        let result = self.inner.push(guard, remote, moves, negotiate).await;
        ended(&self.keeper, write, &result);
        self.keeper.at(Gate::AfterPush).await;
        result
    }

    fn fetches(&self) -> u32 {
        self.inner.fetches()
    }
}
