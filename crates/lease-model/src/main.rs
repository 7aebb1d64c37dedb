//! `cargo run -p lockstep-lease-model [-- NAME ...]`: explores and prints; without a name everything that the tests check.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "talking to the person at the terminal is the job"
)]

use std::process::ExitCode;

use lockstep_lease_model::{Config, Flaw, RIGHT, WIDE, explore, find, flawed};

fn main() -> ExitCode {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let configs: Vec<Config> = if names.is_empty() {
        RIGHT.into_iter().chain(Flaw::ALL.iter().map(|flaw| flawed(*flaw))).collect()
    } else {
        let found: Option<Vec<Config>> = names.iter().map(|name| find(name)).collect();
        let Some(found) = found else {
            eprintln!("unknown configuration; choose from:");
            RIGHT.iter().chain(&WIDE).for_each(|config| eprintln!("  {:<30} {}", config.name, config.about));
            Flaw::ALL.iter().for_each(|flaw| eprintln!("  {flaw:<30} breaks {}", flaw.breaks().name()));
            return ExitCode::from(2);
        };
        found
    };
    let mut right = true;
    for config in configs {
        let expected = Flaw::ALL.iter().find(|flaw| flaw.name() == config.name).map(|flaw| flaw.breaks());
        // One thread finds a shortest way.
        let report = explore(config, expected, if expected.is_some() { 1 } else { 2 });
        println!("{}", report.figures());
        let found = report.found.as_ref().map(|found| found.law);
        right &= found == expected;
        if let Some(found) = report.found.filter(|_| !names.is_empty() || expected.is_none()) {
            println!("{}", found.readable());
        }
    }
    if right { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
