//! The arithmetic of the pacing gate (docs/SYNC.md): which instant the next content write gets.

use lockstep_domain::clock::Millis;

use crate::contract::{Pace, Slot};

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 86_400_000;
/// Slower than this factor it never gets.
const SLOWEST_PERMILLE: i64 = 16_000;
/// A slot further away than this is not reserved: who would hold it might be gone by then.
const HORIZON_MS: i64 = 10_000;

/// What the database keeps about one identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gate {
    /// The last reserved instant.
    pub(crate) last_at: Option<Millis>,
    /// Nothing is sent before.
    pub(crate) blocked_until: Option<Millis>,
    /// Learned slowness at `slow_at`; 1000 is none.
    pub(crate) slow_permille: i64,
    /// When it was learned.
    pub(crate) slow_at: Option<Millis>,
}

impl Gate {
    /// Learned slowness now: it decays back within a day.
    pub(crate) fn slowness(&self, now: Millis) -> i64 {
        let age = self.slow_at.map_or(DAY_MS, |at| now.since(at)).clamp(0, DAY_MS);
        let extra = (self.slow_permille - 1_000).max(0);
        1_000 + extra * (DAY_MS - age) / DAY_MS
    }

    /// Slowness after one more tripped limit; a trip while still blocked teaches nothing new.
    pub(crate) fn slower(&self, now: Millis) -> i64 {
        let current = self.slowness(now);
        if self.blocked_until.is_some_and(|until| until > now) {
            return current;
        }
        (current * 2).min(SLOWEST_PERMILLE)
    }

    /// How many slots of the last hour matter at this pace.
    pub(crate) fn hourly(&self, now: Millis, pace: Pace) -> i64 {
        (i64::from(pace.per_hour) * 1_000 / self.slowness(now)).max(1)
    }

    /// The instant that is next, or until when there is none. `oldest` is the slot as many places back as are allowed
    /// in an hour, when there are that many.
    pub(crate) fn next(&self, now: Millis, pace: Pace, oldest: Option<Millis>) -> Result<Millis, Slot> {
        if let Some(until) = self.blocked_until.filter(|until| *until > now) {
            return Err(Slot::Blocked { until });
        }
        let interval = pace.min_interval_ms.max(0) * self.slowness(now) / 1_000;
        let after_last = self.last_at.map_or(now, |last| last.plus(interval));
        let after_hour = oldest.map_or(now, |oldest| oldest.plus(HOUR_MS));
        let at = now.max(after_last).max(after_hour);
        if at.since(now) > HORIZON_MS.max(4 * interval) {
            return Err(Slot::Blocked { until: at });
        }
        Ok(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACE: Pace = Pace { min_interval_ms: 1_000, per_hour: 500 };
    const NOW: Millis = Millis(1_000_000_000);

    fn gate() -> Gate {
        Gate { last_at: None, blocked_until: None, slow_permille: 1_000, slow_at: None }
    }

    #[test]
    fn two_writes_start_at_least_the_interval_apart() {
        assert_eq!(gate().next(NOW, PACE, None), Ok(NOW));
        let after = Gate { last_at: Some(NOW), ..gate() };
        assert_eq!(after.next(NOW, PACE, None), Ok(NOW.plus(1_000)));
        assert_eq!(after.next(NOW.plus(5_000), PACE, None), Ok(NOW.plus(5_000)));
    }

    #[test]
    fn the_hour_slides_and_a_far_slot_is_not_reserved() {
        let oldest = Some(NOW.plus(-HOUR_MS + 2_000));
        assert_eq!(gate().next(NOW, PACE, oldest), Ok(NOW.plus(2_000)));
        let far = Some(NOW.plus(-1_000_000));
        assert_eq!(gate().next(NOW, PACE, far), Err(Slot::Blocked { until: NOW.plus(HOUR_MS - 1_000_000) }));
    }

    #[test]
    fn nothing_is_sent_while_blocked() {
        let blocked = Gate { blocked_until: Some(NOW.plus(1)), ..gate() };
        assert_eq!(blocked.next(NOW, PACE, None), Err(Slot::Blocked { until: NOW.plus(1) }));
        assert_eq!(blocked.next(NOW.plus(1), PACE, None), Ok(NOW.plus(1)));
    }

    #[test]
    fn a_learned_pace_halves_once_per_trip_and_decays_within_a_day() {
        let slow = Gate { slow_permille: gate().slower(NOW), slow_at: Some(NOW), ..gate() };
        assert_eq!(slow.slowness(NOW), 2_000);
        assert_eq!(slow.hourly(NOW, PACE), 250);
        assert_eq!(slow.slowness(NOW.plus(DAY_MS / 2)), 1_500);
        assert_eq!(slow.slowness(NOW.plus(DAY_MS)), 1_000);
        let blocked = Gate { blocked_until: Some(NOW.plus(10)), ..slow };
        assert_eq!(blocked.slower(NOW), 2_000);
    }
}
