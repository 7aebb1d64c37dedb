//! The feed: what changed, by any process, in batches. At most four a second; the last state with `online: false` when
//! the database does not answer.

mod batch;
mod pace;

use std::time::Duration;

use tokio::time::Instant;

use crate::app::App;
use crate::error::Result;
use crate::wire::{FeedBatch, Tag};
use crate::words::ms;

use batch::Reader;
use pace::Pace;

/// Most feed rows that one batch looks at.
const ROWS: u32 = 2_000;
/// How long to wait for a change while somebody holds a lease: heartbeats and expiry write no feed row.
const LIVELY_MS: u64 = 1_000;
/// The same while nobody does.
const QUIET_MS: u64 = 5_000;
/// Pause before a database that failed is asked again.
const RETRY: Duration = Duration::from_secs(2);

/// Follows the feed from its newest row on: at once one batch with the cursor and the database's clock, then a batch
/// per group of changes. Ends when `send` returns `false`.
pub async fn follow(app: &App, mut send: impl FnMut(FeedBatch) -> bool + Send) {
    let mut follower =
        Follower { app: app.clone(), reader: Reader::default(), cursor: None, pace: Pace::default() };
    let mut offline = false;
    loop {
        match follower.next(offline).await {
            Ok(Some(batch)) => {
                offline = false;
                if !send(batch) {
                    return;
                }
            }
            Ok(None) => {}
            Err(error) => {
                tracing::debug!(code = error.code.as_str(), "the feed cannot be read");
                if !offline && !send(follower.offline()) {
                    return;
                }
                offline = true;
                tokio::time::sleep(RETRY).await;
            }
        }
    }
}

struct Follower {
    app: App,
    reader: Reader,
    cursor: Option<i64>,
    pace: Pace,
}

impl Follower {
    /// The next batch; `None` when nothing changed for a while. After an outage everything is stale.
    async fn next(&mut self, was_offline: bool) -> Result<Option<FeedBatch>> {
        let store = self.app.store();
        let Some(cursor) = self.cursor.filter(|_| !was_offline) else {
            let begun = Instant::now();
            let cursor = store.feed_head().await?;
            let mut batch = self.reader.begin(&self.app, cursor).await?;
            if was_offline {
                batch.stale = everything();
            }
            self.cursor = Some(cursor);
            self.pace.sent(begun);
            return Ok(Some(batch));
        };
        let patience = if self.reader.is_lively() { LIVELY_MS } else { QUIET_MS };
        let patience = self.pace.patience_ms(patience, self.reader.owes_tags());
        store.feed_wait(cursor, patience).await?;
        self.pace.hold().await;
        let begun = Instant::now();
        let rows = store.feed_after(cursor, ROWS).await?;
        let batch = self.reader.read(&self.app, cursor, &rows, self.pace.may_tag()).await?;
        if let Some(last) = rows.last() {
            self.cursor = Some(last.seq);
        }
        if batch.is_some() {
            self.pace.sent(begun);
        }
        Ok(batch)
    }

    /// The last state, known to be old.
    fn offline(&self) -> FeedBatch {
        FeedBatch {
            cursor: self.cursor.unwrap_or_default().to_string(),
            now: ms(self.reader.now()),
            online: false,
            stale: Vec::new(),
            rows: Vec::new(),
            leases: Vec::new(),
            runs: Vec::new(),
        }
    }
}

fn everything() -> Vec<Tag> {
    vec![Tag::Projects, Tag::Sources, Tag::Leases, Tag::Connections]
}
