//! How items end: their causes in plain words, their record, and the counts.

use std::collections::HashMap;
use std::sync::PoisonError;

use lockstep_domain::code::Code;
use lockstep_domain::ids::RecipientId;
use lockstep_domain::model::{Counts, PullRow};
use lockstep_domain::names::{BranchName, Oid};
use lockstep_domain::outcome::{Outcome, Reason, RunStatus};
use lockstep_domain::ports::{ForgeError, GitError, PullInfo};
use lockstep_domain::stop::StopReason;
use lockstep_store::{Ending, ItemDone, RecipientPatch};

use super::Pass;
use super::select::Planned;
use crate::ahead;
use crate::error::EngineError;
use crate::request::Prepared;
use crate::request::end::{Done, cancelled, quit};
use crate::run::Halt;

/// How one item ended.
#[derive(Debug, Clone)]
pub(crate) struct Ended {
    pub(crate) outcome: Outcome,
    pub(crate) reason: Option<Reason>,
    pub(crate) cause: String,
    pub(crate) request_id: Option<String>,
}

impl Ended {
    pub(crate) fn good(outcome: Outcome) -> Self {
        Self { outcome, reason: None, cause: String::new(), request_id: None }
    }

    pub(crate) fn skipped(reason: Reason) -> Self {
        Self {
            outcome: Outcome::Skipped,
            reason: Some(reason),
            cause: words(reason).to_owned(),
            request_id: None,
        }
    }

    pub(crate) fn failed(reason: Reason, cause: impl Into<String>) -> Self {
        Self { outcome: Outcome::Failed, reason: Some(reason), cause: cause.into(), request_id: None }
    }

    pub(crate) fn told_by(mut self, request_id: Option<String>) -> Self {
        self.request_id = request_id;
        self
    }
}

/// A reason in plain words.
pub(crate) const fn words(reason: Reason) -> &'static str {
    match reason {
        Reason::Gone => "The repository does not exist any more.",
        Reason::Moved => "The repository was transferred to another owner.",
        Reason::Pending => "The repository was not accepted yet.",
        Reason::Archived => "The repository is archived on GitHub.",
        Reason::Locked => "Locked by staff.",
        Reason::PastDeadline => "The deadline has passed.",
        Reason::Empty => "The repository has no commit yet: hand out first.",
        Reason::Deselected => "Not chosen for this run.",
        Reason::Declined => "The pull request of this update was closed without merging.",
        Reason::Withdrawn => "Withdrawn by staff.",
        Reason::UndoneByRecipient => "The update was taken and then undone there.",
        _ => "",
    }
}

/// Whether a reason is a state of the repository that GitHub told while writing, and so a skip.
const fn is_state(reason: Reason) -> bool {
    matches!(reason, Reason::Gone | Reason::Moved | Reason::Archived | Reason::Empty)
}

/// The end of an item by a reason told by the forge or by git.
pub(crate) fn by_reason(reason: Reason, cause: String) -> Ended {
    if is_state(reason) { Ended::skipped(reason) } else { Ended::failed(reason, cause) }
}

/// What an error of the forge means: the end of this item, or of the pass when it concerns all.
pub(super) fn of_forge(pass: &Pass, error: ForgeError) -> Result<Ended, Halt> {
    let cause = error.to_string();
    Ok(match error {
        ForgeError::LeaseLost => return Err(Halt::Lost),
        ForgeError::BadCredentials(_)
        | ForgeError::Suspended
        | ForgeError::NotInstalled
        | ForgeError::NotAForge(_) => return Err(EngineError::from(error).into()),
        ForgeError::PermissionMissing(_) => Ended::failed(Reason::PermissionMissing, cause),
        ForgeError::NotFound(_) => Ended::failed(Reason::NotAccessible, cause),
        ForgeError::Archived => Ended::skipped(Reason::Archived),
        ForgeError::Empty => Ended::skipped(Reason::Empty),
        ForgeError::Validation(_) | ForgeError::AlreadyExists => Ended::failed(Reason::Validation, cause),
        ForgeError::NotYet(_) | ForgeError::RateLimited { .. } => {
            Ended::failed(Reason::GithubUnavailable, cause)
        }
        ForgeError::Unclear(_) => Ended::failed(Reason::UnknownOutcome, cause),
        ForgeError::Unavailable(_) => {
            pass.unanswered(&cause)?;
            Ended::failed(Reason::GithubUnavailable, cause)
        }
    })
}

/// What an error of git means.
pub(super) fn of_git(pass: &Pass, error: GitError) -> Result<Ended, Halt> {
    let cause = error.to_string();
    Ok(match error {
        GitError::LeaseLost => return Err(Halt::Lost),
        GitError::Missing
        | GitError::TooOld { .. }
        | GitError::BadCredentials
        | GitError::StoreUnusable(_) => return Err(EngineError::from(error).into()),
        GitError::NotFound => Ended::failed(Reason::NotAccessible, cause),
        GitError::Refused(_) => Ended::failed(Reason::PermissionMissing, cause),
        GitError::Unavailable(_) => {
            pass.unanswered(&cause)?;
            Ended::failed(Reason::GithubUnavailable, cause)
        }
        GitError::MissingObject(_) | GitError::Unexpected(_) => Ended::failed(Reason::PushFailed, cause),
    })
}

