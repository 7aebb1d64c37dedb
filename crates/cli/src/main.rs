//! The program `lockstep`; everything is in the library beside it.

use std::process::ExitCode;
use std::sync::Arc;

use lockstep_api::seams::Plain;

fn main() -> ExitCode {
    lockstep_cli::main_through(std::env::args_os(), Arc::new(Plain))
}
