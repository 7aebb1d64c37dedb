//! `recipients`: the repositories that get the updates.

use lockstep_domain::ids::{ProjectId, RecipientId};
use lockstep_domain::model::{BranchMapping, Recipient};
use serde_json::json;

use super::audit;
use super::driver::Row;
use super::on::On;
use super::row::{get, id_list, json, json_text, ms, ms_opt, parsed, repo};
use crate::contract::{Actor, NewRecipient, PassRead, RecipientPatch, Result, StoreError};

const OF_PROJECT: &str =
    "SELECT {recipient_row} FROM recipients r WHERE r.project_id = $1 ORDER BY r.owner, r.name, r.id";
const SOME: &str = "SELECT {recipient_row} FROM recipients r \
    WHERE r.project_id = $1 AND r.id IN {ids:$2} ORDER BY r.owner, r.name, r.id";
const ONE: &str = "SELECT {recipient_row} FROM recipients r WHERE r.id = $1 {for_no_key_update}";
const INSERT: &str = "INSERT INTO recipients \
    (id, project_id, connection_id, repo_id, node_id, owner, name, label, deadline, state, mapping, created_at) \
    SELECT {uuid:j.value->>'id'}, $1, {uuid:j.value->>'connection'}, {int:j.value->>'repo'}, \
    j.value->>'node', j.value->>'owner', j.value->>'name', j.value->>'label', {time:j.value->>'deadline'}, \
    j.value->>'state', j.value->>'mapping', {now} FROM {each:$2}";
/// Whole rows at once: a list of thousands is one statement.
const UPDATE: &str = "UPDATE recipients SET label = j.value->>'label', \
    deadline = {time:j.value->>'deadline'}, locked = ((j.value->>'locked') = 'yes'), \
    state = j.value->>'state', mapping = j.value->>'mapping', owner = j.value->>'owner', \
    name = j.value->>'name', node_id = j.value->>'node' FROM {each:$1} \
    WHERE recipients.id = {uuid:j.value->>'id'}";
const PASS_READ: &str = "SELECT {now_ms} AS db_now, p.state AS project_state, \
    (p.deleted_at IS NOT NULL OR s.deleted_at IS NOT NULL) AS deleted, {ms:p.deadline} AS project_deadline, \
    r.id AS found, {recipient_row} \
    FROM projects p JOIN sources s ON s.id = p.source_id \
    LEFT JOIN recipients r ON r.project_id = p.id AND r.id = $2 WHERE p.id = $1";

pub(super) async fn of_project(on: &mut On, project: ProjectId) -> Result<Vec<Recipient>> {
    on.rows(OF_PROJECT, args![project.0]).await?.iter().map(row).collect()
}

pub(super) async fn some(on: &mut On, project: ProjectId, some: &[RecipientId]) -> Result<Vec<Recipient>> {
    let ids = id_list(some.iter().map(|recipient| recipient.0))?;
    on.rows(SOME, args![project.0, ids]).await?.iter().map(row).collect()
}

/// Inserts all of them; the ids are the caller's.
pub(super) async fn insert(
    on: &mut On,
    project: ProjectId,
    new: &[(RecipientId, &NewRecipient)],
) -> Result<()> {
    if new.is_empty() {
        return Ok(());
    }
    let rows = new
        .iter()
        .map(|(id, new)| {
            Ok(json!({
                "id": id,
                "connection": new.repo.connection,
                "repo": new.repo.id,
                "node": new.repo.node_id,
                "owner": new.repo.slug.owner,
                "name": new.repo.slug.name,
                "label": new.label,
                "deadline": new.deadline,
                "state": new.state,
                "mapping": json_text(&new.mapping)?,
            }))
        })
        .collect::<Result<Vec<_>>>()?;
    on.exec(INSERT, args![project.0, json_text(&rows)?]).await?;
    Ok(())
}

/// Writes whole recipients back.
pub(super) async fn update(on: &mut On, changed: &[Recipient]) -> Result<()> {
    if changed.is_empty() {
        return Ok(());
    }
    let rows = changed
        .iter()
        .map(|recipient| {
            Ok(json!({
                "id": recipient.id,
                "label": recipient.label,
                "deadline": recipient.deadline,
                "locked": if recipient.locked { "yes" } else { "no" },
                "state": recipient.state,
                "mapping": json_text(&recipient.mapping)?,
                "owner": recipient.repo.slug.owner,
                "name": recipient.repo.slug.name,
                "node": recipient.repo.node_id,
            }))
        })
        .collect::<Result<Vec<_>>>()?;
    on.exec(UPDATE, args![json_text(&rows)?]).await?;
    Ok(())
}

/// Applies a patch to a recipient (of this project, when given); the new state when something changed.
pub(super) async fn patch(
    on: &mut On,
    id: RecipientId,
    project: Option<ProjectId>,
    patch: &RecipientPatch,
) -> Result<Option<Recipient>> {
    let found = on.row(ONE, args![id.0]).await?;
    let old = found.as_ref().map(row).transpose()?;
    let old = old
        .filter(|recipient| project.is_none_or(|project| project == recipient.project))
        .ok_or_else(|| StoreError::NotFound("the recipient".into()))?;
    let mut new = old.clone();
    if let Some(state) = patch.state {
        new.state = state;
    }
    if let Some(locked) = patch.locked {
        new.locked = locked;
    }
    if let Some(deadline) = patch.deadline {
        new.deadline = deadline;
    }
    if let Some(label) = &patch.label {
        new.label.clone_from(label);
    }
    if let Some(mapping) = &patch.mapping {
        new.mapping.clone_from(mapping);
    }
    if let Some(slug) = &patch.slug {
        new.repo.slug.clone_from(slug);
    }
    if new == old {
        return Ok(None);
    }
    update(on, std::slice::from_ref(&new)).await?;
    on.feed("recipient", Some(new.project), &id);
    Ok(Some(new))
}

pub(super) async fn edit(on: &mut On, id: RecipientId, change: &RecipientPatch, actor: &Actor) -> Result<()> {
    let Some(new) = patch(on, id, None, change).await? else { return Ok(()) };
    let detail = json!({
        "recipient": id,
        "repository": new.repo.slug,
        "state": change.state,
        "locked": change.locked,
        "deadline_changed": change.deadline.is_some(),
        "deadline": change.deadline.flatten(),
        "label": change.label,
        "mapping": change.mapping,
    });
    audit::write(on, actor, Some(new.project), "recipient.edited", &detail).await
}

/// Project, recipient and clock in one statement.
pub(super) async fn pass_read(on: &mut On, project: ProjectId, recipient: RecipientId) -> Result<PassRead> {
    let found = on.row(PASS_READ, args![project.0, recipient.0]).await?;
    let found = found.ok_or_else(|| StoreError::NotFound("the project".into()))?;
    let there: Option<uuid::Uuid> = get(&found, "found")?;
    Ok(PassRead {
        db_now: ms(&found, "db_now")?,
        project_state: parsed(&found, "project_state")?,
        deleted: get(&found, "deleted")?,
        deadline: ms_opt(&found, "project_deadline")?,
        recipient: there.map(|_id| row(&found)).transpose()?,
    })
}

fn row(row: &Row) -> Result<Recipient> {
    Ok(Recipient {
        id: RecipientId(get(row, "id")?),
        project: ProjectId(get(row, "project_id")?),
        repo: repo(row)?,
        label: get(row, "label")?,
        deadline: ms_opt(row, "deadline")?,
        locked: get(row, "locked")?,
        state: parsed(row, "state")?,
        mapping: json::<Vec<BranchMapping>>(row, "mapping")?,
    })
}
