//! Adopt: a course that lives already. What it handed out is found by content.

use std::collections::HashMap;
use std::sync::Arc;

use lockstep_domain::code::Code;
use lockstep_domain::model::{Project, ProjectBranch, Strategy};
use lockstep_domain::names::Oid;
use lockstep_domain::ports::{ForgeError, RepoInfo};

use super::{AdoptRequest, done};
use crate::error::EngineError;
use crate::request::build::{Built, BuiltBranch, paths};
use crate::request::collect::{self, Collected};
use crate::request::end::Done;
use crate::request::{Prepared, open, push};
use crate::run::{Halt, RunContext};

/// Updates counted at most in an adopted distribution.
const COUNTED: u32 = 10_000;

pub(super) async fn drive(ctx: Arc<RunContext>, request: AdoptRequest) -> Result<Done, Halt> {
    ctx.step("collect")?;
    let (project, source) = open::exists(&ctx.parts, request.project).await?;
    let (repo, _) = collect::source_heads(&ctx, &source).await?;
    let heads = collect::fetch_source(&ctx, &source, &repo).await?;
    let forge = ctx.forge(request.connection).await?;
    let dist = match forge.repository_by_name(&request.slug).await {
        Err(ForgeError::NotFound(_)) => return Err(not_found(&request).into()),
        other => other.map_err(EngineError::from)?,
    };
    if dist.id == source.repo.id {
        let text = "The distribution cannot be the source itself. Choose another repository.";
        return Err(EngineError::new(Code::BadInput, text).into());
    }
    collect::must_be_private(&dist)?;
    taken_here(&ctx, &project, &dist).await?;
    let dist_remote = forge.git_remote(&dist.slug).await.map_err(EngineError::from)?;
    let refs = ctx.parts.git.fetch_distribution(project.id, &dist_remote, ctx.stop()).await;
    ctx.fetched(1);
    let refs = refs.map_err(EngineError::from)?;
    let wants_mark = match collect::check_owner(&ctx, &project, refs.owner).await {
        Err(error) if error.code == Code::DistributionOwned && request.take_over => true,
        other => other?,
    };
    ctx.step("build")?;
    let built = found(&ctx, &project, &heads, &refs.heads.iter().cloned().collect()).await?;
    ctx.step("push_distribution")?;
    let mark = if wants_mark { Some((refs.owner, push::mark(&ctx, &project).await?)) } else { None };
    let moves = push::moves(&built, mark);
    let collected = Collected { dist, dist_remote, branches: Vec::new(), wants_mark };
    push::send(&ctx, &collected, &built, &moves).await?;
    let prepared = Prepared { project, source, built, finder: None };
    Ok(done(&ctx, &prepared, request.connection, collected.dist).await)
}

/// One project per distribution: another project of this database is no other database to take over from.
async fn taken_here(ctx: &RunContext, project: &Project, dist: &RepoInfo) -> Result<(), EngineError> {
    let projects = ctx.store().projects().await?;
    let other = projects.iter().find(|other| {
        other.id != project.id && other.distribution.as_ref().is_some_and(|theirs| theirs.id == dist.id)
    });
    match other {
        None => Ok(()),
        Some(other) => Err(EngineError::new(
            Code::DistributionOwned,
            format!(
                "{} is the distribution of {:?} already. Choose another repository.",
                dist.slug, other.name
            ),
        )),
    }
}

/// The branches as they are: nothing moves.
async fn found(
    ctx: &RunContext,
    project: &Project,
    source: &HashMap<String, Oid>,
    dist: &HashMap<String, Oid>,
) -> Result<Built, EngineError> {
    let mut branches = Vec::new();
    for known in &project.branches {
        let head = *dist.get(known.branch.as_str()).ok_or_else(|| branch_missing(known))?;
        let git = &ctx.parts.git;
        let handed_out = match (project.strategy, source.get(known.source_branch.as_str())) {
            (_, None) => return Err(collect::branch_gone(&known.source_branch)),
            (Strategy::Whole, Some(_)) => Some(head),
            (Strategy::Squash, Some(tip)) => git.newest_with_tree(*tip, git.tree_of(head).await?).await?,
        };
        let updates = match project.strategy {
            Strategy::Squash => git.log(None, head, COUNTED).await?.len(),
            Strategy::Whole => 1,
        };
        branches.push(BuiltBranch {
            branch: known.branch.clone(),
            actual: Some(head),
            new: head,
            handed_out,
            fingerprint: git.tree_facts(head).await?.fingerprint,
            update_number: u32::try_from(updates).unwrap_or(COUNTED),
            added: paths(ctx, Some(head)).await?.into_iter().collect(),
            removed: Vec::new(),
            files: Vec::new(),
        });
    }
    Ok(Built { branches })
}

fn not_found(request: &AdoptRequest) -> EngineError {
    EngineError::new(
        Code::RepositoryNotFound,
        format!("{} was not found, or this connection cannot see it. Check the name.", request.slug),
    )
}

fn branch_missing(known: &ProjectBranch) -> EngineError {
    EngineError::new(
        Code::BadInput,
        format!(
            "That repository has no branch {:?}, which the project hands out. Push it there, or build a new one.",
            known.branch.as_str()
        ),
    )
}
