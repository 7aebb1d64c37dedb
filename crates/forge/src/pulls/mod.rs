//! Pull requests: opening, following the refs, closing, reopening, merging.

mod follow;
mod merging;

use crate::core::Core;
use crate::git::history;
use crate::git::write::{RefMove, update_refs};
use crate::options::ForgeError;
use crate::world::{Author, Pull, PullState, Repository, World};

pub(crate) use follow::{follow, pushed};
pub use merging::MergeMethod;
pub(crate) use merging::{MergeRefusal, merge};

/// What a new pull request says.
#[derive(Debug, Clone)]
pub(crate) struct NewPull {
    pub(crate) title: String,
    pub(crate) body: Option<String>,
    /// `branch` or `owner:branch`.
    pub(crate) head: String,
    pub(crate) base: String,
    pub(crate) draft: bool,
}

/// Why a pull request cannot be opened.
#[derive(Debug)]
pub(crate) enum OpenRefusal {
    HeadInvalid,
    BaseInvalid,
    NoCommits {
        base: String,
        head: String,
    },
    NoCommonHistory {
        base: String,
        head: String,
    },
    /// `owner:branch`.
    Exists(String),
    Forge(ForgeError),
}

impl From<ForgeError> for OpenRefusal {
    fn from(error: ForgeError) -> Self {
        Self::Forge(error)
    }
}

/// Opens a pull request.
pub(crate) fn open(
    core: &Core,
    repository: &Repository,
    new: NewPull,
    by: Author,
) -> Result<Pull, OpenRefusal> {
    let owner = core.read(|world| world.accounts.get(&repository.owner).map(|owner| owner.login.clone()));
    let owner = owner.unwrap_or_default();
    let head_ref = match new.head.split_once(':') {
        Some((of, branch)) if of.eq_ignore_ascii_case(&owner) => branch.to_owned(),
        Some(_) => return Err(OpenRefusal::HeadInvalid),
        None => new.head.clone(),
    };
    let refs = core.refs(repository.id);
    let base_sha = refs.get(&format!("refs/heads/{}", new.base)).ok_or(OpenRefusal::BaseInvalid)?.clone();
    let head_sha = refs.get(&format!("refs/heads/{head_ref}")).ok_or(OpenRefusal::HeadInvalid)?.clone();
    match core.compare(repository.id, &base_sha, &head_sha)? {
        None => return Err(OpenRefusal::NoCommonHistory { base: new.base, head: head_ref }),
        Some(found) if found.ahead == 0 => {
            return Err(OpenRefusal::NoCommits { base: new.base, head: head_ref });
        }
        Some(_) => {}
    }
    let now = core.now();
    let pull = core.write(|world| {
        if let Some(open) = find_open(world, repository.id, &head_ref, &new.base) {
            return Err(OpenRefusal::Exists(format!("{owner}:{}", open.head_ref)));
        }
        let id = world.take_id();
        let Some(stored) = world.repositories.get_mut(&repository.id) else {
            return Err(OpenRefusal::BaseInvalid);
        };
        stored.last_number += 1;
        let pull = Pull {
            id,
            number: stored.last_number,
            repository: repository.id,
            title: new.title,
            body: new.body,
            draft: new.draft,
            state: PullState::Open,
            author: by,
            head_ref,
            head_sha,
            base_ref: new.base,
            base_sha,
            created_at: now,
            updated_at: now,
            closed_at: None,
            closed_by: None,
            merged_at: None,
            merged_by: None,
            merge_commit: None,
        };
        world.pulls.entry(repository.id).or_default().insert(pull.number, pull.clone());
        Ok(pull)
    })?;
    keep_head(core, &pull)?;
    Ok(pull)
}

fn find_open<'a>(world: &'a World, repository: u64, head: &str, base: &str) -> Option<&'a Pull> {
    world
        .pulls
        .get(&repository)?
        .values()
        .find(|pull| pull.state == PullState::Open && pull.head_ref == head && pull.base_ref == base)
}

/// Keeps the head reachable as `refs/pull/<n>/head`, as GitHub does, also when the branch goes away.
fn keep_head(core: &Core, pull: &Pull) -> Result<(), ForgeError> {
    let step = RefMove {
        name: format!("refs/pull/{}/head", pull.number),
        expected: None,
        new: pull.head_sha.clone(),
    };
    update_refs(&core.git, &core.dir(pull.repository), &[step])
}

/// Closes an open pull request without merging. Returns it as it is then.
pub(crate) fn close(
    core: &Core,
    repository: u64,
    number: u64,
    by: Option<Author>,
) -> Result<Pull, ForgeError> {
    let now = core.now();
    core.write(|world| {
        let pull = world
            .pull_mut(repository, number)
            .ok_or_else(|| ForgeError::NotFound(format!("pull request {number}")))?;
        if pull.state == PullState::Open {
            pull.state = PullState::Closed;
            pull.closed_at = Some(now);
            pull.closed_by = by;
            pull.updated_at = now;
        }
        Ok(pull.clone())
    })
}

/// Reopens a closed pull request.
///
/// # Errors
/// [`ForgeError::Refused`] with GitHub's text when the branch is gone, was forced, or has another open one.
pub(crate) fn reopen(core: &Core, repository: u64, number: u64) -> Result<Pull, ForgeError> {
    let pull = core
        .read(|world| world.pull(repository, number).cloned())
        .ok_or_else(|| ForgeError::NotFound(format!("pull request {number}")))?;
    if pull.state != PullState::Closed {
        return Ok(pull);
    }
    let refuse = |why: String| Err(ForgeError::Refused(format!("state cannot be changed. {why}")));
    let Some(head) = core.branch(repository, &pull.head_ref) else {
        return refuse(format!("The {} branch has been deleted.", pull.head_ref));
    };
    let Some(base) = core.branch(repository, &pull.base_ref) else {
        return refuse(format!("The {} branch has been deleted.", pull.base_ref));
    };
    if !history::is_ancestor(&core.git, &core.dir(repository), &pull.head_sha, &head)? {
        return refuse(format!("The {} branch was force-pushed or recreated.", pull.head_ref));
    }
    match core.compare(repository, &base, &head)? {
        None => {
            return refuse(format!(
                "The {} branch has no history in common with {}.",
                pull.head_ref, pull.base_ref
            ));
        }
        Some(found) if found.ahead == 0 => {
            return refuse(format!("There are no new commits on the {} branch.", pull.head_ref));
        }
        Some(_) => {}
    }
    let now = core.now();
    let pull = core.write(|world| {
        if find_open(world, repository, &pull.head_ref, &pull.base_ref).is_some() {
            return refuse("There is already an open pull request.".into());
        }
        let Some(stored) = world.pull_mut(repository, number) else {
            return Err(ForgeError::NotFound(format!("pull request {number}")));
        };
        stored.state = PullState::Open;
        stored.closed_at = None;
        stored.closed_by = None;
        stored.updated_at = now;
        stored.head_sha = head;
        stored.base_sha = base;
        Ok(stored.clone())
    })?;
    keep_head(core, &pull)?;
    Ok(pull)
}
