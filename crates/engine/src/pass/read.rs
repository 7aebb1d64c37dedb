//! The batched read of a few recipients, and what the database knows about them.

use std::collections::HashMap;

use lockstep_domain::clock::BootMillis;
use lockstep_domain::names::{BranchName, Oid};
use lockstep_domain::ports::{BranchQuery, RecipientRead, RecipientsQuery};

use super::Pass;
use super::gate;
use super::select::Planned;
use crate::error::EngineError;
use crate::run::Halt;

/// One recipient's turn.
pub(crate) struct Job {
    pub(crate) planned: Planned,
    pub(crate) read: RecipientRead,
    /// When it was read.
    pub(crate) at: BootMillis,
    /// The recipient's own names of the planned branches, same order.
    pub(crate) bases: Vec<BranchName>,
    /// Verdicts by key.
    pub(crate) verdicts: HashMap<String, String>,
    /// Heads that are recorded as ours.
    pub(crate) own: Vec<Oid>,
}

/// Asks the forge once, and the database for the rest.
pub(super) async fn read(pass: &Pass, batch: Vec<Planned>) -> Result<Vec<Job>, Halt> {
    let Some(first) = batch.first() else { return Ok(Vec::new()) };
    let mut bases = HashMap::new();
    let mut branches = Vec::new();
    for built in &pass.branches {
        let base = first.recipient.base_of(&built.branch).map_err(EngineError::from)?;
        bases.insert(built.branch.clone(), base.clone());
        branches.push(BranchQuery { branch: built.branch.clone(), base, head: built.new });
    }
    let node_ids = batch.iter().map(|planned| planned.recipient.repo.node_id.clone()).collect();
    let query = RecipientsQuery { node_ids, branches };
    let forge = pass.ctx.forge(first.recipient.repo.connection).await?;
    let at = pass.ctx.parts.clock.boot();
    let reads = gate::read(pass, first.recipient.repo.connection, || forge.recipients(&query)).await?;
    // Without this answer nothing can be said about anybody.
    let reads = reads.map_err(EngineError::from)?;
    let ids: Vec<_> = batch.iter().map(|planned| planned.recipient.id).collect();
    let store = pass.ctx.store();
    let mut verdicts = HashMap::<_, HashMap<_, _>>::new();
    for verdict in store.verdicts(pass.project.id, &ids).await.map_err(EngineError::from)? {
        verdicts.entry(verdict.recipient).or_default().insert(verdict.key, verdict.value);
    }
    let mut own = HashMap::<_, Vec<_>>::new();
    for (recipient, oid) in store.own_commits(pass.project.id, &ids).await.map_err(EngineError::from)? {
        own.entry(recipient).or_default().push(oid);
    }
    let jobs = batch.into_iter().zip(reads).map(|(planned, read)| Job {
        read,
        at,
        bases: planned.branches.iter().filter_map(|branch| bases.get(branch).cloned()).collect(),
        verdicts: verdicts.remove(&planned.recipient.id).unwrap_or_default(),
        own: own.remove(&planned.recipient.id).unwrap_or_default(),
        planned,
    });
    Ok(jobs.collect())
}
