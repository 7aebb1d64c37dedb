//! The history of leases: rows of the audit that people read as claims, late and lost renewals, reclaims, cancels and
//! releases. Nothing is kept twice: the acts write their audit rows, this reads them.

use lockstep_domain::ids::ProjectId;
use lockstep_domain::lease::Fence;
use lockstep_domain::model::{AuditRow, LeaseEntry, LeaseEvent};
use serde_json::{Value, json};

use super::audit;
use super::on::On;
use crate::context::Owner;
use crate::contract::{Actor, Result};

const ALL: &str = "SELECT {audit_row} FROM audit WHERE seq < $1 AND {lease_events} \
    ORDER BY seq DESC LIMIT $2";
const OF_PROJECT: &str = "SELECT {audit_row} FROM audit WHERE project_id = $3 AND seq < $1 AND {lease_events} \
    ORDER BY seq DESC LIMIT $2";

/// Tells that a heartbeat came when the lease was late already; `age` is that of the heartbeat before it.
pub(super) async fn renewed_late(
    on: &mut On,
    owner: &Owner,
    actor: &Actor,
    age_ms: i64,
    window_ms: i64,
) -> Result<()> {
    let detail =
        json!({ "run": owner.run, "fence": owner.fence.0, "beat_ms": age_ms, "window_ms": window_ms });
    audit::write(on, actor, Some(owner.project), LeaseEvent::RenewedLate.audit_name(), &detail).await?;
    on.feed("lease", Some(owner.project), &owner.project);
    Ok(())
}

/// Newest first, before a position of the audit.
pub(super) async fn before(
    on: &mut On,
    project: Option<ProjectId>,
    before: Option<i64>,
    limit: u32,
) -> Result<Vec<LeaseEntry>> {
    let (before, limit) = (before.unwrap_or(i64::MAX), i64::from(limit));
    let rows = match project {
        Some(project) => on.rows(OF_PROJECT, args![before, limit, project.0]).await?,
        None => on.rows(ALL, args![before, limit]).await?,
    };
    let rows: Vec<AuditRow> = rows.iter().map(audit::row).collect::<Result<_>>()?;
    Ok(rows.into_iter().filter_map(entry).collect())
}

/// An audit row as an event of a lease. What an older or newer program wrote differently stays untold.
fn entry(row: AuditRow) -> Option<LeaseEntry> {
    let event = LeaseEvent::ALL.iter().copied().find(|event| event.audit_name() == row.event)?;
    let detail: Value = serde_json::from_str(&row.detail).unwrap_or_default();
    let number = |name: &str| detail.get(name).and_then(Value::as_i64);
    let text = |name: &str| detail.get(name).and_then(Value::as_str);
    let holder = detail.get("replaced_holder").or_else(|| detail.get("holder"));
    let of_holder = |name: &str| holder?.get(name)?.as_str().map(str::to_owned);
    let judged = number("heartbeat_at").zip(number("judged_at")).map(|(beat, judged)| judged - beat);
    Some(LeaseEntry {
        seq: row.seq,
        at: row.at,
        event,
        project: row.project?,
        fence: Fence(number("fence").unwrap_or_default()),
        run: text("run").and_then(|run| run.parse().ok()),
        person: row.actor,
        machine: row.machine,
        other: of_holder("person").zip(of_holder("host")),
        kind: text("kind").and_then(|kind| kind.parse().ok()),
        status: text("status").and_then(|status| status.parse().ok()),
        code: text("code").and_then(|code| code.parse().ok()),
        beat_ms: number("beat_ms").or(judged),
        proven_dead: detail.get("proven_dead").and_then(Value::as_bool).unwrap_or_default(),
        text: text("reason").or_else(|| text("detail")).unwrap_or_default().to_owned(),
    })
}
