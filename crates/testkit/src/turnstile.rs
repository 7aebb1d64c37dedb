//! A turnstile before the announcements: lets a run be met in its middle without waiting for time. Everything still
//! goes through the real client to the practice forge.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use async_trait::async_trait;
use lockstep_domain::ids::{ConnectionId, RepoId};
use lockstep_domain::lease::LeaseGuard;
use lockstep_domain::model::{RepoIdent, Spent};
use lockstep_domain::names::{Oid, RepoSlug};
use lockstep_domain::ports::{
    Forge, ForgeError, Identity, NewPull, PullInfo, RecipientAt, RecipientRead, RecipientsQuery, Remote,
    RepoInfo, RepoRead, Written,
};
use lockstep_engine::{EngineError, Forges};
use tokio::sync::{Semaphore, watch};

/// Counts who waits and who may pass. Open until it is shut.
#[derive(Debug)]
pub struct Turnstile {
    shut: AtomicBool,
    passes: Semaphore,
    waiting: watch::Sender<u32>,
    lost_answers: AtomicU32,
    not_yet: AtomicU32,
}

impl Default for Turnstile {
    fn default() -> Self {
        Self {
            shut: AtomicBool::new(false),
            passes: Semaphore::new(0),
            waiting: watch::Sender::new(0),
            lost_answers: AtomicU32::new(0),
            not_yet: AtomicU32::new(0),
        }
    }
}

impl Turnstile {
    /// From now on only `passes` pull requests are opened, then the next one waits.
    pub fn shut_after(&self, passes: usize) {
        self.passes.add_permits(passes);
        self.shut.store(true, Ordering::SeqCst);
    }

    /// Everybody passes again, also who waits.
    pub fn open(&self) {
        self.shut.store(false, Ordering::SeqCst);
        self.passes.add_permits(Semaphore::MAX_PERMITS / 2);
    }

    /// The next `count` pull requests and comments are written, but their answers do not arrive.
    pub fn lose_answers(&self, count: u32) {
        self.lost_answers.store(count, Ordering::SeqCst);
    }

    /// The next `count` pull requests are refused: the pushed branch is not visible yet.
    pub fn not_yet(&self, count: u32) {
        self.not_yet.store(count, Ordering::SeqCst);
    }

    /// The answer, unless it gets lost.
    fn answer<T>(&self, answer: Result<T, ForgeError>) -> Result<T, ForgeError> {
        let lost = answer.is_ok() && take(&self.lost_answers);
        if lost { Err(ForgeError::Unclear("the connection broke".to_owned())) } else { answer }
    }

    /// Resolves when somebody stands before it.
    pub async fn somebody_waits(&self) {
        let mut waiting = self.waiting.subscribe();
        // The sender lives as long as this value.
        let _alive = waiting.wait_for(|count| *count > 0).await;
    }

    async fn pass(&self) {
        if !self.shut.load(Ordering::SeqCst) {
            return;
        }
        if let Ok(permit) = self.passes.try_acquire() {
            permit.forget();
            return;
        }
        self.waiting.send_modify(|count| *count += 1);
        if let Ok(permit) = self.passes.acquire().await {
            permit.forget();
        }
        self.waiting.send_modify(|count| *count -= 1);
    }
}

/// Takes one, when there is one.
fn take(count: &AtomicU32) -> bool {
    count.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok()
}

/// Forges whose announcements pass a turnstile.
pub struct ThroughTurnstile {
    inner: Arc<dyn Forges>,
    turnstile: Arc<Turnstile>,
}

impl ThroughTurnstile {
    /// Puts `turnstile` before `inner`.
    #[must_use]
    pub fn new(inner: Arc<dyn Forges>, turnstile: Arc<Turnstile>) -> Self {
        Self { inner, turnstile }
    }
}

#[async_trait]
impl Forges for ThroughTurnstile {
    async fn forge(&self, connection: ConnectionId) -> Result<Arc<dyn Forge>, EngineError> {
        let inner = self.inner.forge(connection).await?;
        Ok(Arc::new(Behind { inner, turnstile: self.turnstile.clone() }))
    }
}

struct Behind {
    inner: Arc<dyn Forge>,
    turnstile: Arc<Turnstile>,
}

#[async_trait]
impl Forge for Behind {
    async fn identity(&self) -> Result<Identity, ForgeError> {
        self.inner.identity().await
    }

    async fn repository(&self, id: RepoId) -> Result<RepoInfo, ForgeError> {
        self.inner.repository(id).await
    }

    async fn repository_by_name(&self, slug: &RepoSlug) -> Result<RepoInfo, ForgeError> {
        self.inner.repository_by_name(slug).await
    }

    async fn repositories_like(
        &self,
        owner: &str,
        pattern: &str,
        limit: usize,
    ) -> Result<Vec<RepoInfo>, ForgeError> {
        self.inner.repositories_like(owner, pattern, limit).await
    }

    async fn repositories(&self, asked: &[&RepoIdent]) -> Result<Vec<Option<RepoRead>>, ForgeError> {
        self.inner.repositories(asked).await
    }

    async fn heads(&self, repo: &RepoInfo) -> Result<Vec<(String, Oid)>, ForgeError> {
        self.inner.heads(repo).await
    }

    async fn recipients(&self, query: &RecipientsQuery) -> Result<Vec<RecipientRead>, ForgeError> {
        self.inner.recipients(query).await
    }

    async fn find_open_pull(
        &self,
        repo: &RecipientAt,
        head: &str,
        base: &str,
    ) -> Result<Option<PullInfo>, ForgeError> {
        self.inner.find_open_pull(repo, head, base).await
    }

    async fn has_marker(&self, repo: &RecipientAt, number: i64, marker: &str) -> Result<bool, ForgeError> {
        self.inner.has_marker(repo, number, marker).await
    }

    async fn create_private_repository(
        &self,
        guard: &LeaseGuard,
        slug: &RepoSlug,
    ) -> Result<RepoInfo, ForgeError> {
        self.inner.create_private_repository(guard, slug).await
    }

    async fn open_pull(
        &self,
        guard: &LeaseGuard,
        repo: &RecipientAt,
        pull: &NewPull,
    ) -> Result<Written<PullInfo>, ForgeError> {
        self.turnstile.pass().await;
        if take(&self.turnstile.not_yet) {
            return Err(ForgeError::NotYet("No commits between main and sync/main".to_owned()));
        }
        self.turnstile.answer(self.inner.open_pull(guard, repo, pull).await)
    }

    async fn comment(
        &self,
        guard: &LeaseGuard,
        repo: &RecipientAt,
        number: i64,
        body: &str,
    ) -> Result<Written<()>, ForgeError> {
        self.turnstile.answer(self.inner.comment(guard, repo, number, body).await)
    }

    async fn close_pull(
        &self,
        guard: &LeaseGuard,
        repo: &RecipientAt,
        number: i64,
    ) -> Result<Written<()>, ForgeError> {
        self.inner.close_pull(guard, repo, number).await
    }

    async fn git_remote(&self, slug: &RepoSlug) -> Result<Remote, ForgeError> {
        self.inner.git_remote(slug).await
    }

    async fn may(&self, permission: &str) -> Option<bool> {
        self.inner.may(permission).await
    }

    fn spent(&self) -> Spent {
        self.inner.spent()
    }
}
