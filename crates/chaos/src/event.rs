//! What a chaos process writes down: one line each, in order.

use lockstep_domain::clock::Clock as _;
use serde::{Deserialize, Serialize};

use crate::gate::Gate;

/// One line of a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Process.
    pub pid: u32,
    /// Counts from 0 within its process.
    pub seq: u64,
    /// The machine's boot clock, in nanoseconds: comparable between processes.
    pub at_ns: i64,
    /// Wall time in milliseconds, for the forge's journal.
    pub wall_ms: i64,
    /// What happened.
    #[serde(flatten)]
    pub what: What,
}

/// What happened. `begun_ns` is the boot clock from just before the call; the event itself is written after it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum What {
    /// The process started.
    Started,
    /// It stands at a gate.
    AtGate {
        /// Where.
        gate: Gate,
    },
    /// It was let through.
    Passed {
        /// Where.
        gate: Gate,
    },
    /// A claim succeeded.
    Claimed {
        /// The new fence.
        fence: i64,
        /// Whose dead lease was replaced.
        replaced: Option<i64>,
        /// That holder was proven dead.
        proven: bool,
        /// Window.
        window_ms: i64,
        /// See the type.
        begun_ns: i64,
    },
    /// A claim met a live holder.
    Refused {
        /// The holder's fence.
        fence: i64,
        /// Whether a token was set when the row was read again.
        held: bool,
        /// See the type.
        begun_ns: i64,
    },
    /// A renewal ended; `held` is empty when its outcome is unknown.
    Renewed {
        /// Fence.
        fence: i64,
        /// Held, lost, unknown.
        held: Option<bool>,
        /// See the type.
        begun_ns: i64,
    },
    /// A publication ended.
    Published {
        /// Fence.
        fence: i64,
        /// Whether it stands.
        stands: bool,
        /// See the type.
        begun_ns: i64,
    },
    /// Finish or release ended.
    GaveBack {
        /// Fence.
        fence: i64,
        /// Whether it was ours to give.
        done: bool,
    },
    /// A write to the outside begins.
    WriteBegan {
        /// Number of the write within its process.
        write: u64,
        /// `push`, `open`, `comment`, `close`, `create`.
        kind: String,
        /// `owner/name`.
        repo: String,
        /// Fence.
        fence: i64,
        /// Whether the loss had been signalled.
        lost: bool,
    },
    /// It ended.
    WriteEnded {
        /// See above.
        write: u64,
        /// Whether something was sent; `false`: held back because of the lease.
        sent: bool,
    },
    /// The run was told to stop.
    Told {
        /// Fence.
        fence: i64,
        /// `lost`, `cancelled`, `quit`, `fault`.
        reason: String,
    },
    /// The loser's one audit row was asked for.
    AuditedLoss {
        /// Fence.
        fence: i64,
    },
    /// A cancel was asked.
    AskedCancel {
        /// The fence that the person saw.
        fence: i64,
        /// Whether it was stamped.
        stamped: bool,
    },
    /// A person reclaimed.
    Reclaimed {
        /// The fence that the person saw.
        fence: i64,
        /// Whether it was allowed.
        done: bool,
    },
    /// The desk killed the process (it is gone).
    Killed,
    /// The desk stopped the process.
    Halted,
    /// The desk lets the process go on.
    WentOn,
    /// The process ended by itself.
    Exited {
        /// Its exit code.
        code: i32,
    },
}

/// The boot clock in nanoseconds.
#[must_use]
pub fn now_ns() -> i64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    time.tv_sec.saturating_mul(1_000_000_000).saturating_add(time.tv_nsec)
}

/// Wall time in milliseconds.
#[must_use]
pub fn wall_ms() -> i64 {
    lockstep_testkit::wall_clock().now().0
}
