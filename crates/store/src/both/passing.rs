//! The run-owned writes of a pass. Each begins by locking the lease row by token and fence.

use lockstep_domain::ids::RecipientId;
use lockstep_domain::model::PullRow;
use lockstep_domain::names::{BranchName, Oid};

use super::on::On;
use super::{items, last_outcomes, leases, own_commits, pulls, recipients, verdicts};
use crate::context::Owner;
use crate::contract::{ItemDone, ItemRecord, Result, Verdict};

pub(super) async fn record_distribution(
    on: &mut On,
    owner: &Owner,
    heads: &[(BranchName, Oid)],
) -> Result<()> {
    leases::must_own(on, owner).await?;
    own_commits::record_distribution(on, owner, heads).await
}

pub(super) async fn items_record(on: &mut On, owner: &Owner, records: &[ItemRecord]) -> Result<()> {
    leases::must_own(on, owner).await?;
    items::record(on, owner, records).await?;
    own_commits::record(on, owner, records).await
}

pub(super) async fn items_pushed(
    on: &mut On,
    owner: &Owner,
    pushed: &[(RecipientId, BranchName)],
) -> Result<()> {
    leases::must_own(on, owner).await?;
    for (recipient, branch) in pushed {
        items::pushed(on, owner, *recipient, branch).await?;
    }
    Ok(())
}

pub(super) async fn item_announced(on: &mut On, owner: &Owner, pull: &PullRow) -> Result<()> {
    leases::must_own(on, owner).await?;
    items::announced(on, owner, pull.recipient, &pull.branch, pull.number).await?;
    pulls::put(on, owner.project, pull).await?;
    Ok(())
}

pub(super) async fn items_done(on: &mut On, owner: &Owner, done: &[ItemDone]) -> Result<()> {
    leases::must_own(on, owner).await?;
    // One order of rows for everybody, so that two writers never wait for each other.
    let mut done: Vec<&ItemDone> = done.iter().collect();
    done.sort_by(|a, b| (a.recipient, &a.branch).cmp(&(b.recipient, &b.branch)));
    for item in done {
        items::done(on, owner, item).await?;
        last_outcomes::put(on, owner, item).await?;
        if let Some(pull) = &item.pull {
            pulls::put(on, owner.project, pull).await?;
        }
        recipients::patch(on, item.recipient, Some(owner.project), &item.patch).await?;
    }
    Ok(())
}

pub(super) async fn verdicts_put(on: &mut On, owner: &Owner, new: &[Verdict]) -> Result<()> {
    leases::must_own(on, owner).await?;
    verdicts::put(on, owner, new).await
}
