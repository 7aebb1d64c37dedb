//! `verdicts`: the newest decision of a recipient × branch with everything that decided it.

use lockstep_domain::ids::{ProjectId, RecipientId};
use serde_json::json;

use super::on::On;
use super::row::{get, id_list, json_text, parsed};
use crate::context::Owner;
use crate::contract::{Result, Verdict};

const PUT: &str = "INSERT INTO verdicts (recipient_id, branch, key, value, at) \
    SELECT r.id, j.value->>'branch', j.value->>'key', j.value->>'value', {now} FROM {each:$2} \
    JOIN recipients r ON r.id = {uuid:j.value->>'recipient'} AND r.project_id = $1 WHERE TRUE \
    ON CONFLICT (recipient_id, branch) DO UPDATE \
    SET key = excluded.key, value = excluded.value, at = excluded.at";
const READ: &str = "SELECT v.recipient_id, v.branch, v.key, v.value FROM verdicts v \
    JOIN recipients r ON r.id = v.recipient_id \
    WHERE r.project_id = $1 AND v.recipient_id IN {ids:$2} ORDER BY v.recipient_id, v.branch";

pub(super) async fn put(on: &mut On, owner: &Owner, verdicts: &[Verdict]) -> Result<()> {
    let rows: Vec<_> = verdicts
        .iter()
        .map(|v| json!({ "recipient": v.recipient, "branch": v.branch, "key": v.key, "value": v.value }))
        .collect();
    on.exec(PUT, args![owner.project.0, json_text(&rows)?]).await?;
    Ok(())
}

pub(super) async fn of_recipients(
    on: &mut On,
    project: ProjectId,
    recipients: &[RecipientId],
) -> Result<Vec<Verdict>> {
    let ids = id_list(recipients.iter().map(|recipient| recipient.0))?;
    let rows = on.rows(READ, args![project.0, ids]).await?;
    rows.iter()
        .map(|row| {
            Ok(Verdict {
                recipient: RecipientId(get(row, "recipient_id")?),
                branch: parsed(row, "branch")?,
                key: get(row, "key")?,
                value: get(row, "value")?,
            })
        })
        .collect()
}
