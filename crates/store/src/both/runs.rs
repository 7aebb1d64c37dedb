//! `runs`: one press each. Born by the claim, ended by finish, release, reclaim or the next claim.

use lockstep_domain::code::Code;
use lockstep_domain::ids::{ProjectId, RunId};
use lockstep_domain::lease::Fence;
use lockstep_domain::model::{Counts, Run, Spent};
use lockstep_domain::outcome::RunStatus;
use uuid::Uuid;

use super::driver::{self, Row};
use super::leases;
use super::on::On;
use super::row::{get, json, json_text, ms, ms_opt, parsed, parsed_opt};
use crate::contract::{ClaimRequest, Ending, Result, StoreError};

const BORN: &str = "INSERT INTO runs \
    (id, project_id, fence, kind, holder, selection, started_at, status, counts, spent, resumes) \
    SELECT $1, project_id, fence, $3, $4, $5, claimed_at, 'running', $6, $7, $8 \
    FROM leases WHERE project_id = $2 AND run_id = $1";
const INTERRUPT: &str = "UPDATE runs SET status = 'interrupted', ended_at = coalesce(ended_at, {now}), \
    error_code = coalesce(error_code, $2), error_text = coalesce(error_text, $3) \
    WHERE project_id = $1 AND {running} RETURNING id";
const END: &str = "UPDATE runs SET status = $3, ended_at = coalesce(ended_at, {now}), error_code = $4, \
    error_text = $5, counts = $6, spent = $7 WHERE id = $1 AND project_id = $2 AND {running}";
const ONE: &str = "SELECT {run_row} FROM runs WHERE id = $1";
const OF_PROJECT: &str = "SELECT {run_row} FROM runs WHERE project_id = $1 ORDER BY fence DESC LIMIT $2";
const NEWEST: &str = "SELECT {run_row} FROM runs ORDER BY started_at DESC, id DESC LIMIT $1";

/// The new run, owned by the lease that was just claimed; it starts when the lease was claimed.
pub(super) async fn born(on: &mut On, request: &ClaimRequest) -> Result<Run> {
    let args = args![
        request.run.0,
        request.project.0,
        request.kind.as_str(),
        json_text(&request.holder)?,
        json_text(&request.selection)?,
        json_text(&Counts::default())?,
        json_text(&Spent::default())?,
        request.resumes.map(|run| run.0),
    ];
    on.exec(BORN, args).await?;
    on.feed("run", Some(request.project), &request.run);
    one(on, request.run).await?.ok_or_else(|| StoreError::Failed("the run was not born".into()))
}

/// Ends whatever still runs in this project: its holder is gone. The text says what to do.
pub(super) async fn interrupt(on: &mut On, project: ProjectId, text: &str) -> Result<Option<RunId>> {
    let args = args![project.0, Code::LeaseLost.as_str(), text];
    let Some(row) = on.row(INTERRUPT, args).await? else { return Ok(None) };
    let run = RunId(get(&row, "id")?);
    on.feed("run", Some(project), &run);
    Ok(Some(run))
}

/// Writes the computed end of a run.
pub(super) async fn end(on: &mut On, run: RunId, project: ProjectId, ending: &Ending) -> Result<()> {
    let (code, text) = ending.error.clone().unzip();
    let args = args![
        run.0,
        project.0,
        ending.status.as_str(),
        code.map(Code::as_str),
        text,
        json_text(&ending.counts)?,
        json_text(&ending.spent)?,
    ];
    on.exec(END, args).await?;
    on.feed("run", Some(project), &run);
    Ok(())
}

pub(super) async fn one(on: &mut On, id: RunId) -> Result<Option<Run>> {
    let found = on.row(ONE, args![id.0]).await?;
    found.map(|found| row(on, &found)).transpose()
}

pub(super) async fn newest(on: &mut On, project: Option<ProjectId>, limit: u32) -> Result<Vec<Run>> {
    let limit = i64::from(limit);
    let rows = match project {
        Some(project) => on.rows(OF_PROJECT, args![project.0, limit]).await?,
        None => on.rows(NEWEST, args![limit]).await?,
    };
    rows.iter().map(|found| row(on, found)).collect()
}

fn row(on: &On, row: &Row) -> Result<Run> {
    let code: Option<Code> = parsed_opt(row, "error_code")?;
    let text: Option<String> = get(row, "error_text")?;
    let mut run = Run {
        id: RunId(get(row, "id")?),
        project: ProjectId(get(row, "project_id")?),
        fence: Fence(get(row, "fence")?),
        kind: parsed(row, "kind")?,
        holder: json(row, "holder")?,
        selection: json(row, "selection")?,
        started_at: ms(row, "started_at")?,
        ended_at: ms_opt(row, "ended_at")?,
        status: parsed(row, "status")?,
        error: code.map(|code| (code, text.unwrap_or_default())),
        counts: json(row, "counts")?,
        spent: json(row, "spent")?,
        resumes: get::<Option<Uuid>>(row, "resumes")?.map(RunId),
    };
    if run.status == RunStatus::Running && driver::PROVES_DEATH && leases::is_dead(on, &run.holder) {
        run.status = RunStatus::Interrupted;
    }
    Ok(run)
}
