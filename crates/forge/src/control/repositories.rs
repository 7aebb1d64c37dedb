//! Creating, archiving, renaming and removing repositories; their settings and rules.

use std::collections::BTreeMap;

use super::{Control, RepositorySeen};
use crate::core::Core;
use crate::git::hook::{self, PushRule};
use crate::git::write;
use crate::options::ForgeError;
use crate::world::{Level, Repository};

/// A repository to create.
#[derive(Debug, Clone)]
pub struct NewRepository {
    /// `owner/name`.
    pub full_name: String,
    /// Only collaborators see it.
    pub private: bool,
    /// The text beside its name.
    pub description: Option<String>,
    /// The default branch, `main` unless changed.
    pub default_branch: String,
    /// "Create a merge commit" is allowed.
    pub merge_commit: bool,
    /// "Squash and merge" is allowed.
    pub squash: bool,
    /// "Rebase and merge" is allowed.
    pub rebase: bool,
    /// Head branches are deleted when a pull request is merged.
    pub delete_branch_on_merge: bool,
}

impl NewRepository {
    /// An empty private repository with GitHub's default settings.
    pub fn private(full_name: impl Into<String>) -> Self {
        Self {
            full_name: full_name.into(),
            private: true,
            description: None,
            default_branch: "main".into(),
            merge_commit: true,
            squash: true,
            rebase: true,
            delete_branch_on_merge: false,
        }
    }
}

/// Creates an empty repository.
pub(crate) fn create_repository(core: &Core, new: &NewRepository) -> Result<RepositorySeen, ForgeError> {
    let missing = || ForgeError::NotFound(format!("owner of {}", new.full_name));
    let (owner, name) = new.full_name.split_once('/').ok_or_else(missing)?;
    let now = core.now();
    // The folder comes first: a repository that can be seen can be used.
    let id = core.write(|world| {
        if world.repository(owner, name).is_some() {
            return Err(ForgeError::Refused(format!("the repository {} exists", new.full_name)));
        }
        Ok(world.take_id())
    })?;
    write::init(&core.dir(id), &new.default_branch)?;
    core.write(|world| {
        if world.repository(owner, name).is_some() {
            return Err(ForgeError::Refused(format!("the repository {} exists", new.full_name)));
        }
        let owner_id = world.account(owner).ok_or_else(missing)?.id;
        world.redirects.remove(&new.full_name.to_ascii_lowercase());
        let repository = Repository {
            id,
            owner: owner_id,
            name: name.to_owned(),
            description: new.description.clone(),
            private: new.private,
            default_branch: new.default_branch.clone(),
            archived_at: None,
            merge_commit: new.merge_commit,
            squash: new.squash,
            rebase: new.rebase,
            delete_branch_on_merge: new.delete_branch_on_merge,
            collaborators: BTreeMap::new(),
            rules: Vec::new(),
            last_number: 0,
            created_at: now,
            updated_at: now,
            pushed_at: None,
        };
        let seen = {
            world.repositories.insert(id, repository.clone());
            RepositorySeen::of(world, &repository)
        };
        Ok(seen)
    })
}

impl Control {
    /// Creates an empty repository.
    ///
    /// # Errors
    /// The name is taken or the owner does not exist.
    pub fn create_repository(&self, new: &NewRepository) -> Result<RepositorySeen, ForgeError> {
        create_repository(&self.core, new)
    }

    /// A repository by its current name.
    ///
    /// # Errors
    /// There is no such repository.
    pub fn repository(&self, full_name: &str) -> Result<RepositorySeen, ForgeError> {
        let found = self.find(full_name)?;
        Ok(self.core.read(|world| RepositorySeen::of(world, &found)))
    }

    /// All repositories, ordered by id.
    pub fn repositories(&self) -> Vec<RepositorySeen> {
        self.core
            .read(|world| world.repositories.values().map(|found| RepositorySeen::of(world, found)).collect())
    }

    fn change(&self, full_name: &str, change: impl FnOnce(&mut Repository)) -> Result<(), ForgeError> {
        let id = self.find(full_name)?.id;
        let now = self.core.now();
        self.core.write(|world| {
            let stored = world
                .repositories
                .get_mut(&id)
                .ok_or_else(|| ForgeError::NotFound(format!("repository {full_name}")))?;
            change(stored);
            stored.updated_at = now;
            Ok(())
        })
    }

    /// Makes a repository read only.
    ///
    /// # Errors
    /// There is no such repository.
    pub fn archive(&self, full_name: &str) -> Result<(), ForgeError> {
        let now = self.core.now();
        self.change(full_name, |stored| stored.archived_at = Some(now))
    }

