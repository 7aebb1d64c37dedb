//! Pushes by compare-and-swap, each ref judged alone.
//!
//! `Done` and the exit code prove nothing: after anything but success the refs are read again. At the new value:
//! pushed. At the expected one: the same push once more with the same expected value, which stays safe even when the
//! first one lands late. Anywhere else: somebody moved it.

mod lines;
mod refusal;
mod settle;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use lockstep_domain::lease::LeaseGuard;
use lockstep_domain::names::Oid;
use lockstep_domain::outcome::Reason;
use lockstep_domain::ports::{GitError, RefMove, RefResult, Remote};

use crate::answers::remote_fault;
use crate::job::Job;
use crate::program::Inner;
use crate::runner::Answer;
use crate::store::Private;

/// Everything that a push must not do besides pushing.
const PUSH: &str =
    "push --porcelain --progress --no-verify --no-signed --no-follow-tags --no-recurse-submodules";

/// What one push said about one ref.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It was moved.
    Moved,
    /// It was at the new value already.
    Same,
    /// A rule, a permission or an archive.
    Refused(Reason, String),
    /// Lost a race, or another ref of an atomic push was not taken; where it is now decides.
    Raced(String),
    /// Nothing is known.
    Unclear(String),
}

/// How to push.
pub(crate) struct Plan<'a> {
    pub(crate) git_dir: &'a Path,
    pub(crate) remote: &'a Remote,
    pub(crate) guard: &'a LeaseGuard,
    pub(crate) atomic: bool,
    pub(crate) negotiate: bool,
    pub(crate) idle: Duration,
    /// A workbench's folder, kept until the last process in it has ended.
    pub(crate) folder: Option<&'a Arc<Private>>,
}

impl Inner {
    /// The distribution's push: atomic. `--force-with-lease` is a force, so ancestry is checked here again.
    pub(crate) async fn push_distribution(
        &self,
        guard: &LeaseGuard,
        remote: &Remote,
        moves: &[RefMove],
    ) -> Result<Vec<RefResult>, GitError> {
        let git_dir = self.store.git_dir();
        for wanted in moves.iter().filter(|wanted| wanted.name.starts_with("refs/heads/")) {
            if wanted.deletes() {
                return Err(GitError::Refused("a distribution's branch is never deleted".into()));
            }
            let Some(old) = wanted.old else { continue };
            match self.is_ancestor(&git_dir, old, wanted.new).await? {
                Some(true) => {}
                Some(false) => {
                    let text = "the new head does not continue the known one: nothing was pushed";
                    return Err(GitError::Refused(text.into()));
                }
                None => return Err(GitError::MissingObject(old.to_string())),
            }
        }
        let plan = Plan {
            git_dir: &git_dir,
            remote,
            guard,
            atomic: true,
            negotiate: false,
            idle: self.publish_idle,
            folder: None,
        };
        let results = self.push_refs(&plan, moves).await?;
        self.note_published(guard, moves, &results).await;
        Ok(results)
    }

    /// Remembers in the store what the distribution has now, so that workbenches offer it. Only a memory: the next
    /// fetch says the same.
    async fn note_published(&self, guard: &LeaseGuard, moves: &[RefMove], results: &[RefResult]) {
        let project = guard.project();
        let there = |result: &RefResult| matches!(result, RefResult::Pushed | RefResult::AlreadyThere);
        for (wanted, _) in moves.iter().zip(results).filter(|(_, result)| there(result)) {
            if wanted.deletes() {
                continue;
            }
            let name = match wanted.name.split_at_checked("refs/heads/".len()) {
                Some(("refs/heads/", branch)) => format!("refs/lockstep/dist/{project}/{branch}"),
                _ if wanted.name == "refs/lockstep/owner" => format!("refs/lockstep/mark/{project}/owner"),
                _ => continue,
            };
            let noted = match self.store.share().await {
                Ok(_shared) => self.point(&name, wanted.new).await,
                Err(error) => Err(error),
            };
            if let Err(error) = noted {
                tracing::debug!(%error, "a published head was not noted in the store");
            }
        }
    }

