//! The three merge buttons.

use serde::{Deserialize, Serialize};

use crate::core::Core;
use crate::git::merge as git_merge;
use crate::git::objects::Signature;
use crate::git::write::{RefMove, update_refs};
use crate::git::{ZERO, history};
use crate::options::ForgeError;
use crate::world::{Author, Pull, PullState, Repository};

/// How a pull request is merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MergeMethod {
    /// "Create a merge commit".
    #[default]
    Merge,
    /// "Squash and merge".
    Squash,
    /// "Rebase and merge".
    Rebase,
}

/// Why it cannot be merged.
#[derive(Debug)]
pub(crate) enum MergeRefusal {
    NotFound,
    /// Closed, merged already, or in conflict.
    NotMergeable,
    /// The repository forbids this method.
    MethodForbidden(MergeMethod),
    /// The caller expected another head.
    HeadModified,
    Forge(ForgeError),
}

impl From<ForgeError> for MergeRefusal {
    fn from(error: ForgeError) -> Self {
        Self::Forge(error)
    }
}

/// Merges an open pull request and returns the merge commit.
pub(crate) fn merge(
    core: &Core,
    repository: &Repository,
    number: u64,
    (method, expected_head): (MergeMethod, Option<&str>),
    by: Author,
) -> Result<String, MergeRefusal> {
    let pull = core.read(|world| world.pull(repository.id, number).cloned()).ok_or(MergeRefusal::NotFound)?;
    let allowed = match method {
        MergeMethod::Merge => repository.merge_commit,
        MergeMethod::Squash => repository.squash,
        MergeMethod::Rebase => repository.rebase,
    };
    if pull.state != PullState::Open {
        return Err(MergeRefusal::NotMergeable);
    }
    if !allowed {
        return Err(MergeRefusal::MethodForbidden(method));
    }
    if expected_head.is_some_and(|head| head != pull.head_sha) {
        return Err(MergeRefusal::HeadModified);
    }
    let base = core.branch(repository.id, &pull.base_ref).ok_or(MergeRefusal::NotMergeable)?;
    let commit = build(core, &pull, &base, method, by)?.ok_or(MergeRefusal::NotMergeable)?;
    let step =
        RefMove { name: format!("refs/heads/{}", pull.base_ref), expected: Some(base), new: commit.clone() };
    update_refs(&core.git, &core.dir(repository.id), &[step])?;
    let now = core.now();
    core.write(|world| {
        if let Some(stored) = world.pull_mut(repository.id, number) {
            stored.state = PullState::Merged;
            stored.merge_commit = Some(commit.clone());
            stored.base_sha.clone_from(&commit);
            stored.merged_at = Some(now);
            stored.merged_by = Some(by);
            stored.closed_at = Some(now);
            stored.closed_by = Some(by);
            stored.updated_at = now;
        }
        if let Some(stored) = world.repositories.get_mut(&repository.id) {
            stored.pushed_at = Some(now);
        }
        Ok::<_, ForgeError>(())
    })?;
    if repository.delete_branch_on_merge {
        let step = RefMove {
            name: format!("refs/heads/{}", pull.head_ref),
            expected: Some(pull.head_sha),
            new: ZERO.into(),
        };
        update_refs(&core.git, &core.dir(repository.id), &[step])?;
    }
    super::follow(core, repository.id, Some(by))?;
    Ok(commit)
}

fn build(
    core: &Core,
    pull: &Pull,
    base: &str,
    method: MergeMethod,
    by: Author,
) -> Result<Option<String>, ForgeError> {
    let dir = core.dir(pull.repository);
    let seconds = core.now().timestamp();
    let (login, owner) = core.read(|world| {
        let owner =
            world.repositories.get(&pull.repository).and_then(|found| world.accounts.get(&found.owner));
        (world.login(&by), owner.map(|owner| owner.login.clone()).unwrap_or_default())
    });
    let sign = |name: &str, email: String| Signature {
        name: name.to_owned(),
        email,
        seconds,
        offset: "+0000".into(),
    };
    let author = sign(&login, format!("{login}@users.noreply.github.com"));
    let committer = sign("GitHub", "noreply@github.com".into());
    if method == MergeMethod::Rebase {
        return git_merge::rebase(&core.git, &dir, base, &pull.head_sha, &committer);
    }
    let Some(tree) = git_merge::tree(&core.git, &dir, base, &pull.head_sha)? else { return Ok(None) };
    let (parents, message) = match method {
        MergeMethod::Squash => (vec![base], squash_message(core, pull, base)?),
        _ => {
            let from = format!("{owner}/{}", pull.head_ref);
            let message = format!("Merge pull request #{} from {from}\n\n{}", pull.number, pull.title);
            (vec![base, pull.head_sha.as_str()], message)
        }
    };
    git_merge::commit_tree(&core.git, &dir, &tree, &parents, (&author, &committer), &message).map(Some)
}

fn squash_message(core: &Core, pull: &Pull, base: &str) -> Result<String, ForgeError> {
    let range = format!("{base}..{}", pull.head_sha);
    let oids = history::list(&core.git, &core.dir(pull.repository), &["--reverse".into(), range])?;
    let commits = core.commits(pull.repository, &oids)?;
    let mut message = format!("{} (#{})\n", pull.title, pull.number);
    if commits.len() > 1 {
        for commit in commits {
            message.push_str(&format!("\n* {}\n", commit.headline()));
        }
    }
    Ok(message)
}
