//! Looks at the whole world: database rows, pull requests, refs.

use lockstep_domain::model::{Item, LastOutcome, Project, PullRow, Recipient, Source};
use lockstep_engine::RunEnd;
use lockstep_forge::PullSeen;
use lockstep_store::Place;

use crate::world::{World, slug};

impl World {
    /// The project as stored.
    ///
    /// # Panics
    /// The database fails.
    pub async fn project(&self) -> Project {
        self.store.project(self.project).await.expect("a readable database").expect("the project exists")
    }

    /// The source as stored.
    ///
    /// # Panics
    /// The database fails.
    pub async fn source(&self) -> Source {
        self.store.source(self.source).await.expect("a readable database").expect("the source exists")
    }

    /// All recipients, by name.
    ///
    /// # Panics
    /// The database fails.
    pub async fn recipients(&self) -> Vec<Recipient> {
        self.store.recipients(self.project).await.expect("a readable database")
    }

    /// The recipient of a repository.
    ///
    /// # Panics
    /// There is none of that name.
    pub async fn recipient(&self, full_name: &str) -> Recipient {
        let all = self.recipients().await;
        all.into_iter().find(|r| r.repo.slug == slug(full_name)).expect("a recipient of that name")
    }

    /// The last outcome of a repository's first branch.
    ///
    /// # Panics
    /// There is none.
    pub async fn last_outcome(&self, full_name: &str) -> LastOutcome {
        let recipient = self.recipient(full_name).await.id;
        let all = self.store.last_outcomes(self.project).await.expect("a readable database");
        all.into_iter().find(|last| last.recipient == recipient).expect("a last outcome")
    }

    /// Our rows of pull requests.
    ///
    /// # Panics
    /// The database fails.
    pub async fn pull_rows(&self) -> Vec<PullRow> {
        self.store.pulls(self.project).await.expect("a readable database")
    }

    /// Items of a run.
    ///
    /// # Panics
    /// The database fails.
    pub async fn items_of(&self, end: &RunEnd) -> Vec<Item> {
        self.store.items(end.run).await.expect("a readable database")
    }

    /// The pull requests of a repository, by number.
    ///
    /// # Panics
    /// There is no such repository.
    #[must_use]
    pub fn pulls_of(&self, full_name: &str) -> Vec<PullSeen> {
        self.forge.control().pull_requests(full_name).expect("the repository exists")
    }

    /// A ref of a repository.
    ///
    /// # Panics
    /// There is no such repository.
    #[must_use]
    pub fn branch_of(&self, full_name: &str, branch: &str) -> Option<String> {
        self.forge.control().branch(full_name, branch).expect("the repository exists")
    }

    /// Nobody holds the lease.
    ///
    /// # Panics
    /// Somebody does.
    pub async fn assert_lease_is_free(&self) {
        let lease = self.store.lease(self.project).await.expect("a readable database").expect("a lease row");
        assert!(!lease.held, "{lease:?}");
    }

    /// Where the database is, for a second process.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// The folder that goes away with the world.
    #[must_use]
    pub fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }
}
