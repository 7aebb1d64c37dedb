//! The actor's own thread.

use std::sync::Arc;
use std::time::Duration;

use lockstep_domain::clock::BootMillis;
use lockstep_domain::lease::LeaseGuard;
use lockstep_domain::stop::StopReason;
use lockstep_store::{Ending, LeaseLine, Renewal, StoreError};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, sleep_until};

use super::{Command, HeartParts, Noticeboard};

/// Longest time after which a cancel is looked for, and least pause between two looks.
const LOOK: Duration = Duration::from_secs(1);
const LEAST_PAUSE: Duration = Duration::from_millis(200);
/// Attempts to give the lease back while the database is busy.
const RELEASE_ATTEMPTS: u32 = 5;

type Ready = oneshot::Sender<Result<(), StoreError>>;
type Answer = Result<Renewal, StoreError>;
type Inbox = mpsc::UnboundedReceiver<Command>;

/// Body of the thread.
pub(super) fn run(
    parts: HeartParts,
    board: &Arc<Noticeboard>,
    inbox: Inbox,
    beat: watch::Sender<u64>,
    ready: Ready,
) {
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            // Nobody waits any more when the receiver is gone.
            let _gone =
                ready.send(Err(StoreError::Unusable(format!("no runtime for the heartbeat: {error}"))));
            return;
        }
    };
    runtime.block_on(async move {
        match parts.store.lease_line().await {
            Ok(line) => {
                if ready.send(Ok(())).is_ok() {
                    Actor::new(parts, board.clone(), beat, line).live(inbox).await;
                }
            }
            Err(error) => {
                let _gone = ready.send(Err(error));
            }
        }
    });
}

struct Actor {
    parts: HeartParts,
    board: Arc<Noticeboard>,
    beat: watch::Sender<u64>,
    line: Arc<dyn LeaseLine>,
    /// When the next renewal is due.
    next: Instant,
    /// The renewal under way, with who waits for it.
    renewal: Option<JoinHandle<Answer>>,
    waiting: Vec<oneshot::Sender<Answer>>,
    sent: BootMillis,
    /// Both clocks at the last look, to tell a sleep of this machine.
    seen: (BootMillis, Instant),
    /// When progress was last written.
    progress_at: Option<Instant>,
    paused: bool,
}

/// What woke the actor.
enum Woken {
    Command(Option<Command>),
    Due,
    Renewed(Answer),
    Nudged,
    /// There is progress to write, now or later.
    Noticed,
}

impl Actor {
    fn new(
        parts: HeartParts,
        board: Arc<Noticeboard>,
        beat: watch::Sender<u64>,
        line: Arc<dyn LeaseLine>,
    ) -> Self {
        let now = Instant::now();
        let sent = parts.clock.boot();
        let mut actor = Self {
            parts,
            board,
            beat,
            line,
            next: now,
            renewal: None,
            waiting: Vec::new(),
            sent,
            seen: (sent, now),
            progress_at: None,
            paused: false,
        };
        actor.next = now + actor.interval();
        actor
    }

    fn guard(&self) -> &Arc<LeaseGuard> {
        &self.parts.guard
    }

    /// W/3 × random(0.8 .. 1.0).
    fn interval(&self) -> Duration {
        let bytes = self.parts.ids.uuid();
        let tail = bytes.as_bytes();
        let part = u64::from(u16::from_be_bytes([tail[14], tail[15]]));
        let full = u64::try_from(self.parts.guard.window().heartbeat_ms()).unwrap_or_default();
        Duration::from_millis(full * 8 / 10 + full * 2 * part / (10 * u64::from(u16::MAX)))
    }

    async fn live(mut self, mut inbox: Inbox) {
        let (nudge, mut nudges) = mpsc::channel(1);
        let watcher = tokio::spawn(watch_for_nudges(self.line.clone(), self.guard().clone(), nudge));
        loop {
            let slept = self.after_sleep().await;
            self.hard_stop(slept);
            match self.wait(&mut inbox, &mut nudges).await {
                Woken::Command(None) => break,
                Woken::Command(Some(command)) => {
                    if self.obey(command).await {
                        break;
                    }
                }
                Woken::Due => self.due().await,
                Woken::Renewed(answer) => self.renewed(&answer),
                Woken::Noticed => {}
                Woken::Nudged => {
                    if !self.paused {
                        let answer = self.line.fence_check(&self.parts.guard).await;
                        self.heed(&answer);
                    }
                }
            }
        }
        watcher.abort();
        self.settle().await;
        self.line.close().await;
    }

