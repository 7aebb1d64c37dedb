//! How an item ended, and why. Counts on project pages are each recipient's last outcome.

use crate::codes;

codes! {
    /// How an item (recipient × branch) ended (docs/SYNC.md).
    pub enum Outcome {
        /// A pull request was opened.
        Opened = "opened",
        /// An open pull request moved to the new head.
        Updated = "updated",
        /// Open and already current.
        Unchanged = "unchanged",
        /// Nothing would change; no pull request.
        UpToDate = "up_to_date",
        /// An empty recipient got its first content.
        HandedOut = "handed_out",
        /// Passed over for a reason that is no failure.
        Skipped = "skipped",
        /// Could not be delivered.
        Failed = "failed",
        /// Throttled; has a time; never counted as failed.
        Waiting = "waiting",
    }
}

impl Outcome {
    /// Order in which the strongest branch names a recipient's outcome: failed, opened, updated, handed out,
    /// unchanged, up to date, skipped. Lower is stronger.
    #[must_use]
    pub const fn rank(self) -> u8 {
        match self {
            Self::Failed => 0,
            Self::Waiting => 1,
            Self::Opened => 2,
            Self::Updated => 3,
            Self::HandedOut => 4,
            Self::Unchanged => 5,
            Self::UpToDate => 6,
            Self::Skipped => 7,
        }
    }

    /// The strongest of a recipient's branches.
    #[must_use]
    pub fn strongest(outcomes: impl IntoIterator<Item = Self>) -> Option<Self> {
        outcomes.into_iter().min_by_key(|outcome| outcome.rank())
    }

    /// Whether the distribution's head counts as delivered.
    #[must_use]
    pub const fn delivers(self) -> bool {
        !matches!(self, Self::Failed | Self::Waiting | Self::Skipped)
    }
}

codes! {
    /// The reason beside an outcome (docs/SYNC.md).
    pub enum Reason {
        // skipped
        /// The repository is gone.
        Gone = "gone",
        /// It was transferred away.
        Moved = "moved",
        /// Not yet accepted.
        Pending = "pending",
        /// Read only on GitHub.
        Archived = "archived",
        /// Locked by staff.
        Locked = "locked",
        /// Its effective deadline has passed.
        PastDeadline = "past_deadline",
        /// The repository has no commit.
        Empty = "empty",
        /// Not chosen for this run.
        Deselected = "deselected",
        /// The recipient closed the pull request without merging.
        Declined = "declined",
        /// Staff withdrew the run.
        Withdrawn = "withdrawn",
        // failed
        /// Own commits on the sync branch that do not merge.
        ForeignCommits = "foreign_commits",
        /// The (mapped) branch does not exist.
        BranchMissing = "branch_missing",
        /// Nothing in common with the distribution.
        NoCommonHistory = "no_common_history",
        /// The update touches workflows and the connection may not.
        NeedsWorkflowsPermission = "needs_workflows_permission",
        /// A protection or ruleset refused; the cause names it.
        BlockedByRule = "blocked_by_rule",
        /// A permission is missing; the cause names it.
        PermissionMissing = "permission_missing",
        /// The repository cannot be reached with this connection.
        NotAccessible = "not_accessible",
        /// The push was refused or did not land.
        PushFailed = "push_failed",
        /// GitHub did not answer usefully.
        GithubUnavailable = "github_unavailable",
        /// GitHub refused the request's content.
        Validation = "validation",
        /// Looked up after an unclear answer and still unclear.
        UnknownOutcome = "unknown_outcome",
        // notes beside up_to_date
        /// The recipient reverted or kept theirs.
        UndoneByRecipient = "undone_by_recipient",
    }
}

codes! {
    /// How far an item got; a crash between two steps is repaired from here.
    pub enum ItemStep {
        /// In the plan, nothing done.
        Planned = "planned",
        /// The new head is recorded as our own commit.
        Recorded = "recorded",
        /// The sync branch is at the new head.
        Pushed = "pushed",
        /// The pull request is open or commented.
        Announced = "announced",
        /// Has an outcome.
        Done = "done",
    }
}

codes! {
    /// State of a run.
    pub enum RunStatus {
        /// Held by a live lease (else it is shown as interrupted).
        Running = "running",
        /// Every item delivered or rightly skipped.
        Succeeded = "succeeded",
        /// At least one item failed or was left.
        Incomplete = "incomplete",
        /// Refused or broken as a whole.
        Failed = "failed",
        /// A person stopped it.
        Cancelled = "cancelled",
        /// Its holder went away.
        Interrupted = "interrupted",
    }
}

codes! {
    /// What kind of press a run is.
    pub enum RunKind {
        /// Build or adopt a distribution.
        Build = "build",
        /// First content into empty recipients.
        Handout = "handout",
        /// Bring recipients up to date.
        Sync = "sync",
        /// Take a run back.
        Withdraw = "withdraw",
        /// Settle foreign commits.
        Resolve = "resolve",
        /// Put protected files back.
        Restore = "restore",
        /// One polite comment.
        Remind = "remind",
        /// Change the note in open pull requests.
        Edit = "edit",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strongest_branch_names_the_recipient() {
        let all = [Outcome::Skipped, Outcome::UpToDate, Outcome::Opened, Outcome::Updated];
        assert_eq!(Outcome::strongest(all), Some(Outcome::Opened));
        assert_eq!(Outcome::strongest([]), None);
    }

    #[test]
    fn every_code_survives_the_round_trip() {
        for reason in Reason::ALL {
            assert_eq!(reason.as_str().parse::<Reason>().unwrap(), *reason);
        }
        assert!("nonsense".parse::<Outcome>().is_err());
    }
}
