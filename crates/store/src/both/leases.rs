//! `leases`: one row per project (docs/LEASES.md). The statements of the acts on it; the acts themselves are in `claim`,
//! `publish`, `finish`, `reclaim` and `line`. The token is bound and compared, never selected.
//!
//! The traps of docs/LEASES.md section 6 decide the shape: renew, publish and finish lock first by token and fence and read
//! the clock in a LATER statement; claim, cancel and reclaim are each one plain UPDATE.

use lockstep_domain::clock::Millis;
use lockstep_domain::ids::{ProjectId, RunId};
use lockstep_domain::lease::{CancelAsk, Fence, Holder, LeaseView, Progress, late_after_ms};
use uuid::Uuid;

use super::driver::{self, Row};
use super::history;
use super::on::On;
use super::row::{get, id_list, json_text, ms, ms_opt};
use crate::context::Owner;
use crate::contract::{Actor, ClaimRequest, Result, StoreError};

const INSERT: &str = "INSERT INTO leases (project_id) VALUES ($1)";

/// The ONE conditional update of a claim; free, or STALE, or proven dead; nothing deleted.
const CLAIM: &str = "UPDATE leases SET owner_token = $2, fence = {next_fence}, run_id = $3, window_ms = $8, \
    claimed_at = {now}, heartbeat_at = {now}, cancel_at = NULL, cancel_by = NULL, cancel_reason = NULL, \
    cancel_fence = NULL, progress = NULL, progress_at = NULL, person = $9, os_user = $10, host = $11, \
    pid = $12, process_start = $13, app_version = $14, boot_id = $15 \
    WHERE project_id = $1 AND ({free} OR {stale} OR {named_dead}) AND {project_alive} RETURNING fence";
/// After the claim has the row's lock: a deletion that it overtook is seen now.
const ALIVE: &str = "SELECT 1 AS alive FROM leases WHERE project_id = $1 AND {project_alive}";
const LOCK_OWNED: &str = "SELECT person, os_user, host, {ms:heartbeat_at} AS heartbeat_at \
    FROM leases WHERE project_id = $1 AND {owner} {for_update}";
const RENEW: &str = "UPDATE leases SET heartbeat_at = {now}, progress = coalesce($4, progress), \
    progress_at = CASE WHEN $4 IS NULL THEN progress_at ELSE {now} END \
    WHERE project_id = $1 AND {owner} AND {live} AND {project_alive} \
    RETURNING window_ms AS left_ms, {ms:cancel_at} AS cancel_at, cancel_by, cancel_reason, cancel_fence, fence, \
    window_ms, {ms:heartbeat_at} AS heartbeat_at";
const FENCE_CHECK: &str = "SELECT {ms:heartbeat_at} + window_ms - {now_ms} AS left_ms, \
    {ms:cancel_at} AS cancel_at, cancel_by, cancel_reason, cancel_fence, fence \
    FROM leases WHERE project_id = $1 AND {owner} AND {live}";
const PROGRESS: &str =
    "UPDATE leases SET progress = $4, progress_at = {now} WHERE project_id = $1 AND {owner}";
/// Clears the owner of a run that ends in time.
const FINISH: &str = "UPDATE leases SET owner_token = NULL, last_status = $4, last_fence = fence, \
    last_at = {now} WHERE project_id = $1 AND {owner} AND {live} AND {project_alive}";
/// Clears the owner whether expired or not.
const RELEASE: &str = "UPDATE leases SET owner_token = NULL, last_status = $4, last_fence = fence, \
    last_at = {now} WHERE project_id = $1 AND {owner}";
const CANCEL: &str = "UPDATE leases SET cancel_at = {now}, cancel_by = $3, cancel_reason = $4, \
    cancel_fence = fence WHERE project_id = $1 AND {seen_fence} AND {held} AND {no_cancel_yet} \
    RETURNING {ms:cancel_at} AS cancel_at";
const RECLAIM: &str = "UPDATE leases SET owner_token = NULL, last_status = 'interrupted', \
    last_fence = fence, last_at = {now} \
    WHERE project_id = $1 AND {seen_fence} AND {held} AND ({stale} OR {named_dead})";
