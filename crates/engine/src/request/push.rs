//! Step 6: the distribution moves, all branches in one atomic push, by compare-and-swap on the heads just read.

use lockstep_domain::code::Code;
use lockstep_domain::model::Project;
use lockstep_domain::names::{BranchName, Oid};
use lockstep_domain::ports::{GitError, RefMove, RefResult};
use lockstep_store::Renewal;

use crate::error::EngineError;
use crate::request::build::Built;
use crate::request::collect::{Collected, owner_mark};
use crate::run::{GIT_LIMIT, Halt, RunContext};

/// Name of the owner mark.
pub(crate) const OWNER: &str = "refs/lockstep/owner";

/// Records the new heads as our own, then pushes what moved.
pub(crate) async fn push(
    ctx: &RunContext,
    project: &Project,
    collected: &Collected,
    built: &Built,
) -> Result<(), Halt> {
    let mark = if collected.wants_mark { Some(mark(ctx, project).await?) } else { None };
    let moves = moves(built, mark.map(|new| (None, new)));
    send(ctx, collected, built, &moves).await
}

/// A fresh owner mark for this database and project.
pub(crate) async fn mark(ctx: &RunContext, project: &Project) -> Result<Oid, EngineError> {
    let info = ctx.store().info().await?;
    Ok(ctx.parts.git.mark_commit(&owner_mark(&info, project), ctx.run.started_at).await?)
}

/// The refs that move: branches, and the owner mark from its old value to a new one.
pub(crate) fn moves(built: &Built, mark: Option<(Option<Oid>, Oid)>) -> Vec<RefMove> {
    let branches = built.branches.iter().filter(|branch| branch.actual != Some(branch.new));
    let mut moves: Vec<RefMove> = branches
        .map(|branch| RefMove { name: branch.branch.full(), old: branch.actual, new: branch.new })
        .collect();
    moves.extend(mark.map(|(old, new)| RefMove { name: OWNER.to_owned(), old, new }));
    moves
}

/// Fence check and renewal, own commits recorded, then the push.
pub(crate) async fn send(
    ctx: &RunContext,
    collected: &Collected,
    built: &Built,
    moves: &[RefMove],
) -> Result<(), Halt> {
    ctx.fence().await?;
    if moves.is_empty() {
        return Ok(());
    }
    if matches!(ctx.heart.renew().await, Ok(Renewal::Lost)) {
        return Err(Halt::Lost);
    }
    let heads: Vec<(BranchName, Oid)> = built
        .branches
        .iter()
        .filter(|branch| branch.actual != Some(branch.new))
        .map(|branch| (branch.branch.clone(), branch.new))
        .collect();
    if !heads.is_empty() {
        let recorded = ctx.store().record_distribution(&ctx.guard, &heads).await;
        recorded.map_err(|e| EngineError::from(e).within(Code::DistributionFailed))?;
    }
    let mut again = true;
    loop {
        ctx.pushed();
        let calling = ctx.calling("push", &collected.dist.slug, GIT_LIMIT);
        let results = ctx.parts.git.push_distribution(&ctx.guard, &collected.dist_remote, moves).await;
        drop(calling);
        match judge(results, &collected.dist.slug.to_string()) {
            Ok(()) => return Ok(()),
            // At the expected value, the same push once more: compare-and-swap makes that safe.
            Err(error) if again && error.code == Code::DistributionFailed && error.retryable => again = false,
            Err(error) => return Err(error.into()),
        }
        ctx.fence().await?;
    }
}

/// One verdict over all refs: the push was atomic.
fn judge(results: Result<Vec<RefResult>, GitError>, dist: &str) -> Result<(), EngineError> {
    let results = results.map_err(|error| match error {
        GitError::NotFound => failed(&format!("{dist} was not found."), false),
        GitError::Refused(why) => failed(&format!("{why}."), false),
        GitError::Unexpected(why) => failed(&format!("{why}."), true),
        other => EngineError::from(other).within(Code::DistributionFailed),
    })?;
    for result in results {
        match result {
            RefResult::Pushed | RefResult::AlreadyThere => {}
            RefResult::Moved(_) => {
                return Err(EngineError::new(
                    Code::DistributionChanged,
                    format!(
                        "Somebody else wrote to {dist} meanwhile. Only Lockstep writes there; press again."
                    ),
                ));
            }
            RefResult::Refused { cause, .. } => return Err(failed(&format!("{cause}."), false)),
            RefResult::Unavailable(why) => return Err(failed(&format!("{why}."), true)),
        }
    }
    Ok(())
}

fn failed(why: &str, retryable: bool) -> EngineError {
    let text = format!("The distribution could not be written: {why} Recipients were not touched.");
    EngineError { code: Code::DistributionFailed, text, holder: None, retryable }
}
