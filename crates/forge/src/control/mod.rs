//! What a person could do on GitHub's web pages, as functions and, under `/_forge/`, as requests.
//!
//! All functions block for as long as git needs (milliseconds).

mod accounts;
pub(crate) mod content;
pub(crate) mod http;
mod pulls;
mod repositories;

use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;

use crate::core::Core;
use crate::ids::Node;
use crate::options::ForgeError;
use crate::world::{Repository, World};

pub use accounts::{AppCreated, InstallationCreated, NewApp};
pub use pulls::{CommentSeen, PullSeen};
pub use repositories::NewRepository;
pub(crate) use repositories::create_repository;

/// The control functions of a forge. Cloning gives another handle to the same forge.
#[derive(Clone)]
pub struct Control {
    pub(crate) core: Arc<Core>,
}

impl std::fmt::Debug for Control {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Control").finish_non_exhaustive()
    }
}

/// A repository as the control functions show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RepositorySeen {
    /// The numeric id, which a rename does not change.
    pub id: u64,
    /// The id for GraphQL.
    pub node_id: String,
    /// `owner/name` as it is now.
    pub full_name: String,
    /// The default branch.
    pub default_branch: String,
    /// Only collaborators see it.
    pub private: bool,
    /// Read only.
    pub archived: bool,
}

impl RepositorySeen {
    fn of(world: &World, repository: &Repository) -> Self {
        Self {
            id: repository.id,
            node_id: Node::Repository(repository.id).encode(),
            full_name: world.full_name(repository),
            default_branch: repository.default_branch.clone(),
            private: repository.private,
            archived: repository.archived_at.is_some(),
        }
    }
}

impl Control {
    pub(crate) fn new(core: Arc<Core>) -> Self {
        Self { core }
    }

    /// The stored repository behind `owner/name`.
    pub(crate) fn find(&self, full_name: &str) -> Result<Repository, ForgeError> {
        let missing = || ForgeError::NotFound(format!("repository {full_name}"));
        let (owner, name) = full_name.split_once('/').ok_or_else(missing)?;
        self.core.read(|world| world.repository(owner, name).cloned()).ok_or_else(missing)
    }

    /// The bare repository of `owner/name`.
    ///
    /// # Errors
    /// There is no such repository.
    pub fn repository_dir(&self, full_name: &str) -> Result<PathBuf, ForgeError> {
        Ok(self.core.dir(self.find(full_name)?.id))
    }
}