    /// Makes an archived repository writable again.
    ///
    /// # Errors
    /// There is no such repository.
    pub fn unarchive(&self, full_name: &str) -> Result<(), ForgeError> {
        self.change(full_name, |stored| stored.archived_at = None)
    }

    /// Gives a repository another name; the old one redirects.
    ///
    /// # Errors
    /// There is no such repository or the new name is taken.
    pub fn rename(&self, full_name: &str, name: &str) -> Result<RepositorySeen, ForgeError> {
        let owner = full_name.split_once('/').map_or("", |(owner, _)| owner);
        self.move_to(full_name, &format!("{owner}/{name}"))
    }

    /// Moves a repository to another owner under the same name; the old name redirects.
    ///
    /// # Errors
    /// There is no such repository or owner, or the name is taken there.
    pub fn transfer(&self, full_name: &str, owner: &str) -> Result<RepositorySeen, ForgeError> {
        let name = full_name.split_once('/').map_or("", |(_, name)| name);
        self.move_to(full_name, &format!("{owner}/{name}"))
    }

    fn move_to(&self, from: &str, to: &str) -> Result<RepositorySeen, ForgeError> {
        let id = self.find(from)?.id;
        self.core.write(|world| {
            let missing = || ForgeError::NotFound(format!("owner of {to}"));
            let (owner, name) = to.split_once('/').ok_or_else(missing)?;
            if world.repository(owner, name).is_some() {
                return Err(ForgeError::Refused(format!("the repository {to} exists")));
            }
            let owner = world.account(owner).ok_or_else(missing)?.id;
            world.redirects.insert(from.to_ascii_lowercase(), id);
            world.redirects.remove(&to.to_ascii_lowercase());
            if let Some(stored) = world.repositories.get_mut(&id) {
                stored.owner = owner;
                name.clone_into(&mut stored.name);
            }
            let stored = world.repositories.get(&id).ok_or_else(missing)?;
            Ok(RepositorySeen::of(world, stored))
        })
    }

    /// Removes a repository with its pull requests.
    ///
    /// # Errors
    /// There is no such repository.
    pub fn delete(&self, full_name: &str) -> Result<(), ForgeError> {
        let id = self.find(full_name)?.id;
        self.core.write(|world| {
            world.repositories.remove(&id);
            world.pulls.remove(&id);
            world.comments.retain(|_, comment| comment.repository != id);
            world.redirects.retain(|_, to| *to != id);
            Ok::<_, ForgeError>(())
        })?;
        std::fs::remove_dir_all(self.core.dir(id)).map_err(|error| ForgeError::io("remove repository", error))
    }

    /// Shows a repository to everybody, or only to collaborators.
    ///
    /// # Errors
    /// There is no such repository.
    pub fn set_private(&self, full_name: &str, private: bool) -> Result<(), ForgeError> {
        self.change(full_name, |stored| stored.private = private)
    }

    /// Allows or forbids the merge methods: merge commit, squash, rebase.
    ///
    /// # Errors
    /// There is no such repository.
    pub fn set_merge_methods(
        &self,
        full_name: &str,
        (merge_commit, squash, rebase): (bool, bool, bool),
    ) -> Result<(), ForgeError> {
        self.change(full_name, |stored| {
            stored.merge_commit = merge_commit;
            stored.squash = squash;
            stored.rebase = rebase;
        })
    }

    /// Gives a user a role in one repository.
    ///
    /// # Errors
    /// There is no such repository or user.
    pub fn add_collaborator(&self, full_name: &str, user: &str, level: Level) -> Result<(), ForgeError> {
        let user = self
            .core
            .read(|world| world.account(user).map(|account| account.id))
            .ok_or_else(|| ForgeError::NotFound(format!("user {user}")))?;
        self.change(full_name, |stored| {
            stored.collaborators.insert(user, level);
        })
    }

    /// Adds a rule for pushes.
    ///
    /// # Errors
    /// There is no such repository.
    pub fn add_push_rule(&self, full_name: &str, rule: PushRule) -> Result<(), ForgeError> {
        self.change(full_name, |stored| stored.rules.push(rule))?;
        self.write_rules(full_name)
    }

    /// Removes all rules for pushes.
    ///
    /// # Errors
    /// There is no such repository.
    pub fn clear_push_rules(&self, full_name: &str) -> Result<(), ForgeError> {
        self.change(full_name, |stored| stored.rules.clear())?;
        self.write_rules(full_name)
    }

    fn write_rules(&self, full_name: &str) -> Result<(), ForgeError> {
        let found = self.find(full_name)?;
        let page = format!("{}/{full_name}", self.core.base_url());
        hook::write_rules(&self.core.dir(found.id), &found.rules, &page)
    }
}
