//! Quitting: with a run under way the window asks first; then running items are finished and leases given back.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;
use tauri::{AppHandle, Manager as _, Runtime};
use tauri_specta::Event as _;

use crate::host::Host;

/// A second attempt to close within this time quits without another question: the window may not be listening.
const INSIST: Duration = Duration::from_secs(10);

/// Sent to the window when a person closes it while runs are under way. It asks, and calls `app_quit` on yes.
#[derive(Debug, Clone, Serialize, specta::Type, tauri_specta::Event)]
#[serde(rename_all = "camelCase")]
pub(crate) struct QuitAsked {
    /// Runs of this process that are under way.
    pub(crate) runs: u32,
}

/// How far quitting has come.
#[derive(Debug, Default)]
pub(crate) struct Quitting {
    begun: AtomicBool,
    done: AtomicBool,
    asked: Mutex<Option<Instant>>,
    wanted: tokio::sync::Notify,
}

impl Quitting {
    /// A person said yes.
    pub(crate) fn want(&self) {
        self.wanted.notify_one();
    }

    /// Resolves when a person said yes.
    pub(crate) async fn wanted(&self) {
        self.wanted.notified().await;
    }

    /// Whether everything was given back and the process may end.
    pub(crate) fn is_done(&self) -> bool {
        self.done.load(Ordering::Acquire)
    }

    /// Whether this attempt to close follows a question that was asked just before.
    fn insists(&self) -> bool {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let insists = asked.is_some_and(|asked| asked.elapsed() < INSIST);
        *asked = Some(Instant::now());
        insists
    }
}

/// Whether the window may close now. With runs under way it is asked to ask.
pub(crate) fn may_close<R: Runtime>(app: &AppHandle<R>) -> bool {
    let runs = app.state::<Host>().live_runs();
    let quitting = app.state::<Quitting>();
    if runs == 0 || quitting.begun.load(Ordering::Acquire) || quitting.insists() {
        return true;
    }
    let asked = QuitAsked { runs: u32::try_from(runs).unwrap_or(u32::MAX) };
    if let Err(error) = asked.emit(app) {
        tracing::warn!(%error, "the window cannot be asked");
        return true;
    }
    false
}

/// Gives everything back, then ends the process. Repeated calls wait for nothing.
pub(crate) async fn quit<R: Runtime>(app: &AppHandle<R>) {
    let quitting = app.state::<Quitting>();
    if quitting.begun.swap(true, Ordering::AcqRel) {
        return;
    }
    let host = app.state::<Host>();
    if let Some(opened) = host.opened().await {
        opened.shutdown().await;
    }
    host.stop_following();
    quitting.done.store(true, Ordering::Release);
    app.exit(0);
}
