//! The lease: who may run the next write of a project (docs/LEASES.md).
//!
//! A [`LeaseGuard`] is the proof that a claim succeeded. Every run-owned write and every remote write takes one; only
//! the store's claim can make one.

use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};

use serde::{Deserialize, Serialize};

use crate::clock::{BootMillis, Millis};
use crate::codes;
use crate::ids::{ProjectId, RunId};
use crate::stop::StopSignal;

/// 128 random bits, fresh per claim attempt. It appears in no log, message, export, IPC payload or screen.
#[derive(Clone, PartialEq, Eq)]
pub struct OwnerToken([u8; 16]);

impl OwnerToken {
    /// Wraps fresh random bytes.
    #[must_use]
    pub const fn new(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The raw bytes, for binding into a statement and nothing else.
    #[must_use]
    pub const fn expose(&self) -> &[u8; 16] {
        &self.0
    }
}

impl fmt::Debug for OwnerToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OwnerToken(hidden)")
    }
}

/// A number that only grows, one step per claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fence(pub i64);

impl fmt::Display for Fence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// How long a heartbeat counts, two-sided, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window(i64);

impl Window {
    /// The default of 180 s.
    pub const DEFAULT: Self = Self(180_000);
    /// The longest allowed, 15 minutes.
    pub const MAX_MS: i64 = 900_000;
    /// The shortest allowed outside tests.
    pub const MIN_MS: i64 = 180_000;

    /// A window of `ms`, at least `min_ms` (release hosts pass [`Window::MIN_MS`], tests less) and at most 15 minutes.
    ///
    /// # Errors
    /// Names the value and the bounds.
    pub fn new(ms: i64, min_ms: i64) -> Result<Self, BadWindow> {
        if !(min_ms.max(300)..=Self::MAX_MS).contains(&ms) {
            return Err(BadWindow { ms, min_ms, max_ms: Self::MAX_MS });
        }
        Ok(Self(ms))
    }

    /// Length in milliseconds.
    #[must_use]
    pub const fn ms(self) -> i64 {
        self.0
    }

    /// The longest pause between two heartbeats, W/3.
    #[must_use]
    pub const fn heartbeat_ms(self) -> i64 {
        self.0 / 3
    }

    /// Pause after a renewal whose answer is unknown: min(5 s, W/36).
    #[must_use]
    pub const fn retry_ms(self) -> i64 {
        let part = self.0 / 36;
        if part < 5_000 { part } else { 5_000 }
    }

    /// The longest a renewal call may take: less than half of the shortest interval.
    #[must_use]
    pub const fn call_timeout_ms(self) -> i64 {
        self.0 / 8
    }

    /// Most time a publication may take: min(10 s, W/18).
    #[must_use]
    pub const fn publication_ms(self) -> i64 {
        let part = self.0 / 18;
        if part < 10_000 { part } else { 10_000 }
    }
}

/// A window outside its bounds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a lease window of {ms} ms is not allowed: choose {min_ms} to {max_ms} ms")]
pub struct BadWindow {
    ms: i64,
    min_ms: i64,
    max_ms: i64,
}

/// What people see of an owner. Person is self-declared; never the token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Self-declared name of the person.
    pub person: String,
    /// Operating-system user.
    pub os_user: String,
    /// Host name.
    pub host: String,
    /// Process id.
    pub pid: u32,
    /// Start of the process as the operating system tells it (Linux: clock ticks since boot); with the pid it names
    /// one process.
    pub process_start: u64,
    /// When the program was started, by that machine's clock, in milliseconds; for people only.
    #[serde(default)]
    pub started_at: Option<i64>,
    /// Version of the program.
    pub app_version: String,
    /// Boot id, empty where no dependable one exists.
    pub boot_id: String,
}

/// Whether a heartbeat counts, by the exact rule of docs/LEASES.md section 3.
///
/// LIVE: `now - W <= h <= now + W`. STALE: everything else, also when the heartbeat is missing.
#[must_use]
pub fn is_live(heartbeat: Option<Millis>, now: Millis, window_ms: i64) -> bool {
    heartbeat.is_some_and(|h| h >= now.plus(-window_ms) && h <= now.plus(window_ms))
}

