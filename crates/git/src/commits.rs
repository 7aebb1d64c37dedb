//! Commits made without a work tree: the distribution's, the owner mark, merges on top of a recipient's commits.

use std::path::Path;

use lockstep_domain::clock::Millis;
use lockstep_domain::ids::ProjectId;
use lockstep_domain::names::{BranchName, Oid};
use lockstep_domain::ports::{CommitSpec, GitError};

use crate::answers::local_fault;
use crate::history::{oids, one_oid};
use crate::job::Job;
use crate::program::Inner;
use crate::runner::Answer;

/// Author and committer of everything that Lockstep makes.
const NAME: &str = "Lockstep";
const EMAIL: &str = "lockstep@users.noreply.github.com";

/// How often a ref of the store is tried again when another process moves it at the same time.
const REF_TRIES: u32 = 4;

impl Inner {
    /// Makes a commit in the store, and the ref that keeps it, before anybody can push it.
    pub(crate) async fn commit(
        &self,
        project: ProjectId,
        branch: &BranchName,
        spec: &CommitSpec,
    ) -> Result<Oid, GitError> {
        let _shared = self.store.share().await?;
        let oid = self.commit_tree(&self.store.git_dir(), spec).await?;
        self.point(&format!("refs/lockstep/keep/{project}/{branch}"), oid).await?;
        Ok(oid)
    }

    /// A parentless commit on the empty tree.
    pub(crate) async fn mark_commit(&self, message: &str, at: Millis) -> Result<Oid, GitError> {
        let _shared = self.store.share().await?;
        let git_dir = self.store.git_dir();
        let answer = self.runner.local(Job::on(&git_dir).arg("mktree")).await?;
        let tree = one_oid("mktree", &answer)?;
        let spec = CommitSpec { tree, parents: Vec::new(), message: message.to_owned(), at };
        let oid = self.commit_tree(&git_dir, &spec).await?;
        self.point(&format!("refs/lockstep/keep/mark/{oid}"), oid).await?;
        Ok(oid)
    }

    /// `commit-tree` with our identity. The date is never before a parent's, so that the same input gives the same
    /// commit and history never runs backwards.
    pub(crate) async fn commit_tree(&self, git_dir: &Path, spec: &CommitSpec) -> Result<Oid, GitError> {
        let newest = self.newest_date(git_dir, &spec.parents).await?;
        let date = format!("@{} +0000", newest.max(spec.at.0.div_euclid(1000)).max(0));
        let mut job = Job::on(git_dir).arg("commit-tree");
        for parent in &spec.parents {
            job = job.arg("-p").arg(parent.to_string());
        }
        job = job.arg(spec.tree.to_string()).input(spec.message.as_bytes());
        for who in ["AUTHOR", "COMMITTER"] {
            job = job
                .env(format!("GIT_{who}_NAME"), NAME)
                .env(format!("GIT_{who}_EMAIL"), EMAIL)
                .env(format!("GIT_{who}_DATE"), &date);
        }
        one_oid("commit-tree", &self.runner.local(job).await?)
    }

    /// The newest committer date among the parents, in seconds.
    async fn newest_date(&self, git_dir: &Path, parents: &[Oid]) -> Result<i64, GitError> {
        if parents.is_empty() {
            return Ok(0);
        }
        let job = Job::on(git_dir).words("log --no-walk --format=%ct").args(oids(parents));
        let answer = self.runner.local(job).await?;
        if !answer.good() {
            return Err(local_fault("log", &answer));
        }
        Ok(answer.text().lines().filter_map(|line| line.parse().ok()).max().unwrap_or(0))
    }

    /// Sets a ref of the store; the caller holds the shared lock.
    pub(crate) async fn point(&self, name: &str, oid: Oid) -> Result<(), GitError> {
        let git_dir = self.store.git_dir();
        let job = || Job::on(&git_dir).arg("update-ref").arg(name).arg(oid.to_string());
        let mut answer = self.runner.local(job()).await?;
        for _ in 1..REF_TRIES {
            if !collided(&answer) {
                break;
            }
            answer = self.runner.local(job()).await?;
        }
        if answer.good() { Ok(()) } else { Err(local_fault("update-ref", &answer)) }
    }
}

/// Two processes moved the same ref at the same time: nothing is broken, the later one tries again.
pub(crate) fn collided(answer: &Answer) -> bool {
    !answer.good() && answer.err.contains("cannot lock ref")
}
