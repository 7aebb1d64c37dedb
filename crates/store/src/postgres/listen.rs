//! LISTEN: news of leases from other machines. It only makes polling early; without it (a pooler in between, a broken
//! connection) everything still works.

use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::PgListener;
use tokio::task::AbortHandle;

use super::driver::DbPool;
use crate::context::Context;

const CHANNEL: &str = "lockstep_leases";
const PAUSE: Duration = Duration::from_secs(15);

/// A task that passes notifications on; it ends with this value.
#[derive(Debug)]
pub(super) struct Listener(AbortHandle);

impl Listener {
    pub(super) fn start(pool: DbPool, ctx: Arc<Context>) -> Self {
        Self(tokio::spawn(follow(pool, ctx)).abort_handle())
    }

    pub(super) fn stop(&self) {
        self.0.abort();
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.stop();
    }
}

async fn follow(pool: DbPool, ctx: Arc<Context>) {
    loop {
        if let Err(error) = listen(&pool, &ctx).await {
            tracing::debug!(%error, "notifications are off; polling goes on");
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn listen(pool: &DbPool, ctx: &Context) -> Result<(), sqlx::Error> {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.listen(CHANNEL).await?;
    loop {
        // `None`: the connection was lost and made anew; something may have been missed.
        let _news = listener.try_recv().await?;
        ctx.wake();
    }
}