const LOCK_IDLE: &str = "SELECT project_id FROM leases WHERE project_id IN {ids:$1} \
    ORDER BY project_id {for_update}";
const WAIT: &str = "SELECT fence FROM leases WHERE project_id = $1 {for_update}";
const OWNED_BY: &str = "SELECT fence FROM leases WHERE project_id = $1 AND {owner_token}";
const ONE: &str = "SELECT {lease_row} FROM leases WHERE project_id = $1";
const ALL: &str = "SELECT {lease_row} FROM leases \
    WHERE project_id IN (SELECT id FROM projects WHERE {undeleted}) ORDER BY project_id";

/// A row that this transaction has locked by token and fence.
#[derive(Debug)]
pub(super) struct Locked {
    /// Who holds it, for audit rows.
    pub(super) actor: Actor,
    /// The heartbeat before this transaction.
    beat_at: Option<Millis>,
}

/// What a renewal or a fence check found.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) left_ms: i64,
    pub(super) cancel: Option<CancelAsk>,
}

pub(super) async fn insert(on: &mut On, project: ProjectId) -> Result<()> {
    on.exec(INSERT, args![project.0]).await?;
    Ok(())
}

/// The fence won, if the row could be taken.
pub(super) async fn claim(
    on: &mut On,
    request: &ClaimRequest,
    dead: Option<&LeaseView>,
) -> Result<Option<Fence>> {
    let (fence, pid, start, boot) = named(dead);
    let holder = &request.holder;
    let args = args![
        request.project.0,
        request.token.expose().as_slice(),
        request.run.0,
        fence,
        pid,
        start,
        boot,
        request.window.ms(),
        &holder.person,
        &holder.os_user,
        &holder.host,
        i64::from(holder.pid),
        start_number(holder.process_start),
        &holder.app_version,
        &holder.boot_id,
    ];
    let won = on.row(CLAIM, args).await?;
    won.map(|row| get(&row, "fence").map(Fence)).transpose()
}

/// The holder that was proven dead, as the write compares it; a fence of -1 names nobody.
fn named(dead: Option<&LeaseView>) -> (i64, i64, i64, String) {
    match dead.and_then(|view| view.holder.as_ref().map(|holder| (view.fence, holder))) {
        Some((fence, holder)) => {
            (fence.0, i64::from(holder.pid), start_number(holder.process_start), holder.boot_id.clone())
        }
        None => (-1, -1, -1, String::new()),
    }
}

fn start_number(start: u64) -> i64 {
    i64::try_from(start).unwrap_or(i64::MAX)
}

/// Whether project and source exist undeleted, read after the lease row is locked.
pub(super) async fn project_alive(on: &mut On, project: ProjectId) -> Result<bool> {
    Ok(on.row(ALIVE, args![project.0]).await?.is_some())
}

/// Locks the row by token and fence: the first statement of every run-owned write.
pub(super) async fn lock_owned(on: &mut On, owner: &Owner) -> Result<Option<Locked>> {
    let found = on.row(LOCK_OWNED, args![owner.project.0, owner.token(), owner.fence.0]).await?;
    let Some(row) = found else { return Ok(None) };
    let (user, host): (Option<String>, Option<String>) = (get(&row, "os_user")?, get(&row, "host")?);
    let actor = Actor {
        person: get::<Option<String>>(&row, "person")?.unwrap_or_default(),
        machine: format!("{}@{}", user.unwrap_or_default(), host.unwrap_or_default()),
    };
    Ok(Some(Locked { actor, beat_at: ms_opt(&row, "heartbeat_at")? }))
}

/// The same, when zero rows mean that the lease is lost.
pub(super) async fn must_own(on: &mut On, owner: &Owner) -> Result<Locked> {
    lock_owned(on, owner).await?.ok_or(StoreError::LeaseLost)
}

