//! Stands at the gates and keeps the log.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use lockstep_domain::lease::LeaseGuard;
use lockstep_domain::stop::StopReason;

use crate::control::Control;
use crate::event::{Event, What, now_ns, wall_ms};
use crate::gate::Gate;

/// One per process.
#[derive(Debug)]
pub struct Keeper {
    control: Control,
    log: Mutex<(File, u64)>,
    arrivals: AtomicU32,
    writes: AtomicU64,
}

impl Keeper {
    /// Reads its orders and opens its log.
    ///
    /// # Errors
    /// The file of orders or the log cannot be opened.
    pub fn new(orders: &Path) -> io::Result<Self> {
        let control: Control = serde_json::from_slice(&std::fs::read(orders)?)?;
        let file = OpenOptions::new().create(true).append(true).open(&control.log)?;
        let keeper = Self {
            control,
            log: Mutex::new((file, 0)),
            arrivals: AtomicU32::new(0),
            writes: AtomicU64::new(0),
        };
        keeper.note(What::Started);
        Ok(keeper)
    }

    /// The orders.
    #[must_use]
    pub fn control(&self) -> &Control {
        &self.control
    }

    /// Writes one line. A line is one call, so that a killed process leaves whole lines.
    ///
    /// # Panics
    /// The log cannot be written: a history with holes proves nothing.
    #[expect(clippy::expect_used, reason = "a history with holes proves nothing")]
    pub fn note(&self, what: What) {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        let event = Event { pid: std::process::id(), seq: log.1, at_ns: now_ns(), wall_ms: wall_ms(), what };
        log.1 += 1;
        let mut line = serde_json::to_vec(&event).expect("an event is JSON");
        line.push(b'\n');
        log.0.write_all(&line).expect("the log of a chaos process is writable");
    }

    /// Passes a gate; waits there for a line on standard input when ordered to.
    pub async fn at(self: &Arc<Self>, gate: Gate) {
        if !self.is_stop(gate) {
            return;
        }
        let keeper = Arc::clone(self);
        // A panic would have ended the process's log; there is nothing to add.
        let _passed = tokio::task::spawn_blocking(move || keeper.hold(gate)).await;
    }

    /// The same on the calling thread.
    pub fn block_at(&self, gate: Gate) {
        if self.is_stop(gate) {
            self.hold(gate);
        }
    }

    fn is_stop(&self, gate: Gate) -> bool {
        self.control.gate == Some(gate)
            && self.arrivals.fetch_add(1, Ordering::SeqCst) + 1 == self.control.nth.max(1)
    }

    fn hold(&self, gate: Gate) {
        self.note(What::AtGate { gate });
        let mut line = String::new();
        // A closed pipe lets it through as a line does.
        let _closed = io::stdin().read_line(&mut line);
        self.note(What::Passed { gate });
    }

    /// A write to the outside begins; its number.
    pub fn began(&self, kind: &str, repo: &str, guard: &LeaseGuard) -> u64 {
        let write = self.writes.fetch_add(1, Ordering::SeqCst);
        let (kind, repo) = (kind.to_owned(), repo.to_owned());
        let (fence, lost) = (guard.fence().0, guard.stop().is_lost());
        self.note(What::WriteBegan { write, kind, repo, fence, lost });
        write
    }

    /// Writes down every reason to stop of this run.
    pub fn watch(self: &Arc<Self>, guard: &LeaseGuard) {
        let (keeper, stop, fence) = (Arc::clone(self), guard.stop().clone(), guard.fence().0);
        tokio::spawn(async move {
            let reason = match stop.stopped().await {
                StopReason::LeaseLost => "lost",
                StopReason::Cancelled { .. } => "cancelled",
                StopReason::Quit => "quit",
                StopReason::Fault(_) => "fault",
            };
            keeper.note(What::Told { fence, reason: reason.to_owned() });
            if reason != "lost" {
                stop.lost().await;
                keeper.note(What::Told { fence, reason: "lost".to_owned() });
            }
        });
    }

    /// Keeps every thread of the work's runtime busy for as long as ordered.
    pub fn starve(&self) {
        let until = now_ns() + i64::try_from(self.control.starve_ms).unwrap_or_default() * 1_000_000;
        let threads = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        for _ in 0..if self.control.starve_ms > 0 { threads } else { 0 } {
            tokio::spawn(async move {
                while now_ns() < until {
                    std::hint::spin_loop();
                }
            });
        }
    }
}
