//! The two real clocks.

use lockstep_domain::clock::{BootMillis, Clock, Millis};

/// Wall time, and a clock that never steps and counts while the machine sleeps.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the product's one wall clock")]
    fn now(&self) -> Millis {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    fn boot(&self) -> BootMillis {
        BootMillis(boot_ms())
    }
}

#[cfg(unix)]
fn boot_ms() -> i64 {
    use rustix::time::{ClockId, clock_gettime};
    // On macOS the monotonic clock goes on while the machine sleeps.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    const COUNTS_SLEEP: ClockId = ClockId::Boottime;
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    const COUNTS_SLEEP: ClockId = ClockId::Monotonic;
    let time = clock_gettime(COUNTS_SLEEP);
    time.tv_sec.saturating_mul(1_000).saturating_add(time.tv_nsec / 1_000_000)
}

#[cfg(not(unix))]
fn boot_ms() -> i64 {
    // The performance counter goes on while the machine sleeps.
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    let start = START.get_or_init(std::time::Instant::now);
    i64::try_from(start.elapsed().as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_clocks_run_forward() {
        let clock = SystemClock;
        let (wall, boot) = (clock.now(), clock.boot());
        assert!(wall.0 > 1_600_000_000_000, "{wall:?}");
        assert!(clock.boot() >= boot);
    }
}
