//! What each branch of a recipient needs, cheapest first, before anything is written (docs/SYNC.md).

use lockstep_domain::model::{PullRow, PullState};
use lockstep_domain::names::{BranchName, Oid};
use lockstep_domain::outcome::{Outcome, Reason};
use lockstep_domain::ports::{
    DecideRequest, Decision, Forecast, Forge, PullInfo, RecipientBranch, RecipientRepo, Workbench,
};
use lockstep_store::Verdict;

use super::cache::{self, Key};
use super::outcome::{Ended, of_git, pull_row};
use super::read::Job;
use super::{Pass, push};
use crate::error::EngineError;
use crate::run::{GIT_LIMIT, Halt};

/// What is left to do for an item.
#[derive(Debug, Clone)]
pub(crate) enum State {
    /// Nothing.
    Ended(Ended),
    /// Move the sync branch to this oid, then announce.
    Push(Oid),
    /// Announce; whether this run moved the sync branch.
    Announce { pushed: bool },
    /// Close the open pull request: nothing differs any more.
    Close { undone: bool },
}

/// One recipient × branch on its way.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    pub(crate) branch: BranchName,
    pub(crate) base: BranchName,
    /// The distribution's head.
    pub(crate) new: Oid,
    /// The branch as read.
    pub(crate) read: RecipientBranch,
    /// Where the sync branch is now.
    pub(crate) sync: Option<Oid>,
    /// Our row of its pull request.
    pub(crate) row: Option<PullRow>,
    pub(crate) conflicts: Option<u32>,
    pub(crate) state: State,
    /// Verdict to keep, by its key.
    kept: Option<Decision>,
}

impl Item {
    /// The open pull request of this branch as read.
    pub(crate) fn open(&self, repo: lockstep_domain::ids::RepoId) -> Option<&PullInfo> {
        self.read.pulls.iter().find(|pull| {
            pull.state == PullState::Open
                && pull.head_ref == self.branch.sync()
                && pull.base == self.base.as_str()
                && pull.head_repo == Some(repo)
        })
    }

    /// The newest one, whatever its state.
    pub(crate) fn newest(&self) -> Option<&PullInfo> {
        self.read.pulls.iter().max_by_key(|pull| pull.number)
    }

    /// The head announced on this pull request, as far as we know.
    pub(crate) fn announced(&self, number: i64) -> Option<Oid> {
        self.row.as_ref().filter(|row| row.number == number).and_then(|row| row.announced)
    }

    /// The newest pull request as a row.
    pub(crate) fn newest_row(&self, recipient: lockstep_domain::ids::RecipientId) -> Option<PullRow> {
        let newest = self.newest()?;
        Some(pull_row(recipient, &self.branch, newest, self.announced(newest.number)))
    }

    fn merged(&self) -> Vec<(i64, Oid, Option<Oid>)> {
        let merged = self.read.pulls.iter().filter(|pull| pull.state == PullState::Merged);
        merged.filter_map(|pull| Some((pull.number, pull.head?, pull.merge_commit))).collect()
    }

    fn key(&self, sync: Option<Oid>) -> Option<String> {
        let (base, _) = self.read.base?;
        Some(Key { base, sync, new: self.new, merged: &self.merged() }.text())
    }
}

/// Decides all planned branches of a recipient; opens the workbench only when something is not known yet.
pub(super) async fn decide(
    pass: &Pass,
    job: &Job,
    repo: &RecipientRepo,
    bench: &mut Option<Box<dyn Workbench>>,
) -> Result<Vec<Item>, Halt> {
    let mut items = Vec::new();
    let mut open = Vec::new();
    for (branch, base) in job.planned.branches.iter().zip(&job.bases) {
        let mut item = item(pass, job, repo, branch, base)?;
        match known(&item, job) {
            Some(decision) => settle(pass, job, repo, &mut item, decision, true).await?,
            None if item.read.base.is_none() => item.state = State::Ended(branch_missing(base, repo)),
            None => open.push(items.len()),
        }
        items.push(item);
    }
    if open.is_empty() {
        return Ok(items);
    }
    let requests: Vec<_> = open.iter().filter_map(|at| request(pass, job, items.get(*at)?)).collect();
    let decided = ask(pass, job, repo, &requests, bench).await?;
    match decided {
        Ok(decisions) => {
            for (at, decision) in open.into_iter().zip(decisions) {
                settle(pass, job, repo, &mut items[at], decision, false).await?;
            }
        }
        Err(error) => {
            let ended = of_git(pass, error)?;
            open.into_iter().for_each(|at| items[at].state = State::Ended(ended.clone()));
        }
    }
    Ok(items)
}

