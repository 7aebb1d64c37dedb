//! Whom a pass covers, and who of them is left out when it is their turn.

use std::collections::{HashMap, HashSet};

use lockstep_domain::ids::RecipientId;
use lockstep_domain::model::{Project, Recipient, Selection};
use lockstep_domain::names::BranchName;
use lockstep_domain::outcome::ItemStep;

use crate::error::EngineError;
use crate::pass::owed::owed;
use crate::press::SyncRequest;
use crate::request::build::Built;
use crate::run::RunContext;

/// One recipient with its items.
#[derive(Debug, Clone)]
pub(crate) struct Planned {
    pub(crate) recipient: Recipient,
    pub(crate) branches: Vec<BranchName>,
}

/// The items of a press: the selection, less what the resumed run has done.
pub(crate) async fn plan(
    ctx: &RunContext,
    project: &Project,
    built: &Built,
    request: &SyncRequest,
) -> Result<Vec<Planned>, EngineError> {
    let recipients = ctx.store().recipients(project.id).await?;
    let chosen = chosen(ctx, project, built, &request.selection, &recipients).await?;
    let open = match request.resumes {
        Some(run) => Some(left_by(ctx, run).await?),
        None => None,
    };
    let takes = |recipient: RecipientId, branch: &BranchName| {
        chosen.as_ref().is_none_or(|pairs| pairs.contains(&(recipient, branch.clone())))
            && open.as_ref().is_none_or(|pairs| pairs.contains(&(recipient, branch.clone())))
    };
    let mut plan = Vec::new();
    for recipient in recipients {
        let mut branches: Vec<BranchName> = project.branches.iter().map(|b| b.branch.clone()).collect();
        branches.retain(|branch| takes(recipient.id, branch));
        if !branches.is_empty() {
            plan.push(Planned { recipient, branches });
        }
    }
    Ok(plan)
}

type Pairs = HashSet<(RecipientId, BranchName)>;

/// `None`: everybody.
async fn chosen(
    ctx: &RunContext,
    project: &Project,
    built: &Built,
    selection: &Selection,
    recipients: &[Recipient],
) -> Result<Option<Pairs>, EngineError> {
    match selection {
        Selection::All => Ok(None),
        Selection::Nobody => Ok(Some(Pairs::new())),
        Selection::These { recipients: ids } => {
            let all = ids.iter().flat_map(|id| {
                project.branches.iter().map(|branch| (RecipientId(*id), branch.branch.clone()))
            });
            Ok(Some(all.collect()))
        }
        Selection::Owed => {
            let mut project = project.clone();
            for branch in &mut project.branches {
                let new = built.branches.iter().find(|b| b.branch == branch.branch);
                branch.dist_head = new.map(|b| b.new).or(branch.dist_head);
            }
            let last = ctx.store().last_outcomes(project.id).await?;
            let pulls = ctx.store().pulls(project.id).await?;
            let now = ctx.store().info().await?.now;
            let owed = owed(&project, recipients, &last, &pulls, now);
            Ok(Some(owed.into_iter().map(|pair| (pair.recipient, pair.branch)).collect()))
        }
    }
}

/// What the resumed run left; a run that ended before its publication left everything.
async fn left_by(ctx: &RunContext, run: lockstep_domain::ids::RunId) -> Result<Pairs, EngineError> {
    let items = ctx.store().items(run).await?;
    if items.is_empty() {
        let recipients = ctx.store().recipients(ctx.guard.project()).await?;
        let project = ctx.store().project(ctx.guard.project()).await?;
        let branches = project.map(|p| p.branches).unwrap_or_default();
        return Ok(recipients
            .iter()
            .flat_map(|r| branches.iter().map(|b| (r.id, b.branch.clone())))
            .collect());
    }
    let open = items.into_iter().filter(|item| item.step != ItemStep::Done);
    Ok(open.map(|item| (item.recipient, item.branch)).collect())
}

/// Recipients in batches of at most `size` that can be asked in one question: same connection, same base names. The
/// order is kept within a kind.
pub(crate) fn batches(plan: Vec<Planned>, size: usize) -> Vec<Vec<Planned>> {
    let mut kinds: Vec<Vec<Planned>> = Vec::new();
    let mut at: HashMap<String, usize> = HashMap::new();
    for planned in plan {
        let mapping = serde_json::to_string(&planned.recipient.mapping).unwrap_or_default();
        let kind = format!("{} {mapping}", planned.recipient.repo.connection);
        let index = *at.entry(kind).or_insert_with(|| {
            kinds.push(Vec::new());
            kinds.len() - 1
        });
        kinds[index].push(planned);
    }
    let mut out = Vec::new();
    for kind in kinds {
        let mut batch = Vec::new();
        for planned in kind {
            batch.push(planned);
            if batch.len() == size {
                out.push(std::mem::take(&mut batch));
            }
        }
        if !batch.is_empty() {
            out.push(batch);
        }
    }
    out
}
