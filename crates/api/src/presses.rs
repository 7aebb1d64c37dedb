//! The runs of this process, so that quitting and cancelling reach them at once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use lockstep_domain::code::Code;
use lockstep_domain::ids::{ProjectId, RunId};
use lockstep_domain::lease::Fence;
use lockstep_engine::{Press, RunEnd};

/// Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Presses(Arc<Mutex<Kept>>);

#[derive(Debug, Default)]
struct Kept {
    live: HashMap<RunId, (ProjectId, Press)>,
    /// Ends that only this process knows: a loser writes none.
    lost: HashMap<RunId, RunEnd>,
}

impl Presses {
    /// Keeps a press until its end.
    pub(crate) fn keep(&self, project: ProjectId, press: Press) {
        self.with(|kept| kept.live.insert(press.run_id(), (project, press.clone())));
        let all = self.clone();
        tokio::spawn(async move {
            let end = press.finished().await;
            all.with(|kept| {
                kept.live.remove(&end.run);
                if end.error.as_ref().is_some_and(|error| error.code == Code::LeaseLost) {
                    kept.lost.insert(end.run, end);
                }
            });
        });
    }

    /// The press with this fence, when it is ours.
    pub(crate) fn find(&self, project: ProjectId, fence: Fence) -> Option<Press> {
        self.with(|kept| {
            let mine = kept.live.values().find(|(of, press)| *of == project && press.fence() == fence);
            mine.map(|(_, press)| press.clone())
        })
    }

    /// The press of this run, when it is ours and still runs.
    pub(crate) fn of_run(&self, run: RunId) -> Option<Press> {
        self.with(|kept| kept.live.get(&run).map(|(_, press)| press.clone()))
    }

    /// How a run of this process ended that lost its lease.
    pub(crate) fn lost(&self, run: RunId) -> Option<RunEnd> {
        self.with(|kept| kept.lost.get(&run).cloned())
    }

    pub(crate) fn count(&self) -> usize {
        self.with(|kept| kept.live.len())
    }

    /// Asks all to quit.
    pub(crate) fn ask_to_quit(&self) -> Vec<Press> {
        let live: Vec<Press> = self.with(|kept| kept.live.values().map(|(_, press)| press.clone()).collect());
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

    fn with<T>(&self, look: impl FnOnce(&mut Kept) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
