//! The processes of this machine, as the store asks for them.

use lockstep_config::system::SystemProcesses;
use lockstep_store::Processes;

/// See [`SystemProcesses`].
#[derive(Debug, Default)]
pub(crate) struct Machine(SystemProcesses);

impl Processes for Machine {
    fn boot_id(&self) -> String {
        self.0.boot_id()
    }

    fn exists(&self, pid: u32, start: u64) -> bool {
        self.0.exists(pid, start)
    }
}
