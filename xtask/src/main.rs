//! The project's own commands: `cargo xtask demo`, `test`, `bench`, `chaos`, `mutants`, `bindings`, `doors`.
//!
//! **Lives here:** what a person or a machine runs on a checkout: installing what is missing, building, checking,
//! starting the practice course. **Must not live here:** anything that the product needs at run time.
//!
//! **To add a command:** a variant in [`Command`], a module with a function that takes the parsed options and the
//! [`House`], and a line in the README when a newcomer needs it. A check of `cargo xtask test` is one more step in
//! `test.rs`.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "talking to the person at the terminal is the job"
)]

mod bench;
mod bindings;
mod chaos;
mod course;
mod demo;
mod doors;
mod env;
mod failure;
mod forge;
mod headless;
mod house;
mod http;
mod mutants;
mod packages;
mod run;
mod steps;
mod test;
mod tools;
mod web;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use failure::Failure;
use house::House;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "The project's own commands", disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Build and open Lockstep on a practice course of its own (nothing leaves this machine)
    Demo(demo::Options),
    /// Everything that CI checks, in the same order
    Test(test::Options),
    /// Measurements; without a name: which there are
    Bench(bench::Options),
    /// Kill, stop and cancel presses at random places, and judge what came of it
    Chaos(chaos::Options),
    /// Alters one guard of the lease at a time: a law must notice each (minutes; --rust: cargo-mutants)
    Mutants(mutants::Options),
    /// Regenerate ui/src/ipc/bindings.ts from the command list
    Bindings,
    /// Only the door, size and licence check (seconds)
    Doors,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match House::locate().and_then(|house| dispatch(arguments.command, &house)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn dispatch(command: Command, house: &House) -> Result<(), Failure> {
    match command {
        Command::Demo(options) => demo::demo(&options, house),
        Command::Test(options) => test::test(&options, house),
        Command::Bench(options) => bench::bench(&options, house),
        Command::Chaos(options) => chaos::chaos(&options, house),
        Command::Mutants(options) => mutants::mutants(&options, house),
        Command::Bindings => bindings::bindings(house),
        Command::Doors => doors::check(house),
    }
}
