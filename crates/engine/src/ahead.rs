//! The look at a source: its heads, and how far it is ahead of each of its projects (docs/SYNC.md).

use std::sync::Arc;

use lockstep_domain::ahead::Ahead;
use lockstep_domain::code::Code;
use lockstep_domain::ids::{ProjectId, SourceId};
use lockstep_domain::model::{Project, ProjectBranch, ProjectState, Source};
use lockstep_domain::names::{BranchName, Oid};
use lockstep_domain::ports::{Ancestry, Forge, ForgeError, Git, RepoInfo, RepoRead};
use lockstep_domain::stop::StopSignal;

use crate::engine::EngineParts;
use crate::error::EngineError;
use crate::request::Prepared;
use crate::run::RunContext;

/// What a look found.
#[derive(Debug, Clone)]
pub struct SourceCheck {
    /// All heads; empty when the source is gone.
    pub heads: Vec<(BranchName, Oid)>,
    /// What was wrong: `source_gone`.
    pub trouble: Option<Code>,
    /// Ahead per project and branch, as recorded.
    pub ahead: Vec<(ProjectId, Vec<(BranchName, Ahead)>)>,
}

/// Looks at a source and tells all its projects.
pub(crate) async fn check_source(parts: &Arc<EngineParts>, id: SourceId) -> Result<SourceCheck, EngineError> {
    let source = parts.store.source(id).await?.filter(|source| source.deleted_at.is_none());
    let source = source.ok_or_else(|| EngineError::new(Code::SourceMissing, "The source was retired."))?;
    let projects: Vec<Project> = parts
        .store
        .projects()
        .await?
        .into_iter()
        .filter(|project| project.source == id && project.state != ProjectState::Archived)
        .collect();
    let forge = parts.forges.forge(source.repo.connection).await?;
    match heads(forge.as_ref(), &source).await {
        Ok(Some((repo, heads))) => seen(parts, &source, &projects, forge.as_ref(), &repo, heads).await,
        Ok(None) => gone(parts, &source, &projects).await,
        Err(error) => {
            let error = EngineError::from(error);
            parts.store.source_note(id, None, Some(error.code), None).await?;
            Err(error)
        }
    }
}

type Heads = Vec<(BranchName, Oid)>;

async fn heads(forge: &dyn Forge, source: &Source) -> Result<Option<(RepoInfo, Heads)>, ForgeError> {
    let read = forge.repositories(&[&source.repo]).await?.into_iter().flatten().next();
    Ok(read.map(|RepoRead { repo, heads }| {
        // A name that Lockstep could not hand out is of no concern.
        let named = heads.into_iter().filter_map(|(name, oid)| Some((name.parse().ok()?, oid))).collect();
        (repo, named)
    }))
}

async fn seen(
    parts: &Arc<EngineParts>,
    source: &Source,
    projects: &[Project],
    forge: &dyn Forge,
    repo: &RepoInfo,
    heads: Heads,
) -> Result<SourceCheck, EngineError> {
    let slug = (repo.slug != source.repo.slug).then_some(&repo.slug);
    parts.store.source_note(source.id, Some(&heads), None, slug).await?;
    let mut fetched = false;
    let mut ahead = Vec::new();
    for project in projects {
        let mut mine = derive_all(parts.git.as_ref(), &project.branches, &heads).await?;
        // A number that needs commits which are not here is worth one fetch.
        let wants = |(branch, ahead): &(BranchName, Ahead)| {
            let known = project.branches.iter().any(|b| b.branch == *branch && b.handed_out.is_some());
            known && *ahead == Ahead::AheadUnknown
        };
        if !fetched && mine.iter().any(wants) {
            fetched = true;
            fetch(parts, source, forge, repo).await;
            mine = derive_all(parts.git.as_ref(), &project.branches, &heads).await?;
        }
        parts.store.project_note_ahead(project.id, &mine).await?;
        ahead.push((project.id, mine));
    }
    Ok(SourceCheck { heads, trouble: None, ahead })
}

/// Without the fetch the number stays honestly unknown.
async fn fetch(parts: &EngineParts, source: &Source, forge: &dyn Forge, repo: &RepoInfo) {
    let fetched = match forge.git_remote(&repo.slug).await {
        Ok(remote) => {
            let fetched = parts.git.fetch_source(source.id, &remote, &StopSignal::default()).await;
            fetched.map_err(EngineError::from)
        }
        Err(error) => Err(error.into()),
    };
    if let Err(error) = fetched {
        tracing::warn!(source.id = %source.id, %error, "the source could not be fetched; ahead stays unknown");
    }
}

async fn gone(
    parts: &EngineParts,
    source: &Source,
    projects: &[Project],
) -> Result<SourceCheck, EngineError> {
    parts.store.source_note(source.id, None, Some(Code::SourceGone), None).await?;
    let mut ahead = Vec::new();
    for project in projects {
        let all: Vec<_> = project.branches.iter().map(|b| (b.branch.clone(), Ahead::SourceGone)).collect();
        parts.store.project_note_ahead(project.id, &all).await?;
        ahead.push((project.id, all));
    }
    Ok(SourceCheck { heads: Vec::new(), trouble: Some(Code::SourceGone), ahead })
}

/// Every branch of a project against these heads.
pub(crate) async fn derive_all(
    git: &dyn Git,
    branches: &[ProjectBranch],
    heads: &[(BranchName, Oid)],
) -> Result<Vec<(BranchName, Ahead)>, EngineError> {
    let mut all = Vec::new();
    for branch in branches {
        let seen = heads.iter().find(|(name, _)| *name == branch.source_branch).map(|(_, oid)| *oid);
        let ahead = match seen {
            Some(head) => derive(git, branch, head).await?,
            None => Ahead::BranchGone,
        };
        all.push((branch.branch.clone(), ahead));
    }
    Ok(all)
}

async fn derive(git: &dyn Git, branch: &ProjectBranch, head: Oid) -> Result<Ahead, EngineError> {
    let ancestry = match branch.handed_out {
        Some(old) if old != head => match git.ancestry(old, head).await? {
            Ancestry::Forward(count) => Some((true, count)),
            Ancestry::Diverged => Some((false, 0)),
            Ancestry::Unknown => None,
        },
        _ => None,
    };
    Ok(Ahead::derive(branch.handed_out, branch.dist_head.is_some(), Some(head), ancestry))
}

/// Ahead after a press, against the newest seen heads: a push that landed during the pass stays ahead. Trouble here
/// is no trouble of the run: the next look at the source tells.
pub(crate) async fn after(ctx: &RunContext, prepared: &Prepared) -> Vec<(BranchName, Ahead)> {
    let source = match ctx.store().source(prepared.source.id).await {
        Ok(Some(source)) => source,
        Ok(None) => return Vec::new(),
        Err(error) => {
            tracing::warn!(%error, "ahead was not recomputed");
            return Vec::new();
        }
    };
    let heads: Vec<_> = source.heads.into_iter().filter_map(|h| Some((h.branch, h.oid?))).collect();
    let mut branches = prepared.project.branches.clone();
    for branch in &mut branches {
        if let Some(built) = prepared.built.branches.iter().find(|b| b.branch == branch.branch) {
            branch.handed_out = built.handed_out;
            branch.dist_head = Some(built.new);
        }
    }
    derive_all(ctx.parts.git.as_ref(), &branches, &heads).await.unwrap_or_else(|error| {
        tracing::warn!(%error, "ahead was not recomputed");
        Vec::new()
    })
}
