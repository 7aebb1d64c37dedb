//! The heartbeat's line behind the keeper.

use std::sync::Arc;

use async_trait::async_trait;
use lockstep_domain::lease::{LeaseGuard, Progress};
use lockstep_store::{Ending, LeaseLine, Renewal, Result};

use crate::event::{What, now_ns};
use crate::gate::Gate;
use crate::keeper::Keeper;

/// See the module.
#[derive(Debug)]
pub(crate) struct KeptLine {
    inner: Arc<dyn LeaseLine>,
    keeper: Arc<Keeper>,
}

impl KeptLine {
    pub(crate) fn new(inner: Arc<dyn LeaseLine>, keeper: Arc<Keeper>) -> Self {
        Self { inner, keeper }
    }
}

#[async_trait]
impl LeaseLine for KeptLine {
    async fn renew(&self, guard: &LeaseGuard, progress: Option<&Progress>) -> Result<Renewal> {
        // The whole thread stands, as in a process that is stopped there.
        self.keeper.block_at(Gate::InHeartbeat);
        let (begun_ns, fence) = (now_ns(), guard.fence().0);
        let renewed = self.inner.renew(guard, progress).await;
        let held = renewed.as_ref().ok().map(|renewal| *renewal != Renewal::Lost);
        self.keeper.note(What::Renewed { fence, held, begun_ns });
        renewed
    }

    async fn fence_check(&self, guard: &LeaseGuard) -> Result<Renewal> {
        self.inner.fence_check(guard).await
    }

    async fn progress(&self, guard: &LeaseGuard, progress: &Progress) -> Result<bool> {
        self.inner.progress(guard, progress).await
    }

    async fn release(&self, guard: &LeaseGuard, ending: &Ending) -> Result<bool> {
        let released = self.inner.release(guard, ending).await;
        let done = matches!(released, Ok(true));
        self.keeper.note(What::GaveBack { fence: guard.fence().0, done });
        if done {
            self.keeper.at(Gate::AfterRelease).await;
        }
        released
    }

    async fn nudged(&self, guard: &LeaseGuard, poll_ms: u64) -> Result<()> {
        self.inner.nudged(guard, poll_ms).await
    }

    async fn close(&self) {
        self.inner.close().await;
    }
}