/// Renews a row that this transaction has locked; `None`: expired or deleted. A renewal of a lease that was late already
/// is told in the history.
pub(super) async fn renew(
    on: &mut On,
    owner: &Owner,
    locked: &Locked,
    progress: Option<&Progress>,
) -> Result<Option<Found>> {
    let progress = progress.map(progress_text).transpose()?;
    let args = args![owner.project.0, owner.token(), owner.fence.0, progress];
    let Some(row) = on.row(RENEW, args).await? else { return Ok(None) };
    let (beat, window): (Millis, i64) = (ms(&row, "heartbeat_at")?, get(&row, "window_ms")?);
    if let Some(age) =
        locked.beat_at.map(|before| beat.since(before)).filter(|age| *age > late_after_ms(window))
    {
        history::renewed_late(on, owner, &locked.actor, age, window).await?;
    }
    found(&row).map(Some)
}

pub(super) async fn fence_check(on: &mut On, owner: &Owner) -> Result<Option<Found>> {
    let args = args![owner.project.0, owner.token(), owner.fence.0];
    on.row(FENCE_CHECK, args).await?.as_ref().map(found).transpose()
}

pub(super) async fn progress(on: &mut On, owner: &Owner, progress: &Progress) -> Result<bool> {
    let args = args![owner.project.0, owner.token(), owner.fence.0, progress_text(progress)?];
    Ok(on.exec(PROGRESS, args).await? == 1)
}

/// Clears the owner of a row that this transaction has locked, LIVE and not deleted.
pub(super) async fn finish(on: &mut On, owner: &Owner, status: &str) -> Result<bool> {
    let args = args![owner.project.0, owner.token(), owner.fence.0, status];
    Ok(on.exec(FINISH, args).await? == 1)
}

/// Clears the owner of a row that this transaction has locked, also when expired.
pub(super) async fn release(on: &mut On, owner: &Owner, status: &str) -> Result<bool> {
    let args = args![owner.project.0, owner.token(), owner.fence.0, status];
    Ok(on.exec(RELEASE, args).await? == 1)
}

/// Stamps a cancel; `false` when there is nothing to stamp.
pub(super) async fn cancel(
    on: &mut On,
    project: ProjectId,
    fence: Fence,
    by: &str,
    reason: &str,
) -> Result<bool> {
    Ok(on.row(CANCEL, args![project.0, fence.0, by, reason]).await?.is_some())
}

/// Clears the owner when the rule allows it in the write itself.
pub(super) async fn reclaim(
    on: &mut On,
    project: ProjectId,
    fence: Fence,
    dead: Option<&LeaseView>,
) -> Result<bool> {
    let (dead_fence, pid, start, boot) = named(dead);
    // $3 keeps the place of the fence in `{owner}`; a reclaim has no token.
    let args = args![project.0, fence.0, fence.0, dead_fence, pid, start, boot];
    Ok(on.exec(RECLAIM, args).await? == 1)
}

/// Locks the rows of these projects in id order and refuses while one is live.
pub(super) async fn lock_idle(on: &mut On, projects: &[ProjectId]) -> Result<()> {
    on.rows(LOCK_IDLE, args![id_list(projects.iter().map(|p| p.0))?]).await?;
    for project in projects {
        let view = one(on, *project).await?;
        if let Some(view) = view.filter(|view| view.held && !view.proven_dead && view.left_ms() > 0) {
            return Err(StoreError::Held(Box::new(view)));
        }
    }
    Ok(())
}

/// Locks the row whoever owns it: a transaction in flight has ended afterwards.
pub(super) async fn wait(on: &mut On, project: ProjectId) -> Result<()> {
    on.rows(WAIT, args![project.0]).await.map(drop)
}

/// Whether the row is owned by this token: resolves a COMMIT whose answer was lost.
pub(super) async fn owned_by(on: &mut On, request: &ClaimRequest) -> Result<Option<Fence>> {
    let found = on.row(OWNED_BY, args![request.project.0, request.token.expose().as_slice()]).await?;
    found.map(|row| get(&row, "fence").map(Fence)).transpose()
}

