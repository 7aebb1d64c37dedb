//! Runs a configuration and says what came of it.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use stateright::{Checker as _, HasDiscoveries, Model as _};

use crate::rules::Law;
use crate::system::{Action, Config, REACHED, State};

/// What was explored, and what was found.
#[derive(Debug)]
pub struct Report {
    /// The configuration's name.
    pub name: &'static str,
    /// Different states.
    pub states: usize,
    /// Steps taken, also into states seen before.
    pub steps: usize,
    /// Longest of the shortest ways to a state.
    pub depth: usize,
    /// How long it took.
    pub took: Duration,
    /// Which of [`REACHED`] was never met.
    pub unmet: Vec<&'static str>,
    /// A shortest way to a broken law.
    pub found: Option<Counterexample>,
}

/// A way to a broken law: each step and the state after it.
#[derive(Debug)]
pub struct Counterexample {
    /// The law.
    pub law: Law,
    /// The way.
    pub steps: Vec<(Action, State)>,
}

/// Explores every state, or up to the first broken law: with `wanted` up to the first that breaks this one.
///
/// # Panics
/// When the checker itself fails.
#[must_use]
pub fn explore(config: Config, wanted: Option<Law>, threads: usize) -> Report {
    let start = Instant::now();
    let until = wanted.map_or(HasDiscoveries::AnyFailures, |law| HasDiscoveries::AnyOf([law.name()].into()));
    let checker = config.checker().threads(threads).finish_when(until).spawn_bfs().join();
    let took = start.elapsed();
    let mut found: Vec<Counterexample> = checker
        .discoveries()
        .into_iter()
        .filter_map(|(name, path)| {
            let law = Law::ALL.into_iter().find(|law| law.name() == name)?;
            if wanted.is_some_and(|wanted| wanted != law) {
                return None;
            }
            let ways = path.into_vec();
            let steps = ways.windows(2).filter_map(|pair| Some((pair[0].1?, pair[1].0.clone()))).collect();
            Some(Counterexample { law, steps })
        })
        .collect();
    found.sort_by_key(|example| example.steps.len());
    let met = checker.discoveries();
    Report {
        name: config.name,
        states: checker.unique_state_count(),
        steps: checker.state_count(),
        depth: checker.max_depth(),
        took,
        unmet: REACHED.into_iter().filter(|name| !met.contains_key(name)).collect(),
        found: found.into_iter().next(),
    }
}

impl Report {
    /// The figures, in one line.
    #[must_use]
    pub fn figures(&self) -> String {
        let found = self.found.as_ref().map_or_else(
            || "every law holds".to_owned(),
            |found| format!("{} steps to: {}", found.steps.len(), found.law.name()),
        );
        format!(
            "{:<30} {:>9} states {:>10} steps  depth {:>3}  {:>6.2} s  {found}",
            self.name,
            self.states,
            self.steps,
            self.depth,
            self.took.as_secs_f64()
        )
    }
}

impl Counterexample {
    /// The way, a line per step with the database and the workers after it.
    #[must_use]
    pub fn readable(&self) -> String {
        let mut text = String::new();
        for (number, (action, state)) in self.steps.iter().enumerate() {
            // Writing to a String does not fail.
            let _ok = writeln!(text, "{:>3}. {action}\n       {}", number + 1, look(state));
        }
        let _ok = writeln!(text, "     broken: {}", self.law.name());
        text
    }
}

/// One line about a state.
fn look(state: &State) -> String {
    let row = &state.db.row;
    let age = row.heartbeat_at.map_or_else(
        || "no heartbeat".to_owned(),
        |h| format!("heartbeat {} old, {}", -h, if row.is_live(0) { "live" } else { "stale" }),
    );
    let mut text = match row.token {
        Some(token) => format!("row: token {token}, fence {}, {age}", row.fence),
        None => format!("row: free, fence {}", row.fence),
    };
    if !state.db.alive {
        text.push_str("; deleted");
    }
    if let [first, second] = state.db.published
        && first != second
    {
        let _ok = write!(text, "; half of what is published is token {first}'s, half token {second}'s");
    }
    for (number, worker) in state.workers.iter().enumerate() {
        if let Some(guard) = worker.guard {
            let told = if guard.lost > 0 { ", told of its loss" } else { "" };
            let _ok = write!(
                text,
                "; worker {} believes token {}, fence {}{told}",
                number + 1,
                guard.owner.token,
                guard.owner.fence
            );
        }
    }
    text
}
