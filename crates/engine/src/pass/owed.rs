//! What is owed: derived, whatever the reason (docs/SYNC.md).

use std::collections::{HashMap, HashSet};

use lockstep_domain::clock::Millis;
use lockstep_domain::ids::RecipientId;
use lockstep_domain::model::{LastOutcome, Project, PullRow, PullState, Recipient};
use lockstep_domain::names::{BranchName, Oid};
use lockstep_domain::outcome::{Outcome, Reason};
use lockstep_domain::skip::{SkipFacts, skip};

/// One recipient × branch whose delivered head is not the distribution's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwedPair {
    /// Recipient.
    pub recipient: RecipientId,
    /// Branch.
    pub branch: BranchName,
}

/// Whether a rule leaves this recipient out now. Emptiness is known only to the forge.
#[must_use]
pub(crate) fn left_out(project: &Project, recipient: &Recipient, db_now: Millis) -> Option<Reason> {
    skip(&SkipFacts {
        state: recipient.state,
        locked: recipient.locked,
        effective_deadline: recipient.deadline.or(project.deadline),
        db_now,
        selected: true,
        empty: false,
    })
}

/// Eligible recipient × branch whose delivered head is not the branch's current distribution head. What a recipient
/// declined, what staff withdrew, and what a rule leaves out is not owed while that holds.
#[must_use]
pub fn owed(
    project: &Project,
    recipients: &[Recipient],
    last: &[LastOutcome],
    pulls: &[PullRow],
    db_now: Millis,
) -> Vec<OwedPair> {
    // Looked up once per recipient and branch: a large course must not search all rows for each of its rows.
    let last_of: HashMap<(RecipientId, &BranchName), &LastOutcome> =
        last.iter().map(|l| ((l.recipient, &l.branch), l)).collect();
    let closed: HashSet<(RecipientId, &BranchName, Oid)> = pulls
        .iter()
        .filter(|p| p.state == PullState::Closed)
        .filter_map(|p| Some((p.recipient, &p.branch, p.announced?)))
        .collect();
    let mut out = Vec::new();
    for recipient in recipients.iter().filter(|r| left_out(project, r, db_now).is_none()) {
        for branch in &project.branches {
            let Some(head) = branch.dist_head else { continue };
            let last = last_of.get(&(recipient.id, &branch.branch));
            let delivered = last.is_some_and(|l| l.delivered == Some(head));
            let left = last.is_some_and(|l| {
                l.outcome == Outcome::Skipped
                    && match l.reason {
                        Some(Reason::Declined | Reason::Withdrawn) => {
                            closed.contains(&(recipient.id, &branch.branch, head))
                        }
                        Some(Reason::Empty) => true,
                        _ => false,
                    }
            });
            if !delivered && !left {
                out.push(OwedPair { recipient: recipient.id, branch: branch.branch.clone() });
            }
        }
    }
    out
}
