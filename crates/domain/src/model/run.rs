//! Presses, their items and what became of them.

use serde::{Deserialize, Serialize};

use crate::clock::Millis;
use crate::code::Code;
use crate::ids::{ProjectId, RecipientId, RunId};
use crate::lease::{Fence, Holder};
use crate::names::{BranchName, Oid};
use crate::outcome::{ItemStep, Outcome, Reason, RunKind, RunStatus};

/// Whom a run covers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Selection {
    /// Every recipient.
    #[default]
    All,
    /// Those that are owed.
    Owed,
    /// Nobody: the distribution only.
    Nobody,
    /// These recipients.
    These {
        /// Recipient ids.
        recipients: Vec<uuid::Uuid>,
    },
}

/// Counts of outcomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, specta::Type)]
pub struct Counts {
    /// See [`Outcome::Opened`].
    pub opened: u32,
    /// See [`Outcome::Updated`].
    pub updated: u32,
    /// See [`Outcome::Unchanged`].
    pub unchanged: u32,
    /// See [`Outcome::UpToDate`].
    pub up_to_date: u32,
    /// See [`Outcome::HandedOut`].
    pub handed_out: u32,
    /// See [`Outcome::Skipped`].
    pub skipped: u32,
    /// See [`Outcome::Failed`].
    pub failed: u32,
    /// See [`Outcome::Waiting`].
    pub waiting: u32,
}

impl Counts {
    /// Counts one more.
    pub fn add(&mut self, outcome: Outcome) {
        let slot = match outcome {
            Outcome::Opened => &mut self.opened,
            Outcome::Updated => &mut self.updated,
            Outcome::Unchanged => &mut self.unchanged,
            Outcome::UpToDate => &mut self.up_to_date,
            Outcome::HandedOut => &mut self.handed_out,
            Outcome::Skipped => &mut self.skipped,
            Outcome::Failed => &mut self.failed,
            Outcome::Waiting => &mut self.waiting,
        };
        *slot = slot.saturating_add(1);
    }

    /// All of them together.
    #[must_use]
    pub const fn total(&self) -> u32 {
        self.opened
            + self.updated
            + self.unchanged
            + self.up_to_date
            + self.handed_out
            + self.skipped
            + self.failed
            + self.waiting
    }
}

/// What a run spent at the forge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, specta::Type)]
pub struct Spent {
    /// GraphQL requests.
    pub graphql: u32,
    /// REST requests.
    pub rest: u32,
    /// git fetches.
    pub fetches: u32,
    /// git pushes.
    pub pushes: u32,
}

/// One press.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// Its id.
    pub id: RunId,
    /// Its project.
    pub project: ProjectId,
    /// The fence it was born with.
    pub fence: Fence,
    /// What kind of press.
    pub kind: RunKind,
    /// Who pressed, where.
    pub holder: Holder,
    /// Whom it covers.
    pub selection: Selection,
    /// Database time of the claim; also the date of the distribution commits.
    pub started_at: Millis,
    /// Database time of the end.
    pub ended_at: Option<Millis>,
    /// `running` until it ends; the reader derives `interrupted` from the lease.
    pub status: RunStatus,
    /// Code and text of a refusal or an early end.
    pub error: Option<(Code, String)>,
    /// Outcome counts, per recipient.
    pub counts: Counts,
    /// What it spent.
    pub spent: Spent,
    /// The run it resumes.
    pub resumes: Option<RunId>,
}

/// One recipient × branch within a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Its run.
    pub run: RunId,
    /// Its recipient.
    pub recipient: RecipientId,
    /// The handed-out branch.
    pub branch: BranchName,
    /// How far it got.
    pub step: ItemStep,
    /// The sync branch's oid before the push; `None`: it must not exist.
    pub expected_old: Option<Oid>,
    /// The oid that the sync branch gets.
    pub new: Option<Oid>,
    /// Pull request number.
    pub pull: Option<i64>,
    /// How it ended.
    pub outcome: Option<Outcome>,
    /// Why.
    pub reason: Option<Reason>,
    /// In plain words; no raw error text.
    pub cause: String,
    /// The forge's request id of the decisive answer.
    pub request_id: Option<String>,
    /// When it was last written, by the database's clock.
    pub at: Millis,
}

/// The last outcome of a recipient × branch; retention never removes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastOutcome {
    /// Recipient.
    pub recipient: RecipientId,
    /// Handed-out branch.
    pub branch: BranchName,
    /// How it ended.
    pub outcome: Outcome,
    /// Why.
    pub reason: Option<Reason>,
    /// In plain words.
    pub cause: String,
    /// The run that wrote it.
    pub run: RunId,
    /// When.
    pub at: Millis,
    /// The distribution head that counts as delivered.
    pub delivered: Option<Oid>,
    /// Forecast number of conflicting paths; `None` unknown.
    pub conflicts: Option<u32>,
}
