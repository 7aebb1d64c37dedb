//! What may happen, drawn at random with a liking for the edges of the window.

use lockstep_lease_model::Status;
use proptest::prelude::*;

use crate::world::W;

/// One act. Workers are 0, 1, 2: `ada`, `bob`, `eve`; each acts with the guard of its last claim, however old.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Act {
    Claim {
        who: usize,
        long: bool,
    },
    Renew {
        who: usize,
        progress: Option<u32>,
    },
    Check {
        who: usize,
    },
    Progress {
        who: usize,
        done: u32,
    },
    Record {
        who: usize,
        recipient: usize,
    },
    Done {
        who: usize,
        recipient: usize,
    },
    Publish {
        who: usize,
    },
    Finish {
        who: usize,
        publish: bool,
        status: Status,
    },
    Release {
        who: usize,
        status: Status,
    },
    /// `ago`: how many fences before the current one the person saw.
    Cancel {
        by: usize,
        ago: i64,
    },
    Reclaim {
        ago: i64,
    },
    Delete,
    Retire,
    Die {
        who: usize,
    },
    Wait(Wait),
}

/// Where the database's clock goes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Wait {
    /// Forward, or back.
    By(i64),
    /// So that the heartbeat is W old, give or take.
    Old(i64),
    /// So that the heartbeat is W ahead, give or take.
    Ahead(i64),
}

/// An act with what it needs to be the same everywhere.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    /// Token and run of a claim, number of an update.
    pub(crate) number: u64,
    /// The row's fence before it.
    pub(crate) fence: i64,
    pub(crate) act: Act,
}

pub(crate) const LONG_W: i64 = W + 60_000;

pub(crate) fn sequences(most: usize) -> impl Strategy<Value = Vec<Act>> {
    prop::collection::vec(act(), 1..=most)
}

fn act() -> impl Strategy<Value = Act> {
    let who = 0..3_usize;
    let ended = prop_oneof![
        Just(Status::Succeeded),
        Just(Status::Incomplete),
        Just(Status::Failed),
        Just(Status::Cancelled),
        Just(Status::Interrupted),
    ];
    let recipient = 0..2_usize;
    prop_oneof![
        8 => (who.clone(), any::<bool>()).prop_map(|(who, long)| Act::Claim { who, long }),
        6 => (who.clone(), prop::option::of(0..50_u32)).prop_map(|(who, progress)| Act::Renew { who, progress }),
        2 => who.clone().prop_map(|who| Act::Check { who }),
        2 => (who.clone(), 0..50_u32).prop_map(|(who, done)| Act::Progress { who, done }),
        2 => (who.clone(), recipient.clone()).prop_map(|(who, recipient)| Act::Record { who, recipient }),
        2 => (who.clone(), recipient).prop_map(|(who, recipient)| Act::Done { who, recipient }),
        4 => who.clone().prop_map(|who| Act::Publish { who }),
        3 => (who.clone(), any::<bool>(), ended.clone())
            .prop_map(|(who, publish, status)| Act::Finish { who, publish, status }),
        3 => (who.clone(), ended).prop_map(|(who, status)| Act::Release { who, status }),
        3 => (who.clone(), 0..2_i64).prop_map(|(by, ago)| Act::Cancel { by, ago }),
        3 => (0..2_i64).prop_map(|ago| Act::Reclaim { ago }),
        1 => Just(Act::Delete),
        1 => Just(Act::Retire),
        1 => who.prop_map(|who| Act::Die { who }),
        12 => wait().prop_map(Act::Wait),
    ]
}

fn wait() -> impl Strategy<Value = Wait> {
    prop_oneof![
        2 => prop_oneof![Just(1_i64), Just(W / 3), 0..W, -W..0].prop_map(Wait::By),
        3 => (-1..=1_i64).prop_map(Wait::Old),
        2 => (-1..=1_i64).prop_map(Wait::Ahead),
    ]
}
