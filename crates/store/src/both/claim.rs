//! The claim: the only place where a [`LeaseGuard`] is made.

use lockstep_domain::lease::{Fence, LeaseGuard, LeaseView};
use lockstep_domain::model::Run;
use serde_json::json;

use super::on::On;
use super::{audit, leases, projects, runs};
use crate::contract::{Actor, Claim, ClaimRequest, Result, StoreError};

/// How one attempt ended, without the guard: the transaction is not committed yet.
#[derive(Debug)]
pub(super) enum Attempt {
    Won {
        fence: Fence,
        run: Box<Run>,
        replaced: Option<Box<LeaseView>>,
    },
    InProgress(Box<LeaseView>),
    ProjectMissing,
    SourceMissing,
    /// Free by the time it was read again: try once more.
    Again,
}

/// One transaction: the conditional update, the predecessor's run, the new run, audit, feed.
pub(super) async fn attempt(on: &mut On, request: &ClaimRequest) -> Result<Attempt> {
    if request.window.ms() < on.ctx.min_window_ms {
        return Err(StoreError::Failed(format!(
            "a lease window of {} ms is shorter than this program allows",
            request.window.ms()
        )));
    }
    let before = leases::one(on, request.project).await?;
    let dead = before.as_ref().filter(|view| view.proven_dead);
    let Some(fence) = leases::claim(on, request, dead).await? else {
        return why_not(on, request).await;
    };
    // The update may have waited for a deletion and kept its verdict from before: look again under the lock.
    if !leases::project_alive(on, request.project).await? {
        return Err(StoreError::LeaseLost);
    }
    runs::interrupt(on, request.project, "Its holder went away; press again to go on.").await?;
    let run = runs::born(on, request).await?;
    let replaced = before.filter(|view| view.held && view.fence.0 + 1 == fence.0);
    let holder = &request.holder;
    let actor =
        Actor { person: holder.person.clone(), machine: format!("{}@{}", holder.os_user, holder.host) };
    let detail = json!({
        "fence": fence.0,
        "run": request.run,
        "kind": request.kind,
        "window_ms": request.window.ms(),
        "resumes": request.resumes,
        "replaced_fence": replaced.as_ref().map(|view| view.fence.0),
        "replaced_holder": replaced.as_ref().and_then(|view| view.holder.as_ref()),
    });
    audit::write(on, &actor, Some(request.project), "lease.claimed", &detail).await?;
    on.feed("lease", Some(request.project), &request.project);
    on.notify(request.project);
    Ok(Attempt::Won { fence, run: Box::new(run), replaced: replaced.map(Box::new) })
}

/// Zero rows: tells apart what the guard does not. The row may even name our token, when the answer to an earlier
/// COMMIT of this very claim was lost.
async fn why_not(on: &mut On, request: &ClaimRequest) -> Result<Attempt> {
    if let Some(won) = resolve(on, request).await? {
        return Ok(won);
    }
    let project = projects::one(on, request.project).await?.filter(|project| project.deleted_at.is_none());
    if project.is_none() {
        return Ok(Attempt::ProjectMissing);
    }
    if !leases::project_alive(on, request.project).await? {
        return Ok(Attempt::SourceMissing);
    }
    match leases::one(on, request.project).await? {
        Some(view) if view.held && !view.proven_dead && view.left_ms() > 0 => {
            Ok(Attempt::InProgress(Box::new(view)))
        }
        Some(_free) => Ok(Attempt::Again),
        None => Ok(Attempt::ProjectMissing),
    }
}

/// After a rollback or a lost answer: waits for whoever holds the row, then tells.
pub(super) async fn settle(on: &mut On, request: &ClaimRequest) -> Result<Attempt> {
    leases::wait(on, request.project).await?;
    why_not(on, request).await
}

/// After a COMMIT whose answer was lost: the row names our token or it does not.
async fn resolve(on: &mut On, request: &ClaimRequest) -> Result<Option<Attempt>> {
    let Some(fence) = leases::owned_by(on, request).await? else { return Ok(None) };
    let run = runs::one(on, request.run).await?.ok_or(StoreError::Unclear)?;
    Ok(Some(Attempt::Won { fence, run: Box::new(run), replaced: None }))
}

/// The proof of a committed claim.
#[expect(clippy::disallowed_methods, reason = "the one place that mints a guard: the claim is committed")]
pub(super) fn claimed(
    request: &ClaimRequest,
    fence: Fence,
    run: Box<Run>,
    replaced: Option<Box<LeaseView>>,
) -> Claim {
    let guard = LeaseGuard::mint(
        request.project,
        request.run,
        fence,
        request.token.clone(),
        request.window,
        request.sent,
    );
    Claim::Claimed { guard, run, replaced }
}
