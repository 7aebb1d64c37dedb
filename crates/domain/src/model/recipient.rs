//! The repositories that get the updates.

use serde::{Deserialize, Serialize};

use super::RepoIdent;
use crate::clock::Millis;
use crate::ids::{ProjectId, RecipientId};
use crate::names::BranchName;
use crate::skip::RecipientState;

/// A recipient's own name for a handed-out branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BranchMapping {
    /// The handed-out branch.
    pub branch: String,
    /// Its name in the recipient.
    pub theirs: String,
}

/// One repository that gets the updates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recipient {
    /// Its id.
    pub id: RecipientId,
    /// Its project.
    pub project: ProjectId,
    /// The repository.
    pub repo: RepoIdent,
    /// Person or team.
    pub label: String,
    /// Own deadline; else the project's counts.
    pub deadline: Option<Millis>,
    /// Locked by staff.
    pub locked: bool,
    /// As last known.
    pub state: RecipientState,
    /// Renamed branches.
    pub mapping: Vec<BranchMapping>,
}

impl Recipient {
    /// The recipient's name of a handed-out branch.
    ///
    /// # Errors
    /// When the stored mapping is no branch name.
    pub fn base_of(&self, branch: &BranchName) -> Result<BranchName, crate::names::BadName> {
        match self.mapping.iter().find(|m| m.branch == branch.as_str()) {
            Some(mapping) => mapping.theirs.parse(),
            None => Ok(branch.clone()),
        }
    }
}
