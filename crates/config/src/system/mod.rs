//! This machine: its clocks, its randomness, its processes, and how others see this process. The only place that asks
//! the operating system for any of them.

mod clock;
mod ids;
mod processes;

pub use clock::SystemClock;
pub use ids::SystemIds;
pub use processes::SystemProcesses;

use lockstep_domain::clock::Clock as _;
use lockstep_domain::lease::Holder;

use crate::Config;

/// How others see this process. Called when the program opens: the start for people is now.
#[must_use]
pub fn holder(config: &Config, app_version: &str) -> Holder {
    let processes = SystemProcesses;
    let pid = std::process::id();
    Holder {
        person: config.person.clone(),
        os_user: config.os_user.clone(),
        host: config.machine.clone(),
        pid,
        process_start: processes.start_of(pid).unwrap_or(0),
        started_at: Some(SystemClock.now().0),
        app_version: app_version.to_owned(),
        boot_id: processes.boot_id(),
    }
}

/// The name that this machine has in its network.
pub(crate) fn host_name() -> String {
    #[cfg(unix)]
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    #[cfg(not(unix))]
    let name = crate::variables::of_process("COMPUTERNAME").unwrap_or_default();
    if name.trim().is_empty() { "this computer".to_owned() } else { name.trim().to_owned() }
}

/// The account's name as the system keeps it: timers and containers often tell none in the environment.
pub(crate) fn account() -> String {
    match whoami::username() {
        Ok(name) if !name.trim().is_empty() => name.trim().to_owned(),
        _ => user_number(),
    }
}

/// Stands in for an account that the system has no name for.
fn user_number() -> String {
    #[cfg(unix)]
    return format!("uid {}", rustix::process::getuid().as_raw());
    #[cfg(not(unix))]
    return "unknown".to_owned();
}
