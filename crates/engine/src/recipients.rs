//! Recipients from a list of names or from a pattern.

use std::sync::Arc;

use futures::{StreamExt as _, TryStreamExt as _};
use lockstep_domain::clock::Millis;
use lockstep_domain::code::Code;
use lockstep_domain::ids::{ConnectionId, ProjectId, RecipientId};
use lockstep_domain::model::{Project, PullState, RepoIdent, Source};
use lockstep_domain::names::RepoSlug;
use lockstep_domain::ports::{BranchQuery, Forge, ForgeError, RecipientRead, RecipientsQuery, RepoInfo};
use lockstep_domain::skip::RecipientState;
use lockstep_store::{Actor, Imported, NewRecipient};

use crate::engine::EngineParts;
use crate::error::EngineError;
use crate::pass::pull_row;
use crate::request::open;

/// Most repositories that one pattern may find.
const LIKE_LIMIT: usize = 5_000;
/// Names resolved at the same time.
const RESOLVING: usize = 8;

/// Which repositories become recipients.
#[derive(Debug, Clone)]
pub struct ImportRequest {
    /// The project.
    pub project: ProjectId,
    /// Through which account they are reached.
    pub connection: ConnectionId,
    /// Which ones.
    pub wanted: Wanted,
}

/// By name or by pattern.
#[derive(Debug, Clone)]
pub enum Wanted {
    /// These, as in a roster.
    Listed(Vec<Listed>),
    /// All of an owner whose name matches a `*` pattern, without the source and the distribution.
    Like {
        /// User or organisation.
        owner: String,
        /// As in `algo-labs-*`.
        pattern: String,
    },
}

/// One line of a roster.
#[derive(Debug, Clone)]
pub struct Listed {
    /// The repository.
    pub slug: RepoSlug,
    /// Person or team; empty: the repository's name.
    pub label: String,
    /// Own deadline.
    pub deadline: Option<Millis>,
}

/// Resolves, reads our open pull requests, imports all or nothing.
pub(crate) async fn import(
    parts: &Arc<EngineParts>,
    request: ImportRequest,
) -> Result<Imported, EngineError> {
    let (project, source) = open::exists(parts, request.project).await?;
    let forge = parts.forges.forge(request.connection).await?;
    let found = match request.wanted {
        Wanted::Listed(lines) => listed(forge.as_ref(), &project, &source, lines).await?,
        Wanted::Like { owner, pattern } => like(forge.as_ref(), &project, &source, &owner, &pattern).await?,
    };
    let mut new: Vec<NewRecipient> = found
        .into_iter()
        .map(|(repo, line)| NewRecipient {
            state: if repo.archived { RecipientState::Archived } else { RecipientState::Live },
            repo: RepoIdent {
                connection: request.connection,
                id: repo.id,
                node_id: repo.node_id,
                slug: repo.slug,
            },
            label: line.label,
            deadline: line.deadline,
            mapping: Vec::new(),
            pulls: Vec::new(),
        })
        .collect();
    read_pulls(forge.as_ref(), &project, &mut new).await?;
    let holder = &parts.holder;
    let actor =
        Actor { person: holder.person.clone(), machine: format!("{}@{}", holder.os_user, holder.host) };
    Ok(parts.store.recipients_import(project.id, &new, &actor).await?)
}

type Found = Vec<(RepoInfo, Listed)>;

async fn listed(
    forge: &dyn Forge,
    project: &Project,
    source: &Source,
    lines: Vec<Listed>,
) -> Result<Found, EngineError> {
    let resolved: Vec<(Listed, Result<RepoInfo, ForgeError>)> = futures::stream::iter(lines)
        .map(|line| async move {
            let repo = forge.repository_by_name(&line.slug).await;
            (line, repo)
        })
        .buffered(RESOLVING)
        .collect()
        .await;
    let (mut found, mut bad) = (Found::new(), Vec::new());
    for (mut line, repo) in resolved {
        match repo {
            Ok(repo) if is_ours(&repo, project, source) => {
                bad.push(format!("{} is the source or the distribution itself", line.slug));
            }
            Ok(repo) if found.iter().any(|(other, _)| other.id == repo.id) => {
                bad.push(format!("{} is listed twice", line.slug));
            }
            Ok(repo) => {
                if line.label.trim().is_empty() {
                    line.label.clone_from(&repo.slug.name);
                }
                found.push((repo, line));
            }
            Err(ForgeError::NotFound(_)) => bad.push(format!("{} was not found", line.slug)),
            Err(error) => return Err(error.into()),
        }
    }
    if bad.is_empty() {
        return Ok(found);
    }
    let text = format!("Nothing was imported: {}. Correct the list, then import it again.", bad.join("; "));
    Err(EngineError::new(Code::BadRoster, text))
}

async fn like(
    forge: &dyn Forge,
    project: &Project,
    source: &Source,
    owner: &str,
    pattern: &str,
) -> Result<Found, EngineError> {
    let repos = forge.repositories_like(owner, pattern, LIKE_LIMIT).await?;
    let ours = repos.into_iter().filter(|repo| !is_ours(repo, project, source));
    let found: Found = ours
        .map(|repo| {
            let line = Listed { slug: repo.slug.clone(), label: repo.slug.name.clone(), deadline: None };
            (repo, line)
        })
        .collect();
    if found.is_empty() {
        return Err(EngineError::new(
            Code::BadRoster,
            format!("No repository of {owner:?} matches {pattern:?}. Check the spelling, or use more stars."),
        ));
    }
    Ok(found)
}

fn is_ours(repo: &RepoInfo, project: &Project, source: &Source) -> bool {
    repo.id == source.repo.id || project.distribution.as_ref().is_some_and(|dist| dist.id == repo.id)
}

/// Our pull requests that live there already. Without a distribution there can be none.
async fn read_pulls(
    forge: &dyn Forge,
    project: &Project,
    new: &mut [NewRecipient],
) -> Result<(), EngineError> {
    let branches: Vec<BranchQuery> = project
        .branches
        .iter()
        .filter_map(|b| {
            Some(BranchQuery { branch: b.branch.clone(), base: b.branch.clone(), head: b.dist_head? })
        })
        .collect();
    if branches.is_empty() {
        return Ok(());
    }
    let node_ids: Vec<String> = new.iter().map(|one| one.repo.node_id.clone()).collect();
    let queries =
        node_ids.chunks(50).map(|ids| RecipientsQuery { node_ids: ids.to_vec(), branches: branches.clone() });
    let reads: Vec<Vec<RecipientRead>> = futures::stream::iter(queries)
        .then(|query| async move { forge.recipients(&query).await })
        .try_collect()
        .await?;
    for (recipient, read) in new.iter_mut().zip(reads.into_iter().flatten()) {
        let Some(repo) = read.repo else { continue };
        for (asked, branch) in branches.iter().zip(&repo.branches) {
            let open = branch.pulls.iter().find(|pull| {
                pull.state == PullState::Open
                    && pull.head_ref == asked.branch.sync()
                    && pull.head_repo == Some(repo.id)
            });
            // The store fills the recipient in.
            let nobody = RecipientId(uuid::Uuid::nil());
            recipient.pulls.extend(open.map(|pull| pull_row(nobody, &asked.branch, pull, None)));
        }
    }
    Ok(())
}
