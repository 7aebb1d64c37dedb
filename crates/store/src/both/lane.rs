//! A pool with the rules of its transactions.
//!
//! Every call runs on a task of its own and is awaited, so that a caller may drop its future (a timeout, a select)
//! without ever dropping a half-sent BEGIN or COMMIT.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tracing::{Instrument as _, Span};

use super::driver::{self, DbPool};
use super::on::{On, Stage};
use crate::context::Context;
use crate::contract::{Result, StoreError};

/// The future of an act on a connection.
pub(crate) type Act<'t, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 't>>;

/// A pool and how to use it.
#[derive(Debug, Clone)]
pub(crate) struct Lane {
    pool: DbPool,
    pub(super) ctx: Arc<Context>,
    /// After this long a connection that does not answer is thrown away.
    patience: Duration,
}

impl Lane {
    pub(crate) fn new(pool: DbPool, ctx: Arc<Context>, patience: Duration) -> Self {
        Self { pool, ctx, patience }
    }

    /// A transaction that writes: committed when the act succeeds, else rolled back whole.
    pub(crate) async fn write<T, F>(&self, span: Span, act: F) -> Result<T>
    where
        T: Send + 'static,
        F: for<'t> FnOnce(&'t mut On) -> Act<'t, T> + Send + 'static,
    {
        self.run(span, Some(driver::BEGIN_WRITE), act).await
    }

    /// Several reads of one state.
    pub(crate) async fn snapshot<T, F>(&self, span: Span, act: F) -> Result<T>
    where
        T: Send + 'static,
        F: for<'t> FnOnce(&'t mut On) -> Act<'t, T> + Send + 'static,
    {
        self.run(span, Some(driver::BEGIN_READ), act).await
    }

    /// One statement outside any transaction.
    pub(crate) async fn peek<T, F>(&self, span: Span, act: F) -> Result<T>
    where
        T: Send + 'static,
        F: for<'t> FnOnce(&'t mut On) -> Act<'t, T> + Send + 'static,
    {
        self.run(span, None, act).await
    }

    async fn run<T, F>(&self, span: Span, begin: Option<&'static str>, act: F) -> Result<T>
    where
        T: Send + 'static,
        F: for<'t> FnOnce(&'t mut On) -> Act<'t, T> + Send + 'static,
    {
        let lane = self.clone();
        let task = tokio::spawn(async move { lane.attempt(begin, act).await }.instrument(span));
        match task.await {
            Ok(result) => result,
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            Err(_ended) => Err(StoreError::Unusable("the program is shutting down".into())),
        }
    }

    async fn attempt<T, F>(self, begin: Option<&'static str>, act: F) -> Result<T>
    where
        F: for<'t> FnOnce(&'t mut On) -> Act<'t, T> + Send,
    {
        let conn = self.pool.acquire().await.map_err(|error| driver::classify(&error))?;
        let mut on = On::new(conn, Arc::clone(&self.ctx));
        let outcome = tokio::time::timeout(self.patience, drive(&mut on, begin, act)).await;
        match outcome {
            Ok(result) => result,
            Err(_elapsed) if on.stage == Stage::Committing => Err(StoreError::Unclear),
            Err(_elapsed) => {
                // A statement outside a transaction may hang as well: never use this connection again.
                on.stage = Stage::Open;
                Err(StoreError::Busy)
            }
        }
    }

    pub(crate) async fn close(&self) {
        self.pool.close().await;
    }
}

async fn drive<T, F>(on: &mut On, begin: Option<&'static str>, act: F) -> Result<T>
where
    F: for<'t> FnOnce(&'t mut On) -> Act<'t, T> + Send,
{
    let Some(begin) = begin else { return act(on).await };
    let mut result = match on.begin(begin).await {
        Ok(()) => act(on).await,
        Err(error) => Err(error),
    };
    if result.is_ok()
        && let Err(error) = on.commit().await
    {
        result = Err(error);
    }
    if result.is_err() {
        on.rollback().await;
    }
    result
}
