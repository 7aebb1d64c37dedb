//! The runs of this process, so that quitting and cancelling reach them at once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use lockstep_domain::ids::{ProjectId, RunId};
use lockstep_domain::lease::Fence;
use lockstep_engine::Press;

/// Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Presses(Arc<Mutex<HashMap<RunId, (ProjectId, Press)>>>);

impl Presses {
    /// Keeps a press until its end.
    pub(crate) fn keep(&self, project: ProjectId, press: Press) {
        self.with(|live| live.insert(press.run_id(), (project, press.clone())));
        let all = self.clone();
        tokio::spawn(async move {
            press.finished().await;
            all.with(|live| live.remove(&press.run_id()));
        });
    }

    /// The press with this fence, when it is ours.
    pub(crate) fn find(&self, project: ProjectId, fence: Fence) -> Option<Press> {
        self.with(|live| {
            let mine = live.values().find(|(of, press)| *of == project && press.fence() == fence);
            mine.map(|(_, press)| press.clone())
        })
    }

    /// The press of this run, when it is ours and still runs.
    pub(crate) fn of_run(&self, run: RunId) -> Option<Press> {
        self.with(|live| live.get(&run).map(|(_, press)| press.clone()))
    }

    pub(crate) fn count(&self) -> usize {
        self.with(|live| live.len())
    }

    /// Asks all to quit.
    pub(crate) fn ask_to_quit(&self) -> Vec<Press> {
        let live: Vec<Press> = self.with(|live| live.values().map(|(_, press)| press.clone()).collect());
        for press in &live {
            press.quit();
        }
        live
    }

    /// Asks all to quit and waits for their ends.
    pub(crate) async fn quit(&self) {
        for press in self.ask_to_quit() {
            press.finished().await;
        }
    }

    fn with<T>(&self, look: impl FnOnce(&mut HashMap<RunId, (ProjectId, Press)>) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
