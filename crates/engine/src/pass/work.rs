//! One recipient's turn in the first stage: fence, re-read, leave out, decide, push, record.

use lockstep_domain::code::Code;
use lockstep_domain::model::{ProjectState, Recipient};
use lockstep_domain::outcome::Reason;
use lockstep_domain::ports::{ForgeError, RecipientAt, RecipientRepo};
use lockstep_domain::skip::{RecipientState, SkipFacts, skip};
use lockstep_store::{PassRead, RecipientPatch};

use super::announce::Handed;
use super::decide::{self, Item, State};
use super::outcome::{Ended, item_done, of_forge};
use super::read::Job;
use super::{Pass, gate, push};
use crate::error::EngineError;
use crate::request::open::archived;
use crate::run::Halt;

/// Works on one recipient; what is left to announce is handed on.
pub(super) async fn work(pass: &Pass, job: Job) -> Result<Option<Handed>, Halt> {
    pass.ctx.fence().await?;
    let name = job.planned.recipient.repo.slug.to_string();
    pass.ctx.progress(|progress| progress.current = name);
    let recipient = job.planned.recipient.id;
    let read = pass.ctx.store().pass_read(pass.project.id, recipient).await.map_err(EngineError::from)?;
    still_on(pass, &read)?;
    let (ended, patch) = match &read.recipient {
        None => (Some(Ended::skipped(Reason::Gone)), RecipientPatch::default()),
        Some(known) => left_out(pass, known, &read, &job).await?,
    };
    let repo = match (ended, &job.read.repo) {
        (Some(ended), _) => return all_ended(pass, &job, &ended, patch).await,
        (None, Some(repo)) => repo.clone(),
        (None, None) => return all_ended(pass, &job, &Ended::skipped(Reason::Gone), patch).await,
    };
    let mut bench = None;
    let mut items = decide::decide(pass, &job, &repo, &mut bench).await?;
    push::push(pass, &job.planned.recipient, &repo, &mut items, &mut bench).await?;
    drop(bench);
    let verdicts = decide::verdicts(&job, &items);
    if !verdicts.is_empty() {
        pass.guarded(|| pass.ctx.store().verdicts_put(&pass.ctx.guard, &verdicts)).await?;
    }
    hand_on(pass, job, &repo, items, patch).await
}

/// The project may have been archived or deleted meanwhile: the pass ends.
fn still_on(pass: &Pass, read: &PassRead) -> Result<(), Halt> {
    if read.deleted {
        let text = "The project or its source was deleted meanwhile; the rest was not touched.";
        return Err(EngineError::new(Code::ProjectMissing, text).into());
    }
    if read.project_state == ProjectState::Archived {
        return Err(archived(&pass.project).into());
    }
    Ok(())
}

/// Who is left out, by the database and by what the forge shows now; and what was learned about the repository.
async fn left_out(
    pass: &Pass,
    known: &Recipient,
    read: &PassRead,
    job: &Job,
) -> Result<(Option<Ended>, RecipientPatch), Halt> {
    let mut patch = RecipientPatch::default();
    let facts = |state, empty| SkipFacts {
        state,
        locked: known.locked,
        effective_deadline: known.deadline.or(read.deadline),
        db_now: read.db_now,
        selected: true,
        empty,
    };
    let state = match &job.read.repo {
        Some(repo) => state_now(known, repo),
        None if known.state != RecipientState::Live => known.state,
        None if skip(&facts(known.state, false)).is_some() => known.state,
        None => match gone(pass, known).await? {
            Some(state) => state,
            None => {
                let cause = "This connection cannot see the repository any more.";
                return Ok((Some(Ended::failed(Reason::NotAccessible, cause)), patch));
            }
        },
    };
    if state != known.state {
        patch.state = Some(state);
    }
    if let Some(repo) = &job.read.repo {
        patch.slug = (repo.slug != known.repo.slug).then(|| repo.slug.clone());
    }
    let empty = job.read.repo.as_ref().is_some_and(|repo| repo.empty);
    Ok((skip(&facts(state, empty)).map(Ended::skipped), patch))
}

/// The state that a visible repository proves. What staff set (pending) stays.
fn state_now(known: &Recipient, repo: &RecipientRepo) -> RecipientState {
    if known.state == RecipientState::Pending {
        RecipientState::Pending
    } else if !repo.slug.owner.eq_ignore_ascii_case(&known.repo.slug.owner) {
        RecipientState::Moved
    } else if repo.archived {
        RecipientState::Archived
    } else if known.state == RecipientState::Moved {
        RecipientState::Moved
    } else {
        RecipientState::Live
    }
}

/// An invisible repository is asked for by its number once; `None`: it exists but cannot be read.
async fn gone(pass: &Pass, known: &Recipient) -> Result<Option<RecipientState>, Halt> {
    let forge = pass.ctx.forge(known.repo.connection).await?;
    match gate::read(pass, known.repo.connection, || forge.repository(known.repo.id)).await? {
        Err(ForgeError::NotFound(_)) => Ok(Some(RecipientState::Gone)),
        Ok(_) => Ok(None),
        Err(error) => of_forge(pass, error).map(|_| None),
    }
}

async fn all_ended(
    pass: &Pass,
    job: &Job,
    ended: &Ended,
    patch: RecipientPatch,
) -> Result<Option<Handed>, Halt> {
    let recipient = job.planned.recipient.id;
    let done = |branch| item_done(recipient, branch, ended.clone(), None, patch.clone());
    pass.record(job.planned.branches.iter().map(done).collect()).await?;
    Ok(None)
}

/// Records what has ended and hands the rest to the second stage.
async fn hand_on(
    pass: &Pass,
    job: Job,
    repo: &RecipientRepo,
    items: Vec<Item>,
    patch: RecipientPatch,
) -> Result<Option<Handed>, Halt> {
    let recipient = job.planned.recipient;
    let mut done = Vec::new();
    let mut rest = Vec::new();
    for item in items {
        if let State::Ended(ended) = &item.state {
            let mut record =
                item_done(recipient.id, &item.branch, ended.clone(), Some(item.new), patch.clone());
            record.conflicts = item.conflicts;
            record.pull = declined_row(&item, ended).or_else(|| item.newest_row(recipient.id));
            if let Some(pull) = &mut record.pull {
                pull.recipient = recipient.id;
            }
            done.push(record);
        } else {
            rest.push(item);
        }
    }
    pass.record(done).await?;
    if rest.is_empty() {
        return Ok(None);
    }
    let at = RecipientAt { id: repo.id, slug: repo.slug.clone() };
    Ok(Some(Handed { recipient, at, items: rest, read_at: job.at, patch }))
}

/// A declined pull request is remembered with the update that it declined.
fn declined_row(item: &Item, ended: &Ended) -> Option<lockstep_domain::model::PullRow> {
    if ended.reason != Some(Reason::Declined) {
        return None;
    }
    let recipient = item.row.as_ref().map(|row| row.recipient)?;
    let mut row = item.newest_row(recipient)?;
    row.announced = Some(item.new);
    Some(row)
}
