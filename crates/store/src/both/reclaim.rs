//! What other people may do to a lease: reclaim a dead one, ask a live one to stop.

use lockstep_domain::ids::ProjectId;
use lockstep_domain::lease::Fence;
use serde_json::json;

use super::on::On;
use super::{audit, leases, runs};
use crate::contract::{Actor, CancelResult, Reclaim, Result};

/// Ends a lease whose heartbeat (or, on one machine, whose process) proves that its holder is gone.
pub(super) async fn reclaim(on: &mut On, project: ProjectId, fence: Fence, actor: &Actor) -> Result<Reclaim> {
    let before = leases::one(on, project).await?;
    let dead = before.as_ref().filter(|view| view.proven_dead);
    if !leases::reclaim(on, project, fence, dead).await? {
        return Ok(match leases::one(on, project).await? {
            Some(view) if view.held && view.fence == fence => Reclaim::Refused(Box::new(view)),
            _ => Reclaim::AlreadyFinished,
        });
    }
    let text = format!("Reclaimed by {}; press again to go on.", actor.person);
    let run = runs::interrupt(on, project, &text).await?;
    let before = before.filter(|view| view.fence == fence);
    let detail = json!({
        "fence": fence.0,
        "run": run,
        "holder": before.as_ref().and_then(|view| view.holder.as_ref()),
        "heartbeat_at": before.as_ref().and_then(|view| view.heartbeat_at),
        "judged_at": before.as_ref().map(|view| view.db_now),
        "proven_dead": before.as_ref().is_some_and(|view| view.proven_dead),
    });
    audit::write(on, actor, Some(project), "lease.reclaimed", &detail).await?;
    on.feed("lease", Some(project), &project);
    on.notify(project);
    Ok(Reclaim::Reclaimed)
}

/// Asks for exactly the fence that the person saw; the first ask wins.
pub(super) async fn ask_cancel(
    on: &mut On,
    project: ProjectId,
    fence: Fence,
    actor: &Actor,
    reason: &str,
) -> Result<CancelResult> {
    if leases::cancel(on, project, fence, &actor.person, reason).await? {
        let asked = leases::one(on, project).await?;
        let detail = json!({
            "fence": fence.0,
            "run": asked.as_ref().and_then(|view| view.run),
            "holder": asked.as_ref().and_then(|view| view.holder.as_ref()),
            "reason": reason,
        });
        audit::write(on, actor, Some(project), "lease.cancel_asked", &detail).await?;
        on.feed("lease", Some(project), &project);
        on.notify(project);
        return Ok(CancelResult::Asked);
    }
    Ok(match leases::one(on, project).await? {
        Some(view) if view.held && view.fence == fence => {
            view.cancel.map_or(CancelResult::NotRunning, CancelResult::AlreadyAsked)
        }
        _ => CancelResult::NotRunning,
    })
}
