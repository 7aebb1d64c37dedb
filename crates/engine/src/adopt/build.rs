//! Build: a private repository of our own, filled with the handed-out branches. Nothing is ever deleted: a leftover of
//! a failed build is found and used.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use lockstep_domain::code::Code;
use lockstep_domain::model::Project;
use lockstep_domain::names::{Oid, RepoSlug};
use lockstep_domain::ports::{DistributionRefs, Forge, ForgeError, Remote, RepoInfo};

use super::{BuildRequest, done};
use crate::error::EngineError;
use crate::request::build::{build, read_for_first_build};
use crate::request::collect::{self, Collected};
use crate::request::end::Done;
use crate::request::{Prepared, open, privacy, push};
use crate::run::{Halt, RunContext};

/// Names that are tried: the wanted one, then with -2 to -20.
const NAMES: u32 = 20;
/// Timeout of a write to the forge (docs/LEASES.md section 5).
const WRITE_TIMEOUT_MS: i64 = 30_000;

pub(super) async fn drive(ctx: Arc<RunContext>, request: BuildRequest) -> Result<Done, Halt> {
    ctx.step("collect")?;
    let (project, source) = open::exists(&ctx.parts, request.project).await?;
    let (repo, _) = collect::source_heads(&ctx, &source).await?;
    let heads = collect::fetch_source(&ctx, &source, &repo).await?;
    // A missing branch is told before a repository is made.
    read_for_first_build(&project, &heads, &HashMap::new())?;
    ctx.step("build")?;
    let forge = ctx.forge(request.connection).await?;
    let place = place(&ctx, forge.as_ref(), &project, &request.slug).await?;
    collect::must_be_private(&place.dist)?;
    let actual = place.refs.heads.iter().cloned().collect();
    let collected = Collected {
        branches: read_for_first_build(&project, &heads, &actual)?,
        dist: place.dist,
        dist_remote: place.remote,
        wants_mark: place.refs.owner.is_none(),
    };
    let built = build(&ctx, &project, &collected).await?;
    let finder = privacy::check(&ctx, &project, &source, &built).await?;
    ctx.step("push_distribution")?;
    push::push(&ctx, &project, &collected, &built).await?;
    let prepared = Prepared { project, source, built, finder };
    Ok(done(&ctx, &prepared, request.connection, collected.dist).await)
}

/// Where the distribution goes.
struct Place {
    dist: RepoInfo,
    remote: Remote,
    refs: DistributionRefs,
}

async fn place(
    ctx: &RunContext,
    forge: &dyn Forge,
    project: &Project,
    wanted: &RepoSlug,
) -> Result<Place, Halt> {
    for number in 1..=NAMES {
        let name = if number == 1 { wanted.name.clone() } else { format!("{}-{number}", wanted.name) };
        let slug = RepoSlug { owner: wanted.owner.clone(), name };
        ctx.progress(|progress| progress.current = slug.to_string());
        match forge.repository_by_name(&slug).await {
            Ok(repo) if repo.slug == slug => {
                if let Some(place) = leftover(ctx, forge, project, repo).await? {
                    return Ok(place);
                }
            }
            // Nothing there, or renamed away: the name is free.
            Ok(_) | Err(ForgeError::NotFound(_)) => {
                if let Some(dist) = create(ctx, forge, &slug).await? {
                    let remote = forge.git_remote(&dist.slug).await.map_err(EngineError::from)?;
                    return Ok(Place { dist, remote, refs: DistributionRefs::default() });
                }
            }
            Err(error) => return Err(EngineError::from(error).into()),
        }
    }
    Err(Halt::Refused(EngineError::new(
        Code::AlreadyExists,
        format!("{wanted} and {} further names are taken. Choose another name.", NAMES - 1),
    )))
}

/// `None`: somebody took the name meanwhile. A lost answer is looked up.
async fn create(ctx: &RunContext, forge: &dyn Forge, slug: &RepoSlug) -> Result<Option<RepoInfo>, Halt> {
    ctx.fence().await?;
    ctx.may_write(WRITE_TIMEOUT_MS).await?;
    match forge.create_private_repository(&ctx.guard, slug).await {
        Ok(dist) => Ok(Some(dist)),
        Err(ForgeError::AlreadyExists) => Ok(None),
        Err(ForgeError::Unclear(why)) => match forge.repository_by_name(slug).await {
            Ok(dist) => Ok(Some(dist)),
            Err(_) => Err(EngineError::from(ForgeError::Unclear(why)).into()),
        },
        Err(error) => Err(EngineError::from(error).into()),
    }
}

/// A repository of that name is used when it is private and either empty or marked as ours.
async fn leftover(
    ctx: &RunContext,
    forge: &dyn Forge,
    project: &Project,
    repo: RepoInfo,
) -> Result<Option<Place>, Halt> {
    if !repo.private || repo.archived {
        return Ok(None);
    }
    let heads = match forge.heads(&repo).await {
        Err(ForgeError::Empty) => Vec::new(),
        other => other.map_err(EngineError::from)?,
    };
    let remote = forge.git_remote(&repo.slug).await.map_err(EngineError::from)?;
    if heads.is_empty() {
        return Ok(Some(Place { dist: repo, remote, refs: DistributionRefs::default() }));
    }
    if !same_names(project, &heads) {
        return Ok(None);
    }
    let refs = ctx.parts.git.fetch_distribution(project.id, &remote, ctx.stop()).await;
    ctx.fetched(1);
    let refs = refs.map_err(EngineError::from)?;
    let ours = matches!(collect::check_owner(ctx, project, refs.owner).await, Ok(false));
    Ok(ours.then_some(Place { dist: repo, remote, refs }))
}

fn same_names(project: &Project, heads: &[(String, Oid)]) -> bool {
    let wanted: HashSet<&str> = project.branches.iter().map(|b| b.branch.as_str()).collect();
    heads.iter().all(|(name, _)| wanted.contains(name.as_str()))
}
