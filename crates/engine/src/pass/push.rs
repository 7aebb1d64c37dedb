//! Record, then ONE push per recipient for all its branches; each ref is judged alone (docs/SYNC.md).

use lockstep_domain::model::Recipient;
use lockstep_domain::names::Oid;
use lockstep_domain::outcome::Reason;
use lockstep_domain::ports::{GitError, RecipientRepo, RefMove, RefResult, Workbench};
use lockstep_store::ItemRecord;

use super::Pass;
use super::decide::{Item, State};
use super::outcome::{Ended, by_reason, of_git};
use crate::error::EngineError;
use crate::run::{GIT_LIMIT, Halt};

/// The workbench of this recipient, made when first needed.
pub(super) async fn bench<'a>(
    pass: &Pass,
    bench: &'a mut Option<Box<dyn Workbench>>,
) -> Result<&'a mut Box<dyn Workbench>, GitError> {
    match bench {
        Some(bench) => Ok(bench),
        empty => Ok(empty.insert(pass.ctx.parts.git.workbench().await?)),
    }
}

/// Pushes every item that wants it; their states tell what became of it.
pub(super) async fn push(
    pass: &Pass,
    recipient: &Recipient,
    repo: &RecipientRepo,
    items: &mut [Item],
    own_bench: &mut Option<Box<dyn Workbench>>,
) -> Result<(), Halt> {
    let wanted: Vec<(usize, Oid)> = items
        .iter()
        .enumerate()
        .filter_map(|(at, item)| if let State::Push(oid) = item.state { Some((at, oid)) } else { None })
        .collect();
    if wanted.is_empty() {
        return Ok(());
    }
    record(pass, recipient, items, &wanted).await?;
    let moves: Vec<RefMove> = wanted
        .iter()
        .map(|(at, new)| RefMove { name: items[*at].branch.sync_full(), old: items[*at].sync, new: *new })
        .collect();
    let negotiate = moves.iter().any(|one| one.old.is_none());
    let forge = pass.ctx.forge(recipient.repo.connection).await?;
    let remote = forge.git_remote(&repo.slug).await.map_err(EngineError::from)?;
    let results = match bench(pass, own_bench).await {
        Ok(bench) => {
            pass.ctx.pushed();
            let _calling = pass.ctx.calling("push", &repo.slug, GIT_LIMIT);
            bench.push(&pass.ctx.guard, &remote, &moves, negotiate).await
        }
        Err(error) => Err(error),
    };
    match results {
        Ok(results) => {
            for ((at, new), result) in wanted.iter().zip(results) {
                items[*at].state = landed(pass, &items[*at], result)?;
                if matches!(items[*at].state, State::Announce { .. }) {
                    items[*at].sync = Some(*new);
                }
            }
        }
        Err(error) => {
            let ended = of_git(pass, error)?;
            wanted.iter().for_each(|(at, _)| items[*at].state = State::Ended(ended.clone()));
        }
    }
    note_pushed(pass, recipient, items).await
}

async fn record(
    pass: &Pass,
    recipient: &Recipient,
    items: &[Item],
    wanted: &[(usize, Oid)],
) -> Result<(), Halt> {
    let records: Vec<ItemRecord> = wanted
        .iter()
        .map(|(at, new)| ItemRecord {
            recipient: recipient.id,
            branch: items[*at].branch.clone(),
            expected_old: items[*at].sync,
            new: *new,
        })
        .collect();
    pass.guarded(|| pass.ctx.store().items_record(&pass.ctx.guard, &records)).await
}

async fn note_pushed(pass: &Pass, recipient: &Recipient, items: &[Item]) -> Result<(), Halt> {
    let landed: Vec<_> = items
        .iter()
        .filter(|item| matches!(item.state, State::Announce { pushed: true }))
        .map(|item| (recipient.id, item.branch.clone()))
        .collect();
    if landed.is_empty() {
        return Ok(());
    }
    pass.answered();
    pass.guarded(|| pass.ctx.store().items_pushed(&pass.ctx.guard, &landed)).await
}

fn landed(pass: &Pass, item: &Item, result: RefResult) -> Result<State, Halt> {
    Ok(match result {
        RefResult::Pushed => State::Announce { pushed: true },
        // Somebody (an earlier, crashed run) was first: what was announced is looked up.
        RefResult::AlreadyThere => State::Announce { pushed: false },
        RefResult::Moved(_) => State::Ended(Ended::failed(
            Reason::PushFailed,
            format!("{} was moved by somebody else meanwhile. Press again.", item.branch.sync()),
        )),
        RefResult::Refused { reason, cause } => State::Ended(by_reason(reason, cause)),
        RefResult::Unavailable(why) => {
            pass.unanswered(&why)?;
            State::Ended(Ended::failed(Reason::GithubUnavailable, why))
        }
    })
}
