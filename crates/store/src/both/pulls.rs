//! `pull_requests`: one per recipient × branch. What is told about one is ordered by GitHub's `updated_at`; merged is
//! terminal for its number; an older number changes nothing (docs/SYNC.md).

use lockstep_domain::ids::{ProjectId, RecipientId};
use lockstep_domain::model::PullRow;

use super::driver::Row;
use super::on::On;
use super::row::{get, id_list, ms, ms_opt, oid_text, parsed, parsed_opt};
use crate::contract::Result;

const PUT: &str = "INSERT INTO pull_requests (recipient_id, branch, number, author, base, state, opened_at, \
    merged_at, closed_at, head, merge_commit, mergeable, announced, updated_at, url) \
    VALUES ($1, $2, $3, $4, $5, $6, {at:$7}, {at:$8}, {at:$9}, $10, $11, $12, $13, {at:$14}, $15) \
    ON CONFLICT (recipient_id, branch) DO UPDATE SET number = excluded.number, author = excluded.author, \
    base = excluded.base, state = excluded.state, opened_at = excluded.opened_at, \
    merged_at = excluded.merged_at, closed_at = excluded.closed_at, head = excluded.head, \
    merge_commit = excluded.merge_commit, mergeable = excluded.mergeable, \
    announced = CASE WHEN excluded.number = pull_requests.number \
    THEN coalesce(excluded.announced, pull_requests.announced) ELSE excluded.announced END, \
    updated_at = excluded.updated_at, url = excluded.url WHERE {newer_number} OR {newer_state}";
/// What we announced is ours to know, however old the rest of the row is.
const ANNOUNCE: &str = "UPDATE pull_requests SET announced = $4 \
    WHERE recipient_id = $1 AND branch = $2 AND number = $3 AND (announced IS NULL OR announced <> $4)";
const OF_PROJECT: &str = "SELECT {pull_row} FROM pull_requests p \
    JOIN recipients r ON r.id = p.recipient_id WHERE r.project_id = $1 ORDER BY p.recipient_id, p.branch";
const SOME: &str = "SELECT {pull_row} FROM pull_requests p JOIN recipients r ON r.id = p.recipient_id \
    WHERE r.project_id = $1 AND p.recipient_id IN {ids:$2} ORDER BY p.recipient_id, p.branch";

/// Writes what is newer than the row; `true` when something changed.
pub(super) async fn put(on: &mut On, project: ProjectId, pull: &PullRow) -> Result<bool> {
    let announced = oid_text(pull.announced.as_ref());
    let args = args![
        pull.recipient.0,
        pull.branch.as_str(),
        pull.number,
        &pull.author,
        &pull.base,
        pull.state.as_str(),
        pull.opened_at.0,
        pull.merged_at.map(|at| at.0),
        pull.closed_at.map(|at| at.0),
        oid_text(pull.head.as_ref()),
        oid_text(pull.merge_commit.as_ref()),
        pull.mergeable.as_str(),
        announced.as_deref(),
        pull.updated_at.0,
        &pull.url,
    ];
    let mut changed = on.exec(PUT, args).await? > 0;
    if let Some(head) = announced {
        let args = args![pull.recipient.0, pull.branch.as_str(), pull.number, head];
        changed |= on.exec(ANNOUNCE, args).await? > 0;
    }
    if changed {
        on.feed("pull", Some(project), &format!("{}/{}", pull.recipient, pull.branch));
    }
    Ok(changed)
}

pub(super) async fn of_project(on: &mut On, project: ProjectId) -> Result<Vec<PullRow>> {
    on.rows(OF_PROJECT, args![project.0]).await?.iter().map(row).collect()
}

pub(super) async fn some(on: &mut On, project: ProjectId, some: &[RecipientId]) -> Result<Vec<PullRow>> {
    let ids = id_list(some.iter().map(|recipient| recipient.0))?;
    on.rows(SOME, args![project.0, ids]).await?.iter().map(row).collect()
}

fn row(row: &Row) -> Result<PullRow> {
    Ok(PullRow {
        recipient: RecipientId(get(row, "recipient_id")?),
        branch: parsed(row, "branch")?,
        number: get(row, "number")?,
        author: get(row, "author")?,
        base: get(row, "base")?,
        state: parsed(row, "state")?,
        opened_at: ms(row, "opened_at")?,
        merged_at: ms_opt(row, "merged_at")?,
        closed_at: ms_opt(row, "closed_at")?,
        head: parsed_opt(row, "head")?,
        merge_commit: parsed_opt(row, "merge_commit")?,
        mergeable: parsed(row, "mergeable")?,
        announced: parsed_opt(row, "announced")?,
        updated_at: ms(row, "updated_at")?,
        url: get(row, "url")?,
    })
}
