//! A line of its own for one lease: renewals never wait behind work.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use lockstep_domain::lease::{LeaseGuard, Progress};
use tracing::info_span;

use super::driver;
use super::lane::Lane;
use super::{finish, leases};
use crate::context::Owner;
use crate::contract::{Ending, LeaseLine, Renewal, Result};

/// The line; its pool belongs to the runtime that opened it.
#[derive(Debug)]
pub(crate) struct Line {
    lane: Lane,
    /// Fence and time of the cancel that was told last.
    told: Mutex<Option<(i64, i64)>>,
    /// Whether the pool is this line's own.
    own: bool,
}

impl Line {
    pub(crate) fn new(lane: Lane, own: bool) -> Self {
        Self { lane, told: Mutex::new(None), own }
    }

    /// Whether a cancel is there that was not told yet.
    async fn news(&self, owner: &Owner) -> Result<bool> {
        let found = self.check(owner.clone()).await?;
        let Renewal::Held { cancel, .. } = found else { return Ok(true) };
        let asked = cancel.map(|ask| (owner.fence.0, ask.at.0));
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let news = asked.is_some() && *told != asked;
        *told = asked;
        Ok(news)
    }

    async fn check(&self, owner: Owner) -> Result<Renewal> {
        let span =
            info_span!("store.leases.fence_check", project.id = %owner.project, lease.fence = owner.fence.0);
        self.lane
            .peek(span, move |on| Box::pin(async move { leases::fence_check(on, &owner).await.map(renewal) }))
            .await
    }
}

fn renewal(found: Option<leases::Found>) -> Renewal {
    match found {
        Some(found) => Renewal::Held { left_ms: found.left_ms, cancel: found.cancel },
        None => Renewal::Lost,
    }
}

#[async_trait]
impl LeaseLine for Line {
    async fn renew(&self, guard: &LeaseGuard, progress: Option<&Progress>) -> Result<Renewal> {
        let (owner, progress) = (Owner::of(guard), progress.cloned());
        let span = info_span!("store.leases.renew", project.id = %owner.project, lease.fence = owner.fence.0);
        self.lane
            .write(span, move |on| {
                Box::pin(async move {
                    let Some(locked) = leases::lock_owned(on, &owner).await? else {
                        return Ok(Renewal::Lost);
                    };
                    leases::renew(on, &owner, &locked, progress.as_ref()).await.map(renewal)
                })
            })
            .await
    }

    async fn fence_check(&self, guard: &LeaseGuard) -> Result<Renewal> {
        self.check(Owner::of(guard)).await
    }

    async fn progress(&self, guard: &LeaseGuard, progress: &Progress) -> Result<bool> {
        let (owner, progress) = (Owner::of(guard), progress.clone());
        let span =
            info_span!("store.leases.progress", project.id = %owner.project, lease.fence = owner.fence.0);
        self.lane
            .write(span, move |on| Box::pin(async move { leases::progress(on, &owner, &progress).await }))
            .await
    }

    async fn release(&self, guard: &LeaseGuard, ending: &Ending) -> Result<bool> {
        let (owner, ending) = (Owner::of(guard), ending.clone());
        let span =
            info_span!("store.leases.release", project.id = %owner.project, lease.fence = owner.fence.0);
        self.lane
            .write(span, move |on| Box::pin(async move { finish::release(on, &owner, &ending).await }))
            .await
    }

    async fn nudged(&self, guard: &LeaseGuard, poll_ms: u64) -> Result<()> {
        let owner = Owner::of(guard);
        let end = tokio::time::Instant::now() + Duration::from_millis(poll_ms);
        loop {
            let heard = self.lane.ctx.listen();
            if self.news(&owner).await? {
                return Ok(());
            }
            let left = end.saturating_duration_since(tokio::time::Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            // Whatever was heard or not, the row is the truth: it is read again.
            let _heard = tokio::time::timeout(left.min(driver::CANCEL_POLL), heard).await;
        }
    }

    async fn close(&self) {
        if self.own {
            self.lane.close().await;
        }
    }
}
