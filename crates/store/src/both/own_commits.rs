//! `own_commits`: heads that Lockstep is about to push, recorded BEFORE any ref moves.

use lockstep_domain::ids::{ProjectId, RecipientId};
use lockstep_domain::names::{BranchName, Oid};
use serde_json::json;

use super::on::On;
use super::row::{get, id_list, json_text, parsed};
use crate::context::Owner;
use crate::contract::{ItemRecord, Result};

const OF_RECIPIENTS: &str = "INSERT INTO own_commits (project_id, recipient_id, branch, sha, run_id, recorded_at) \
    SELECT $1, {uuid:j.value->>'recipient'}, j.value->>'branch', j.value->>'sha', $2, {now} FROM {each:$3} \
    WHERE TRUE ON CONFLICT DO NOTHING";
const OF_DISTRIBUTION: &str = "INSERT INTO own_commits (project_id, branch, sha, run_id, recorded_at) \
    SELECT $1, j.value->>'branch', j.value->>'sha', $2, {now} FROM {each:$3} WHERE TRUE ON CONFLICT DO NOTHING";
const READ: &str = "SELECT recipient_id, sha FROM own_commits \
    WHERE project_id = $1 AND recipient_id IN {ids:$2} ORDER BY recipient_id, recorded_at, sha";

pub(super) async fn record(on: &mut On, owner: &Owner, items: &[ItemRecord]) -> Result<()> {
    let rows: Vec<_> = items
        .iter()
        .map(|item| json!({ "recipient": item.recipient, "branch": item.branch, "sha": item.new }))
        .collect();
    on.exec(OF_RECIPIENTS, args![owner.project.0, owner.run.0, json_text(&rows)?]).await?;
    Ok(())
}

pub(super) async fn record_distribution(
    on: &mut On,
    owner: &Owner,
    heads: &[(BranchName, Oid)],
) -> Result<()> {
    let rows: Vec<_> = heads.iter().map(|(branch, sha)| json!({ "branch": branch, "sha": sha })).collect();
    on.exec(OF_DISTRIBUTION, args![owner.project.0, owner.run.0, json_text(&rows)?]).await?;
    Ok(())
}

pub(super) async fn of_recipients(
    on: &mut On,
    project: ProjectId,
    recipients: &[RecipientId],
) -> Result<Vec<(RecipientId, Oid)>> {
    let ids = id_list(recipients.iter().map(|recipient| recipient.0))?;
    on.rows(READ, args![project.0, ids])
        .await?
        .iter()
        .map(|row| Ok((RecipientId(get(row, "recipient_id")?), parsed(row, "sha")?)))
        .collect()
}
