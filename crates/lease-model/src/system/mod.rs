//! One lease, its workers, its database and its people, in every order of their steps.

mod action;
mod state;
mod step;
mod write;

pub use action::Action;
pub use state::*;

use stateright::{Model, Property};

use crate::rules::{Law, Rules};

/// What is checked: who takes part, what may go wrong, which guards stand.
#[derive(Debug, Clone, Copy)]
pub struct Config {
    /// Its name at the command line.
    pub name: &'static str,
    /// What it is for.
    pub about: &'static str,
    /// The guards.
    pub rules: Rules,
    /// Workers.
    pub workers: usize,
    /// What may happen how often.
    pub budget: Budget,
    /// Whether a crashed holder is proven dead, as on SQLite.
    pub proves_death: bool,
    /// Whether people reclaim and cancel.
    pub people: bool,
    /// Whether staff delete the project or retire its source.
    pub deletion: bool,
    /// Whether states that differ only in the order of workers are one. A counterexample reads better without.
    pub alike: bool,
}

/// What every configuration of right rules must come across, so that its laws are not kept by an empty world.
pub const REACHED: [&str; 4] = [
    "a worker still believes in a lease that another holds by now",
    "a loser was told",
    "a distribution step is published",
    "a run is finished",
];

impl Model for Config {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State::first(self.budget)]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        // One broken law is enough.
        if state.broken == 0 {
            action::all(self, state, actions);
        }
    }

    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        step::step(self, state, action)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        let mut properties = vec![
            Property::always(Law::OneBatch.name(), |_, state: &State| {
                state.db.published[0] == state.db.published[1]
            }),
            Property::always(Law::ClaimableInTime.name(), claimable_in_time),
            Property::sometimes(REACHED[0], |_, state: &State| {
                let older = |worker: &Worker| {
                    worker.guard.is_some_and(|guard| guard.owner.fence < state.db.row.fence)
                };
                state.db.row.token.is_some() && state.workers.iter().any(older)
            }),
            Property::sometimes(REACHED[1], |_, state: &State| {
                state.workers.iter().any(|worker| worker.guard.is_some_and(|guard| guard.lost == 1))
            }),
            Property::sometimes(REACHED[2], |_, state: &State| state.db.publications == [1, 0]),
            Property::sometimes(REACHED[3], |_, state: &State| {
                state.db.row.token.is_none() && state.db.publications == [1, 1]
            }),
        ];
        macro_rules! kept {
            ($($law:ident),+) => {
                properties.extend([$(
                    Property::always(Law::$law.name(), |_: &Self, state: &State| !state.breaks(Law::$law)),
                )+]);
            };
        }
        kept!(
            NoStalePublication,
            NonOwnerChangesNothing,
            ExpiredIsNotRenewed,
            LiveIsNotTaken,
            FencesGrow,
            LossIsToldOnce,
            CancelHitsItsFence,
            NothingDeletedIsClaimed
        );
        properties
    }
}

/// "Claimable within W plus one poll" as a law of single states: it counts the ticks since the heartbeat was written, so
/// that a state in which too many have passed and a claim would still be refused is a counterexample. A lock on the row
/// does not count: the server's timeouts end it.
fn claimable_in_time(config: &Config, state: &State) -> bool {
    let Db { row, alive, quiet, stepped_back, .. } = &state.db;
    let within = if *stepped_back { 2 * W } else { W };
    row.token.is_none() || !alive || i64::from(*quiet) <= within || row.may_claim(config.rules, 0, false)
}
