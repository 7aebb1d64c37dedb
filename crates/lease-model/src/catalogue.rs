//! What is checked: the right rules in several surroundings, and every flaw in the smallest one that shows it.

use crate::rules::{Flaw, Rules};
use crate::system::{Budget, Config};

const QUIET: Budget = Budget { claims: 2, forward: 0, back: 0, crashes: 0, failovers: 0 };

const BASE: Config = Config {
    name: "",
    about: "",
    rules: Rules::RIGHT,
    workers: 2,
    budget: QUIET,
    proves_death: false,
    people: false,
    deletion: false,
    alike: true,
};

const CLOCK: Config = Config {
    name: "clock",
    about: "clock steps forward and back by up to W, crash anywhere",
    budget: Budget { claims: 2, forward: 1, back: 2, crashes: 1, failovers: 0 },
    ..BASE
};
const THREE_WORKERS: Config = Config {
    name: "three-workers",
    about: "three workers, honest clock, crash anywhere",
    workers: 3,
    budget: Budget { claims: 3, crashes: 1, ..QUIET },
    ..BASE
};
const DELETION: Config = Config {
    name: "deletion",
    about: "staff delete the project or retire its source at any moment, the clock steps back",
    budget: Budget { back: 2, ..QUIET },
    deletion: true,
    ..BASE
};
const FAILOVER: Config = Config {
    name: "failover",
    about: "a failover loses the last commit",
    budget: Budget { claims: 3, failovers: 1, ..QUIET },
    ..BASE
};
const PEOPLE: Config = Config {
    name: "people",
    about: "people reclaim and cancel while the clock steps",
    budget: Budget { forward: 1, back: 1, ..QUIET },
    people: true,
    ..BASE
};
const PROVEN_DEAD: Config = Config {
    name: "proven-dead",
    about: "one machine: a crashed holder is proven dead; reclaim, cancel, deletion",
    budget: Budget { crashes: 1, ..QUIET },
    proves_death: true,
    people: true,
    deletion: true,
    ..BASE
};

/// The right rules, as the tests check them: every law holds in every state.
pub const RIGHT: [Config; 6] = [CLOCK, THREE_WORKERS, DELETION, FAILOVER, PEOPLE, PROVEN_DEAD];

/// The same with more claims, steps and crashes at once: millions of states, for a run by hand.
pub const WIDE: [Config; 6] = [
    Config {
        name: "wide-clock",
        budget: Budget { claims: 3, forward: 1, back: 2, crashes: 1, failovers: 0 },
        ..CLOCK
    },
    Config {
        name: "wide-three-workers",
        budget: Budget { claims: 3, forward: 1, crashes: 1, ..QUIET },
        ..THREE_WORKERS
    },
    Config {
        name: "wide-deletion",
        budget: Budget { claims: 2, forward: 1, back: 2, crashes: 1, failovers: 0 },
        ..DELETION
    },
    Config {
        name: "wide-failover",
        about: "a failover loses the last commit, the clock steps back, crash anywhere",
        budget: Budget { claims: 3, forward: 0, back: 1, crashes: 1, failovers: 1 },
        ..FAILOVER
    },
    Config {
        name: "wide-people",
        budget: Budget { claims: 3, forward: 1, back: 1, crashes: 0, failovers: 0 },
        ..PEOPLE
    },
    Config { name: "wide-proven-dead", budget: Budget { claims: 3, crashes: 2, ..QUIET }, ..PROVEN_DEAD },
];

/// The smallest surroundings in which a flaw shows.
#[must_use]
pub fn flawed(flaw: Flaw) -> Config {
    let base = Config { name: flaw.name(), rules: Rules::with(flaw), alike: false, ..BASE };
    match flaw {
        Flaw::FenceOnly | Flaw::RenewFenceOnly | Flaw::ReleaseFenceOnly | Flaw::ProgressFenceOnly => {
            Config { budget: Budget { failovers: 1, ..QUIET }, ..base }
        }
        Flaw::PublishOnADeletedProject => {
            Config { deletion: true, budget: Budget { back: 1, ..QUIET }, ..base }
        }
        Flaw::ClaimDoesNotLookAgain => Config { deletion: true, ..base },
        Flaw::ReclaimWithoutExpiry | Flaw::CancelWithoutFence | Flaw::CancelOutlivesItsFence => {
            Config { people: true, ..base }
        }
        _ => base,
    }
}

/// A configuration by its name, right or flawed.
#[must_use]
pub fn find(name: &str) -> Option<Config> {
    let right = RIGHT.into_iter().chain(WIDE).find(|config| config.name == name);
    right.or_else(|| Flaw::ALL.iter().find(|flaw| flaw.name() == name).map(|flaw| flawed(*flaw)))
}
