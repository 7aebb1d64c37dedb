//! `cargo xtask chaos`: presses that are killed, stopped and cancelled at random places for as long as one likes.

use clap::Args;
use lockstep_pgtest::PgServer;

use crate::failure::Failure;
use crate::house::House;
use crate::packages::Package;
use crate::run::Run;
use crate::steps::Steps;
use crate::tools::{self, Needs};

/// Options of `cargo xtask chaos`.
#[derive(Args)]
pub(crate) struct Options {
    /// For how long
    #[arg(long, default_value_t = 5)]
    minutes: u64,
    /// The same seed makes the same rounds
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Which database
    #[arg(long, default_value = "sqlite", value_parser = ["sqlite", "postgres"])]
    database: String,
}

pub(crate) fn chaos(options: &Options, house: &House) -> Result<(), Failure> {
    let postgres = options.database == "postgres";
    let mut steps = Steps::new(3);
    let packages = if postgres { vec![Package::Postgres] } else { Vec::new() };
    steps.step("Tools", || tools::ensure(&Needs { packages, ..Needs::default() }, house))?;
    // A debug build: release builds take no window that is short enough.
    steps.step("Build programs", || {
        house
            .cargo(&["build", "--locked", "--bins", "-p", "lockstep-chaos"])
            .succeed("correct what the compiler names above")
    })?;
    let server = postgres.then(start_postgres).transpose()?;
    steps.step("Rounds", || {
        let mut run = Run::new(house.binary("lockstep-chaos-rounds", false)).arguments([
            "--minutes",
            &options.minutes.to_string(),
            "--seed",
            &options.seed.to_string(),
            "--database",
            &options.database,
        ]);
        if let Some(server) = &server {
            run = run.variable("LOCKSTEP_TEST_POSTGRES", server.url("postgres"));
        }
        run.succeed("the panic above names the law that was broken; the same seed makes the same rounds")
    })
}

fn start_postgres() -> Result<PgServer, Failure> {
    PgServer::start(lockstep_pgtest::Options::default())
        .map_err(|error| Failure::new(error.to_string(), "rounds on PostgreSQL need a private server"))
}
