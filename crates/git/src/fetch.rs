//! Fetches into the shared store: sources and distributions, never a recipient.

use lockstep_domain::ids::{ProjectId, SourceId};
use lockstep_domain::names::Oid;
use lockstep_domain::ports::{DistributionRefs, GitError, Remote};
use lockstep_domain::stop::StopSignal;

use crate::answers::{local_fault, remote_fault};
use crate::commits::collided;
use crate::job::Job;
use crate::program::Inner;

/// Everything that a fetch must not do besides fetching.
pub(crate) const FETCH: &str = "fetch --no-tags --no-write-fetch-head --no-auto-maintenance --no-recurse-submodules \
     --no-show-forced-updates --progress";

/// How often a fetch is tried again when another process fetches the same refs.
const TRIES: u32 = 4;

impl Inner {
    pub(crate) async fn fetch_source(
        &self,
        source: SourceId,
        remote: &Remote,
        stop: &StopSignal,
    ) -> Result<Vec<(String, Oid)>, GitError> {
        let prefix = format!("refs/lockstep/src/{source}/heads/");
        self.fetch_into_store(remote, &[format!("+refs/heads/*:{prefix}*")], stop).await?;
        self.refs_below(&prefix).await
    }

    pub(crate) async fn fetch_distribution(
        &self,
        project: ProjectId,
        remote: &Remote,
        stop: &StopSignal,
    ) -> Result<DistributionRefs, GitError> {
        let heads = format!("refs/lockstep/dist/{project}/");
        let marks = format!("refs/lockstep/mark/{project}/");
        // A pattern, because an exact name that does not exist is an error.
        let refspecs = [format!("+refs/heads/*:{heads}*"), format!("+refs/lockstep/owne*:{marks}owne*")];
        self.fetch_into_store(remote, &refspecs, stop).await?;
        let owner = self.refs_below(&marks).await?.into_iter().find(|(name, _)| name == "owner");
        Ok(DistributionRefs { heads: self.refs_below(&heads).await?, owner: owner.map(|(_, oid)| oid) })
    }

    async fn fetch_into_store(
        &self,
        remote: &Remote,
        refspecs: &[String],
        stop: &StopSignal,
    ) -> Result<(), GitError> {
        let git_dir = self.store.git_dir();
        let mut tries = 0;
        loop {
            tries += 1;
            let shared = self.store.share_until(stop).await?;
            let job = Job::on(&git_dir)
                .words(FETCH)
                .arg("--prune")
                .arg("--")
                .arg(&remote.url)
                .args(refspecs)
                .hold(shared);
            let answer = self.runner.remote(job, remote, stop).await?;
            if answer.good() {
                return Ok(());
            }
            if !collided(&answer) || tries == TRIES {
                return Err(remote_fault("fetch", &answer));
            }
        }
    }

    /// Names (without the prefix) and values of the refs below a prefix of the store.
    pub(crate) async fn refs_below(&self, prefix: &str) -> Result<Vec<(String, Oid)>, GitError> {
        let job = Job::on(&self.store.git_dir())
            .arg("for-each-ref")
            .arg("--format=%(objectname) %(refname)")
            .arg(prefix);
        let answer = self.runner.local(job).await?;
        if !answer.good() {
            return Err(local_fault("for-each-ref", &answer));
        }
        let read = |line: &str| {
            let (oid, name) = line.split_once(' ')?;
            Some((name.strip_prefix(prefix)?.to_owned(), oid.parse().ok()?))
        };
        Ok(answer.text().lines().filter_map(read).collect())
    }
}
