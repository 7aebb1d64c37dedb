//! A connection in use: renders and runs statements, gathers feed rows, and refuses to go on after an error.

use std::sync::Arc;

use lockstep_domain::clock::BootMillis;
use lockstep_domain::ids::ProjectId;
use serde::Serialize;
use sqlx::pool::PoolConnection;
use sqlx::{Arguments as _, AssertSqlSafe, Encode, Type};
use uuid::Uuid;

use super::driver::{self, Args, Db, Row};
use super::feed;
use crate::context::Context;
use crate::contract::{Result, StoreError};

/// Adds one value.
pub(crate) fn put<'t, T: Encode<'t, Db> + Type<Db>>(list: &mut Args, value: T) -> Result<()> {
    list.add(value).map_err(|error| StoreError::Failed(format!("a value cannot be bound: {error}")))
}

/// Where a transaction stands, to tell "nothing was written" from "unclear".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// No transaction is open.
    Clean,
    /// A transaction is open.
    Open,
    /// COMMIT was sent and not answered.
    Committing,
}

/// A feed row to write at the end of the transaction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct FeedNew {
    pub(crate) topic: &'static str,
    pub(crate) project: Option<Uuid>,
    pub(crate) key: String,
}

/// A connection in use.
pub(crate) struct On {
    conn: PoolConnection<Db>,
    pub(crate) ctx: Arc<Context>,
    pub(crate) stage: Stage,
    feed: Vec<FeedNew>,
    notify: Vec<ProjectId>,
    broken: bool,
    until: Option<BootMillis>,
    /// This machine's clock from before the transaction, for mutants that bind a time.
    #[cfg(feature = "mutants")]
    bound_ms: i64,
}

impl On {
    pub(crate) fn new(conn: PoolConnection<Db>, ctx: Arc<Context>) -> Self {
        Self {
            conn,
            #[cfg(feature = "mutants")]
            bound_ms: ctx.host.clock.now().0,
            ctx,
            stage: Stage::Clean,
            feed: Vec::new(),
            notify: Vec::new(),
            broken: false,
            until: None,
        }
    }

    /// Bounds what follows: checked between statements.
    pub(crate) fn within_ms(&mut self, ms: i64) {
        self.until = Some(BootMillis(self.ctx.host.clock.boot().0.saturating_add(ms)));
    }

    fn fit(&self) -> Result<()> {
        if self.broken {
            return Err(StoreError::Failed("a statement after a failed one".into()));
        }
        match self.until {
            Some(until) if self.ctx.host.clock.boot() > until => Err(StoreError::Busy),
            _ => Ok(()),
        }
    }

    fn failed(&mut self, error: &sqlx::Error) -> StoreError {
        self.broken = true;
        driver::classify(error)
    }

    fn render(&self, template: &str) -> AssertSqlSafe<String> {
        let sql = self.ctx.sql;
        #[cfg(feature = "mutants")]
        let sql = sql.bound_at(self.bound_ms);
        AssertSqlSafe(sql.render(template))
    }

    /// Runs a statement; the number of rows it changed.
    pub(crate) async fn exec(&mut self, template: &str, args: Args) -> Result<u64> {
        self.fit()?;
        let sql = self.render(template);
        match sqlx::query_with::<Db, Args>(sql, args).execute(&mut *self.conn).await {
            Ok(done) => Ok(done.rows_affected()),
            Err(error) => Err(self.failed(&error)),
        }
    }

    /// Its rows.
    pub(crate) async fn rows(&mut self, template: &str, args: Args) -> Result<Vec<Row>> {
        self.fit()?;
        let sql = self.render(template);
        match sqlx::query_with::<Db, Args>(sql, args).fetch_all(&mut *self.conn).await {
            Ok(rows) => Ok(rows),
            Err(error) => Err(self.failed(&error)),
        }
    }

    /// Its first row.
    pub(crate) async fn row(&mut self, template: &str, args: Args) -> Result<Option<Row>> {
        Ok(self.rows(template, args).await?.into_iter().next())
    }

    /// Plain text without parameters: BEGIN, COMMIT, ROLLBACK and the like.
    pub(crate) async fn raw(&mut self, sql: &'static str) -> std::result::Result<(), sqlx::Error> {
        #[cfg(feature = "mutants")]
        let sql = AssertSqlSafe(self.ctx.sql.plain(sql));
        sqlx::raw_sql(sql).execute(&mut *self.conn).await.map(drop)
    }

    /// The connection itself, for the migrator.
    pub(crate) fn conn(&mut self) -> &mut driver::Conn {
        &mut self.conn
    }

    /// Never use this connection again.
    pub(crate) fn spoil(&mut self) {
        self.stage = Stage::Committing;
    }

    /// A fresh id.
    pub(crate) fn fresh(&self) -> Uuid {
        self.ctx.host.ids.uuid()
    }

    /// A change for the feed; the same one is written once.
    pub(crate) fn feed(
        &mut self,
        topic: &'static str,
        project: Option<ProjectId>,
        key: &dyn std::fmt::Display,
    ) {
        let new = FeedNew { topic, project: project.map(|p| p.0), key: key.to_string() };
        if !self.feed.contains(&new) {
            self.feed.push(new);
        }
    }

    /// Tells other processes about this lease when the transaction commits (claim, release, cancel only).
    pub(crate) fn notify(&mut self, project: ProjectId) {
        self.notify.push(project);
    }

    pub(crate) async fn begin(&mut self, how: &'static str) -> Result<()> {
        self.stage = Stage::Open;
        self.raw(how).await.map_err(|error| driver::classify(&error))
    }

    /// Writes the gathered feed rows (always the last lock of a transaction) and commits.
    pub(crate) async fn commit(&mut self) -> Result<()> {
        let rows = std::mem::take(&mut self.feed);
        if !rows.is_empty() {
            feed::write(self, &rows).await?;
        }
        for project in std::mem::take(&mut self.notify) {
            if let Some(notify) = driver::NOTIFY {
                self.exec(notify, args![project.0.to_string()]).await?;
            }
        }
        self.fit()?;
        // Only publish and finish are bounded.
        if let (Some(seam), true) = (self.ctx.before_commit, self.until.is_some()) {
            seam();
        }
        self.stage = Stage::Committing;
        match self.raw("COMMIT").await {
            Ok(()) => {
                self.stage = Stage::Clean;
                if !rows.is_empty() {
                    self.ctx.wake();
                }
                Ok(())
            }
            Err(error) if driver::answer_lost(&error) => Err(StoreError::Unclear),
            Err(error) => {
                self.stage = Stage::Open;
                Err(driver::classify(&error))
            }
        }
    }

    /// Takes everything back; a connection that cannot is closed instead of used again.
    pub(crate) async fn rollback(&mut self) {
        if self.stage != Stage::Open {
            return;
        }
        // An answer of the database itself means that no transaction is open any more.
        if matches!(self.raw("ROLLBACK").await, Ok(()) | Err(sqlx::Error::Database(_))) {
            self.stage = Stage::Clean;
        }
    }
}

impl Drop for On {
    fn drop(&mut self) {
        if self.stage != Stage::Clean {
            self.conn.close_on_drop();
        }
    }
}
