//! What stands behind the number "ahead", for staff.

use std::sync::Arc;

use lockstep_domain::ahead::Ahead;
use lockstep_domain::ids::ProjectId;
use lockstep_domain::model::{ProjectBranch, Source};
use lockstep_domain::names::{BranchName, Oid};
use lockstep_domain::ports::{CommitInfo, PathChange};
use lockstep_domain::stop::StopSignal;

use crate::engine::EngineParts;
use crate::error::EngineError;
use crate::request::open;

/// Most commits listed per branch.
const LISTED: u32 = 250;

/// Per branch what a press would hand out. Names the source's commits: never for recipients.
#[derive(Debug, Clone)]
pub struct Pending {
    /// Per handed-out branch, in the project's order.
    pub branches: Vec<PendingBranch>,
}

/// One branch.
#[derive(Debug, Clone)]
pub struct PendingBranch {
    /// The branch.
    pub branch: BranchName,
    /// How far the source is ahead.
    pub ahead: Ahead,
    /// The source's head that this was read at.
    pub source_head: Option<Oid>,
    /// Commits past the handed-out sha, newest first, at most 250.
    pub commits: Vec<CommitInfo>,
    /// Whether there are more commits than listed.
    pub more: bool,
    /// Files that differ in the end, against the distribution.
    pub files: Vec<PathChange>,
}

/// Reads it from the local store, which is filled first when it lacks something.
pub(crate) async fn pending(parts: &Arc<EngineParts>, id: ProjectId) -> Result<Pending, EngineError> {
    let (project, source) = open::exists(parts, id).await?;
    if !all_here(parts, &project.branches, &source).await {
        fetch(parts, id, &source).await?;
    }
    let mut branches = Vec::new();
    for branch in &project.branches {
        branches.push(one(parts, branch, head(branch, &source)).await?);
    }
    Ok(Pending { branches })
}

fn head(branch: &ProjectBranch, source: &Source) -> Option<Oid> {
    source.heads.iter().find(|head| head.branch == branch.source_branch).and_then(|head| head.oid)
}

async fn all_here(parts: &EngineParts, branches: &[ProjectBranch], source: &Source) -> bool {
    for branch in branches {
        for commit in [head(branch, source), branch.handed_out, branch.dist_head].into_iter().flatten() {
            if parts.git.tree_of(commit).await.is_err() {
                return false;
            }
        }
    }
    true
}

async fn fetch(parts: &EngineParts, id: ProjectId, source: &Source) -> Result<(), EngineError> {
    let stop = StopSignal::default();
    let forge = parts.forges.forge(source.repo.connection).await?;
    let remote = forge.git_remote(&source.repo.slug).await?;
    parts.git.fetch_source(source.id, &remote, &stop).await?;
    let project = parts.store.project(id).await?;
    if let Some(dist) = project.and_then(|project| project.distribution) {
        let forge = parts.forges.forge(dist.connection).await?;
        let remote = forge.git_remote(&dist.slug).await?;
        parts.git.fetch_distribution(id, &remote, &stop).await?;
    }
    Ok(())
}

async fn one(
    parts: &EngineParts,
    branch: &ProjectBranch,
    source_head: Option<Oid>,
) -> Result<PendingBranch, EngineError> {
    let mut found = PendingBranch {
        branch: branch.branch.clone(),
        ahead: branch.ahead,
        source_head,
        commits: Vec::new(),
        more: false,
        files: Vec::new(),
    };
    let Some(head) = source_head else { return Ok(found) };
    if branch.handed_out != Some(head) {
        found.commits = parts.git.log(branch.handed_out, head, LISTED + 1).await?;
        let listed = usize::try_from(LISTED).unwrap_or(usize::MAX);
        found.more = found.commits.len() > listed;
        found.commits.truncate(listed);
        found.files = parts.git.changes(branch.dist_head, head).await?;
    }
    Ok(found)
}
