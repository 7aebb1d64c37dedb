//! Runs: pressing Sync, asking a run to stop, reading what runs did.

use lockstep_domain::code::Code;
use lockstep_domain::ids::{ProjectId, RunId};
use lockstep_domain::lease::{Holder, LeaseView};
use lockstep_domain::model::{Project, Run, Selection};
use lockstep_domain::outcome::RunStatus;
use lockstep_engine::{EngineError, SyncRequest};
use lockstep_store::CancelResult;

use crate::app::App;
use crate::error::{Result, sentence};
use crate::rows::count;
use crate::wire::{ApiError, RunView, SelectionKind, SyncInput, SyncStarted};
use crate::words::ms;
use crate::{input, leases};

/// Most runs that a list shows.
const MOST: u32 = 500;

/// Presses Sync; returns as soon as the claim stands. The run goes on in this process.
///
/// # Errors
/// `bad_input`, and every refusal that leaves nothing behind; `sync_in_progress` with the holder.
pub async fn start(app: &App, sync: SyncInput) -> Result<SyncStarted> {
    let project = input::project(&sync.project)?;
    let request = SyncRequest {
        project,
        selection: selection(&sync)?,
        resumes: sync.resumes.as_deref().map(input::run).transpose()?,
        send_again: false,
    };
    let press = match app.engine().press(request).await {
        Ok(press) => press,
        Err(error) => return Err(with_holder(app, error, project).await),
    };
    let started = SyncStarted { run: press.run_id().to_string(), fence: press.fence().to_string() };
    app.presses().keep(project, press);
    Ok(started)
}

/// The holder of the refusal with the project's name, as this process sees it.
pub(crate) async fn with_holder(app: &App, error: EngineError, project: ProjectId) -> ApiError {
    let view = error.holder.clone();
    let refused = ApiError::from(error);
    let (Some(view), Ok(Some(project))) = (view, app.store().project(project).await) else { return refused };
    refused.held_by(leases::card(&view, &project.name, &app.holder()))
}

fn selection(sync: &SyncInput) -> Result<Selection> {
    match sync.selection.as_str() {
        "all" => Ok(Selection::All),
        "owed" => Ok(Selection::Owed),
        "these" if sync.recipients.is_empty() => {
            Err(ApiError::bad_input("No recipient was chosen. Choose at least one."))
        }
        "these" => {
            let ids = sync.recipients.iter().map(|id| input::recipient(id).map(|id| id.0));
            Ok(Selection::These { recipients: ids.collect::<Result<_>>()? })
        }
        other => Err(ApiError::bad_input(format!("{other:?} is no selection. Choose all, owed or these."))),
    }
}

/// Waits for the end of a run of this process and returns it as recorded.
///
/// # Errors
/// The database's trouble; a run of another process is returned as it is now.
pub async fn wait(app: &App, run: &str) -> Result<RunView> {
    let id = input::run(run)?;
    let ended = match app.presses().of_run(id) {
        Some(press) => Some(press.finished().await),
        None => app.presses().lost(id),
    };
    let mut view = get(app, run).await?;
    // A loser writes no end, and nobody else has yet.
    if let Some(error) = ended.and_then(|end| end.error)
        && view.status == RunStatus::Running
    {
        view.status = RunStatus::Interrupted;
        view.error = Some(error.code);
        view.error_text = sentence(&error.text);
    }
    Ok(view)
}

/// Asks this process's runs to quit: running items are finished, the lease is given back as `interrupted`.
pub fn quit_all(app: &App) {
    app.presses().ask_to_quit();
}

/// Asks a live holder to stop at its next safe point. The first ask wins; a successor is never hit.
///
/// # Errors
/// `already_finished` when that fence is not held any more.
pub async fn cancel(app: &App, project: &str, fence: &str, reason: &str) -> Result<()> {
    let (project, fence) = (input::project(project)?, input::fence(fence)?);
    let reason: String = reason.trim().chars().filter(|c| !c.is_control()).take(200).collect();
    let actor = app.actor();
    match app.store().ask_cancel(project, fence, &actor, &reason).await? {
        CancelResult::Asked => {
            if let Some(press) = app.presses().find(project, fence) {
                press.cancel(&actor.person, &reason);
            }
            Ok(())
        }
        CancelResult::AlreadyAsked(_) => Ok(()),
        CancelResult::NotRunning => Err(leases::already_finished()),
    }
}

/// Runs of a project or of all, newest first, at most 500.
///
/// # Errors
/// The database's trouble.
pub async fn list(app: &App, project: Option<&str>) -> Result<Vec<RunView>> {
    let project = project.map(input::project).transpose()?;
    let leases = app.store().leases().await?;
    let ours = app.holder();
    let runs = app.store().runs(project, MOST).await?;
    let lease = |run: &Run| leases.iter().find(|lease| lease.project == run.project);
    Ok(runs.iter().map(|run| view(run, lease(run), &ours)).collect())
}

/// One run.
///
/// # Errors
/// `not_found`; the database's trouble.
pub async fn get(app: &App, run: &str) -> Result<RunView> {
    let found = app.store().run(input::run(run)?).await?;
    let run = found.ok_or_else(|| ApiError::new(Code::NotFound, "This run does not exist."))?;
    let lease = app.store().lease(run.project).await?;
    Ok(view(&run, lease.as_ref(), &app.holder()))
}

/// The newest runs of a project, newest first.
pub(crate) async fn of_project(app: &App, project: &Project, lease: &LeaseView) -> Result<Vec<RunView>> {
    let ours = app.holder();
    let runs = app.store().runs(Some(project.id), 2).await?;
    Ok(runs.iter().map(|run| view(run, Some(lease), &ours)).collect())
}

/// The last eight digits of a run's id.
fn reference(run: RunId) -> String {
    let id = run.0.simple().to_string();
    id.chars().skip(24).collect()
}

pub(crate) fn view(run: &Run, lease: Option<&LeaseView>, ours: &Holder) -> RunView {
    let holds = lease.filter(|lease| lease.held && lease.run == Some(run.id));
    let (error, error_text) = match &run.error {
        Some((code, text)) => (Some(*code), sentence(text)),
        None => (None, String::new()),
    };
    let (selection, chosen) = match &run.selection {
        Selection::All => (SelectionKind::All, 0),
        Selection::Owed => (SelectionKind::Owed, 0),
        Selection::Nobody => (SelectionKind::Nobody, 0),
        Selection::These { recipients } => (SelectionKind::These, count(recipients.len())),
    };
    RunView {
        id: run.id.to_string(),
        project: run.project.to_string(),
        kind: run.kind,
        status: run.status,
        fence: run.fence.to_string(),
        person: run.holder.person.clone(),
        host: run.holder.host.clone(),
        mine: leases::same_process(&run.holder, ours),
        started_at: ms(run.started_at),
        ended_at: run.ended_at.map(ms),
        counts: run.counts,
        spent: run.spent,
        selection,
        chosen,
        resumes: run.resumes.map(|run| run.to_string()),
        error,
        error_text,
        retryable: error.is_some_and(|code| EngineError::new(code, "").retryable),
        ref_id: error.map(|_| reference(run.id)),
        progress: holds.filter(|_| run.status == RunStatus::Running).and_then(leases::live_progress),
    }
}
