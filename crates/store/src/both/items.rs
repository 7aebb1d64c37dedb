//! `items`: run × recipient × branch, and how far each got. Written by the run's owner only.

use lockstep_domain::ids::{RecipientId, RunId};
use lockstep_domain::model::Item;
use lockstep_domain::names::BranchName;
use serde_json::json;

use super::driver::Row;
use super::on::On;
use super::row::{get, id_list, json_text, ms, parsed, parsed_opt};
use crate::context::Owner;
use crate::contract::{ItemDone, ItemRecord, Result, StoreError};

/// Recipients of other projects are left out: the count tells. An item that is there already stays and counts.
const PLAN: &str = "INSERT INTO items (run_id, recipient_id, branch, step, at) \
    SELECT $1, r.id, j.value->>'branch', 'planned', {now} FROM {each:$2} \
    JOIN recipients r ON r.id = {uuid:j.value->>'recipient'} AND r.project_id = $3 WHERE TRUE \
    ON CONFLICT (run_id, recipient_id, branch) DO UPDATE SET step = items.step";
/// Recording again changes the heads; only an item that is done stays done.
const RECORD: &str = "INSERT INTO items (run_id, recipient_id, branch, step, expected_old, new_oid, at) \
    SELECT $1, r.id, j.value->>'branch', 'recorded', j.value->>'old', j.value->>'new', {now} FROM {each:$2} \
    JOIN recipients r ON r.id = {uuid:j.value->>'recipient'} AND r.project_id = $3 WHERE TRUE \
    ON CONFLICT (run_id, recipient_id, branch) DO UPDATE SET step = CASE WHEN items.step = 'done' \
    THEN items.step ELSE excluded.step END, expected_old = excluded.expected_old, \
    new_oid = excluded.new_oid, at = excluded.at";
const PUSHED: &str = "UPDATE items SET step = CASE WHEN step IN ('planned', 'recorded') THEN 'pushed' \
    ELSE step END, at = {now} WHERE run_id = $1 AND recipient_id = $2 AND branch = $3";
const ANNOUNCED: &str = "UPDATE items SET step = CASE WHEN step = 'done' THEN step ELSE 'announced' END, \
    pull_number = $4, at = {now} WHERE run_id = $1 AND recipient_id = $2 AND branch = $3";
const DONE: &str = "INSERT INTO items \
    (run_id, recipient_id, branch, step, pull_number, outcome, reason, cause, request_id, at) \
    SELECT $1, r.id, $3, 'done', $4, $5, $6, $7, $8, {now} FROM recipients r \
    WHERE r.id = $2 AND r.project_id = $9 \
    ON CONFLICT (run_id, recipient_id, branch) DO UPDATE SET step = 'done', \
    pull_number = coalesce(excluded.pull_number, items.pull_number), outcome = excluded.outcome, \
    reason = excluded.reason, cause = excluded.cause, request_id = excluded.request_id, at = excluded.at";
const OF_RUN: &str = "SELECT run_id, recipient_id, branch, step, expected_old, new_oid, pull_number, outcome, \
    reason, cause, request_id, {ms:at} AS at FROM items WHERE run_id = $1 ORDER BY recipient_id, branch";
const SOME: &str = "SELECT run_id, recipient_id, branch, step, expected_old, new_oid, pull_number, outcome, \
    reason, cause, request_id, {ms:at} AS at FROM items WHERE run_id = $1 AND recipient_id IN {ids:$2} \
    ORDER BY recipient_id, branch";

fn missing() -> StoreError {
    StoreError::NotFound("an item's recipient".into())
}

pub(super) async fn plan(on: &mut On, owner: &Owner, items: &[(RecipientId, BranchName)]) -> Result<()> {
    if items.is_empty() {
        return Ok(());
    }
    let rows: Vec<_> =
        items.iter().map(|(recipient, branch)| json!({ "recipient": recipient, "branch": branch })).collect();
    let planned = on.exec(PLAN, args![owner.run.0, json_text(&rows)?, owner.project.0]).await?;
    if planned == items.len() as u64 { Ok(()) } else { Err(missing()) }
}

pub(super) async fn record(on: &mut On, owner: &Owner, items: &[ItemRecord]) -> Result<()> {
    let rows: Vec<_> = items
        .iter()
        .map(|item| {
            json!({
                "recipient": item.recipient,
                "branch": item.branch,
                "old": item.expected_old,
                "new": item.new,
            })
        })
        .collect();
    let written = on.exec(RECORD, args![owner.run.0, json_text(&rows)?, owner.project.0]).await?;
    if written == items.len() as u64 { Ok(()) } else { Err(missing()) }
}

pub(super) async fn pushed(
    on: &mut On,
    owner: &Owner,
    recipient: RecipientId,
    branch: &BranchName,
) -> Result<()> {
    match on.exec(PUSHED, args![owner.run.0, recipient.0, branch.as_str()]).await? {
        1 => Ok(()),
        _ => Err(StoreError::NotFound("the item".into())),
    }
}

pub(super) async fn announced(
    on: &mut On,
    owner: &Owner,
    recipient: RecipientId,
    branch: &BranchName,
    pull: i64,
) -> Result<()> {
    match on.exec(ANNOUNCED, args![owner.run.0, recipient.0, branch.as_str(), pull]).await? {
        1 => Ok(()),
        _ => Err(StoreError::NotFound("the item".into())),
    }
}

pub(super) async fn done(on: &mut On, owner: &Owner, item: &ItemDone) -> Result<()> {
    let args = args![
        owner.run.0,
        item.recipient.0,
        item.branch.as_str(),
        item.pull.as_ref().map(|pull| pull.number),
        item.outcome.as_str(),
        item.reason.map(|reason| reason.as_str()),
        &item.cause,
        item.request_id.as_deref(),
        owner.project.0,
    ];
    if on.exec(DONE, args).await? != 1 {
        return Err(missing());
    }
    on.feed("item", Some(owner.project), &format!("{}/{}", item.recipient, item.branch));
    Ok(())
}

pub(super) async fn of_run(on: &mut On, run: RunId) -> Result<Vec<Item>> {
    on.rows(OF_RUN, args![run.0]).await?.iter().map(row).collect()
}

pub(super) async fn some(on: &mut On, run: RunId, some: &[RecipientId]) -> Result<Vec<Item>> {
    let ids = id_list(some.iter().map(|recipient| recipient.0))?;
    on.rows(SOME, args![run.0, ids]).await?.iter().map(row).collect()
}

fn row(row: &Row) -> Result<Item> {
    Ok(Item {
        run: RunId(get(row, "run_id")?),
        recipient: RecipientId(get(row, "recipient_id")?),
        branch: parsed(row, "branch")?,
        step: parsed(row, "step")?,
        expected_old: parsed_opt(row, "expected_old")?,
        new: parsed_opt(row, "new_oid")?,
        pull: get(row, "pull_number")?,
        outcome: parsed_opt(row, "outcome")?,
        reason: parsed_opt(row, "reason")?,
        cause: get(row, "cause")?,
        request_id: get(row, "request_id")?,
        at: ms(row, "at")?,
    })
}