/// From this age on a heartbeat counts as late: W/3 + 10 s.
#[must_use]
pub const fn late_after_ms(window_ms: i64) -> i64 {
    window_ms / 3 + 10_000
}

codes! {
    /// The state of a lease in words for people (docs/LEASES.md section 3).
    pub enum LeaseState {
        /// Nobody holds it.
        Free = "free",
        /// Held, heartbeat young.
        Live = "live",
        /// Held, heartbeat older than W/3 + 10 s, not yet expired.
        Late = "late",
        /// Held, heartbeat in the future within the window.
        ClockAhead = "clock_ahead",
        /// The heartbeat proves that the holder is gone.
        Reclaimable = "reclaimable",
        /// The database cannot be asked.
        Unknown = "unknown",
    }
}

/// What anybody may read of a lease row; times are the database's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseView {
    /// The project it belongs to.
    pub project: ProjectId,
    /// Whether a token is set.
    pub held: bool,
    /// Current fence; 0 before the first claim.
    pub fence: Fence,
    /// The run of the current or last holder.
    pub run: Option<RunId>,
    /// The holder's window.
    pub window_ms: i64,
    /// When it was claimed.
    pub claimed_at: Option<Millis>,
    /// Last heartbeat.
    pub heartbeat_at: Option<Millis>,
    /// The holder, for people.
    pub holder: Option<Holder>,
    /// A cancel asked for the current fence.
    pub cancel: Option<CancelAsk>,
    /// Last progress snapshot and its time.
    pub progress: Option<(Progress, Millis)>,
    /// Last outcome of a run of this project (run status), its fence and time.
    pub last: Option<(String, Fence, Millis)>,
    /// The database's clock when the row was read.
    pub db_now: Millis,
    /// SQLite only: the holder was proven dead on this machine (boot id, or process gone).
    pub proven_dead: bool,
}

impl LeaseView {
    /// The state for people, judged by the database's clock of the read.
    #[must_use]
    pub fn state(&self) -> LeaseState {
        if !self.held {
            return LeaseState::Free;
        }
        if self.proven_dead || !is_live(self.heartbeat_at, self.db_now, self.window_ms) {
            return LeaseState::Reclaimable;
        }
        let age = self.heartbeat_at.map_or(i64::MAX, |h| self.db_now.since(h));
        if age < 0 {
            LeaseState::ClockAhead
        } else if age <= late_after_ms(self.window_ms) {
            LeaseState::Live
        } else {
            LeaseState::Late
        }
    }

    /// Milliseconds until another may claim it: 0 when it can be claimed now.
    #[must_use]
    pub fn left_ms(&self) -> i64 {
        match (self.state(), self.heartbeat_at) {
            (LeaseState::Live | LeaseState::Late | LeaseState::ClockAhead, Some(h)) => {
                h.plus(self.window_ms).since(self.db_now).max(0).saturating_add(1)
            }
            _ => 0,
        }
    }
}

/// A request to cancel, for one fence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CancelAsk {
    /// When, by the database's clock.
    pub at: Millis,
    /// Who asked.
    pub by: String,
    /// In their words.
    pub reason: String,
}

/// A progress snapshot, at most 2 KiB as JSON. Counters never go backwards within a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Progress {
    /// The step in words of the code: `collect`, `build`, `push_distribution`, `publish`, `pass`, `finish`.
    pub step: String,
    /// Items done.
    pub done: u32,
    /// Items planned; 0 while not known.
    pub planned: u32,
    /// Items that failed so far.
    pub failed: u32,
    /// What is worked on now, for people: a repository name.
    pub current: String,
    /// When throttled: until when, by the database's clock.
    pub waiting_until: Option<i64>,
    /// The call under way that ends last: what a stop has to wait for.
    #[serde(default)]
    pub call: Option<CallNow>,
}

/// A call under way when the progress was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallNow {
    /// What is done: `fetch`, `push`, `request`, `wait`.
    pub call: String,
    /// To which repository or at which host.
    pub target: String,
    /// Milliseconds from the writing of the progress until it ends at the latest.
    pub ends_in_ms: i64,
}

