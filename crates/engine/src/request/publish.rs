//! Step 7: the publication, one short transaction over what is already in memory.

use lockstep_domain::ahead::Ahead;
use lockstep_domain::ids::RecipientId;
use lockstep_domain::names::BranchName;
use lockstep_store::{Publication, PublishedBranch, StoreError};

use crate::error::EngineError;
use crate::pass::select::Planned;
use crate::request::build::Built;
use crate::request::end::publication_failed;
use crate::run::{Halt, RunContext};

/// What is written.
pub(crate) fn publication(built: &Built, plan: &[Planned]) -> Publication {
    let items: Vec<(RecipientId, BranchName)> = plan
        .iter()
        .flat_map(|planned| planned.branches.iter().map(|branch| (planned.recipient.id, branch.clone())))
        .collect();
    Publication { distribution: None, branches: published(built), items }
}

/// The branches as they stand now.
pub(crate) fn published(built: &Built) -> Vec<PublishedBranch> {
    let one = |branch: &crate::request::build::BuiltBranch| PublishedBranch {
        branch: branch.branch.clone(),
        handed_out: branch.handed_out,
        dist_head: branch.new,
        update_number: branch.update_number,
        fingerprint: branch.fingerprint.clone(),
        ahead: if branch.handed_out.is_some() { Ahead::Level } else { Ahead::AheadUnknown },
        added: branch.added.clone(),
        removed: branch.removed.clone(),
    };
    built.branches.iter().map(one).collect()
}

/// Writes it with the lease kept. A lost answer is looked up; anything else was rolled back whole.
pub(crate) async fn publish(ctx: &RunContext, publication: &Publication) -> Result<(), Halt> {
    ctx.progress(|progress| {
        "publish".clone_into(&mut progress.step);
        progress.planned = u32::try_from(publication.items.len()).unwrap_or(u32::MAX);
    });
    ctx.heart.pause().await;
    let result = attempt(ctx, publication).await;
    ctx.heart.resume();
    result
}

async fn attempt(ctx: &RunContext, publication: &Publication) -> Result<(), Halt> {
    let mut again = true;
    loop {
        let sent = ctx.parts.clock.boot();
        match ctx.store().publish(&ctx.guard, publication).await {
            Ok(()) => {
                ctx.guard.note_renewal(sent);
                return Ok(());
            }
            Err(StoreError::LeaseLost) => return Err(Halt::Lost),
            // Also when the repetition meets what the first attempt wrote: it cannot be published twice.
            Err(StoreError::Unclear | StoreError::AlreadyExists(_)) if stands(ctx, publication).await => {
                return Ok(());
            }
            Err(StoreError::Busy | StoreError::Unclear) if again => again = false,
            Err(error) => {
                tracing::error!(%error, "the publication was rolled back");
                return Err(Halt::Refused(publication_failed(&EngineError::from(error))));
            }
        }
    }
}

async fn stands(ctx: &RunContext, publication: &Publication) -> bool {
    let items = ctx.store().items(ctx.run.id).await;
    items.is_ok_and(|items| !items.is_empty() && items.len() == publication.items.len())
}
