//! What is done to a press at a gate, and what has to come of it.

mod matrix;

use std::time::{Duration, Instant};

use lockstep_testkit::Database;

use crate::control::Control;
use crate::event::{What, now_ns};
use crate::gate::Gate;
use crate::rig::{Ended, PROJECT, Pressing, Rig};
pub use matrix::{Act, Matrix};

/// Longest time in which somebody else gets a press through.
const PATIENCE: Duration = Duration::from_secs(100);
/// Pause between two presses that were refused.
const POLL: Duration = Duration::from_millis(200);
/// Presses that end before their gate, on a machine so busy that a publication takes longer than it may.
const ATTEMPTS: u32 = 4;

/// How a scenario went.
#[derive(Debug, Clone, Copy, Default)]
pub struct Took {
    /// From the kill or the stop to the next claim; `None`: there was nothing to take over.
    pub takeover_ms: Option<i64>,
    /// Exit code of the process that was stopped; `None`: killed.
    pub code: Option<i32>,
    /// From the ask to cancel until the holder was told.
    pub cancel_ms: Option<i64>,
}

/// Starts a press that stands at this gate: the source has moved on, so that there is something to do.
///
/// # Panics
/// It never comes there.
#[must_use]
pub fn press_to(rig: &Rig, gate: Gate, nth: u32) -> Pressing<'_> {
    let control = Control { gate: Some(gate), nth, ..Control::default() };
    for _ in 0..ATTEMPTS {
        rig.advance();
        let mut pressing = rig.start(control.clone(), &["sync", PROJECT]);
        if pressing.stands_at(gate).is_some() {
            return pressing;
        }
        let ended = pressing.ended();
        assert!(matches!(ended.code, Some(4 | 5 | 8)), "it ended before {}: {ended:?}", gate.name());
    }
    panic!("no press came to {} in {ATTEMPTS} attempts", gate.name());
}

/// Presses until a press goes through; refusals are the holder's, a busy database's, or a loss of its own.
///
/// # Panics
/// None goes through in time, or one fails for another reason.
pub fn press_through(rig: &Rig) -> Ended {
    let started = Instant::now();
    loop {
        let ended = rig.press();
        match ended.code {
            Some(0) => return ended,
            Some(1 | 3 | 4 | 5 | 8) if started.elapsed() < PATIENCE => std::thread::park_timeout(POLL),
            _ => panic!("nobody gets through: {ended:?}"),
        }
    }
}

/// Kills a press at the gate; the next press repairs everything.
///
/// # Panics
/// It does not.
pub fn kill_at(rig: &Rig, gate: Gate, nth: u32) -> Took {
    let mut pressing = press_to(rig, gate, nth);
    pressing.kill();
    let since = now_ns();
    press_through(rig);
    rest(rig);
    Took { takeover_ms: first_claim_ms(rig, since, gate), ..Took::default() }
}

/// Stops a press at the gate for longer than its window; another takes over, then the old one goes on: it has lost
/// exactly once and writes nothing more than its one audit row.
///
/// # Panics
/// It does.
pub fn stop_at(rig: &Rig, gate: Gate, nth: u32) -> Took {
    let mut pressing = press_to(rig, gate, nth);
    if holds_the_database(rig, gate) {
        pressing.halt();
    } else {
        pressing.halt_outside_of_writes();
    }
    let since = now_ns();
    // It stands in the gate's call, not before it: when it goes on it comes through.
    pressing.say("go on");
    if holds_the_database(rig, gate) {
        // Nobody can take over from a process that is stopped with the whole database locked; it ends what it began.
        let busy = rig.press();
        assert_eq!(busy.code, Some(5), "{busy:?}");
        pressing.go_on();
        let ended = pressing.ended();
        assert!(matches!(ended.code, Some(0 | 1 | 5 | 8)), "{ended:?}");
        press_through(rig);
        rest(rig);
        return Took { code: ended.code, ..Took::default() };
    }
    press_through(rig);
    let takeover_ms = first_claim_ms(rig, since, gate);
    pressing.go_on();
    let ended = pressing.ended();
    // A claim counts from the moment before it was sent, which lies before its gate: its owner cannot trust it any more.
    let expected = if gate == Gate::AfterRelease { 0 } else { 8 };
    assert_eq!(ended.code, Some(expected), "{} {ended:?}\n{:?}", gate.name(), rig.events());
    if gate == Gate::BeforeClaim {
        press_through(rig);
    }
    rest(rig);
    Took { takeover_ms, code: ended.code, cancel_ms: None }
}

