//! Step 5, the reading half: the heads of source and distribution, once; every later step uses these oids.

use std::collections::HashMap;

use lockstep_domain::code::Code;
use lockstep_domain::model::{Project, RepoIdent, Source};
use lockstep_domain::names::{BranchName, Oid};
use lockstep_domain::ports::{GitError, Remote, RepoInfo, RepoRead};
use lockstep_store::StoreInfo;

use crate::error::EngineError;
use crate::run::{GIT_LIMIT, RunContext};

/// What was read.
pub(crate) struct Collected {
    /// The distribution as it is now.
    pub(crate) dist: RepoInfo,
    /// Where git reaches it.
    pub(crate) dist_remote: Remote,
    /// Per handed-out branch, in the project's order.
    pub(crate) branches: Vec<CollectedBranch>,
    /// Whether the owner mark has to be written.
    pub(crate) wants_mark: bool,
}

/// One branch.
#[derive(Debug, Clone)]
pub(crate) struct CollectedBranch {
    /// Head at the source, resolved once.
    pub(crate) source_head: Oid,
    /// Head of the distribution as it really is.
    pub(crate) actual: Option<Oid>,
}

/// Reads both sides and fetches what is not here.
pub(crate) async fn collect(
    ctx: &RunContext,
    project: &Project,
    source: &Source,
) -> Result<Collected, EngineError> {
    let ident = project.distribution.as_ref().ok_or_else(|| distribution_gone(project))?;
    let (source_read, dist_read) = both(ctx, source, ident).await?;
    let (source_repo, mut heads) = note_heads(ctx, source, source_read).await?;
    let RepoRead { repo: dist, heads: told } = dist_read.ok_or_else(|| distribution_gone(project))?;
    must_be_private(&dist)?;
    let mut dist_heads: HashMap<String, Oid> = told.into_iter().collect();
    let dist_remote = remote(ctx, ident, &dist).await?;
    let mut wants_mark = false;
    if !at_rest(ctx, project, &heads, &dist_heads).await {
        heads = fetch_source(ctx, source, &source_repo).await?;
        let calling = ctx.calling("fetch", &dist.slug, GIT_LIMIT);
        let refs = ctx.parts.git.fetch_distribution(project.id, &dist_remote, ctx.stop()).await;
        drop(calling);
        ctx.fetched(1);
        let refs = refs.map_err(|e| unreachable_distribution(project, e))?;
        wants_mark = check_owner(ctx, project, refs.owner).await?;
        dist_heads = refs.heads.into_iter().collect();
    }
    let mut branches = Vec::new();
    for known in &project.branches {
        let source_head =
            *heads.get(known.source_branch.as_str()).ok_or_else(|| branch_gone(&known.source_branch))?;
        let actual = dist_heads.get(known.branch.as_str()).copied();
        branches.push(CollectedBranch { source_head, actual });
    }
    Ok(Collected { dist, dist_remote, branches, wants_mark })
}

/// Source and distribution as they are now: one question when one connection reaches both.
async fn both(
    ctx: &RunContext,
    source: &Source,
    dist: &RepoIdent,
) -> Result<(Option<RepoRead>, Option<RepoRead>), EngineError> {
    if source.repo.connection != dist.connection {
        return Ok((one(ctx, &source.repo).await?, one(ctx, dist).await?));
    }
    let mut reads = ask(ctx, &[&source.repo, dist]).await?.into_iter();
    Ok((reads.next().flatten(), reads.next().flatten()))
}

async fn one(ctx: &RunContext, repo: &RepoIdent) -> Result<Option<RepoRead>, EngineError> {
    Ok(ask(ctx, &[repo]).await?.into_iter().next().flatten())
}

/// All of one connection.
async fn ask(ctx: &RunContext, repos: &[&RepoIdent]) -> Result<Vec<Option<RepoRead>>, EngineError> {
    let Some(first) = repos.first() else { return Ok(Vec::new()) };
    let forge = ctx.forge(first.connection).await?;
    forge.repositories(repos).await.map_err(|e| EngineError::from(e).within(Code::CollectFailed))
}

/// The source's heads as its forge tells them; the source's row learns them.
pub(crate) async fn source_heads(
    ctx: &RunContext,
    source: &Source,
) -> Result<(RepoInfo, HashMap<String, Oid>), EngineError> {
    let read = one(ctx, &source.repo).await?;
    note_heads(ctx, source, read).await
}

async fn note_heads(
    ctx: &RunContext,
    source: &Source,
    read: Option<RepoRead>,
) -> Result<(RepoInfo, HashMap<String, Oid>), EngineError> {
    let Some(RepoRead { repo, heads }) = read else {
        ctx.store().source_note(source.id, None, Some(Code::SourceGone), None).await?;
        return Err(source_gone(source));
    };
    let named: Vec<(BranchName, Oid)> =
        heads.iter().filter_map(|(name, oid)| Some((name.parse().ok()?, *oid))).collect();
    let slug = (repo.slug != source.repo.slug).then_some(&repo.slug);
    ctx.store().source_note(source.id, Some(&named), None, slug).await?;
    Ok((repo, heads.into_iter().collect()))
}

