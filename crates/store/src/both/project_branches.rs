//! `project_branches`: what a project hands out, per branch.

use lockstep_domain::ahead::{Ahead, AheadKind};
use lockstep_domain::ids::ProjectId;
use lockstep_domain::model::{Project, ProjectBranch};
use lockstep_domain::names::BranchName;
use serde_json::json;
use uuid::Uuid;

use super::driver::Row;
use super::on::On;
use super::row::{count, count_opt, get, id_list, json_text, oid_text, parsed, parsed_opt};
use crate::contract::{PublishedBranch, Result, StoreError};

const INSERT: &str = "INSERT INTO project_branches (project_id, position, branch, source_branch) \
    SELECT $1, {int:j.value->>'position'}, j.value->>'branch', j.value->>'source' FROM {each:$2}";
const OF_PROJECTS: &str = "SELECT project_id, branch, source_branch, handed_out, dist_head, update_number, \
    fingerprint, ahead_kind, ahead_count FROM project_branches \
    WHERE project_id IN {ids:$1} ORDER BY project_id, position";
const AHEAD: &str = "UPDATE project_branches SET ahead_kind = $3, ahead_count = $4 \
    WHERE project_id = $1 AND branch = $2 \
    AND (ahead_kind <> $3 OR coalesce(ahead_count, -1) <> coalesce($4, -1))";
const PUBLISH: &str = "UPDATE project_branches SET handed_out = $3, dist_head = $4, update_number = $5, \
    fingerprint = $6, ahead_kind = $7, ahead_count = $8 WHERE project_id = $1 AND branch = $2";

pub(super) async fn insert(
    on: &mut On,
    project: ProjectId,
    branches: &[(BranchName, BranchName)],
) -> Result<()> {
    let rows: Vec<_> = branches
        .iter()
        .enumerate()
        .map(|(position, (branch, source))| {
            json!({ "position": position, "branch": branch, "source": source })
        })
        .collect();
    on.exec(INSERT, args![project.0, json_text(&rows)?]).await?;
    Ok(())
}

/// Fills in the branches of these projects.
pub(super) async fn add_to(on: &mut On, projects: &mut [Project]) -> Result<()> {
    let ids = id_list(projects.iter().map(|project| project.id.0))?;
    for found in on.rows(OF_PROJECTS, args![ids]).await? {
        let owner: Uuid = get(&found, "project_id")?;
        if let Some(project) = projects.iter_mut().find(|project| project.id.0 == owner) {
            project.branches.push(row(&found)?);
        }
    }
    Ok(())
}

/// Records how far the source is ahead; `true` when something changed.
pub(super) async fn note_ahead(
    on: &mut On,
    project: ProjectId,
    ahead: &[(BranchName, Ahead)],
) -> Result<bool> {
    let mut changed = false;
    for (branch, ahead) in ahead {
        let (kind, number) = ahead.parts();
        let args = args![project.0, branch.as_str(), kind.as_str(), number.map(i64::from)];
        changed |= on.exec(AHEAD, args).await? > 0;
    }
    Ok(changed)
}

pub(super) async fn publish(on: &mut On, project: ProjectId, new: &PublishedBranch) -> Result<()> {
    let (kind, number) = new.ahead.parts();
    let args = args![
        project.0,
        new.branch.as_str(),
        oid_text(new.handed_out.as_ref()),
        new.dist_head.to_string(),
        i64::from(new.update_number),
        &new.fingerprint,
        kind.as_str(),
        number.map(i64::from),
    ];
    match on.exec(PUBLISH, args).await? {
        1 => Ok(()),
        _ => Err(StoreError::NotFound(format!("the handed-out branch {}", new.branch))),
    }
}

fn row(row: &Row) -> Result<ProjectBranch> {
    let kind: AheadKind = parsed(row, "ahead_kind")?;
    Ok(ProjectBranch {
        branch: parsed(row, "branch")?,
        source_branch: parsed(row, "source_branch")?,
        handed_out: parsed_opt(row, "handed_out")?,
        dist_head: parsed_opt(row, "dist_head")?,
        update_number: count(row, "update_number")?,
        fingerprint: get(row, "fingerprint")?,
        ahead: Ahead::from_parts(kind, count_opt(row, "ahead_count")?),
    })
}
