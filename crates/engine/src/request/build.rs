//! Step 5, the building half: the new head of every handed-out branch, made from objects alone, never a work tree.

use std::collections::BTreeSet;

use lockstep_domain::code::Code;
use lockstep_domain::model::{Project, ProjectBranch, Strategy};
use lockstep_domain::names::{BranchName, Oid};
use lockstep_domain::ports::{Ancestry, CommitSpec, PathChange};

use crate::error::EngineError;
use crate::request::collect::{Collected, CollectedBranch, branch_gone};
use crate::run::RunContext;
use crate::settings::Bounds;
use crate::texts;

/// All branches.
pub(crate) struct Built {
    pub(crate) branches: Vec<BuiltBranch>,
}

/// One branch.
#[derive(Debug, Clone)]
pub(crate) struct BuiltBranch {
    pub(crate) branch: BranchName,
    /// Head of the distribution before.
    pub(crate) actual: Option<Oid>,
    /// Its new head; equal to `actual` when nothing is to be pushed.
    pub(crate) new: Oid,
    /// Source sha that the new head stands for; `None`: unknown (adopted).
    pub(crate) handed_out: Option<Oid>,
    /// Fingerprint of the new head.
    pub(crate) fingerprint: String,
    /// Update number of the new head.
    pub(crate) update_number: u32,
    /// Paths new in the distribution, and those that the source dropped.
    pub(crate) added: Vec<String>,
    pub(crate) removed: Vec<String>,
    /// What recipients read as files of this update.
    pub(crate) files: Vec<PathChange>,
}

/// Builds every branch; nothing moves before all of them are good.
pub(crate) async fn build(
    ctx: &RunContext,
    project: &Project,
    collected: &Collected,
) -> Result<Built, EngineError> {
    let mut heads = Vec::new();
    let mut rewritten = Vec::new();
    for (known, read) in project.branches.iter().zip(&collected.branches) {
        let head = match project.strategy {
            Strategy::Squash => Some(squash(ctx, project, known, read).await?),
            Strategy::Whole => whole(ctx, known, read).await?,
        };
        match head {
            Some(new) => heads.push((known, read, new)),
            None => rewritten.push(format!("{:?}", known.source_branch.as_str())),
        }
    }
    if !rewritten.is_empty() {
        return Err(EngineError::new(
            Code::SourceRewritten,
            format!(
                "The source's history was rewritten on {}, and this project hands out whole history, which only \
                 moves forward. Nothing was changed. Restore the old history at the source, or start a new project.",
                rewritten.join(", ")
            ),
        ));
    }
    let mut branches = Vec::new();
    for (known, read, new) in heads {
        branches.push(measured(ctx, known, read, new).await?);
    }
    Ok(Built { branches })
}

/// The source's tree on top of the distribution's head; no commit when the tree is the same.
async fn squash(
    ctx: &RunContext,
    project: &Project,
    known: &ProjectBranch,
    read: &CollectedBranch,
) -> Result<Oid, EngineError> {
    let git = &ctx.parts.git;
    let tree = git.tree_of(read.source_head).await?;
    if let Some(actual) = read.actual {
        let theirs = git.tree_of(actual).await?;
        // An unknown head must continue the known one and hold a state of the source: a push of ours whose record was
        // lost, also by a restored database.
        if Some(actual) != known.dist_head {
            continues(ctx, known, actual).await?;
            if git.newest_with_tree(read.source_head, theirs).await?.is_none() {
                return Err(changed(&known.branch));
            }
        }
        if theirs == tree {
            return Ok(actual);
        }
    } else if known.dist_head.is_some() {
        return Err(changed(&known.branch));
    }
    let spec = CommitSpec {
        tree,
        parents: read.actual.into_iter().collect(),
        message: texts::COMMIT_MESSAGE.to_owned(),
        at: ctx.run.started_at,
    };
    Ok(git.commit(project.id, &known.branch, &spec).await?)
}

/// The source's own head, fast-forward only; `None`: rewritten.
async fn whole(
    ctx: &RunContext,
    known: &ProjectBranch,
    read: &CollectedBranch,
) -> Result<Option<Oid>, EngineError> {
    let Some(actual) = read.actual else {
        return if known.dist_head.is_some() {
            Err(changed(&known.branch))
        } else {
            Ok(Some(read.source_head))
        };
    };
    if Some(actual) != known.dist_head {
        continues(ctx, known, actual).await?;
    }
    if forward(ctx, actual, read.source_head).await? {
        return Ok(Some(read.source_head));
    }
    // Somebody else's commit on the distribution is not the source's fault.
    match known.dist_head {
        Some(head) if head != actual && forward(ctx, head, read.source_head).await? => {
            Err(changed(&known.branch))
        }
        _ => Ok(None),
    }
}