fn item(
    pass: &Pass,
    job: &Job,
    repo: &RecipientRepo,
    branch: &BranchName,
    base: &BranchName,
) -> Result<Item, Halt> {
    let built = pass.branch(branch)?;
    let at = pass.branches.iter().position(|b| b.branch == *branch);
    let read = at.and_then(|at| repo.branches.get(at)).cloned().ok_or_else(|| {
        Halt::Refused(EngineError::new(lockstep_domain::code::Code::Bug, "A branch was not read."))
    })?;
    Ok(Item {
        branch: branch.clone(),
        base: base.clone(),
        new: built.new,
        sync: read.sync,
        read,
        row: pass.pulls.get(&(job.planned.recipient.id, branch.clone())).cloned(),
        conflicts: None,
        state: State::Announce { pushed: false },
        kept: None,
    })
}

/// The shortcut (the base holds the new head itself), then the cache.
fn known(item: &Item, job: &Job) -> Option<Decision> {
    item.read.base?;
    if item.read.ahead_by == Some(0) {
        return Some(Decision::UpToDate { undone: false });
    }
    let value = job.verdicts.get(&item.key(item.sync)?)?;
    cache::recall(value, item.new)
}

fn request(pass: &Pass, job: &Job, item: &Item) -> Option<DecideRequest> {
    Some(DecideRequest {
        base: item.read.base?.0,
        base_ref: item.base.full(),
        sync: item.sync,
        sync_ref: item.branch.sync_full(),
        new: item.new,
        merged: item.merged(),
        own: job.own.clone(),
        at: pass.ctx.run.started_at,
    })
}

async fn ask(
    pass: &Pass,
    job: &Job,
    repo: &RecipientRepo,
    requests: &[DecideRequest],
    bench: &mut Option<Box<dyn Workbench>>,
) -> Result<Result<Vec<Decision>, lockstep_domain::ports::GitError>, Halt> {
    let forge = pass.ctx.forge(job.planned.recipient.repo.connection).await?;
    let remote = forge.git_remote(&repo.slug).await.map_err(EngineError::from)?;
    let bench = match push::bench(pass, bench).await {
        Ok(bench) => bench,
        Err(error) => return Ok(Err(error)),
    };
    let before = bench.fetches();
    let _calling = pass.ctx.calling("fetch", &repo.slug, GIT_LIMIT);
    let decided = bench.decide(&remote, requests, pass.ctx.stop()).await;
    pass.ctx.fetched(bench.fetches() - before);
    Ok(decided)
}

/// Turns a decision into what is left to do.
async fn settle(
    pass: &Pass,
    job: &Job,
    repo: &RecipientRepo,
    item: &mut Item,
    decision: Decision,
    recalled: bool,
) -> Result<(), Halt> {
    let declined = !pass.send_again && declined(item, &decision);
    item.conflicts = conflicts(&decision);
    item.state = match &decision {
        Decision::UpToDate { undone } if item.open(repo.id).is_some() => State::Close { undone: *undone },
        Decision::UpToDate { undone } => State::Ended(up_to_date(*undone)),
        Decision::Unchanged(_) | Decision::Push { .. } if declined => {
            State::Ended(Ended::skipped(Reason::Declined))
        }
        Decision::Unchanged(_) => unchanged(item, repo),
        Decision::Push { workflows: true, .. } if !may_write_workflows(pass, job).await? => {
            State::Ended(Ended::failed(
                Reason::NeedsWorkflowsPermission,
                "The update changes files below .github/workflows, and the connection may not write those.",
            ))
        }
        Decision::Push { oid, .. } => State::Push(*oid),
        Decision::ForeignCommits(paths) => State::Ended(Ended::failed(
            Reason::ForeignCommits,
            format!("Own commits on {} conflict with the update in {}.", item.branch.sync(), list(paths)),
        )),
        Decision::NoCommonHistory => State::Ended(Ended::failed(
            Reason::NoCommonHistory,
            format!("{} has nothing in common with the distribution.", item.base),
        )),
    };
    if !recalled || matches!(decision, Decision::Push { .. }) {
        item.kept = Some(decision);
    }
    Ok(())
}

