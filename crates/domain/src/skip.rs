//! Whom a pass leaves out, and why. Each reason is a code, none a failure (docs/SYNC.md).

use crate::clock::Millis;
use crate::codes;
use crate::outcome::Reason;

codes! {
    /// State of a recipient as last known.
    pub enum RecipientState {
        /// Usable.
        Live = "live",
        /// Not yet accepted or created.
        Pending = "pending",
        /// Read only on GitHub.
        Archived = "archived",
        /// Deleted or out of reach.
        Gone = "gone",
        /// Transferred to another owner.
        Moved = "moved",
    }
}

/// What the rule looks at, read just before the push.
#[derive(Debug, Clone, Copy)]
pub struct SkipFacts {
    /// State of the recipient.
    pub state: RecipientState,
    /// Locked by staff.
    pub locked: bool,
    /// Own deadline, else the project's.
    pub effective_deadline: Option<Millis>,
    /// The database's clock of the same statement.
    pub db_now: Millis,
    /// Whether this run's selection contains it.
    pub selected: bool,
    /// Whether the repository has no commit.
    pub empty: bool,
}

/// The first reason that applies; `None` when the recipient takes part. A deadline that equals now counts as past.
#[must_use]
pub fn skip(facts: &SkipFacts) -> Option<Reason> {
    let past = facts.effective_deadline.is_some_and(|deadline| deadline <= facts.db_now);
    match facts.state {
        RecipientState::Gone => Some(Reason::Gone),
        RecipientState::Moved => Some(Reason::Moved),
        RecipientState::Pending => Some(Reason::Pending),
        RecipientState::Archived => Some(Reason::Archived),
        RecipientState::Live if facts.locked => Some(Reason::Locked),
        RecipientState::Live if past => Some(Reason::PastDeadline),
        RecipientState::Live if facts.empty => Some(Reason::Empty),
        RecipientState::Live if !facts.selected => Some(Reason::Deselected),
        RecipientState::Live => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FACTS: SkipFacts = SkipFacts {
        state: RecipientState::Live,
        locked: false,
        effective_deadline: None,
        db_now: Millis(1_000),
        selected: true,
        empty: false,
    };

    #[test]
    fn an_equal_deadline_counts_as_past() {
        let at = |ms| skip(&SkipFacts { effective_deadline: Some(Millis(ms)), ..FACTS });
        assert_eq!(at(1_000), Some(Reason::PastDeadline));
        assert_eq!(at(1_001), None);
    }

    #[test]
    fn a_gone_repository_is_gone_before_it_is_locked() {
        let facts = SkipFacts { state: RecipientState::Gone, locked: true, ..FACTS };
        assert_eq!(skip(&facts), Some(Reason::Gone));
    }
}
