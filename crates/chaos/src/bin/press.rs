//! `lockstep-chaos ORDERS ARGUMENTS...`: the headless command with a keeper at its seams. Never shipped.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use lockstep_chaos::{ChaosSeams, Keeper};

#[expect(clippy::print_stderr, reason = "a program that cannot start says why")]
fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let orders = PathBuf::from(arguments.next().unwrap_or_default());
    let keeper = match Keeper::new(&orders) {
        Ok(keeper) => keeper,
        Err(error) => {
            eprintln!("{}: {error}", orders.display());
            return ExitCode::from(2);
        }
    };
    let line = std::iter::once(OsString::from("lockstep")).chain(arguments);
    lockstep_cli::main_through(line, Arc::new(ChaosSeams::new(keeper)))
}