async fn may_write_workflows(pass: &Pass, job: &Job) -> Result<bool, Halt> {
    let forge: std::sync::Arc<dyn Forge> = pass.ctx.forge(job.planned.recipient.repo.connection).await?;
    // What cannot be told is tried: the refusal of the push names it.
    Ok(forge.may("workflows").await != Some(false))
}

pub(super) fn up_to_date(undone: bool) -> Ended {
    let mut ended = Ended::good(Outcome::UpToDate);
    if undone {
        ended.reason = Some(Reason::UndoneByRecipient);
        super::outcome::words(Reason::UndoneByRecipient).clone_into(&mut ended.cause);
    }
    ended
}

/// Open, current and announced: nothing to write.
fn unchanged(item: &Item, repo: &RecipientRepo) -> State {
    match item.open(repo.id) {
        Some(open) if item.announced(open.number) == Some(item.new) => {
            State::Ended(Ended::good(Outcome::Unchanged))
        }
        _ => State::Announce { pushed: false },
    }
}

/// A pull request of this very update that was closed without merging is respected.
fn declined(item: &Item, decision: &Decision) -> bool {
    let Some(newest) = item.newest().filter(|pull| pull.state == PullState::Closed) else { return false };
    match item.announced(newest.number) {
        Some(announced) => announced == item.new,
        // Without our row: its head is the update itself, or holds it on top of their commits.
        None => {
            newest.head == Some(item.new)
                || (newest.head.is_some()
                    && newest.head == item.sync
                    && matches!(decision, Decision::Unchanged(_)))
        }
    }
}

fn branch_missing(base: &BranchName, repo: &RecipientRepo) -> Ended {
    let default = repo.default_branch.as_deref().unwrap_or("none");
    Ended::failed(
        Reason::BranchMissing,
        format!(
            "There is no branch {base} (the default branch is {default}). Map it, or let them create it."
        ),
    )
}

fn conflicts(decision: &Decision) -> Option<u32> {
    match decision {
        Decision::Unchanged(forecast) | Decision::Push { forecast, .. } => match forecast {
            Forecast::Clean => Some(0),
            Forecast::Conflict(paths) => Some(u32::try_from(paths.len()).unwrap_or(u32::MAX)),
            Forecast::Unknown => None,
        },
        Decision::UpToDate { .. } => Some(0),
        Decision::ForeignCommits(_) | Decision::NoCommonHistory => None,
    }
}

fn list(paths: &[String]) -> String {
    let shown: Vec<_> = paths.iter().take(5).map(String::as_str).collect();
    let more = paths.len().saturating_sub(shown.len());
    match (shown.is_empty(), more) {
        (true, _) => "some files".to_owned(),
        (false, 0) => shown.join(", "),
        (false, more) => format!("{} and {more} more", shown.join(", ")),
    }
}

/// Verdicts worth keeping, one per item (the database holds the newest): as decided, or, once the push has landed, as
/// it is now.
pub(super) fn verdicts(job: &Job, items: &[Item]) -> Vec<Verdict> {
    let one = |item: &Item| {
        let decision = item.kept.as_ref()?;
        let landed = matches!(item.state, State::Announce { pushed: true });
        let (sync, now) = match cache::after_push(decision) {
            Some(after) if landed => (item.sync, after),
            _ => (item.read.sync, decision.clone()),
        };
        let (key, value) = (item.key(sync)?, cache::keep(&now)?);
        let (recipient, branch) = (job.planned.recipient.id, item.branch.clone());
        (!job.verdicts.contains_key(&key)).then_some(Verdict { recipient, branch, key, value })
    };
    items.iter().filter_map(one).collect()
}
