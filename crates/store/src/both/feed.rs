//! `feed`: the append-only change log that windows follow.
//!
//! Rows are written as the last thing of a transaction. On PostgreSQL a lock is taken first and held until COMMIT, so
//! that cursors become visible in their order: a reader never passes a row that commits later.

use lockstep_domain::ids::ProjectId;
use lockstep_domain::model::FeedRow;

use super::driver::{self, Row};
use super::on::{FeedNew, On};
use super::row::{get, json_text, ms};
use crate::contract::Result;

const INSERT: &str = "INSERT INTO feed (at, topic, project_id, key) \
    SELECT {now}, j.value->>'topic', {uuid:j.value->>'project'}, j.value->>'key' FROM {each:$1}";
const AFTER: &str = "SELECT seq, {ms:at} AS at, topic, project_id, key FROM feed \
    WHERE seq > $1 ORDER BY seq LIMIT $2";
const HEAD: &str = "SELECT coalesce(max(seq), 0) AS head FROM feed";

pub(super) async fn write(on: &mut On, rows: &[FeedNew]) -> Result<()> {
    if let Some(lock) = driver::FEED_LOCK {
        on.rows(lock, args![]).await?;
    }
    on.exec(INSERT, args![json_text(rows)?]).await?;
    Ok(())
}

pub(super) async fn after(on: &mut On, cursor: i64, limit: u32) -> Result<Vec<FeedRow>> {
    on.rows(AFTER, args![cursor, i64::from(limit)]).await?.iter().map(row).collect()
}

pub(super) async fn head(on: &mut On) -> Result<i64> {
    match on.row(HEAD, args![]).await? {
        Some(row) => get(&row, "head"),
        None => Ok(0),
    }
}

fn row(row: &Row) -> Result<FeedRow> {
    Ok(FeedRow {
        seq: get(row, "seq")?,
        at: ms(row, "at")?,
        topic: get(row, "topic")?,
        project: get::<Option<_>>(row, "project_id")?.map(ProjectId),
        key: get(row, "key")?,
    })
}
