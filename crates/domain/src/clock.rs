//! Time as a parameter.

use serde::Serialize;

/// Milliseconds since the Unix epoch, UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Default)]
#[serde(transparent)]
pub struct Millis(pub i64);

impl Millis {
    /// This instant moved by `ms` milliseconds (negative: earlier).
    #[must_use]
    pub const fn plus(self, ms: i64) -> Self {
        Self(self.0.saturating_add(ms))
    }

    /// Milliseconds from `earlier` to this instant; negative when this is the earlier one.
    #[must_use]
    pub const fn since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// Milliseconds on a clock that never steps and counts while the machine sleeps (`CLOCK_BOOTTIME`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct BootMillis(pub i64);

/// The two clocks of this machine. Lease expiry and deadlines are judged by the database's clock, not by this.
pub trait Clock: Send + Sync + std::fmt::Debug {
    /// Wall time, for people and for talking to servers.
    fn now(&self) -> Millis;
    /// Time since boot, counting suspend: local deadlines of a lease holder.
    fn boot(&self) -> BootMillis;
}
