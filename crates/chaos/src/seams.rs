//! The keeper at every seam of the application.

use std::sync::{Arc, OnceLock};

use lockstep_api::seams::Seams;
use lockstep_domain::clock::{BootMillis, Clock, Millis};
use lockstep_domain::lease::Holder;
use lockstep_domain::ports::Git;
use lockstep_engine::Forges;
use lockstep_store::{OpenOptions, Processes, Store};

use crate::forge::KeptForges;
use crate::gate::Gate;
use crate::git::KeptGit;
use crate::keeper::Keeper;
use crate::store::KeptStore;

/// The one keeper of this process, for the seam that takes a plain function.
static KEEPER: OnceLock<Arc<Keeper>> = OnceLock::new();

/// See the module.
#[derive(Debug)]
pub struct ChaosSeams {
    keeper: Arc<Keeper>,
}

impl ChaosSeams {
    /// Seams kept by this keeper; one per process.
    #[must_use]
    pub fn new(keeper: Keeper) -> Self {
        Self { keeper: Arc::clone(KEEPER.get_or_init(|| Arc::new(keeper))) }
    }
}

fn before_commit() {
    if let Some(keeper) = KEEPER.get() {
        keeper.block_at(Gate::BeforeCommit);
    }
}

impl Seams for ChaosSeams {
    fn clock(&self, real: Arc<dyn Clock>) -> Arc<dyn Clock> {
        Arc::new(WrongClock { real, off_ms: self.keeper.control().clock_off_ms })
    }

    fn processes(&self, real: Arc<dyn Processes>) -> Arc<dyn Processes> {
        Arc::new(OtherBoot { real, boot_id: self.keeper.control().boot_id.clone() })
    }

    fn holder(&self, real: Holder) -> Holder {
        let control = self.keeper.control();
        let boot_id = if control.boot_id.is_empty() { real.boot_id.clone() } else { control.boot_id.clone() };
        Holder { boot_id, process_start: real.process_start.saturating_sub(control.older_by), ..real }
    }

    fn opening(&self, options: OpenOptions) -> OpenOptions {
        self.keeper.block_at(Gate::BeforeOpen);
        OpenOptions { before_commit: Some(before_commit), ..options }
    }

    fn store(&self, real: Arc<dyn Store>) -> Arc<dyn Store> {
        Arc::new(KeptStore::new(real, Arc::clone(&self.keeper)))
    }

    fn git(&self, real: Arc<dyn Git>) -> Arc<dyn Git> {
        Arc::new(KeptGit::new(real, Arc::clone(&self.keeper)))
    }

    fn forges(&self, real: Arc<dyn Forges>) -> Arc<dyn Forges> {
        Arc::new(KeptForges::new(real, Arc::clone(&self.keeper)))
    }
}

/// A machine whose wall clock is off; its boot clock is right, as it is on a real one.
#[derive(Debug)]
struct WrongClock {
    real: Arc<dyn Clock>,
    off_ms: i64,
}

impl Clock for WrongClock {
    fn now(&self) -> Millis {
        self.real.now().plus(self.off_ms)
    }

    fn boot(&self) -> BootMillis {
        self.real.boot()
    }
}

/// A machine that was started again, when so ordered.
#[derive(Debug)]
struct OtherBoot {
    real: Arc<dyn Processes>,
    boot_id: String,
}

impl Processes for OtherBoot {
    fn boot_id(&self) -> String {
        if self.boot_id.is_empty() { self.real.boot_id() } else { self.boot_id.clone() }
    }

    fn exists(&self, pid: u32, start: u64) -> bool {
        self.real.exists(pid, start)
    }
}