/// A pull request as the forge tells it, as our row.
pub(crate) fn pull_row(
    recipient: RecipientId,
    branch: &BranchName,
    info: &PullInfo,
    announced: Option<Oid>,
) -> PullRow {
    PullRow {
        recipient,
        branch: branch.clone(),
        number: info.number,
        author: info.author.clone(),
        base: info.base.clone(),
        state: info.state,
        opened_at: info.created_at,
        merged_at: info.merged_at,
        closed_at: info.closed_at,
        head: info.head,
        merge_commit: info.merge_commit,
        mergeable: info.mergeable,
        announced,
        updated_at: info.updated_at,
        url: info.url.clone(),
    }
}

/// Outcomes so far, and how many items are still open.
#[derive(Debug, Default)]
pub(super) struct Tally {
    ended: HashMap<RecipientId, Vec<Outcome>>,
    planned: usize,
    done: usize,
    failed: usize,
}

impl Tally {
    pub(super) fn of(plan: &[Planned]) -> Self {
        Self { planned: plan.iter().map(|p| p.branches.len()).sum(), ..Self::default() }
    }

    /// Per recipient its strongest branch.
    fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        self.ended
            .values()
            .filter_map(|all| Outcome::strongest(all.iter().copied()))
            .for_each(|o| counts.add(o));
        counts
    }
}

impl Pass {
    /// Records ends in one transaction, then counts them.
    pub(super) async fn record(&self, done: Vec<ItemDone>) -> Result<(), Halt> {
        if done.is_empty() {
            return Ok(());
        }
        self.guarded(|| self.ctx.store().items_done(&self.ctx.guard, &done)).await?;
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        for item in &done {
            tally.done += 1;
            tally.failed += usize::from(item.outcome == Outcome::Failed);
            tally.ended.entry(item.recipient).or_default().push(item.outcome);
            if item.outcome == Outcome::Failed {
                tracing::warn!(recipient.id = %item.recipient, branch = %item.branch, reason = ?item.reason, cause = %item.cause, "an item failed");
            }
        }
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let (done, failed) = (count(tally.done), count(tally.failed));
        self.ctx.progress(|progress| {
            progress.done = done;
            progress.failed = failed;
        });
        Ok(())
    }

    /// The computed end of the pass.
    pub(super) async fn done(&self, prepared: &Prepared) -> Result<Done, Halt> {
        if self.ctx.stop().is_lost() {
            return Err(Halt::Lost);
        }
        let (counts, left, failed) = {
            let tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
            (tally.counts(), tally.planned - tally.done.min(tally.planned), tally.failed)
        };
        let (status, error) = match self.ctx.stop().reason() {
            Some(reason) if left > 0 => self.stopped(reason),
            _ if failed > 0 || left > 0 => (RunStatus::Incomplete, None),
            _ => (RunStatus::Succeeded, None),
        };
        let told = error.as_ref().map(|e: &EngineError| (e.code, e.text.clone()));
        let ahead = ahead::after(&self.ctx, prepared).await;
        let ending = Ending { status, error: told, counts, spent: self.ctx.spent(), ahead };
        Ok(Done { ending, publication: None, error })
    }

    fn stopped(&self, reason: StopReason) -> (RunStatus, Option<EngineError>) {
        match reason {
            StopReason::Cancelled { by, reason } => (RunStatus::Cancelled, Some(cancelled(&by, &reason))),
            StopReason::Quit | StopReason::LeaseLost => (RunStatus::Interrupted, Some(quit())),
            StopReason::Fault(code) => {
                let told = self.fault.lock().unwrap_or_else(PoisonError::into_inner).clone();
                let error = told.unwrap_or_else(|| EngineError::new(code, "The pass was stopped."));
                let ended =
                    matches!(code, Code::ProjectArchived | Code::ProjectMissing | Code::SourceMissing);
                (if ended { RunStatus::Cancelled } else { RunStatus::Incomplete }, Some(error))
            }
        }
    }
}

/// The record of an item.
pub(crate) fn item_done(
    recipient: RecipientId,
    branch: &BranchName,
    ended: Ended,
    new: Option<Oid>,
    patch: RecipientPatch,
) -> ItemDone {
    ItemDone {
        recipient,
        branch: branch.clone(),
        delivered: new.filter(|_| ended.outcome.delivers()),
        outcome: ended.outcome,
        reason: ended.reason,
        cause: ended.cause,
        request_id: ended.request_id,
        conflicts: None,
        pull: None,
        patch,
    }
}
