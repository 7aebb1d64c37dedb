//! Pull requests follow the refs of their repository: after every push, merge or control action.

use crate::core::Core;
use crate::git::history;
use crate::git::refs::Refs;
use crate::options::ForgeError;
use crate::world::{Author, Pull, PullState};

/// What the refs say about an open pull request.
enum Verdict {
    Same,
    /// The head moved on.
    Synchronize {
        head: String,
        base: String,
    },
    /// Only the base moved.
    Rebased {
        base: String,
    },
    /// A branch is gone, or the head was put back into its base.
    Closed {
        head: String,
    },
    /// The base took the head in.
    Merged {
        commit: String,
        base: String,
    },
}

/// Compares every open pull request with the refs as they are now and records what changed. `by` is who moved them.
pub(crate) fn follow(core: &Core, repository: u64, by: Option<Author>) -> Result<(), ForgeError> {
    let _one_at_a_time = core.following.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let open = core.read(|world| {
        world.pulls.get(&repository).map(|pulls| {
            pulls.values().filter(|pull| pull.state == PullState::Open).cloned().collect::<Vec<_>>()
        })
    });
    for pull in open.unwrap_or_default() {
        match judge(core, &pull)? {
            Verdict::Same => {}
            verdict => record(core, &pull, verdict, by)?,
        }
    }
    Ok(())
}

fn judge(core: &Core, pull: &Pull) -> Result<Verdict, ForgeError> {
    let refs = core.refs(pull.repository);
    let head = refs.get(&format!("refs/heads/{}", pull.head_ref));
    let base = refs.get(&format!("refs/heads/{}", pull.base_ref));
    let (Some(head), Some(base)) = (head, base) else {
        return Ok(Verdict::Closed { head: pull.head_sha.clone() });
    };
    let (head_moved, base_moved) = (*head != pull.head_sha, *base != pull.base_sha);
    if !head_moved && !base_moved {
        return Ok(Verdict::Same);
    }
    let dir = core.dir(pull.repository);
    if history::is_ancestor(&core.git, &dir, head, base)? {
        if !base_moved {
            return Ok(Verdict::Closed { head: head.clone() });
        }
        let commit = history::merged_by(&core.git, &dir, head, base)?;
        return Ok(Verdict::Merged { commit, base: base.clone() });
    }
    if head_moved {
        return Ok(Verdict::Synchronize { head: head.clone(), base: base.clone() });
    }
    Ok(Verdict::Rebased { base: base.clone() })
}

fn record(core: &Core, pull: &Pull, verdict: Verdict, by: Option<Author>) -> Result<(), ForgeError> {
    let now = core.now();
    let changed = core.write(|world| {
        let Some(stored) = world.pull_mut(pull.repository, pull.number) else {
            return Ok(pull.clone());
        };
        match verdict {
            Verdict::Same => {}
            Verdict::Synchronize { head, base } => {
                stored.head_sha = head;
                stored.base_sha = base;
                stored.updated_at = now;
            }
            Verdict::Rebased { base } => stored.base_sha = base,
            Verdict::Closed { head } => {
                stored.head_sha = head;
                stored.state = PullState::Closed;
                stored.closed_at = Some(now);
                stored.closed_by = by;
                stored.updated_at = now;
            }
            Verdict::Merged { commit, base } => {
                stored.state = PullState::Merged;
                stored.merge_commit = Some(commit);
                stored.base_sha = base;
                stored.merged_at = Some(now);
                stored.merged_by = by;
                stored.closed_at = Some(now);
                stored.closed_by = by;
                stored.updated_at = now;
            }
        }
        Ok::<_, ForgeError>(stored.clone())
    })?;
    if changed.head_sha == pull.head_sha { Ok(()) } else { super::keep_head(core, &changed) }
}

/// After refs moved from outside (a push, a control action): the time of the push, the default branch of a repository
/// that was empty, and the pull requests.
pub(crate) fn pushed(
    core: &Core,
    repository: u64,
    refs: &Refs,
    by: Option<Author>,
) -> Result<(), ForgeError> {
    let now = core.now();
    let fresh_default = core.write(|world| {
        let Some(stored) = world.repositories.get_mut(&repository) else { return Ok(None) };
        stored.pushed_at = Some(now);
        let exists = |branch: &str| refs.contains_key(&format!("refs/heads/{branch}"));
        let first = refs.keys().find_map(|name| name.strip_prefix("refs/heads/"));
        match first {
            Some(first) if !exists(&stored.default_branch) => {
                first.clone_into(&mut stored.default_branch);
                Ok::<_, ForgeError>(Some(stored.default_branch.clone()))
            }
            _ => Ok(None),
        }
    })?;
    if let Some(branch) = fresh_default {
        std::fs::write(core.dir(repository).join("HEAD"), format!("ref: refs/heads/{branch}\n"))
            .map_err(|error| ForgeError::io("default branch", error))?;
    }
    follow(core, repository, by)
}
