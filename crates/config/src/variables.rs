//! The one home of every environment name, and the one place that reads them.

/// Folder of everything Lockstep keeps on this machine.
pub const DATA_DIR: &str = "LOCKSTEP_DATA_DIR";
/// A PostgreSQL URL; goes before the settings file. May hold a password.
pub const DATABASE_URL: &str = "LOCKSTEP_DATABASE_URL";
/// Person who acts, self-declared.
pub const PERSON: &str = "LOCKSTEP_PERSON";
/// Name of this machine as others see it.
pub const MACHINE: &str = "LOCKSTEP_MACHINE";
/// A token for a script's connection; never stored.
pub const TOKEN: &str = "LOCKSTEP_TOKEN";
/// Where credentials rest: `auto`, `keychain`, `file`, `environment`.
pub const SECRETS: &str = "LOCKSTEP_SECRETS";
/// The git program.
pub const GIT: &str = "LOCKSTEP_GIT";
/// Which log lines are kept, as `info` or `lockstep_engine=debug,warn`.
pub const LOG: &str = "LOCKSTEP_LOG";
/// A lease window in milliseconds for tests; release builds do not read it.
pub const TEST_WINDOW_MS: &str = "LOCKSTEP_TEST_WINDOW_MS";
/// Set to `1`: the test of the window's bindings writes the file instead of comparing it.
pub const UPDATE_BINDINGS: &str = "LOCKSTEP_UPDATE_BINDINGS";
/// The platform's proxy, read when the settings name none.
pub const PROXIES: [&str; 4] = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];

/// A variable of this process; empty counts as absent.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "the product's one reader of the environment")]
pub fn of_process(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.trim().is_empty())
}
