//! The forge behind the keeper: every write is written down; an announcement passes a gate.

use std::sync::Arc;

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

use crate::event::What;
use crate::gate::Gate;
use crate::keeper::Keeper;

/// See the module.
pub(crate) struct KeptForges {
    inner: Arc<dyn Forges>,
    keeper: Arc<Keeper>,
}

impl KeptForges {
    pub(crate) fn new(inner: Arc<dyn Forges>, keeper: Arc<Keeper>) -> Self {
        Self { inner, keeper }
    }
}

#[async_trait]
impl Forges for KeptForges {
    async fn forge(&self, connection: ConnectionId) -> Result<Arc<dyn Forge>, EngineError> {
        let inner = self.inner.forge(connection).await?;
        Ok(Arc::new(KeptForge { inner, keeper: Arc::clone(&self.keeper) }))
    }
}

struct KeptForge {
    inner: Arc<dyn Forge>,
    keeper: Arc<Keeper>,
}

impl KeptForge {
    async fn ended<T>(&self, write: u64, result: Result<T, ForgeError>) -> Result<T, ForgeError> {
        self.keeper.note(What::WriteEnded { write, sent: !matches!(result, Err(ForgeError::LeaseLost)) });
        if result.is_ok() {
            self.keeper.at(Gate::AfterAnnounce).await;
        }
        result
    }
}

/// A method per line that only passes on; the rest is written out.
macro_rules! kept {
    ($(fn $name:ident($($arg:ident: $ty:ty),*) -> $out:ty;)* --- $($own:tt)*) => {
        #[async_trait]
        impl Forge for KeptForge {
            $(async fn $name(&self, $($arg: $ty),*) -> Result<$out, ForgeError> {
                self.inner.$name($($arg),*).await
            })*
            $($own)*
        }
    };
}

kept! {
    fn identity() -> Identity;
    fn repository(id: RepoId) -> RepoInfo;
    fn repository_by_name(slug: &RepoSlug) -> RepoInfo;
    fn repositories_like(owner: &str, pattern: &str, limit: usize) -> Vec<RepoInfo>;
    fn repositories(asked: &[&RepoIdent]) -> Vec<Option<RepoRead>>;
    fn heads(repo: &RepoInfo) -> Vec<(String, Oid)>;
    fn recipients(query: &RecipientsQuery) -> Vec<RecipientRead>;
    fn find_open_pull(repo: &RecipientAt, head: &str, base: &str) -> Option<PullInfo>;
    fn has_marker(repo: &RecipientAt, number: i64, marker: &str) -> bool;
    fn git_remote(slug: &RepoSlug) -> Remote;
    ---

    async fn create_private_repository(
        &self,
        guard: &LeaseGuard,
        slug: &RepoSlug,
    ) -> Result<RepoInfo, ForgeError> {
        let write = self.keeper.began("create", &slug.to_string(), guard);
        self.ended(write, self.inner.create_private_repository(guard, slug).await).await
    }

    async fn open_pull(
        &self,
        guard: &LeaseGuard,
        repo: &RecipientAt,
        pull: &NewPull,
    ) -> Result<Written<PullInfo>, ForgeError> {
        let write = self.keeper.began("open", &repo.slug.to_string(), guard);
        self.ended(write, self.inner.open_pull(guard, repo, pull).await).await
    }

    async fn comment(
        &self,
        guard: &LeaseGuard,
        repo: &RecipientAt,
        number: i64,
        body: &str,
    ) -> Result<Written<()>, ForgeError> {
        let write = self.keeper.began("comment", &repo.slug.to_string(), guard);
        self.ended(write, self.inner.comment(guard, repo, number, body).await).await
    }

    async fn close_pull(
        &self,
        guard: &LeaseGuard,
        repo: &RecipientAt,
        number: i64,
    ) -> Result<Written<()>, ForgeError> {
        let write = self.keeper.began("close", &repo.slug.to_string(), guard);
        self.ended(write, self.inner.close_pull(guard, repo, number).await).await
    }

    async fn may(&self, permission: &str) -> Option<bool> {
        self.inner.may(permission).await
    }

    fn spent(&self) -> Spent {
        self.inner.spent()
    }
}
