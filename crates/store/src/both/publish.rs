//! The publication: everything of the distribution step in one transaction; keeps the lease.

use serde_json::json;

use super::on::On;
use super::publications::{self, Part};
use super::{audit, inventory, items, leases, project_branches, projects};
use crate::context::Owner;
use crate::contract::{Publication, Result, StoreError};

/// Lock first by token and fence, THEN renew with the clock, then write; any zero rolls everything back.
pub(super) async fn publish(on: &mut On, owner: &Owner, publication: &Publication) -> Result<()> {
    on.within_ms(owner.publication_ms);
    let locked = leases::must_own(on, owner).await?;
    if leases::renew(on, owner, &locked, None).await?.is_none() {
        return Err(StoreError::LeaseLost);
    }
    write(on, owner, publication).await?;
    audit::write(on, &locked.actor, Some(owner.project), "run.published", &detail(owner, publication))
        .await?;
    on.feed("lease", Some(owner.project), &owner.project);
    on.feed("run", Some(owner.project), &owner.run);
    Ok(())
}

/// The writes themselves, shared with a finish that publishes.
pub(super) async fn write(on: &mut On, owner: &Owner, publication: &Publication) -> Result<()> {
    publications::put(on, owner, Part::Distribution).await?;
    if let Some(repo) = &publication.distribution {
        projects::set_distribution(on, owner.project, repo).await?;
    }
    for branch in &publication.branches {
        project_branches::publish(on, owner.project, branch).await?;
        inventory::publish(on, owner, branch).await?;
    }
    items::plan(on, owner, &publication.items).await?;
    on.feed("project", Some(owner.project), &owner.project);
    Ok(())
}

pub(super) fn detail(owner: &Owner, publication: &Publication) -> serde_json::Value {
    let branches: Vec<_> = publication
        .branches
        .iter()
        .map(|b| {
            json!({
                "branch": b.branch,
                "handed_out": b.handed_out,
                "dist_head": b.dist_head,
                "update_number": b.update_number,
                "added": b.added.len(),
                "orphaned": b.removed.len(),
            })
        })
        .collect();
    json!({
        "run": owner.run,
        "fence": owner.fence.0,
        "distribution": publication.distribution.as_ref().map(|repo| &repo.slug),
        "branches": branches,
        "items": publication.items.len(),
    })
}
