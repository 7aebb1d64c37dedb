//! The reason for stopping travels with the stop signal from the first day.

use std::sync::Arc;

use tokio::sync::watch;

/// Why a run has to stop. The first reason given stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopReason {
    /// A person asked for it (docs/LEASES.md section 4).
    Cancelled {
        /// Who asked.
        by: String,
        /// In their words; may be empty.
        reason: String,
    },
    /// The lease is no longer ours: write nothing more.
    LeaseLost,
    /// The host is quitting: finish the running items, release as `interrupted`.
    Quit,
    /// Something concerns all recipients; the code says what.
    Fault(crate::code::Code),
}

/// A one-way switch with a reason, cheap to clone and to await.
#[derive(Debug, Clone)]
pub struct StopSignal(Arc<watch::Sender<Option<StopReason>>>);

impl Default for StopSignal {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(None)))
    }
}

impl StopSignal {
    /// Asks to stop. Returns whether this call was the first; a lost lease outranks an earlier, milder reason.
    pub fn stop(&self, reason: StopReason) -> bool {
        self.0.send_if_modified(|current| {
            let outranks = reason == StopReason::LeaseLost && *current != Some(StopReason::LeaseLost);
            if current.is_some() && !outranks {
                return false;
            }
            *current = Some(reason);
            true
        })
    }

    /// The reason, once there is one.
    #[must_use]
    pub fn reason(&self) -> Option<StopReason> {
        self.0.borrow().clone()
    }

    /// Whether the lease is known to be lost.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        matches!(*self.0.borrow(), Some(StopReason::LeaseLost))
    }

    /// Resolves when there is a reason to stop, at once if there is one already.
    pub async fn stopped(&self) -> StopReason {
        let mut receiver = self.0.subscribe();
        loop {
            if let Some(reason) = receiver.borrow_and_update().clone() {
                return reason;
            }
            if receiver.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    /// Resolves when the lease is lost; other reasons do not end git children or calls under way.
    pub async fn lost(&self) {
        let mut receiver = self.0.subscribe();
        while !matches!(*receiver.borrow_and_update(), Some(StopReason::LeaseLost)) {
            if receiver.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_first_reason_stays_and_only_a_lost_lease_outranks_it() {
        let signal = StopSignal::default();
        assert!(signal.stop(StopReason::Quit));
        assert!(!signal.stop(StopReason::Cancelled { by: "b".into(), reason: String::new() }));
        assert_eq!(signal.stopped().await, StopReason::Quit);
        assert!(signal.stop(StopReason::LeaseLost));
        assert!(!signal.stop(StopReason::LeaseLost), "on lost fires exactly once");
        signal.lost().await;
    }
}