pub(super) async fn one(on: &mut On, project: ProjectId) -> Result<Option<LeaseView>> {
    let found = on.row(ONE, args![project.0]).await?;
    found.map(|row| view(on, &row)).transpose()
}

pub(super) async fn all(on: &mut On) -> Result<Vec<LeaseView>> {
    let rows = on.rows(ALL, args![]).await?;
    rows.iter().map(|row| view(on, row)).collect()
}

fn progress_text(progress: &Progress) -> Result<String> {
    let mut short = progress.clone();
    let mut text = json_text(&short)?;
    while text.len() > 2048 && !short.current.is_empty() {
        let keep = short.current.chars().count() / 2;
        short.current = short.current.chars().take(keep).collect();
        text = json_text(&short)?;
    }
    Ok(text)
}

fn found(row: &Row) -> Result<Found> {
    Ok(Found { left_ms: get(row, "left_ms")?, cancel: cancel_of(row)? })
}

fn cancel_of(row: &Row) -> Result<Option<CancelAsk>> {
    let fence: i64 = get(row, "fence")?;
    let asked_for: Option<i64> = get(row, "cancel_fence")?;
    let Some(at) = ms_opt(row, "cancel_at")?.filter(|_at| asked_for == Some(fence)) else { return Ok(None) };
    Ok(Some(CancelAsk {
        at,
        by: get::<Option<String>>(row, "cancel_by")?.unwrap_or_default(),
        reason: get::<Option<String>>(row, "cancel_reason")?.unwrap_or_default(),
    }))
}

fn view(on: &On, row: &Row) -> Result<LeaseView> {
    let progress: Option<String> = get(row, "progress")?;
    let progress_at = ms_opt(row, "progress_at")?;
    let last: Option<String> = get(row, "last_status")?;
    let last_at = get::<Option<i64>>(row, "last_fence")?.zip(ms_opt(row, "last_at")?);
    let mut view = LeaseView {
        project: ProjectId(get(row, "project_id")?),
        held: get(row, "held")?,
        fence: Fence(get(row, "fence")?),
        run: get::<Option<Uuid>>(row, "run_id")?.map(RunId),
        window_ms: get(row, "window_ms")?,
        claimed_at: ms_opt(row, "claimed_at")?,
        heartbeat_at: ms_opt(row, "heartbeat_at")?,
        holder: holder(row)?,
        cancel: cancel_of(row)?,
        // A snapshot of an older or newer program that cannot be read is no reason to hide the lease.
        progress: progress.and_then(|text| serde_json::from_str(&text).ok()).zip(progress_at),
        last: last
            .zip(last_at)
            .map(|(status, (fence, at)): (String, (i64, Millis))| (status, Fence(fence), at)),
        db_now: ms(row, "db_now")?,
        proven_dead: false,
    };
    view.proven_dead =
        view.held && driver::PROVES_DEATH && view.holder.as_ref().is_some_and(|h| is_dead(on, h));
    Ok(view)
}

fn holder(row: &Row) -> Result<Option<Holder>> {
    let Some(person) = get::<Option<String>>(row, "person")? else { return Ok(None) };
    let text = |column| get::<Option<String>>(row, column).map(Option::unwrap_or_default);
    let number = |column| get::<Option<i64>>(row, column).map(Option::unwrap_or_default);
    Ok(Some(Holder {
        person,
        os_user: text("os_user")?,
        host: text("host")?,
        pid: u32::try_from(number("pid")?).unwrap_or_default(),
        process_start: u64::try_from(number("process_start")?).unwrap_or_default(),
        started_at: get(row, "started_at")?,
        app_version: text("app_version")?,
        boot_id: text("boot_id")?,
    }))
}

/// Another boot of this machine, or the same boot without that process. Where no boot id exists only time judges.
pub(super) fn is_dead(on: &On, holder: &Holder) -> bool {
    let processes = &on.ctx.host.processes;
    let boot = processes.boot_id();
    if boot.is_empty() || holder.boot_id.is_empty() {
        return false;
    }
    holder.boot_id != boot || !processes.exists(holder.pid, holder.process_start)
}
