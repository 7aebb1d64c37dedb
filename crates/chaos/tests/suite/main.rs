//! Processes that are killed, stopped, starved and misled at named places; every history ends before the checker.

mod cancels;
mod kills;
mod machines;
mod migrations;
mod stops;
mod trouble;

use std::path::PathBuf;

use lockstep_chaos::{Rig, RigOptions};
use lockstep_testkit::Database;

/// Short, and long enough that a publication (W/18) fits into it on a busy machine.
const WINDOW_MS: i64 = 3_000;

#[expect(clippy::disallowed_methods, reason = "the runner names its server in the environment")]
fn options(database: Database) -> RigOptions {
    RigOptions {
        database,
        window_ms: WINDOW_MS,
        recipients: 8,
        program: PathBuf::from(env!("CARGO_BIN_EXE_lockstep-chaos")),
        postgres: std::env::var("LOCKSTEP_TEST_POSTGRES").ok(),
        path: std::env::var_os("PATH").unwrap_or_default(),
    }
}

fn rig(database: Database) -> Rig {
    Rig::ready(options(database))
}
