//! What the forge saw, in numbers.

use lockstep_forge::{AgentKind, Journal};

use crate::world::World;

/// Requests by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spending {
    /// GraphQL requests.
    pub graphql: usize,
    /// REST requests, all of them.
    pub rest: usize,
    /// Pull requests opened.
    pub opened: usize,
    /// Comments written.
    pub comments: usize,
    /// git fetches.
    pub fetches: usize,
    /// git pushes.
    pub pushes: usize,
}

impl Spending {
    /// Counts a journal.
    #[must_use]
    pub fn of(journal: &Journal) -> Self {
        let created = |route: &str| {
            journal.count(|entry| {
                entry.method == "POST"
                    && entry.status == 201
                    && entry.route.as_deref().is_some_and(|r| r.ends_with(route))
            })
        };
        Self {
            graphql: journal.count(|entry| entry.kind == AgentKind::Graphql),
            rest: journal.count(|entry| entry.kind == AgentKind::Rest),
            opened: created("/pulls"),
            comments: created("/issues/{number}/comments"),
            fetches: journal.count(lockstep_forge::Entry::is_fetch),
            pushes: journal.pushes(),
        }
    }
}

impl World {
    /// What the forge saw since the journal was cleared.
    #[must_use]
    pub fn spending(&self) -> Spending {
        Spending::of(&self.forge.journal())
    }

    /// Forgets what the forge saw so far.
    pub fn clear_journal(&self) {
        self.forge.journal().clear();
    }

    /// Every test ends with this: no unknown request, no answer that differs from GitHub's description.
    ///
    /// # Panics
    /// There is one.
    pub fn assert_nothing_unexpected(&self) {
        let unknown = self.forge.journal().unexpected();
        assert!(unknown.is_empty(), "requests that the forge does not know: {unknown:#?}");
        let wrong = self.forge.handle().self_check_failures();
        assert!(wrong.is_empty(), "answers unlike GitHub's: {wrong:#?}");
    }
}
