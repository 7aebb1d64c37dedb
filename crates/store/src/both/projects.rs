//! `projects`: one source handed out to many recipients.

use lockstep_domain::ahead::Ahead;
use lockstep_domain::clock::Millis;
use lockstep_domain::ids::{ConnectionId, ProjectId, RepoId, SourceId};
use lockstep_domain::model::{Project, ProjectState, RepoIdent};
use lockstep_domain::names::{BranchName, RepoSlug};
use serde_json::json;

use super::driver::Row;
use super::on::On;
use super::row::{Named as _, get, ms, ms_opt, parsed};
use super::{audit, leases, project_branches, sources};
use crate::contract::{Actor, NewProject, Result, StoreError};

const INSERT: &str = "INSERT INTO projects (id, name, source_id, strategy, state, deadline, note, created_at) \
    VALUES ($1, $2, $3, $4, $5, {at:$6}, $7, {now})";
const ALL: &str = "SELECT {project_row} FROM projects WHERE {undeleted} ORDER BY name";
const ONE: &str = "SELECT {project_row} FROM projects WHERE id = $1";
const HOLD: &str = "SELECT id, state FROM projects WHERE id = $1 AND {undeleted} {for_no_key_update}";
const SET_STATE: &str = "UPDATE projects SET state = $2 WHERE id = $1 AND {undeleted}";
const EDIT: &str = "UPDATE projects SET deadline = CASE WHEN $2 THEN {at:$3} ELSE deadline END, \
    note = coalesce($4, note) WHERE id = $1 AND {undeleted}";
const DELETE: &str = "UPDATE projects SET deleted_at = {now} WHERE id = $1 AND {undeleted}";
const SET_DISTRIBUTION: &str = "UPDATE projects SET dist_connection_id = $2, dist_repo_id = $3, \
    dist_node_id = $4, dist_owner = $5, dist_name = $6 WHERE id = $1";

fn missing() -> StoreError {
    StoreError::NotFound("the project".into())
}

pub(super) async fn insert(on: &mut On, new: &NewProject, actor: &Actor) -> Result<Project> {
    if !sources::hold(on, new.source).await? {
        return Err(StoreError::NotFound("the source".into()));
    }
    let id = ProjectId(on.fresh());
    let args = args![
        id.0,
        &new.name,
        new.source.0,
        new.strategy.as_str(),
        new.state.as_str(),
        new.deadline.map(|at| at.0),
        &new.note,
    ];
    on.exec(INSERT, args).await.named(|| format!("a project named {}", new.name))?;
    project_branches::insert(on, id, &new.branches).await?;
    leases::insert(on, id).await?;
    let detail = json!({ "name": new.name, "source": new.source.0, "strategy": new.strategy });
    audit::write(on, actor, Some(id), "project.created", &detail).await?;
    on.feed("project", Some(id), &id);
    one(on, id).await?.ok_or_else(missing)
}

pub(super) async fn all(on: &mut On) -> Result<Vec<Project>> {
    let mut projects = on.rows(ALL, args![]).await?.iter().map(row).collect::<Result<Vec<_>>>()?;
    project_branches::add_to(on, &mut projects).await?;
    Ok(projects)
}

pub(super) async fn one(on: &mut On, id: ProjectId) -> Result<Option<Project>> {
    let Some(found) = on.row(ONE, args![id.0]).await? else { return Ok(None) };
    let mut projects = vec![row(&found)?];
    project_branches::add_to(on, &mut projects).await?;
    Ok(projects.pop())
}

/// Locks a project that is not deleted against changes by others; its state.
pub(super) async fn hold(on: &mut On, id: ProjectId) -> Result<ProjectState> {
    let found = on.row(HOLD, args![id.0]).await?.ok_or_else(missing)?;
    parsed(&found, "state")
}

pub(super) async fn set_state(on: &mut On, id: ProjectId, to: ProjectState, actor: &Actor) -> Result<()> {
    leases::lock_idle(on, &[id]).await?;
    let from = hold(on, id).await?;
    if from == to {
        return Ok(());
    }
    on.exec(SET_STATE, args![id.0, to.as_str()]).await?;
    let detail = json!({ "from": from, "to": to });
    audit::write(on, actor, Some(id), "project.state_changed", &detail).await?;
    on.feed("project", Some(id), &id);
    Ok(())
}

pub(super) async fn edit(
    on: &mut On,
    id: ProjectId,
    deadline: Option<Option<Millis>>,
    note: Option<&str>,
    actor: &Actor,
) -> Result<()> {
    let at = deadline.flatten().map(|at| at.0);
    if on.exec(EDIT, args![id.0, deadline.is_some(), at, note]).await? == 0 {
        return Err(missing());
    }
    let detail = json!({ "deadline_changed": deadline.is_some(), "deadline": at, "note": note });
    audit::write(on, actor, Some(id), "project.edited", &detail).await?;
    on.feed("project", Some(id), &id);
    Ok(())
}

pub(super) async fn delete(on: &mut On, id: ProjectId, actor: &Actor) -> Result<()> {
    leases::lock_idle(on, &[id]).await?;
    if on.exec(DELETE, args![id.0]).await? == 0 {
        return Err(missing());
    }
    audit::write(on, actor, Some(id), "project.deleted", &json!({})).await?;
    on.feed("project", Some(id), &id);
    Ok(())
}

pub(super) async fn note_ahead(on: &mut On, id: ProjectId, ahead: &[(BranchName, Ahead)]) -> Result<()> {
    if project_branches::note_ahead(on, id, ahead).await? {
        on.feed("project", Some(id), &id);
    }
    Ok(())
}

pub(super) async fn set_distribution(on: &mut On, id: ProjectId, repo: &RepoIdent) -> Result<()> {
    let slug = &repo.slug;
    let args = args![id.0, repo.connection.0, repo.id.0, &repo.node_id, &slug.owner, &slug.name];
    on.exec(SET_DISTRIBUTION, args).await.named(|| format!("a project with the distribution {slug}"))?;
    Ok(())
}

fn row(row: &Row) -> Result<Project> {
    Ok(Project {
        id: ProjectId(get(row, "id")?),
        name: get(row, "name")?,
        source: SourceId(get(row, "source_id")?),
        strategy: parsed(row, "strategy")?,
        state: parsed(row, "state")?,
        deadline: ms_opt(row, "deadline")?,
        note: get(row, "note")?,
        distribution: distribution(row)?,
        branches: Vec::new(),
        deleted_at: ms_opt(row, "deleted_at")?,
        created_at: ms(row, "created_at")?,
    })
}

fn distribution(row: &Row) -> Result<Option<RepoIdent>> {
    let Some(id) = get::<Option<i64>>(row, "dist_repo_id")? else { return Ok(None) };
    Ok(Some(RepoIdent {
        connection: ConnectionId(get(row, "dist_connection_id")?),
        id: RepoId(id),
        node_id: get(row, "dist_node_id")?,
        slug: RepoSlug { owner: get(row, "dist_owner")?, name: get(row, "dist_name")? },
    }))
}
