//! `lockstep-chaos-rounds`: random scenarios for long, from a seed; `cargo xtask chaos` runs it.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "talking to the person at the terminal is the job"
)]

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Parser;
use lockstep_chaos::scenario::{Dice, Did, Matrix, one_round, quiet};
use lockstep_chaos::{Rig, RigOptions};
use lockstep_testkit::Database;

/// Rounds on one desk: a short history is judged quickly.
const ROUNDS_PER_DESK: u32 = 12;

/// Options, as `cargo xtask chaos` hands them on.
#[derive(Parser)]
#[command(name = "lockstep-chaos-rounds", about = "Random scenarios of the press, judged by the checker")]
struct Options {
    /// For how long
    #[arg(long, default_value_t = 5)]
    minutes: u64,
    /// What decides: the same seed, the same rounds
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// `sqlite` or `postgres`
    #[arg(long, default_value = "sqlite", value_parser = ["sqlite", "postgres"])]
    database: String,
    /// Lease window in milliseconds
    #[arg(long, default_value_t = 2_000, value_parser = clap::value_parser!(i64).range(1_000..=60_000))]
    window_ms: i64,
    /// Recipients of the course
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(3..=100))]
    recipients: u32,
}

fn main() {
    let options = Options::parse();
    let mut dice = Dice::new(options.seed);
    let mut matrix = Matrix::default();
    let end = Instant::now() + Duration::from_secs(options.minutes * 60);
    println!("seed {}, {}, window {} ms", options.seed, options.database, options.window_ms);
    while Instant::now() < end {
        let rig = Rig::ready(rig_options(&options));
        for _ in 0..ROUNDS_PER_DESK {
            let Did { what, gate, took } = one_round(&rig, &mut dice);
            matrix.add(what, gate, took);
            if Instant::now() >= end {
                break;
            }
        }
        quiet(&rig);
        matrix.desk(&rig.history());
    }
    println!("{matrix}");
}

#[expect(clippy::disallowed_methods, reason = "a program for tests takes git from where it runs")]
fn rig_options(options: &Options) -> RigOptions {
    RigOptions {
        database: if options.database == "postgres" { Database::Postgres } else { Database::Sqlite },
        window_ms: options.window_ms,
        recipients: options.recipients,
        program: program(),
        postgres: std::env::var("LOCKSTEP_TEST_POSTGRES").ok(),
        path: std::env::var_os("PATH").unwrap_or_default(),
    }
}

/// The program beside this one.
fn program() -> PathBuf {
    let here = std::env::current_exe().unwrap_or_default();
    let program = here.with_file_name(format!("lockstep-chaos{}", std::env::consts::EXE_SUFFIX));
    assert!(program.is_file(), "{} is not built", program.display());
    program
}