/// Whether a process that stands here locks all others out.
fn holds_the_database(rig: &Rig, gate: Gate) -> bool {
    gate == Gate::BeforeCommit && rig.options.database == Database::Sqlite
}

/// A last press finds nothing to do, then the whole history is judged.
///
/// # Panics
/// It finds something, or a law was broken.
pub fn quiet(rig: &Rig) {
    let before = rig.forge.journal().pushes();
    press_through(rig);
    assert_eq!(rig.forge.journal().pushes(), before, "a press at rest pushes nothing");
    rest(rig);
}

fn rest(rig: &Rig) {
    let history = rig.history();
    history.assert_lawful();
    let unexpected = rig.forge.journal().unexpected();
    assert!(unexpected.is_empty(), "requests that the forge does not know: {unexpected:?}");
    let differing = rig.forge.handle().self_check_failures();
    assert!(differing.is_empty(), "answers unlike GitHub's: {differing:?}");
}

/// From `since` to the first claim after it, when there was a lease to take over.
fn first_claim_ms(rig: &Rig, since: i64, gate: Gate) -> Option<i64> {
    if !gate.holds() {
        return None;
    }
    let claim = rig.claims().into_iter().find(|event| event.at_ns > since)?;
    match claim.what {
        What::Claimed { replaced: Some(_), .. } => Some((claim.at_ns - since) / 1_000_000),
        _ => None,
    }
}

/// Asks a press that stands at the gate to stop: it is told while its work stands there.
///
/// # Panics
/// It is not.
pub fn cancel_at(rig: &Rig, gate: Gate, nth: u32) -> Took {
    let mut pressing = press_to(rig, gate, nth);
    rig.succeeds(&["cancel", PROJECT, "--reason", "wrong branch"]);
    let told = pressing.sees(|what| matches!(what, What::Told { reason, .. } if reason == "cancelled"));
    let told = told.expect("the holder is told while its work stands at the gate");
    let passed = pressing.events().iter().any(|event| matches!(event.what, What::Passed { .. }));
    assert!(!passed, "told by the heartbeat's thread, not by the work");
    pressing.say("go on");
    let ended = pressing.ended();
    assert_eq!(ended.code, Some(7), "{ended:?}");
    let asks = |event: &crate::event::Event| matches!(event.what, What::AskedCancel { stamped: true, .. });
    let asked = rig.events().into_iter().rev().find(asks).expect("the ask");
    press_through(rig);
    rest(rig);
    let cancel_ms = Some((told.at_ns - asked.at_ns).max(0) / 1_000_000);
    Took { takeover_ms: None, code: ended.code, cancel_ms }
}

/// A sequence of choices that follows from a seed.
#[derive(Debug)]
pub struct Dice(u64);

impl Dice {
    /// The same seed, the same choices.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// One of `0..below`.
    pub fn roll(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let wide = u64::try_from(below.max(1)).unwrap_or(1);
        usize::try_from((mixed ^ (mixed >> 31)) % wide).unwrap_or_default()
    }
}

/// What a round was.
#[derive(Debug, Clone, Copy)]
pub struct Did {
    /// What was done.
    pub what: Act,
    /// Where.
    pub gate: Gate,
    /// How it went.
    pub took: Took,
}

/// One scenario, chosen by the dice.
///
/// # Panics
/// A law was broken.
pub fn one_round(rig: &Rig, dice: &mut Dice) -> Did {
    let gate = Gate::OF_PRESS[dice.roll(Gate::OF_PRESS.len())];
    let recipients = usize::try_from(rig.options.recipients).unwrap_or(1);
    let nth = match gate {
        Gate::AfterRecord | Gate::AfterPush | Gate::AfterAnnounce => 1 + dice.roll(recipients),
        Gate::BeforeCommit => 1 + dice.roll(2),
        _ => 1,
    };
    let nth = u32::try_from(nth).unwrap_or(1);
    // Around the publication the heart rests, and a gate there would keep it at rest.
    let mid_pass = matches!(gate, Gate::AfterRecord | Gate::AfterPush);
    let what = match dice.roll(if mid_pass { 3 } else { 2 }) {
        0 => Act::Kill,
        1 => Act::Stop,
        _ => Act::Cancel,
    };
    let took = match what {
        Act::Kill => kill_at(rig, gate, nth),
        Act::Stop => stop_at(rig, gate, nth),
        Act::Cancel => cancel_at(rig, gate, nth.min(2)),
    };
    Did { what, gate, took }
}
