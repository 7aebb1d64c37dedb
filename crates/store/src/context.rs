//! What every statement of one store shares.

use lockstep_domain::ids::{ProjectId, RunId};
use lockstep_domain::lease::{Fence, LeaseGuard, OwnerToken};
use tokio::sync::watch;

use crate::contract::Host;
use crate::open::OpenOptions;
use crate::sql::{Dialect, Sql};

/// One per opened store.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) host: Host,
    pub(crate) sql: Sql,
    /// Shortest lease window that a claim may ask for.
    pub(crate) min_window_ms: i64,
    /// See [`OpenOptions::before_commit`].
    pub(crate) before_commit: Option<fn()>,
    /// Grows with every committed change of this process, so that its own readers wake at once.
    pub(crate) wake: watch::Sender<u64>,
}

impl Context {
    pub(crate) fn new(host: Host, dialect: Dialect, options: &OpenOptions) -> Self {
        let sql = Sql::new(dialect);
        #[cfg(feature = "test-clock")]
        let sql = sql.with_test_clock(options.test_clock);
        #[cfg(feature = "mutants")]
        let sql = sql.with_mutant(options.mutant);
        let OpenOptions { min_window_ms, before_commit, .. } = *options;
        Self { host, sql, min_window_ms, before_commit, wake: watch::Sender::new(0) }
    }

    /// Resolves at the next change that this process commits or hears of, counted from now.
    pub(crate) fn listen(&self) -> impl Future<Output = ()> + Send + 'static {
        let mut changes = self.wake.subscribe();
        async move {
            // An error means that the store is gone: nothing will change any more, and waiting has its own end.
            if changes.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    pub(crate) fn wake(&self) {
        self.wake.send_modify(|count| *count = count.wrapping_add(1));
    }
}

/// The parts of a guard that statements bind; a write runs on a task of its own and cannot borrow the guard.
#[derive(Debug, Clone)]
pub(crate) struct Owner {
    pub(crate) project: ProjectId,
    pub(crate) run: RunId,
    pub(crate) fence: Fence,
    pub(crate) token: OwnerToken,
    pub(crate) publication_ms: i64,
}

impl Owner {
    pub(crate) fn of(guard: &LeaseGuard) -> Self {
        Self {
            project: guard.project(),
            run: guard.run(),
            fence: guard.fence(),
            token: guard.token().clone(),
            publication_ms: guard.window().publication_ms(),
        }
    }

    /// The token's bytes, for binding and nothing else.
    pub(crate) fn token(&self) -> &[u8] {
        self.token.expose()
    }
}
