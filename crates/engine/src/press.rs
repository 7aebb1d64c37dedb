//! What a press is to its caller: an id at once, a way to stop it, and its end.

use lockstep_domain::ids::{ProjectId, RunId};
use lockstep_domain::lease::Fence;
use lockstep_domain::model::{Counts, Selection, Spent};
use lockstep_domain::outcome::RunStatus;
use lockstep_domain::stop::{StopReason, StopSignal};
use tokio::sync::watch;

use crate::error::EngineError;

/// A press on Sync.
#[derive(Debug, Clone)]
pub struct SyncRequest {
    /// The project.
    pub project: ProjectId,
    /// Whom it covers. [`Selection::Nobody`] brings only the distribution up to date.
    pub selection: Selection,
    /// The interrupted run that it takes up: the same selection without what that run has done.
    pub resumes: Option<RunId>,
    /// Also those who closed the pull request of this very update.
    pub send_again: bool,
}

impl SyncRequest {
    /// Sync everybody.
    #[must_use]
    pub const fn all(project: ProjectId) -> Self {
        Self { project, selection: Selection::All, resumes: None, send_again: false }
    }

    /// Only what is owed.
    #[must_use]
    pub const fn owed(project: ProjectId) -> Self {
        Self { project, selection: Selection::Owed, resumes: None, send_again: false }
    }
}

/// A run under way in this process. Cheap to clone; dropping it does not stop the run.
#[derive(Debug, Clone)]
pub struct Press {
    pub(crate) run: RunId,
    pub(crate) fence: Fence,
    pub(crate) stop: StopSignal,
    pub(crate) end: watch::Receiver<Option<RunEnd>>,
}

impl Press {
    /// The run, known as soon as the claim stands.
    #[must_use]
    pub const fn run_id(&self) -> RunId {
        self.run
    }

    /// The fence of its claim.
    #[must_use]
    pub const fn fence(&self) -> Fence {
        self.fence
    }

    /// The run's stop signal: the first reason given stays.
    #[must_use]
    pub const fn stop_signal(&self) -> &StopSignal {
        &self.stop
    }

    /// Asks to stop at the next safe point.
    pub fn cancel(&self, by: &str, reason: &str) {
        self.stop.stop(StopReason::Cancelled { by: by.to_owned(), reason: reason.to_owned() });
    }

    /// The host quits: running items are finished, the run is released as `interrupted`.
    pub fn quit(&self) {
        self.stop.stop(StopReason::Quit);
    }

    /// Waits for the end. May be called by many, any number of times.
    pub async fn finished(&self) -> RunEnd {
        let mut end = self.end.clone();
        let ended = end.wait_for(Option::is_some).await.ok().and_then(|end| end.clone());
        ended.unwrap_or_else(|| RunEnd::vanished(self.run))
    }
}

/// How a run ended.
#[derive(Debug, Clone)]
pub struct RunEnd {
    /// The run.
    pub run: RunId,
    /// Its status as recorded; `interrupted` when the lease was lost or the host quit.
    pub status: RunStatus,
    /// Why it ended early: a refusal of the request, a cancel, a cause that concerns all recipients.
    pub error: Option<EngineError>,
    /// Counts per recipient; all zero when nothing was published.
    pub counts: Counts,
    /// What it spent.
    pub spent: Spent,
}

impl RunEnd {
    fn vanished(run: RunId) -> Self {
        let text = "The run ended without an answer; its state is in the history.".to_owned();
        Self {
            run,
            status: RunStatus::Interrupted,
            error: Some(EngineError::new(lockstep_domain::code::Code::Bug, text)),
            counts: Counts::default(),
            spent: Spent::default(),
        }
    }
}
