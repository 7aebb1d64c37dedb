//! What one run holds: its lease, its heart, its forges and what it spent. Made at the claim, dropped at the end; two
//! runs share nothing of it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use lockstep_domain::clock::BootMillis;
use lockstep_domain::code::Code;
use lockstep_domain::ids::ConnectionId;
use lockstep_domain::lease::{LeaseGuard, Progress};
use lockstep_domain::model::{Run, Spent};
use lockstep_domain::ports::Forge;
use lockstep_domain::stop::{StopReason, StopSignal};
use lockstep_store::{Renewal, Store};

use crate::engine::EngineParts;
use crate::error::EngineError;
use crate::heartbeat::{Calling, Heart};

/// The longest that git may take for one fetch or push.
pub(crate) const GIT_LIMIT: Duration = Duration::from_secs(30 * 60);

/// Why a run does not go on.
#[derive(Debug, Clone)]
pub(crate) enum Halt {
    /// The lease is lost: write nothing more.
    Lost,
    /// A person asked.
    Cancelled {
        /// Who.
        by: String,
        /// In their words.
        reason: String,
    },
    /// The host quits.
    Quit,
    /// It cannot or must not.
    Refused(EngineError),
}

impl From<EngineError> for Halt {
    fn from(error: EngineError) -> Self {
        if error.code == Code::LeaseLost { Self::Lost } else { Self::Refused(error) }
    }
}

impl From<StopReason> for Halt {
    fn from(reason: StopReason) -> Self {
        match reason {
            StopReason::Cancelled { by, reason } => Self::Cancelled { by, reason },
            StopReason::LeaseLost => Self::Lost,
            StopReason::Quit => Self::Quit,
            StopReason::Fault(code) => Self::Refused(EngineError::new(
                code,
                "The run was stopped by a cause that concerns everything.",
            )),
        }
    }
}

/// One run's belongings.
pub(crate) struct RunContext {
    pub(crate) parts: Arc<EngineParts>,
    pub(crate) guard: Arc<LeaseGuard>,
    pub(crate) run: Run,
    pub(crate) heart: Heart,
    forges: Mutex<HashMap<ConnectionId, Arc<dyn Forge>>>,
    fetches: AtomicU32,
    pushes: AtomicU32,
}

impl RunContext {
    pub(crate) fn new(parts: Arc<EngineParts>, guard: Arc<LeaseGuard>, run: Run, heart: Heart) -> Self {
        Self {
            parts,
            guard,
            run,
            heart,
            forges: Mutex::new(HashMap::new()),
            fetches: AtomicU32::new(0),
            pushes: AtomicU32::new(0),
        }
    }

    pub(crate) fn store(&self) -> &Arc<dyn Store> {
        &self.parts.store
    }

    pub(crate) fn stop(&self) -> &StopSignal {
        self.guard.stop()
    }

    /// The run's own forge of a connection.
    pub(crate) async fn forge(&self, connection: ConnectionId) -> Result<Arc<dyn Forge>, EngineError> {
        let known = self.forges.lock().unwrap_or_else(PoisonError::into_inner).get(&connection).cloned();
        if let Some(forge) = known {
            return Ok(forge);
        }
        let fresh = self.parts.forges.forge(connection).await?;
        let mut forges = self.forges.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(forges.entry(connection).or_insert(fresh).clone())
    }

    pub(crate) fn fetched(&self, times: u32) {
        self.fetches.fetch_add(times, Ordering::Relaxed);
    }

    pub(crate) fn pushed(&self) {
        self.pushes.fetch_add(1, Ordering::Relaxed);
    }

    /// Everything spent so far.
    pub(crate) fn spent(&self) -> Spent {
        let forges = self.forges.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = Spent {
            fetches: self.fetches.load(Ordering::Relaxed),
            pushes: self.pushes.load(Ordering::Relaxed),
            ..Spent::default()
        };
        for spent in forges.values().map(|forge| forge.spent()) {
            all.graphql += spent.graphql;
            all.rest += spent.rest;
        }
        all
    }

    /// Changes the progress that everybody sees.
    pub(crate) fn progress(&self, change: impl FnOnce(&mut Progress)) {
        self.heart.progress(change);
    }

    /// A call to the outside begins; it ends within `limit` at the latest. Hold the value as long as it lasts: a cancel
    /// that does not bite names it.
    pub(crate) fn calling(
        &self,
        call: &'static str,
        target: &dyn std::fmt::Display,
        limit: Duration,
    ) -> Calling {
        let ends =
            self.parts.clock.boot().0.saturating_add(i64::try_from(limit.as_millis()).unwrap_or(i64::MAX));
        self.heart.calling(call, target.to_string(), BootMillis(ends))
    }

    /// A step begins: its name is shown, and the run halts here when it was asked to.
    pub(crate) fn step(&self, name: &str) -> Result<(), Halt> {
        self.progress(|progress| {
            name.clone_into(&mut progress.step);
            progress.current.clear();
        });
        self.stop().reason().map_or(Ok(()), |reason| Err(reason.into()))
    }

    /// The fence check before remote or run-owned writes. What cannot be asked is unknown, not lost: the guarded
    /// writes decide.
    pub(crate) async fn fence(&self) -> Result<(), Halt> {
        self.may_start().await?;
        match self.heart.check().await {
            Ok(Renewal::Lost) => Err(Halt::Lost),
            Ok(Renewal::Held { .. }) | Err(_) => {
                self.stop().reason().map_or(Ok(()), |reason| Err(reason.into()))
            }
        }
    }

    /// Waits while the last successful renewal is older than 2/3 W.
    async fn may_start(&self) -> Result<(), Halt> {
        while !self.guard.may_start(self.parts.clock.boot()) {
            tokio::select! {
                () = self.heart.next_beat() => {}
                () = self.stop().lost() => return Err(Halt::Lost),
            }
        }
        Ok(())
    }

    /// Waits until what is left of the lease covers a write to the forge of `timeout_ms`.
    pub(crate) async fn may_write(&self, timeout_ms: i64) -> Result<(), Halt> {
        while !self.guard.may_write(self.parts.clock.boot(), timeout_ms) {
            if self.stop().is_lost() {
                return Err(Halt::Lost);
            }
            if self.heart.renew().await.is_err() {
                let retry = u64::try_from(self.guard.window().retry_ms()).unwrap_or_default();
                tokio::select! {
                    () = tokio::time::sleep(Duration::from_millis(retry)) => {}
                    () = self.stop().lost() => return Err(Halt::Lost),
                }
            }
        }
        Ok(())
    }
}
