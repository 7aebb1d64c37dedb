//! `last_outcomes`: the last outcome of a recipient × branch, written with the item; never removed.

use lockstep_domain::ids::{ProjectId, RecipientId, RunId};
use lockstep_domain::model::LastOutcome;

use super::driver::Row;
use super::on::On;
use super::row::{count_opt, get, id_list, ms, oid_text, parsed, parsed_opt};
use crate::context::Owner;
use crate::contract::{ItemDone, Result};

const PUT: &str = "INSERT INTO last_outcomes \
    (recipient_id, branch, outcome, reason, cause, run_id, at, delivered, conflicts) \
    VALUES ($1, $2, $3, $4, $5, $6, {now}, $7, $8) \
    ON CONFLICT (recipient_id, branch) DO UPDATE SET outcome = excluded.outcome, reason = excluded.reason, \
    cause = excluded.cause, run_id = excluded.run_id, at = excluded.at, \
    delivered = coalesce(excluded.delivered, last_outcomes.delivered), conflicts = excluded.conflicts";
const OF_PROJECT: &str = "SELECT {outcome_row} FROM last_outcomes o \
    JOIN recipients r ON r.id = o.recipient_id WHERE r.project_id = $1 ORDER BY o.recipient_id, o.branch";
const SOME: &str = "SELECT {outcome_row} FROM last_outcomes o JOIN recipients r ON r.id = o.recipient_id \
    WHERE r.project_id = $1 AND o.recipient_id IN {ids:$2} ORDER BY o.recipient_id, o.branch";

pub(super) async fn put(on: &mut On, owner: &Owner, item: &ItemDone) -> Result<()> {
    let args = args![
        item.recipient.0,
        item.branch.as_str(),
        item.outcome.as_str(),
        item.reason.map(|reason| reason.as_str()),
        &item.cause,
        owner.run.0,
        oid_text(item.delivered.as_ref()),
        item.conflicts.map(i64::from),
    ];
    on.exec(PUT, args).await?;
    Ok(())
}

pub(super) async fn of_project(on: &mut On, project: ProjectId) -> Result<Vec<LastOutcome>> {
    on.rows(OF_PROJECT, args![project.0]).await?.iter().map(row).collect()
}

pub(super) async fn some(on: &mut On, project: ProjectId, some: &[RecipientId]) -> Result<Vec<LastOutcome>> {
    let ids = id_list(some.iter().map(|recipient| recipient.0))?;
    on.rows(SOME, args![project.0, ids]).await?.iter().map(row).collect()
}

fn row(row: &Row) -> Result<LastOutcome> {
    Ok(LastOutcome {
        recipient: RecipientId(get(row, "recipient_id")?),
        branch: parsed(row, "branch")?,
        outcome: parsed(row, "outcome")?,
        reason: parsed_opt(row, "reason")?,
        cause: get(row, "cause")?,
        run: RunId(get(row, "run_id")?),
        at: ms(row, "at")?,
        delivered: parsed_opt(row, "delivered")?,
        conflicts: count_opt(row, "conflicts")?,
    })
}
