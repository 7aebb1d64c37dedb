//! A clock, ids and processes that the test decides.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use lockstep_domain::clock::{BootMillis, Clock, Millis};
use lockstep_domain::ids::Ids;
use lockstep_domain::lease::OwnerToken;
use lockstep_store::Processes;
use uuid::Uuid;

use crate::world::T0;

/// A boot clock that moves by `step` at every look, and a wall clock that is `wall` ahead of the test's first reading.
#[derive(Debug, Default)]
pub(crate) struct FakeClock {
    boot: AtomicI64,
    pub(crate) step: AtomicI64,
    pub(crate) wall: AtomicI64,
}

impl Clock for FakeClock {
    fn now(&self) -> Millis {
        Millis(T0 + self.wall.load(Ordering::SeqCst))
    }
    fn boot(&self) -> BootMillis {
        BootMillis(self.boot.fetch_add(self.step.load(Ordering::SeqCst), Ordering::SeqCst))
    }
}

#[derive(Debug)]
pub(crate) struct FakeIds(AtomicU64);

impl FakeIds {
    /// Each host draws from a range of its own.
    pub(crate) fn fresh() -> Self {
        static HOSTS: AtomicU64 = AtomicU64::new(1);
        Self(AtomicU64::new(HOSTS.fetch_add(1, Ordering::SeqCst) << 32))
    }
    pub(crate) fn next(&self) -> u128 {
        u128::from(self.0.fetch_add(1, Ordering::SeqCst)) | (0x4000_u128 << 64) | (0x8000_u128 << 48)
    }
}

impl Ids for FakeIds {
    fn uuid(&self) -> Uuid {
        Uuid::from_u128(self.next())
    }
    fn token(&self) -> OwnerToken {
        OwnerToken::new(self.next().to_be_bytes())
    }
}

/// Processes that exist; everything else is gone.
#[derive(Debug)]
pub(crate) struct FakeProcesses {
    pub(crate) boot: Mutex<String>,
    pub(crate) alive: Mutex<HashSet<(u32, u64)>>,
}

impl Processes for FakeProcesses {
    fn boot_id(&self) -> String {
        self.boot.lock().unwrap().clone()
    }
    fn exists(&self, pid: u32, start: u64) -> bool {
        self.alive.lock().unwrap().contains(&(pid, start))
    }
}
