//! What many rounds came to.

use std::collections::BTreeMap;
use std::fmt;

use super::Took;
use crate::event::What;
use crate::gate::Gate;
use crate::history::History;

/// What is done to a press.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Act {
    /// kill -9.
    Kill,
    /// SIGSTOP beyond the window, then SIGCONT.
    Stop,
    /// A cancel from another process.
    Cancel,
}

impl Act {
    const fn name(self) -> &'static str {
        match self {
            Self::Kill => "kill -9",
            Self::Stop => "SIGSTOP, SIGCONT",
            Self::Cancel => "cancel",
        }
    }
}

/// Counts and times.
#[derive(Debug, Default)]
pub struct Matrix {
    cells: BTreeMap<(Gate, Act), u32>,
    takeovers: BTreeMap<Act, Vec<i64>>,
    cancels: Vec<i64>,
    published: usize,
    stale: usize,
    writes: usize,
    losses: usize,
}

impl Matrix {
    /// One round.
    pub fn add(&mut self, act: Act, gate: Gate, took: Took) {
        *self.cells.entry((gate, act)).or_default() += 1;
        self.takeovers.entry(act).or_default().extend(took.takeover_ms);
        self.cancels.extend(took.cancel_ms);
    }

    /// A desk that is done with.
    pub fn desk(&mut self, history: &History) {
        let (stale, published) = history.publications();
        self.stale += stale;
        self.published += published;
        self.writes += history.forge.len();
        self.losses += history.events.iter().filter(|e| matches!(e.what, What::AuditedLoss { .. })).count();
    }
}

/// The value below which `percent` of them lie.
fn quantile(sorted: &[i64], percent: usize) -> i64 {
    let at = (sorted.len() * percent).div_ceil(100).max(1) - 1;
    sorted.get(at).copied().unwrap_or_default()
}

fn times(f: &mut fmt::Formatter<'_>, name: &str, all: &[i64]) -> fmt::Result {
    let mut sorted = all.to_vec();
    sorted.sort_unstable();
    let Some(most) = sorted.last() else { return Ok(()) };
    let (half, late) = (quantile(&sorted, 50), quantile(&sorted, 99));
    writeln!(f, "{name}: {} times, p50 {half} ms, p99 {late} ms, max {most} ms", sorted.len())
}

impl fmt::Display for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let acts = [Act::Kill, Act::Stop, Act::Cancel];
        writeln!(f, "| gate | {} |", acts.map(Act::name).join(" | "))?;
        writeln!(f, "|---|---|---|---|")?;
        for gate in Gate::OF_PRESS {
            let counts =
                acts.map(|act| self.cells.get(&(gate, act)).copied().unwrap_or_default().to_string());
            writeln!(f, "| {} | {} |", gate.name(), counts.join(" | "))?;
        }
        writeln!(f)?;
        for act in [Act::Kill, Act::Stop] {
            let all = self.takeovers.get(&act).map(Vec::as_slice).unwrap_or_default();
            times(f, &format!("takeover after {}", act.name()), all)?;
        }
        times(f, "cancel, from the ask to the holder", &self.cancels)?;
        writeln!(f, "stale publications: {} of {}", self.stale, self.published)?;
        writeln!(f, "writes at the forge: {}, losers: {}", self.writes, self.losses)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_is_a_value_that_was_seen() {
        assert_eq!([50, 99, 100].map(|percent| quantile(&[1, 2, 3, 4], percent)), [2, 4, 4]);
        assert_eq!(quantile(&[7], 50), 7);
    }
}
