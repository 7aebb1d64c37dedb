//! `sources` and `source_heads`: repositories that staff registered, and the newest seen heads of their branches.

use lockstep_domain::code::Code;
use lockstep_domain::ids::{ProjectId, SourceId};
use lockstep_domain::model::{RepoIdent, Source, SourceHead};
use lockstep_domain::names::{BranchName, Oid, RepoSlug};
use serde_json::json;
use uuid::Uuid;

use super::driver::Row;
use super::on::On;
use super::row::{Named as _, get, id_list, json_text, ms, ms_opt, parsed, parsed_opt, repo};
use super::{audit, leases};
use crate::contract::{Actor, Result, StoreError};

const INSERT: &str = "INSERT INTO sources (id, connection_id, repo_id, node_id, owner, name, created_at) \
    VALUES ($1, $2, $3, $4, $5, $6, {now})";
const ALL: &str = "SELECT {source_row} FROM sources WHERE {undeleted} ORDER BY owner, name, id";
const ONE: &str = "SELECT {source_row} FROM sources WHERE id = $1";
const HEADS: &str = "SELECT source_id, branch, oid, {ms:seen_at} AS seen_at FROM source_heads \
    WHERE source_id IN {ids:$1} ORDER BY branch";
const LOCK: &str =
    "SELECT trouble, owner, name FROM sources WHERE id = $1 AND {undeleted} {for_no_key_update}";
const NOTE: &str = "UPDATE sources SET checked_at = {now}, trouble = $2, owner = $3, name = $4 WHERE id = $1";
const SEE: &str = "INSERT INTO source_heads (source_id, branch, oid, seen_at) \
    SELECT $1, j.value->>'branch', j.value->>'oid', {now} FROM {each:$2} WHERE TRUE \
    ON CONFLICT (source_id, branch) DO UPDATE SET oid = excluded.oid, seen_at = excluded.seen_at \
    WHERE source_heads.oid IS NULL OR source_heads.oid <> excluded.oid";
const LOSE: &str = "UPDATE source_heads SET oid = NULL, seen_at = {now} WHERE source_id = $1 \
    AND oid IS NOT NULL AND branch NOT IN (SELECT j.value->>'branch' FROM {each:$2})";
const PROJECTS: &str = "SELECT id FROM projects WHERE source_id = $1 AND {undeleted} ORDER BY id";
const RETIRE: &str = "UPDATE sources SET deleted_at = {now} WHERE id = $1 AND {undeleted}";
/// Locks a source against retirement while a project is made for it.
const HOLD: &str = "SELECT id FROM sources WHERE id = $1 AND {undeleted} {for_share}";

pub(super) async fn insert(on: &mut On, new: &RepoIdent, actor: &Actor) -> Result<Source> {
    let id = SourceId(on.fresh());
    let slug = &new.slug;
    let args = args![id.0, new.connection.0, new.id.0, &new.node_id, &slug.owner, &slug.name];
    on.exec(INSERT, args).await.named(|| format!("the source {slug}"))?;
    let detail = json!({ "source": id.0, "repository": slug.to_string() });
    audit::write(on, actor, None, "source.registered", &detail).await?;
    on.feed("source", None, &id);
    one(on, id).await?.ok_or_else(|| StoreError::NotFound("the source".into()))
}

pub(super) async fn all(on: &mut On) -> Result<Vec<Source>> {
    let mut sources = on.rows(ALL, args![]).await?.iter().map(row).collect::<Result<Vec<_>>>()?;
    add_heads(on, &mut sources).await?;
    Ok(sources)
}

pub(super) async fn one(on: &mut On, id: SourceId) -> Result<Option<Source>> {
    let Some(found) = on.row(ONE, args![id.0]).await? else { return Ok(None) };
    let mut sources = vec![row(&found)?];
    add_heads(on, &mut sources).await?;
    Ok(sources.pop())
}

async fn add_heads(on: &mut On, sources: &mut [Source]) -> Result<()> {
    let ids = id_list(sources.iter().map(|source| source.id.0))?;
    for row in on.rows(HEADS, args![ids]).await? {
        let owner: Uuid = get(&row, "source_id")?;
        if let Some(source) = sources.iter_mut().find(|source| source.id.0 == owner) {
            source.heads.push(SourceHead {
                branch: parsed(&row, "branch")?,
                oid: parsed_opt(&row, "oid")?,
                seen_at: ms(&row, "seen_at")?,
            });
        }
    }
    Ok(())
}

pub(super) async fn note(
    on: &mut On,
    id: SourceId,
    heads: Option<&[(BranchName, Oid)]>,
    trouble: Option<Code>,
    slug: Option<&RepoSlug>,
) -> Result<()> {
    let found = on.row(LOCK, args![id.0]).await?;
    let found = found.ok_or_else(|| StoreError::NotFound("the source".into()))?;
    let known = RepoSlug { owner: get(&found, "owner")?, name: get(&found, "name")? };
    let old_trouble: Option<String> = get(&found, "trouble")?;
    let slug = slug.unwrap_or(&known);
    let trouble = trouble.map(Code::as_str);
    on.exec(NOTE, args![id.0, trouble, &slug.owner, &slug.name]).await?;
    let mut changed = old_trouble.as_deref() != trouble || *slug != known;
    if let Some(heads) = heads {
        let list: Vec<_> =
            heads.iter().map(|(branch, oid)| json!({ "branch": branch, "oid": oid })).collect();
        let list = json_text(&list)?;
        changed |= on.exec(SEE, args![id.0, &list]).await? > 0;
        changed |= on.exec(LOSE, args![id.0, &list]).await? > 0;
    }
    if changed {
        on.feed("source", None, &id);
    }
    Ok(())
}

/// Soft-deletes; the lease rows of its projects are locked first, in id order.
pub(super) async fn retire(on: &mut On, id: SourceId, actor: &Actor) -> Result<()> {
    if on.row(LOCK, args![id.0]).await?.is_none() {
        return Err(StoreError::NotFound("the source".into()));
    }
    let projects: Vec<ProjectId> = on
        .rows(PROJECTS, args![id.0])
        .await?
        .iter()
        .map(|row| get(row, "id").map(ProjectId))
        .collect::<Result<_>>()?;
    leases::lock_idle(on, &projects).await?;
    on.exec(RETIRE, args![id.0]).await?;
    audit::write(on, actor, None, "source.retired", &json!({ "source": id.0 })).await?;
    on.feed("source", None, &id);
    projects.iter().for_each(|project| on.feed("project", Some(*project), &project));
    Ok(())
}

/// Whether it exists and is not deleted; it stays so until the transaction ends.
pub(super) async fn hold(on: &mut On, id: SourceId) -> Result<bool> {
    Ok(on.row(HOLD, args![id.0]).await?.is_some())
}

fn row(row: &Row) -> Result<Source> {
    Ok(Source {
        id: SourceId(get(row, "id")?),
        repo: repo(row)?,
        heads: Vec::new(),
        checked_at: ms_opt(row, "checked_at")?,
        trouble: parsed_opt(row, "trouble")?,
        deleted_at: ms_opt(row, "deleted_at")?,
        created_at: ms(row, "created_at")?,
    })
}
