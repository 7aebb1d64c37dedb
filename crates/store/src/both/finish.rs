//! The ends of a run by its own hand: finish, release, and the loser's one audit row.

use lockstep_domain::ids::RunId;
use serde_json::{Value, json};

use super::on::On;
use super::publications::{self, Part};
use super::{audit, leases, project_branches, publish, runs};
use crate::context::Owner;
use crate::contract::{Actor, Ending, Publication, Result, StoreError};

/// All terminal writes in one transaction: any guard that finds zero rows rolls everything back.
pub(super) async fn finish(
    on: &mut On,
    owner: &Owner,
    ending: &Ending,
    publication: Option<&Publication>,
) -> Result<()> {
    on.within_ms(owner.publication_ms);
    let actor = leases::must_own(on, owner).await?.actor;
    if !leases::finish(on, owner, ending.status.as_str()).await? {
        return Err(StoreError::LeaseLost);
    }
    publications::put(on, owner, Part::End).await?;
    if let Some(publication) = publication {
        publish::write(on, owner, publication).await?;
        let detail = publish::detail(owner, publication);
        audit::write(on, &actor, Some(owner.project), "run.published", &detail).await?;
    }
    end(on, owner, ending, &actor, "run.finished").await
}

/// Gives the lease back, expired or not; `false`: another holds it or nobody.
pub(super) async fn release(on: &mut On, owner: &Owner, ending: &Ending) -> Result<bool> {
    let Some(locked) = leases::lock_owned(on, owner).await? else { return Ok(false) };
    if !leases::release(on, owner, ending.status.as_str()).await? {
        return Ok(false);
    }
    end(on, owner, ending, &locked.actor, "lease.released").await?;
    Ok(true)
}

async fn end(on: &mut On, owner: &Owner, ending: &Ending, actor: &Actor, event: &str) -> Result<()> {
    runs::end(on, owner.run, owner.project, ending).await?;
    if project_branches::note_ahead(on, owner.project, &ending.ahead).await? {
        on.feed("project", Some(owner.project), &owner.project);
    }
    audit::write(on, actor, Some(owner.project), event, &detail(owner, ending)).await?;
    on.feed("lease", Some(owner.project), &owner.project);
    on.notify(owner.project);
    Ok(())
}

fn detail(owner: &Owner, ending: &Ending) -> Value {
    json!({
        "run": owner.run,
        "fence": owner.fence.0,
        "status": ending.status,
        "code": ending.error.as_ref().map(|(code, _text)| code),
        "text": ending.error.as_ref().map(|(_code, text)| text),
        "counts": ending.counts,
        "spent": ending.spent,
    })
}

/// The one row that a loser may write: insert-only, naming its own fence.
pub(super) async fn audit_loss(on: &mut On, owner: &Owner, text: &str) -> Result<()> {
    let actor = who_ran(on, owner.run).await?;
    let detail = json!({ "run": owner.run, "fence": owner.fence.0, "detail": text });
    audit::write(on, &actor, Some(owner.project), "lease.lost", &detail).await
}

async fn who_ran(on: &mut On, run: RunId) -> Result<Actor> {
    Ok(match runs::one(on, run).await? {
        Some(run) => Actor {
            machine: format!("{}@{}", run.holder.os_user, run.holder.host),
            person: run.holder.person,
        },
        None => Actor { person: String::new(), machine: String::new() },
    })
}
