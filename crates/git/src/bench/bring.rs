//! Bringing what the decision needs: at most one fetch for all branches.

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;

use lockstep_domain::names::Oid;
use lockstep_domain::ports::{DecideRequest, GitError, Remote};
use lockstep_domain::stop::StopSignal;

use super::{Bench, CONFIG};
use crate::answers::{local_fault, remote_fault};
use crate::fetch::FETCH;
use crate::job::Job;
use crate::store::unusable;

/// Larger files stay where they are: where both sides touched one, the answer is "unknown".
const FILTER: &str = "--filter=blob:limit=1m";

impl Bench {
    /// Fetches the branches (and heads of merged pull requests) whose objects are not here yet.
    pub(super) async fn bring(
        &mut self,
        remote: &Remote,
        requests: &[DecideRequest],
        stop: &StopSignal,
    ) -> Result<(), GitError> {
        let needed: Vec<Oid> = requests
            .iter()
            .flat_map(|request| [Some(request.new), Some(request.base), request.sync])
            .chain(requests.iter().flat_map(|request| &request.merged).map(|(_, head, _)| Some(*head)))
            .flatten()
            .collect();
        let absent = self.absent(&needed).await?;
        if let Some(request) = requests.iter().find(|request| absent.contains(&request.new)) {
            return Err(GitError::MissingObject(request.new.to_string()));
        }
        let refspecs = wanted(requests, &absent);
        if refspecs.is_empty() {
            return Ok(());
        }
        self.fetches += 1;
        let git_dir = self.git_dir();
        let job = Job::on(&git_dir)
            .words(FETCH)
            .arg(FILTER)
            .arg("--")
            .arg(&remote.url)
            .args(&refspecs)
            .hold(Arc::clone(&self.folder));
        let answer = self.inner.runner.remote(job, remote, stop).await?;
        // The filter made the remote a promisor in our configuration; from here on no git may fetch by itself. (Older
        // gits do not know GIT_NO_LAZY_FETCH.)
        fs::write(git_dir.join("config"), CONFIG).map_err(|error| unusable(&error))?;
        if !answer.good() {
            return Err(remote_fault("fetch", &answer));
        }
        let heads: Vec<Oid> = requests.iter().flat_map(|r| [Some(r.base), r.sync]).flatten().collect();
        match self.absent(&heads).await?.first() {
            None => Ok(()),
            // Moved and rewritten between the read and the fetch: the caller reads again.
            Some(oid) => Err(GitError::MissingObject(oid.to_string())),
        }
    }

    /// Which of these objects neither we nor the store have.
    pub(super) async fn absent(&self, wanted: &[Oid]) -> Result<BTreeSet<Oid>, GitError> {
        let input: String = wanted.iter().map(|oid| format!("{oid}\n")).collect();
        let job = Job::on(&self.git_dir()).words("cat-file --batch-check").input(input);
        let answer = self.inner.runner.local(job).await?;
        if !answer.good() {
            return Err(local_fault("cat-file", &answer));
        }
        let text = answer.text();
        let lines = text.lines().filter_map(|line| line.strip_suffix(" missing"));
        Ok(lines.filter_map(|oid| oid.parse().ok()).collect())
    }
}

/// The refspecs of the one fetch.
fn wanted(requests: &[DecideRequest], absent: &BTreeSet<Oid>) -> Vec<String> {
    let mut refspecs = BTreeSet::new();
    for (index, request) in requests.iter().enumerate() {
        if absent.contains(&request.base) {
            refspecs.insert(format!("+{}:refs/lockstep/at/{index}/base", request.base_ref));
        }
        if request.sync.is_some_and(|oid| absent.contains(&oid)) {
            refspecs.insert(format!("+{}:refs/lockstep/at/{index}/sync", request.sync_ref));
        }
        for (number, head, merged_as) in &request.merged {
            // A pattern, because an exact name that does not exist is an error. Without its merge commit a pull
            // request proves nothing, so its head is not needed.
            if merged_as.is_some() && absent.contains(head) {
                refspecs.insert(format!("+refs/pull/{number}/hea*:refs/lockstep/pull/{number}/hea*"));
            }
        }
    }
    refspecs.into_iter().collect()
}
