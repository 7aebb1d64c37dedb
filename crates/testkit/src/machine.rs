//! Time, randomness and processes as tests want them.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use lockstep_config::system::{SystemClock, SystemIds, SystemProcesses};
use lockstep_domain::clock::{BootMillis, Clock, Millis};
use lockstep_domain::ids::Ids;
use lockstep_domain::lease::{Holder, OwnerToken};
use lockstep_store::Processes;
use uuid::Uuid;

/// A clock that stands until it is moved.
#[derive(Debug)]
pub struct ManualClock {
    now: AtomicI64,
    boot: AtomicI64,
}

impl ManualClock {
    /// A clock at this wall time, one second after the boot.
    #[must_use]
    pub const fn at(now: Millis) -> Self {
        Self { now: AtomicI64::new(now.0), boot: AtomicI64::new(1_000) }
    }

    /// Both clocks move on.
    pub fn advance(&self, ms: i64) {
        self.now.fetch_add(ms, Ordering::SeqCst);
        self.boot.fetch_add(ms, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Millis {
        Millis(self.now.load(Ordering::SeqCst))
    }

    fn boot(&self) -> BootMillis {
        BootMillis(self.boot.load(Ordering::SeqCst))
    }
}

/// Ids that follow from a seed; owner tokens stay real, a guessable one proves nothing.
#[derive(Debug)]
pub struct SeededIds {
    state: AtomicU64,
}

impl SeededIds {
    /// Ids from this seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { state: AtomicU64::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)) }
    }

    /// The next number of a splitmix sequence.
    fn next(&self) -> u64 {
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        let mut mixed = self.state.fetch_add(STEP, Ordering::SeqCst).wrapping_add(STEP);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

impl Ids for SeededIds {
    fn uuid(&self) -> Uuid {
        let (high, low) = (self.next(), self.next());
        uuid::Builder::from_random_bytes((u128::from(high) << 64 | u128::from(low)).to_be_bytes()).into_uuid()
    }

    fn token(&self) -> OwnerToken {
        SystemIds.token()
    }
}

/// The processes of this machine, as the store asks for them.
#[derive(Debug, Clone, Copy, Default)]
pub struct TestProcesses;

impl Processes for TestProcesses {
    fn boot_id(&self) -> String {
        SystemProcesses.boot_id()
    }

    fn exists(&self, pid: u32, start: u64) -> bool {
        SystemProcesses.exists(pid, start)
    }
}

/// This process, in the name of `person`.
#[must_use]
pub fn holder(person: &str) -> Holder {
    let pid = std::process::id();
    Holder {
        person: person.to_owned(),
        os_user: "tester".to_owned(),
        host: "testbench".to_owned(),
        pid,
        process_start: SystemProcesses.start_of(pid).unwrap_or(0),
        started_at: None,
        app_version: "test".to_owned(),
        boot_id: SystemProcesses.boot_id(),
    }
}

/// This machine's real clocks.
#[must_use]
pub const fn wall_clock() -> SystemClock {
    SystemClock
}