/// The proof of a successful claim. Not `Clone`: share it behind an `Arc` within one run.
#[derive(Debug)]
pub struct LeaseGuard {
    project: ProjectId,
    run: RunId,
    fence: Fence,
    token: OwnerToken,
    window: Window,
    renewed_sent: AtomicI64,
    stop: StopSignal,
}

impl LeaseGuard {
    /// Made by the store's claim and nowhere else; clippy bans it everywhere but there. `sent` is the boot clock from
    /// just before the claim was sent.
    #[must_use]
    pub fn mint(
        project: ProjectId,
        run: RunId,
        fence: Fence,
        token: OwnerToken,
        window: Window,
        sent: BootMillis,
    ) -> Self {
        let renewed_sent = AtomicI64::new(sent.0);
        Self { project, run, fence, token, window, renewed_sent, stop: StopSignal::default() }
    }

    /// The project it covers.
    #[must_use]
    pub const fn project(&self) -> ProjectId {
        self.project
    }

    /// The run born with the claim.
    #[must_use]
    pub const fn run(&self) -> RunId {
        self.run
    }

    /// The fence of this claim.
    #[must_use]
    pub const fn fence(&self) -> Fence {
        self.fence
    }

    /// The secret of this claim, for guarded statements.
    #[must_use]
    pub const fn token(&self) -> &OwnerToken {
        &self.token
    }

    /// The window of this claim.
    #[must_use]
    pub const fn window(&self) -> Window {
        self.window
    }

    /// The run's stop signal.
    #[must_use]
    pub const fn stop(&self) -> &StopSignal {
        &self.stop
    }

    /// Notes a successful renewal by the moment it was SENT.
    pub fn note_renewal(&self, sent: BootMillis) {
        self.renewed_sent.fetch_max(sent.0, Ordering::AcqRel);
    }

    /// Milliseconds left until the hard stop at 11/12 W after the last successful renewal was sent; 0 when past.
    #[must_use]
    pub fn left_ms(&self, now: BootMillis) -> i64 {
        let age = now.0 - self.renewed_sent.load(Ordering::Acquire);
        (self.window.ms() * 11 / 12 - age).max(0)
    }

    /// Whether a new batch may start: before 2/3 W, not lost.
    #[must_use]
    pub fn may_start(&self, now: BootMillis) -> bool {
        let age = now.0 - self.renewed_sent.load(Ordering::Acquire);
        !self.stop.is_lost() && age < self.window.ms() * 2 / 3
    }

    /// Whether a POST or PATCH with this timeout may start: what is left must exceed the timeout plus W/12.
    #[must_use]
    pub fn may_write(&self, now: BootMillis, timeout_ms: i64) -> bool {
        !self.stop.is_lost()
            && self.left_ms(now) > timeout_ms.min(self.window.ms() / 2) + self.window.ms() / 12
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_one_of_live_and_stale_holds_at_every_boundary() {
        let now = Millis(1_000_000);
        let w = 180_000;
        let live = [now.plus(-w), now.plus(-w + 1), now, now.plus(w - 1), now.plus(w)];
        let stale = [now.plus(-w - 1), now.plus(w + 1)];
        assert!(live.iter().all(|h| is_live(Some(*h), now, w)));
        assert!(stale.iter().all(|h| !is_live(Some(*h), now, w)));
        assert!(!is_live(None, now, w));
    }

    #[test]
    fn a_window_keeps_three_heartbeats_and_a_call_within_half_an_interval() {
        let w = Window::DEFAULT;
        assert!(3 * w.heartbeat_ms() <= w.ms());
        assert!(w.call_timeout_ms() < w.heartbeat_ms() / 2);
        assert!(Window::new(179_999, Window::MIN_MS).is_err());
        assert!(Window::new(1_500, 1_000).is_ok());
    }

    #[test]
    fn the_token_never_shows() {
        assert_eq!(format!("{:?}", OwnerToken::new([7; 16])), "OwnerToken(hidden)");
    }
}