/// The source's heads after a fetch of its whole history.
pub(crate) async fn fetch_source(
    ctx: &RunContext,
    source: &Source,
    repo: &RepoInfo,
) -> Result<HashMap<String, Oid>, EngineError> {
    let forge = ctx.forge(source.repo.connection).await?;
    let remote =
        forge.git_remote(&repo.slug).await.map_err(|e| EngineError::from(e).within(Code::CollectFailed))?;
    let calling = ctx.calling("fetch", &repo.slug, GIT_LIMIT);
    let fetched = ctx.parts.git.fetch_source(source.id, &remote, ctx.stop()).await;
    drop(calling);
    ctx.fetched(1);
    match fetched {
        Ok(heads) => Ok(heads.into_iter().collect()),
        Err(GitError::NotFound) => Err(source_gone(source)),
        Err(error) => Err(EngineError::from(error).within(Code::CollectFailed)),
    }
}

/// The distribution must be private and take writes.
pub(crate) fn must_be_private(dist: &RepoInfo) -> Result<(), EngineError> {
    if !dist.private {
        return Err(EngineError::new(
            Code::DistributionPublic,
            format!("The distribution {} is public. Make it private on GitHub, then press again.", dist.slug),
        ));
    }
    if dist.archived {
        return Err(EngineError::new(
            Code::DistributionFailed,
            format!("The distribution {} is archived. Unarchive it on GitHub, then press again.", dist.slug),
        ));
    }
    Ok(())
}

/// Whether nothing moved since the last publication and everything needed is here: then nothing is fetched.
async fn at_rest(
    ctx: &RunContext,
    project: &Project,
    source: &HashMap<String, Oid>,
    dist: &HashMap<String, Oid>,
) -> bool {
    for known in &project.branches {
        let (Some(handed_out), Some(head)) = (known.handed_out, known.dist_head) else { return false };
        let still = source.get(known.source_branch.as_str()) == Some(&handed_out)
            && dist.get(known.branch.as_str()) == Some(&head);
        if !still || !is_here(ctx, handed_out).await || !is_here(ctx, head).await {
            return false;
        }
    }
    true
}

async fn is_here(ctx: &RunContext, commit: Oid) -> bool {
    ctx.parts.git.tree_of(commit).await.is_ok()
}

/// Whose distribution it is. Returns whether the mark is missing.
pub(crate) async fn check_owner(
    ctx: &RunContext,
    project: &Project,
    owner: Option<Oid>,
) -> Result<bool, EngineError> {
    let Some(owner) = owner else { return Ok(true) };
    let message = ctx.parts.git.message_of(owner).await?;
    let info = ctx.store().info().await?;
    if message.trim() == owner_mark(&info, project).trim() {
        return Ok(false);
    }
    Err(EngineError::new(
        Code::DistributionOwned,
        format!(
            "Another database or project drives this distribution. Connect to that database, or take the \
             distribution over for {:?}.",
            project.name
        ),
    ))
}

/// Text of the owner mark. It names the database and the project by their ids only.
pub(crate) fn owner_mark(info: &StoreInfo, project: &Project) -> String {
    format!("Driven by Lockstep\n\ndatabase {}\nproject {}\n", info.database, project.id)
}

pub(crate) async fn remote(
    ctx: &RunContext,
    ident: &RepoIdent,
    repo: &RepoInfo,
) -> Result<Remote, EngineError> {
    let forge = ctx.forge(ident.connection).await?;
    forge.git_remote(&repo.slug).await.map_err(|e| EngineError::from(e).within(Code::CollectFailed))
}

fn source_gone(source: &Source) -> EngineError {
    EngineError::new(
        Code::SourceGone,
        format!(
            "The source {} does not exist any more, or its connection cannot see it. Nothing was changed.",
            source.repo.slug
        ),
    )
}

pub(crate) fn branch_gone(branch: &BranchName) -> EngineError {
    EngineError::new(
        Code::SourceBranchGone,
        format!("The source has no branch {:?} any more. Push it again, or map the branch.", branch.as_str()),
    )
}

fn distribution_gone(project: &Project) -> EngineError {
    EngineError::new(
        Code::DistributionMissing,
        format!("The distribution of {:?} does not exist any more. Build or adopt one.", project.name),
    )
}

fn unreachable_distribution(project: &Project, error: GitError) -> EngineError {
    match error {
        GitError::NotFound => distribution_gone(project),
        other => EngineError::from(other).within(Code::CollectFailed),
    }
}
