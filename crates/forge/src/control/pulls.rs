//! Pull requests: looking at them, and the buttons of their page.

use serde::Serialize;

use super::Control;
use crate::ids::{Node, timestamp};
use crate::options::ForgeError;
use crate::pulls::{self, MergeMethod, MergeRefusal};
use crate::world::{Author, Pull, PullState, Repository, World};

/// A pull request as the control functions show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PullSeen {
    /// The number in its repository.
    pub number: u64,
    /// The numeric id.
    pub id: u64,
    /// The id for GraphQL.
    pub node_id: String,
    /// `open`, `closed` or `merged`.
    pub state: String,
    /// Title.
    pub title: String,
    /// Description.
    pub body: Option<String>,
    /// Login of the author.
    pub author: String,
    /// Branch that is to be merged.
    pub head_ref: String,
    /// Its newest commit while the pull request was open.
    pub head_sha: String,
    /// Branch that it is merged into.
    pub base_ref: String,
    /// The commit that merged it.
    pub merge_commit: Option<String>,
    /// Login of who closed or merged it.
    pub closed_by: Option<String>,
    /// RFC 3339.
    pub updated_at: String,
}

/// A comment as the control functions show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommentSeen {
    /// The numeric id.
    pub id: u64,
    /// Login of the author.
    pub author: String,
    /// The text.
    pub body: String,
}

impl PullSeen {
    fn of(world: &World, pull: &Pull) -> Self {
        let state = match pull.state {
            PullState::Open => "open",
            PullState::Closed => "closed",
            PullState::Merged => "merged",
        };
        Self {
            number: pull.number,
            id: pull.id,
            node_id: Node::PullRequest(pull.repository, pull.id).encode(),
            state: state.into(),
            title: pull.title.clone(),
            body: pull.body.clone(),
            author: world.login(&pull.author),
            head_ref: pull.head_ref.clone(),
            head_sha: pull.head_sha.clone(),
            base_ref: pull.base_ref.clone(),
            merge_commit: pull.merge_commit.clone(),
            closed_by: pull.closed_by.map(|by| world.login(&by)),
            updated_at: timestamp(pull.updated_at),
        }
    }
}

impl Control {
    /// All pull requests of a repository, by number.
    ///
    /// # Errors
    /// There is no such repository.
    pub fn pull_requests(&self, full_name: &str) -> Result<Vec<PullSeen>, ForgeError> {
        let id = self.find(full_name)?.id;
        Ok(self.core.read(|world| {
            world
                .pulls
                .get(&id)
                .into_iter()
                .flat_map(|pulls| pulls.values())
                .map(|pull| PullSeen::of(world, pull))
                .collect()
        }))
    }

    /// One pull request.
    ///
    /// # Errors
    /// There is no such repository or pull request.
    pub fn pull_request(&self, full_name: &str, number: u64) -> Result<PullSeen, ForgeError> {
        let id = self.find(full_name)?.id;
        self.core
            .read(|world| world.pull(id, number).map(|pull| PullSeen::of(world, pull)))
            .ok_or_else(|| ForgeError::NotFound(format!("pull request {number}")))
    }

    /// The comments on a pull request, oldest first.
    ///
    /// # Errors
    /// There is no such repository.
    pub fn comments(&self, full_name: &str, number: u64) -> Result<Vec<CommentSeen>, ForgeError> {
        let id = self.find(full_name)?.id;
        Ok(self.core.read(|world| {
            let found =
                world.comments.values().filter(|found| found.repository == id && found.number == number);
            found
                .map(|found| CommentSeen {
                    id: found.id,
                    author: world.login(&found.author),
                    body: found.body.clone(),
                })
                .collect()
        }))
    }

    /// Presses a merge button and returns the merge commit. The merger is a collaborator of the repository (a
    /// student), else a member of the organization.
    ///
    /// # Errors
    /// There is no such pull request, it is not open, in conflict, or the method is forbidden.
    pub fn merge_pull_request(
        &self,
        full_name: &str,
        number: u64,
        method: MergeMethod,
    ) -> Result<String, ForgeError> {
        let repository = self.find(full_name)?;
        let by = self.person(&repository)?;
        pulls::merge(&self.core, &repository, number, (method, None), by).map_err(|refusal| match refusal {
            MergeRefusal::NotFound => ForgeError::NotFound(format!("pull request {number}")),
            MergeRefusal::Forge(error) => error,
            other => ForgeError::Refused(format!("merge of pull request {number}: {other:?}")),
        })
    }

    fn person(&self, repository: &Repository) -> Result<Author, ForgeError> {
        self.core
            .read(|world| {
                let collaborator = repository.collaborators.keys().next().copied();
                let owner = world.accounts.get(&repository.owner)?;
                collaborator.or_else(|| owner.members.iter().next().copied()).or(Some(owner.id))
            })
            .map(Author::User)
            .ok_or_else(|| ForgeError::NotFound("a person in this repository".into()))
    }

    /// Closes a pull request without merging, as a person.
    ///
    /// # Errors
    /// There is no such pull request.
    pub fn close_pull_request(&self, full_name: &str, number: u64) -> Result<(), ForgeError> {
        let repository = self.find(full_name)?;
        let by = self.person(&repository)?;
        pulls::close(&self.core, repository.id, number, Some(by)).map(drop)
    }

    /// Reopens a closed pull request.
    ///
    /// # Errors
    /// There is no such pull request, or GitHub would refuse (branch gone or forced).
    pub fn reopen_pull_request(&self, full_name: &str, number: u64) -> Result<(), ForgeError> {
        pulls::reopen(&self.core, self.find(full_name)?.id, number).map(drop)
    }
}