    async fn wait(&mut self, inbox: &mut Inbox, nudges: &mut mpsc::Receiver<()>) -> Woken {
        let lost = self.guard().stop().is_lost();
        let left = self.guard().left_ms(self.parts.clock.boot());
        let left = Duration::from_millis(u64::try_from(left).unwrap_or_default());
        let rest = self.paused || lost || self.renewal.is_some();
        let noticed = self.progress_due();
        let due = match noticed {
            _ if rest => Instant::now() + left.min(LOOK),
            Some(at) => self.next.min(at).min(Instant::now() + left),
            None => self.next.min(Instant::now() + left),
        };
        let board = self.board.clone();
        let renewal = &mut self.renewal;
        tokio::select! {
            command = inbox.recv() => Woken::Command(command),
            answer = async {
                match renewal.as_mut() {
                    Some(handle) => handle.await,
                    None => std::future::pending().await,
                }
            } => Woken::Renewed(answer.unwrap_or(Err(StoreError::Busy))),
            () = sleep_until(due), if !lost => Woken::Due,
            Some(()) = nudges.recv(), if !lost => Woken::Nudged,
            () = board.noticed(), if !rest && noticed.is_none() => Woken::Noticed,
            // A timer does not count the machine's sleep: look at the clocks now and then.
            () = sleep(LOOK), if !lost => Woken::Noticed,
        }
    }

    /// Returns whether the actor ends.
    async fn obey(&mut self, command: Command) -> bool {
        match command {
            Command::Pause(reply) => {
                self.settle().await;
                self.flush().await;
                self.paused = true;
                // A caller that went away needs no answer, here and below.
                let _gone = reply.send(());
            }
            Command::Resume => self.paused = false,
            Command::Check(reply) => {
                let answer = self.line.fence_check(&self.parts.guard).await;
                self.heed(&answer);
                let _gone = reply.send(answer);
            }
            Command::Renew(reply) => {
                self.waiting.push(reply);
                self.send_renewal();
            }
            Command::Release(ending, reply) => {
                self.settle().await;
                let _gone = reply.send(self.release(&ending).await);
                return true;
            }
            Command::Stop(reply) => {
                self.settle().await;
                let _gone = reply.send(());
                return true;
            }
        }
        false
    }

    /// Renews when it is time, else writes progress when it is time.
    async fn due(&mut self) {
        if self.paused || self.guard().stop().is_lost() || self.renewal.is_some() {
            return;
        }
        if Instant::now() >= self.next {
            self.send_renewal();
        } else if self.progress_due().is_some_and(|at| at <= Instant::now()) {
            self.flush().await;
        }
    }

    fn send_renewal(&mut self) {
        if self.renewal.is_some() {
            return;
        }
        let (line, guard, progress) = (self.line.clone(), self.guard().clone(), self.take_progress());
        self.sent = self.parts.clock.boot();
        // A task of its own: a renewal is never dropped half-way.
        self.renewal = Some(tokio::spawn(async move { line.renew(&guard, progress.as_ref()).await }));
    }

    fn renewed(&mut self, answer: &Answer) {
        self.renewal = None;
        match answer {
            Ok(Renewal::Held { .. }) => {
                self.guard().note_renewal(self.sent);
                self.next = Instant::now() + self.interval();
                self.beat.send_modify(|count| *count += 1);
            }
            Ok(Renewal::Lost) => {}
            Err(error) => {
                tracing::warn!(lease.fence = self.guard().fence().0, %error, "a renewal's outcome is unknown");
                let retry = u64::try_from(self.guard().window().retry_ms()).unwrap_or_default();
                self.next = Instant::now() + Duration::from_millis(retry.max(10));
                self.board.again();
            }
        }
        self.heed(answer);
        for reply in self.waiting.drain(..) {
            let copy = match answer {
                Ok(renewal) => Ok(renewal.clone()),
                Err(_) => Err(StoreError::Busy),
            };
            let _gone = reply.send(copy);
        }
    }

    /// Passes on a loss or a cancel.
    fn heed(&self, answer: &Answer) {
        match answer {
            Ok(Renewal::Lost) => self.lose("replaced or expired, by the database's clock"),
            Ok(Renewal::Held { cancel: Some(ask), .. }) => {
                let (by, reason) = (ask.by.clone(), ask.reason.clone());
                self.guard().stop().stop(StopReason::Cancelled { by, reason });
            }
            Ok(Renewal::Held { cancel: None, .. }) | Err(_) => {}
        }
    }