async fn continues(ctx: &RunContext, known: &ProjectBranch, actual: Oid) -> Result<(), EngineError> {
    match known.dist_head {
        Some(head) if !forward(ctx, head, actual).await? => Err(changed(&known.branch)),
        _ => Ok(()),
    }
}

async fn forward(ctx: &RunContext, old: Oid, new: Oid) -> Result<bool, EngineError> {
    if old == new {
        return Ok(true);
    }
    match ctx.parts.git.ancestry(old, new).await? {
        Ancestry::Forward(_) => Ok(true),
        Ancestry::Diverged | Ancestry::Unknown => Ok(false),
    }
}

/// The facts of a new head, within the bounds.
async fn measured(
    ctx: &RunContext,
    known: &ProjectBranch,
    read: &CollectedBranch,
    new: Oid,
) -> Result<BuiltBranch, EngineError> {
    let git = &ctx.parts.git;
    let facts = git.tree_facts(new).await?;
    let moved = known.dist_head != Some(new);
    let (mut added, mut removed, mut files) = (Vec::new(), Vec::new(), Vec::new());
    if moved {
        let bounds = &ctx.parts.settings.bounds;
        within_bounds(&known.branch, facts.files, facts.largest.as_ref(), bounds)?;
        if read.actual != Some(new) {
            push_within_bounds(&known.branch, git.push_bytes(read.actual, new).await?, bounds)?;
        }
        let before = paths(ctx, known.dist_head).await?;
        let after = paths(ctx, Some(new)).await?;
        added = after.difference(&before).cloned().collect();
        removed = before.difference(&after).cloned().collect();
    }
    if let Some(old) = previous(ctx, known, new).await? {
        files = git.changes(Some(old), new).await?;
    }
    Ok(BuiltBranch {
        branch: known.branch.clone(),
        actual: read.actual,
        new,
        handed_out: Some(read.source_head),
        fingerprint: facts.fingerprint,
        update_number: known.update_number + u32::from(moved),
        added,
        removed,
        files,
    })
}

/// The head that this update is told against: the known one when it moves, else the commit before it.
async fn previous(ctx: &RunContext, known: &ProjectBranch, new: Oid) -> Result<Option<Oid>, EngineError> {
    match known.dist_head {
        Some(head) if head != new => Ok(Some(head)),
        _ => Ok(ctx.parts.git.log(None, new, 2).await?.get(1).map(|commit| commit.oid)),
    }
}

pub(crate) async fn paths(ctx: &RunContext, commit: Option<Oid>) -> Result<BTreeSet<String>, EngineError> {
    let Some(commit) = commit else { return Ok(BTreeSet::new()) };
    Ok(ctx.parts.git.changes(None, commit).await?.into_iter().map(|change| change.path).collect())
}

fn within_bounds(
    branch: &BranchName,
    files: u32,
    largest: Option<&(String, u64)>,
    bounds: &Bounds,
) -> Result<(), EngineError> {
    if files > bounds.files {
        return Err(bound(branch, &format!("{files} files; the limit is {}", bounds.files)));
    }
    match largest {
        Some((path, size)) if *size > bounds.blob_bytes => {
            Err(bound(branch, &format!("{path:?} with {size} bytes; the limit is {}", bounds.blob_bytes)))
        }
        _ => Ok(()),
    }
}

fn push_within_bounds(branch: &BranchName, bytes: u64, bounds: &Bounds) -> Result<(), EngineError> {
    if bytes > bounds.push_bytes {
        return Err(bound(branch, &format!("a push of {bytes} bytes; the limit is {}", bounds.push_bytes)));
    }
    Ok(())
}

fn bound(branch: &BranchName, what: &str) -> EngineError {
    EngineError::new(
        Code::SourceBounds,
        format!("{:?} would hand out {what}. Make it smaller, or raise the limit.", branch.as_str()),
    )
}

fn changed(branch: &BranchName) -> EngineError {
    EngineError::new(
        Code::DistributionChanged,
        format!(
            "Somebody else wrote to {:?} of the distribution. Put it back where it was; only Lockstep writes there.",
            branch.as_str()
        ),
    )
}

/// Builds branches of a project that has no distribution yet: every branch must be at the source.
pub(crate) fn read_for_first_build(
    project: &Project,
    heads: &std::collections::HashMap<String, Oid>,
    actual: &std::collections::HashMap<String, Oid>,
) -> Result<Vec<CollectedBranch>, EngineError> {
    let read = |known: &ProjectBranch| {
        let source_head =
            *heads.get(known.source_branch.as_str()).ok_or_else(|| branch_gone(&known.source_branch))?;
        let actual = actual.get(known.branch.as_str()).copied();
        Ok(CollectedBranch { source_head, actual })
    };
    project.branches.iter().map(read).collect()
}
