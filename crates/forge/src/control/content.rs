//! Commits and refs made directly in a repository: a student's edit, a commit on a sync branch, a force-push.

use std::collections::BTreeMap;

use super::{Control, RepositorySeen};
use crate::core::Core;
use crate::git::write::{self, Change, CommitSpec, Person, RefMove};
use crate::git::{ZERO, refs};
use crate::options::ForgeError;

/// Commits one plain file as the practice forge's student.
pub(crate) fn commit_file(
    core: &Core,
    repository: &RepositorySeen,
    branch: &str,
    (path, content): (&str, &[u8]),
    message: &str,
) -> Result<String, ForgeError> {
    let spec = CommitSpec {
        author: Person::new("Student", "student@practice.invalid"),
        committer: None,
        seconds: core.now().timestamp(),
        offset: "+0000".into(),
        message: message.to_owned(),
        changes: vec![Change::file(path, content)],
    };
    append(core, repository.id, branch, &[spec])?
        .pop()
        .ok_or_else(|| ForgeError::Git("no commit was made".into()))
}

fn append(
    core: &Core,
    repository: u64,
    branch: &str,
    specs: &[CommitSpec],
) -> Result<Vec<String>, ForgeError> {
    let made = write::commits(&core.git, &core.dir(repository), branch, None, specs)?;
    crate::pulls::pushed(core, repository, &core.refs(repository), None)?;
    Ok(made)
}

impl Control {
    /// Appends commits to a branch, creating it when absent, and returns their ids. Pull requests follow as after a
    /// push.
    ///
    /// # Errors
    /// There is no such repository, or git refuses.
    pub fn commit(
        &self,
        full_name: &str,
        branch: &str,
        specs: &[CommitSpec],
    ) -> Result<Vec<String>, ForgeError> {
        append(&self.core, self.find(full_name)?.id, branch, specs)
    }

    /// Commits one plain file on a branch, dated by the forge's clock, and returns the commit's id.
    ///
    /// # Errors
    /// There is no such repository, or git refuses.
    pub fn commit_file(
        &self,
        full_name: &str,
        branch: &str,
        path: &str,
        content: &[u8],
        message: &str,
    ) -> Result<String, ForgeError> {
        commit_file(&self.core, &self.repository(full_name)?, branch, (path, content), message)
    }

    /// Points a ref (full name) at a commit that the repository has, whatever it was before: a force-push.
    ///
    /// # Errors
    /// There is no such repository or commit.
    pub fn set_ref(&self, full_name: &str, name: &str, oid: &str) -> Result<(), ForgeError> {
        self.move_ref(full_name, RefMove { name: name.to_owned(), expected: None, new: oid.to_owned() })
    }

    /// Deletes a ref (full name).
    ///
    /// # Errors
    /// There is no such repository.
    pub fn delete_ref(&self, full_name: &str, name: &str) -> Result<(), ForgeError> {
        self.move_ref(full_name, RefMove { name: name.to_owned(), expected: None, new: ZERO.into() })
    }

    fn move_ref(&self, full_name: &str, step: RefMove) -> Result<(), ForgeError> {
        let id = self.find(full_name)?.id;
        write::update_refs(&self.core.git, &self.core.dir(id), &[step])?;
        crate::pulls::pushed(&self.core, id, &self.core.refs(id), None)
    }

    /// All refs of a repository, without the pull requests' own.
    ///
    /// # Errors
    /// There is no such repository.
    pub fn refs(&self, full_name: &str) -> Result<BTreeMap<String, String>, ForgeError> {
        let mut found = refs::read(&self.core.dir(self.find(full_name)?.id));
        found.retain(|name, _| !name.starts_with("refs/pull/"));
        Ok(found)
    }

    /// The commit of a branch, `None` when it does not exist.
    ///
    /// # Errors
    /// There is no such repository.
    pub fn branch(&self, full_name: &str, branch: &str) -> Result<Option<String>, ForgeError> {
        Ok(self.core.branch(self.find(full_name)?.id, branch))
    }

    /// The content of a file at a branch or commit, `None` when it does not exist.
    ///
    /// # Errors
    /// There is no such repository.
    pub fn file(&self, full_name: &str, revision: &str, path: &str) -> Result<Option<Vec<u8>>, ForgeError> {
        let dir = self.repository_dir(full_name)?;
        let expression = format!("{revision}:{path}");
        let answer = self.core.git.try_run(&dir, &["cat-file", "blob", &expression], b"")?;
        Ok((answer.code == 0).then_some(answer.stdout))
    }
}