    /// The boot-time clock counts sleep, timers do not: where they part, this machine slept. Then the fence is checked
    /// before anything else, and renewed at once by who still owns it. Past the local deadline nothing is asked any
    /// more. Returns whether it slept.
    async fn after_sleep(&mut self) -> bool {
        let (boot, now) = (self.parts.clock.boot(), Instant::now());
        let ran = i64::try_from(now.duration_since(self.seen.1).as_millis()).unwrap_or(i64::MAX);
        let slept = boot.0 - self.seen.0.0 - ran;
        self.seen = (boot, now);
        if slept <= self.guard().window().retry_ms() {
            return false;
        }
        let fence = self.guard().fence().0;
        tracing::info!(
            lease.fence = fence,
            slept_ms = slept,
            "this machine slept; the fence is checked first"
        );
        let asks = !self.paused && !self.guard().stop().is_lost() && self.guard().left_ms(boot) > 0;
        if asks {
            let answer = self.line.fence_check(&self.parts.guard).await;
            self.heed(&answer);
            if matches!(answer, Ok(Renewal::Held { .. })) {
                self.send_renewal();
            }
        }
        true
    }

    /// The local deadline: 11/12 W after the last successful renewal was sent.
    fn hard_stop(&self, slept: bool) {
        if self.guard().left_ms(self.parts.clock.boot()) == 0 {
            let why = if slept { "this machine slept past its time" } else { "no renewal within its time" };
            self.lose(why);
        }
    }

    fn lose(&self, why: &'static str) {
        if self.guard().stop().stop(StopReason::LeaseLost) {
            let guard = self.guard();
            self.board.board().lost = Some(why);
            tracing::warn!(project.id = %guard.project(), run.id = %guard.run(), lease.fence = guard.fence().0, why, "the lease is lost");
        }
    }

    /// Waits for the renewal under way.
    async fn settle(&mut self) {
        if let Some(handle) = self.renewal.take() {
            let answer = handle.await.unwrap_or(Err(StoreError::Busy));
            self.renewed(&answer);
        }
    }

    /// When the newest progress may be written; `None`: it was. The first at once, then no more often than min(5 s, W/36).
    fn progress_due(&self) -> Option<Instant> {
        let pause = u64::try_from(self.guard().window().retry_ms()).unwrap_or_default();
        let at = self.progress_at.map_or_else(Instant::now, |at| at + Duration::from_millis(pause));
        self.board.has_news().then_some(at)
    }

    fn take_progress(&mut self) -> Option<lockstep_domain::lease::Progress> {
        let news = self.board.take(self.parts.clock.boot())?;
        self.progress_at = Some(Instant::now());
        Some(news)
    }

    /// Writes the newest progress; a failure is logged and ignored.
    async fn flush(&mut self) {
        if self.guard().stop().is_lost() {
            return;
        }
        if let Some(progress) = self.take_progress()
            && let Err(error) = self.line.progress(&self.parts.guard, &progress).await
        {
            tracing::debug!(%error, "progress was not written");
            self.board.again();
        }
    }

    async fn release(&mut self, ending: &Ending) -> Result<bool, StoreError> {
        self.flush().await;
        let mut attempt = 1;
        loop {
            match self.line.release(&self.parts.guard, ending).await {
                // A lost answer may have released: the repetition is then a harmless no-op.
                Err(StoreError::Busy | StoreError::Unclear) if attempt < RELEASE_ATTEMPTS => {
                    sleep(LEAST_PAUSE * attempt).await;
                    attempt += 1;
                }
                answer => return answer,
            }
        }
    }
}

/// Turns changes by another hand into nudges, at least one per [`LOOK`], at most five a second.
async fn watch_for_nudges(line: Arc<dyn LeaseLine>, guard: Arc<LeaseGuard>, nudge: mpsc::Sender<()>) {
    let poll = u64::try_from(LOOK.as_millis()).unwrap_or(1_000);
    loop {
        if let Err(error) = line.nudged(&guard, poll).await {
            tracing::debug!(%error, "the lease cannot be watched");
            sleep(LOOK).await;
        }
        if nudge.send(()).await.is_err() {
            return;
        }
        sleep(LEAST_PAUSE).await;
    }
}
