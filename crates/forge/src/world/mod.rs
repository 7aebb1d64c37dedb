//! What git cannot hold: accounts, apps, tokens, repositories' settings, pull requests, comments. One JSON file.

pub(crate) mod access;
mod model;

use std::path::Path;

pub(crate) use access::{Actor, Need};
pub(crate) use model::{
    Account, AccountKind, App, Author, Comment, DemoState, Installation, Pull, PullState, Repository, Token,
    TokenOwner, World,
};
pub use model::{Level, Selection};

use crate::options::ForgeError;

impl World {
    /// Reads the state file; an empty world when there is none.
    pub(crate) fn load(file: &Path) -> Result<Self, ForgeError> {
        match std::fs::read(file) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| ForgeError::State(error.to_string())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(ForgeError::io("read the state file", error)),
        }
    }

    /// Replaces the state file in one step.
    pub(crate) fn save(&self, file: &Path) -> Result<(), ForgeError> {
        let io = |error| ForgeError::io("write the state file", error);
        let bytes = serde_json::to_vec(self).map_err(|error| ForgeError::State(error.to_string()))?;
        let fresh = file.with_extension("json.new");
        std::fs::write(&fresh, bytes).map_err(io)?;
        std::fs::rename(&fresh, file).map_err(io)
    }

    /// The next numeric id; ids of all kinds come from one counter.
    pub(crate) fn take_id(&mut self) -> u64 {
        self.last_id += 1;
        // Large enough to look like GitHub's, small enough for GraphQL's 32-bit databaseId.
        700_000_000 + self.last_id
    }

    /// An account by login, whatever its case.
    pub(crate) fn account(&self, login: &str) -> Option<&Account> {
        self.accounts.values().find(|account| account.login.eq_ignore_ascii_case(login))
    }

    /// `owner/name` as it is now.
    pub(crate) fn full_name(&self, repository: &Repository) -> String {
        let owner = self.accounts.get(&repository.owner).map_or("ghost", |owner| owner.login.as_str());
        format!("{owner}/{}", repository.name)
    }

    /// A repository by its current name.
    pub(crate) fn repository(&self, owner: &str, name: &str) -> Option<&Repository> {
        let owner = self.account(owner)?.id;
        self.repositories
            .values()
            .find(|repository| repository.owner == owner && repository.name.eq_ignore_ascii_case(name))
    }

    /// A repository by a name that it had before.
    pub(crate) fn renamed(&self, owner: &str, name: &str) -> Option<&Repository> {
        let key = format!("{owner}/{name}").to_ascii_lowercase();
        self.redirects.get(&key).and_then(|id| self.repositories.get(id))
    }

    /// A pull request by repository and number.
    pub(crate) fn pull(&self, repository: u64, number: u64) -> Option<&Pull> {
        self.pulls.get(&repository)?.get(&number)
    }

    /// A pull request to change.
    pub(crate) fn pull_mut(&mut self, repository: u64, number: u64) -> Option<&mut Pull> {
        self.pulls.get_mut(&repository)?.get_mut(&number)
    }

    /// The login that GitHub shows for an author.
    pub(crate) fn login(&self, author: &Author) -> String {
        match author {
            Author::User(id) => {
                self.accounts.get(id).map_or_else(|| "ghost".into(), |user| user.login.clone())
            }
            Author::App(id) => {
                self.apps.get(id).map_or_else(|| "ghost".into(), |app| format!("{}[bot]", app.slug))
            }
        }
    }
}
