//! Numbers as they cross, and durations as people say them.

use lockstep_domain::clock::Millis;

use crate::wire::TimeMs;

/// An instant as it crosses. Exact up to the year 287396.
#[expect(clippy::cast_precision_loss, reason = "milliseconds of any real date are far below 2^53")]
pub(crate) const fn ms(at: Millis) -> TimeMs {
    at.0 as TimeMs
}

/// An instant that came in; none when it is no real date.
#[expect(clippy::cast_possible_truncation, reason = "bounded by the check before")]
pub(crate) fn instant(at: TimeMs) -> Option<Millis> {
    (at.is_finite() && at.abs() < 1e15).then(|| Millis(at.round() as i64))
}

/// A count or a duration in `u32`; negative is zero, too large is the most.
pub(crate) fn small(value: i64) -> u32 {
    u32::try_from(value.max(0)).unwrap_or(u32::MAX)
}

/// A length of time, in the two largest units.
pub(crate) fn duration(ms: i64) -> String {
    let seconds = ms.max(0) / 1_000;
    let (days, hours, minutes, rest) =
        (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
    let parts = [(days, "d"), (hours, "h"), (minutes, "min"), (rest, "s")];
    let Some(first) = parts.iter().position(|(count, _)| *count > 0) else { return "0 s".to_owned() };
    let two = parts.iter().skip(first).take(2).filter(|(count, _)| *count > 0);
    two.map(|(count, unit)| format!("{count} {unit}")).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_names_its_two_largest_units() {
        for (ms, text) in [
            (0, "0 s"),
            (999, "0 s"),
            (8_000, "8 s"),
            (172_000, "2 min 52 s"),
            (600_000, "10 min"),
            (3_600_000, "1 h"),
            (90_061_000, "1 d 1 h"),
            (-5, "0 s"),
        ] {
            assert_eq!(duration(ms), text);
        }
    }

    #[test]
    fn a_nonsense_instant_is_none() {
        assert_eq!(instant(f64::NAN), None);
        assert_eq!(instant(f64::INFINITY), None);
        assert_eq!(instant(1_700_000_000_000.0), Some(Millis(1_700_000_000_000)));
    }
}
