//! Times as people read them in a terminal: this machine's time zone.

use chrono::{DateTime, Local};

/// `2026-12-04 23:59`; a dash when there is none.
pub(crate) fn shown(at: Option<f64>) -> String {
    at.and_then(local).map_or_else(|| "-".to_owned(), |at| at.format("%Y-%m-%d %H:%M").to_string())
}

/// `23:59`.
pub(crate) fn clock(at: f64) -> String {
    local(at).map_or_else(|| "?".to_owned(), |at| at.format("%H:%M").to_string())
}

/// `2026-12-04 23:59:08`.
pub(crate) fn exact(at: f64) -> String {
    local(at).map_or_else(|| "?".to_owned(), |at| at.format("%Y-%m-%d %H:%M:%S").to_string())
}

/// `1 min 20 s`, for a time span in milliseconds.
pub(crate) fn span(ms: f64) -> String {
    let seconds = (ms / 1_000.0).max(0.0);
    if seconds < 60.0 {
        return format!("{seconds:.1} s");
    }
    let (minutes, rest) = ((seconds / 60.0).floor(), (seconds % 60.0).floor());
    if minutes < 60.0 {
        return format!("{minutes} min {rest} s");
    }
    format!("{} h {} min", (minutes / 60.0).floor(), minutes % 60.0)
}

#[expect(clippy::cast_possible_truncation, reason = "milliseconds of a real date")]
fn local(at: f64) -> Option<DateTime<Local>> {
    DateTime::from_timestamp_millis(at as i64).map(|utc| utc.with_timezone(&Local))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_short() {
        assert_eq!(span(1_250.0), "1.2 s");
        assert_eq!(span(80_000.0), "1 min 20 s");
        assert_eq!(span(7_260_000.0), "2 h 1 min");
        assert_eq!(shown(None), "-");
    }
}
