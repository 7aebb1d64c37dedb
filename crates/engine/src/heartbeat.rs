//! The holder's heart: one actor owns renew, fence check, progress, the look for a cancel, and release (docs/LEASES.md section 5).
//!
//! It runs on an operating-system thread of its own with its own runtime and its own line to the database, so that
//! nothing that the work does can starve it.

mod actor;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use lockstep_domain::clock::{BootMillis, Clock};
use lockstep_domain::ids::Ids;
use lockstep_domain::lease::{CallNow, LeaseGuard, Progress};
use lockstep_store::{Ending, Renewal, Store, StoreError};
use tokio::sync::{Notify, mpsc, oneshot, watch};

/// What the work may ask of the actor.
#[derive(Debug)]
enum Command {
    /// Finish the renewal under way, flush the progress, then rest.
    Pause(oneshot::Sender<()>),
    /// Beat again.
    Resume,
    /// Read the lease.
    Check(oneshot::Sender<Result<Renewal, StoreError>>),
    /// Renew now.
    Renew(oneshot::Sender<Result<Renewal, StoreError>>),
    /// Give the lease back, then end.
    Release(Box<Ending>, oneshot::Sender<Result<bool, StoreError>>),
    /// End.
    Stop(oneshot::Sender<()>),
}

/// The newest progress, and whether it was written. The work changes it, the actor writes it.
#[derive(Debug, Default)]
struct Noticeboard {
    board: Mutex<Board>,
    news: Notify,
}

#[derive(Debug, Default)]
struct Board {
    progress: Progress,
    dirty: bool,
    /// Calls to the outside that are under way.
    calls: Vec<UnderWay>,
    next_call: u64,
    /// Why the lease counts as lost, once it does.
    lost: Option<&'static str>,
}

#[derive(Debug)]
struct UnderWay {
    number: u64,
    call: &'static str,
    target: String,
    ends: BootMillis,
}

impl Noticeboard {
    fn board(&self) -> MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut Progress)) {
        let mut board = self.board();
        change(&mut board.progress);
        board.dirty = true;
        drop(board);
        self.news.notify_one();
    }

    /// The last write may not have arrived.
    fn again(&self) {
        self.board().dirty = true;
    }

    fn has_news(&self) -> bool {
        self.board().dirty
    }

    /// What is to be written; from now on it counts as written. It names the call under way that ends last.
    fn take(&self, now: BootMillis) -> Option<Progress> {
        let mut board = self.board();
        if !std::mem::take(&mut board.dirty) {
            return None;
        }
        let last = board.calls.iter().max_by_key(|call| call.ends);
        let call = last.map(|last| CallNow {
            call: last.call.to_owned(),
            target: last.target.clone(),
            ends_in_ms: (last.ends.0 - now.0).max(0),
        });
        Some(Progress { call, ..board.progress.clone() })
    }

    fn call(&self, call: &'static str, target: String, ends: BootMillis) -> u64 {
        let mut board = self.board();
        board.next_call += 1;
        let number = board.next_call;
        board.calls.push(UnderWay { number, call, target, ends });
        board.dirty = true;
        drop(board);
        self.news.notify_one();
        number
    }

    fn ended(&self, number: u64) {
        let mut board = self.board();
        board.calls.retain(|call| call.number != number);
        board.dirty = true;
        drop(board);
        self.news.notify_one();
    }

    async fn noticed(&self) {
        self.news.notified().await;
    }
}

/// A call under way; dropping it says that it ended.
#[derive(Debug)]
pub(crate) struct Calling {
    board: Arc<Noticeboard>,
    number: u64,
}

impl Drop for Calling {
    fn drop(&mut self) {
        self.board.ended(self.number);
    }
}

/// A beating heart. Dropping it ends the beat; the lease then runs out by itself.
#[derive(Debug)]
pub(crate) struct Heart {
    commands: mpsc::UnboundedSender<Command>,
    board: Arc<Noticeboard>,
    beats: watch::Receiver<u64>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// What the actor needs of its host.
pub(crate) struct HeartParts {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn Ids>,
    pub(crate) guard: Arc<LeaseGuard>,
}

impl Heart {
    /// Starts the thread and waits until its line to the database is open.
    pub(crate) async fn start(parts: HeartParts) -> Result<Self, StoreError> {
        let (commands, inbox) = mpsc::unbounded_channel();
        let (beat, beats) = watch::channel(0);
        let (ready, is_ready) = oneshot::channel();
        let board = Arc::new(Noticeboard::default());
        let shared = board.clone();
        let thread = std::thread::Builder::new()
            .name("lockstep-heartbeat".to_owned())
            .spawn(move || actor::run(parts, &shared, inbox, beat, ready))
            .map_err(|error| StoreError::Unusable(format!("no thread for the heartbeat: {error}")))?;
        is_ready
            .await
            .unwrap_or_else(|_| Err(StoreError::Unusable("the heartbeat did not start".to_owned())))?;
        Ok(Self { commands, board, beats, thread: Mutex::new(Some(thread)) })
    }

    /// Changes the progress; the actor writes it when its time comes.
    pub(crate) fn progress(&self, change: impl FnOnce(&mut Progress)) {
        self.board.change(change);
    }

    /// A call to the outside begins: what it is, to whom, and when it ends at the latest.
    pub(crate) fn calling(&self, call: &'static str, target: String, ends: BootMillis) -> Calling {
        Calling { number: self.board.call(call, target, ends), board: self.board.clone() }
    }

    /// Why the lease counts as lost, once it does.
    pub(crate) fn why_lost(&self) -> Option<&'static str> {
        self.board.board().lost
    }

    /// Reads the lease now. `Err` is unknown, not lost.
    pub(crate) async fn check(&self) -> Result<Renewal, StoreError> {
        self.ask(Command::Check).await.unwrap_or(Err(StoreError::Busy))
    }

    /// Renews now.
    pub(crate) async fn renew(&self) -> Result<Renewal, StoreError> {
        self.ask(Command::Renew).await.unwrap_or(Err(StoreError::Busy))
    }

    /// Rests until [`Self::resume`]; no renewal is under way when this returns, the last progress is written.
    pub(crate) async fn pause(&self) {
        self.ask(Command::Pause).await;
    }

    /// Beats again.
    pub(crate) fn resume(&self) {
        // An ended actor has nothing to resume.
        let _ended = self.commands.send(Command::Resume);
    }

    /// Resolves after the next successful renewal.
    pub(crate) async fn next_beat(&self) {
        let mut beats = self.beats.clone();
        beats.mark_unchanged();
        if beats.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Stops the beat, gives the lease back and joins the thread. `false`: it was not ours any more.
    pub(crate) async fn release(&self, ending: Ending) -> Result<bool, StoreError> {
        let answer = self.ask(|reply| Command::Release(Box::new(ending), reply)).await;
        self.join().await;
        answer.unwrap_or(Ok(false))
    }

    /// Stops the beat and joins the thread. Repeats harmlessly.
    pub(crate) async fn stop(&self) {
        self.ask(Command::Stop).await;
        self.join().await;
    }

    async fn ask<T>(&self, command: impl FnOnce(oneshot::Sender<T>) -> Command) -> Option<T> {
        let (reply, answer) = oneshot::channel();
        self.commands.send(command(reply)).ok()?;
        answer.await.ok()
    }

    async fn join(&self) {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            let joined = tokio::task::spawn_blocking(move || thread.join()).await;
            if !matches!(joined, Ok(Ok(()))) {
                tracing::error!("the heartbeat's thread panicked");
            }
        }
    }
}
