//! `audit`: insert-only; triggers refuse anything else.

use lockstep_domain::ids::ProjectId;
use lockstep_domain::model::AuditRow;
use serde_json::Value;
use uuid::Uuid;

use super::driver::Row;
use super::on::On;
use super::row::{get, ms};
use crate::contract::{Actor, Result};

const INSERT: &str = "INSERT INTO audit (at, actor, machine, project_id, event, detail) \
    VALUES ({now}, $1, $2, $3, $4, $5)";
const OF_PROJECT: &str = "SELECT {audit_row} FROM audit \
    WHERE project_id = $1 ORDER BY seq DESC LIMIT $2";
const NEWEST: &str = "SELECT {audit_row} FROM audit \
    ORDER BY seq DESC LIMIT $1";

pub(super) async fn write(
    on: &mut On,
    actor: &Actor,
    project: Option<ProjectId>,
    event: &str,
    detail: &Value,
) -> Result<()> {
    let project: Option<Uuid> = project.map(|p| p.0);
    let args = args![&actor.person, &actor.machine, project, event, detail.to_string()];
    on.exec(INSERT, args).await?;
    Ok(())
}

pub(super) async fn newest(on: &mut On, project: Option<ProjectId>, limit: u32) -> Result<Vec<AuditRow>> {
    let limit = i64::from(limit);
    let rows = match project {
        Some(project) => on.rows(OF_PROJECT, args![project.0, limit]).await?,
        None => on.rows(NEWEST, args![limit]).await?,
    };
    rows.iter().map(row).collect()
}

pub(super) fn row(row: &Row) -> Result<AuditRow> {
    Ok(AuditRow {
        seq: get(row, "seq")?,
        at: ms(row, "at")?,
        actor: get(row, "actor")?,
        machine: get(row, "machine")?,
        project: get::<Option<Uuid>>(row, "project_id")?.map(ProjectId),
        event: get(row, "event")?,
        detail: get(row, "detail")?,
    })
}