    /// Pushes, reads again what did not clearly succeed, and pushes once more what is where it was.
    pub(crate) async fn push_refs(
        &self,
        plan: &Plan<'_>,
        moves: &[RefMove],
    ) -> Result<Vec<RefResult>, GitError> {
        let mut board = settle::Board::new(moves, plan.atomic);
        for last in [false, true] {
            let open = board.open();
            if open.is_empty() {
                break;
            }
            let verdicts = match self.push_once(plan, &open).await {
                Ok(verdicts) => verdicts,
                // What the first push did stands; a second that cannot even start changes nothing of it.
                Err(error) if last && error != GitError::LeaseLost => {
                    open.iter().map(|_| Verdict::Unclear(error.to_string())).collect()
                }
                Err(error) => return Err(error),
            };
            let doubtful = board.take(&open, &verdicts, last);
            if doubtful.is_empty() {
                break;
            }
            let now = match self.read_refs(plan, &doubtful).await {
                Err(GitError::LeaseLost) => return Err(GitError::LeaseLost),
                read => read,
            };
            if !board.reread(now.as_ref(), last) {
                break;
            }
        }
        Ok(board.results())
    }

    async fn push_once(&self, plan: &Plan<'_>, moves: &[RefMove]) -> Result<Vec<Verdict>, GitError> {
        let mut job = Job::on(plan.git_dir).words(PUSH).idle(plan.idle).hold(plan.folder.cloned());
        if plan.atomic {
            job = job.arg("--atomic");
        }
        if plan.negotiate {
            job = job.config("push.negotiate", "true");
        }
        for wanted in moves {
            let old = wanted.old.map(|oid| oid.to_string()).unwrap_or_default();
            job = job.arg(format!("--force-with-lease={}:{old}", wanted.name));
        }
        job = job.arg("--").arg(&plan.remote.url);
        job = job.args(moves.iter().map(|wanted| {
            let new = if wanted.deletes() { String::new() } else { wanted.new.to_string() };
            format!("{new}:{}", wanted.name)
        }));
        let answer = match self.runner.remote(job, plan.remote, plan.guard.stop()).await {
            Ok(answer) => answer,
            Err(GitError::Unavailable(why)) => {
                return Ok(moves.iter().map(|_| Verdict::Unclear(why.clone())).collect());
            }
            Err(error) => return Err(error),
        };
        read_push(&answer, moves)
    }

    /// Where the refs are now, and what would be in their way.
    async fn read_refs(&self, plan: &Plan<'_>, moves: &[RefMove]) -> Result<HashMap<String, Oid>, GitError> {
        let mut names: Vec<String> =
            moves.iter().flat_map(|wanted| settle::neighbours(&wanted.name)).collect();
        names.sort();
        names.dedup();
        let job =
            Job::on(plan.git_dir).words("ls-remote --quiet --refs --").arg(&plan.remote.url).args(names);
        let answer = self.runner.remote(job, plan.remote, plan.guard.stop()).await?;
        if !answer.good() {
            return Err(remote_fault("ls-remote", &answer));
        }
        let read = |line: &str| {
            let (oid, name) = line.split_once('\t')?;
            Some((name.to_owned(), oid.parse().ok()?))
        };
        Ok(answer.text().lines().filter_map(read).collect())
    }
}

/// One verdict per ref, found by its name: the order of the lines is not the order of the refspecs.
fn read_push(answer: &Answer, moves: &[RefMove]) -> Result<Vec<Verdict>, GitError> {
    let told = lines::read(&answer.text(), &answer.err);
    if told.is_empty() {
        match remote_fault("push", answer) {
            GitError::Refused(why) => {
                let reason = refusal::of_access(&why);
                return Ok(moves.iter().map(|_| Verdict::Refused(reason, why.clone())).collect());
            }
            GitError::Unavailable(why) => {
                return Ok(moves.iter().map(|_| Verdict::Unclear(why.clone())).collect());
            }
            fault => return Err(fault),
        }
    }
    let silent = || Verdict::Unclear("it did not say what became of it".into());
    Ok(moves.iter().map(|wanted| told.get(&wanted.name).cloned().unwrap_or_else(silent)).collect())
}
