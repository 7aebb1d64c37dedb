//! `cargo xtask test`: everything that CI checks, cheapest first, stopping at the first failure.

use clap::Args;
use lockstep_pgtest::PgServer;

use crate::doors;
use crate::failure::Failure;
use crate::house::{House, SELECTION};
use crate::packages::Package;
use crate::run::Run;
use crate::steps::Steps;
use crate::tools::{self, Needs};
use crate::web;

/// A display of its own, so that a run looks the same everywhere and never covers a person's screen.
const DISPLAY: [&str; 4] = ["xvfb-run", "-a", "-s", "-screen 0 1280x800x24"];
const PROGRAMS: [&str; 3] = ["lockstep", "lockstep-forge", "lockstep-desktop"];

const STEPS: usize = 11;

/// Options of `cargo xtask test`.
#[derive(Args)]
pub(crate) struct Options {
    /// Without the tests that open the real window (they need a display server and WebKitWebDriver)
    #[arg(long)]
    fast: bool,
    /// For the test runner, after `--`: a part of a test's name, or `-E 'package(lockstep-store)'`
    #[arg(last = true, value_name = "FILTER")]
    filter: Vec<String>,
}

/// Runs all steps. On success and on failing tests the test runner's own summary is the last thing printed.
pub(crate) fn test(options: &Options, house: &House) -> Result<(), Failure> {
    let mut steps = Steps::new(STEPS);
    println!("Compiled output: {}", house.target().display());
    if options.fast {
        println!("Fast: tests that open the real window are left out; CI runs them.");
    }
    steps.step("Tools", || tools::ensure(&needs(options), house))?;
    steps.step("Format", || {
        house.cargo(&["fmt", "--all", "--check"]).succeed("run `cargo fmt --all` and look at the change")
    })?;
    steps.step("Doors, sizes, licences", || doors::check(house))?;
    steps.step("Licences and sources (cargo-deny)", || deny(house))?;
    steps.step("Window content: packages", || web::install(house))?;
    steps.step("Window content: types, lints, component tests", || web::check(house))?;
    steps.step("Window content: build", || web::build(house))?;
    steps.step("Clippy", || clippy(house))?;
    steps.step("Build programs and tests", || build(house))?;
    let server = steps.step("PostgreSQL for the tests", start_postgres)?;
    steps.last("Tests");
    let code = nextest(options, house, &server)?;
    drop(server);
    // The runner's summary has said it all.
    if code == 0 { Ok(()) } else { Err(Failure::Quiet { code }) }
}

fn needs(options: &Options) -> Needs {
    let mut packages = vec![Package::WebEngine, Package::Browser, Package::Postgres];
    if !options.fast {
        packages.extend([Package::WebDriver, Package::Display, Package::DisplayAccess]);
    }
    Needs { packages, lints: true, nextest: true }
}

fn deny(house: &House) -> Result<(), Failure> {
    if !house.cargo(&["deny", "--version"]).works() {
        println!(
            "    cargo-deny is not on this machine. Its licence list and its doors were just checked from cargo's \
             metadata;\n    sources and advisories are checked by the networked CI (`cargo deny check`)."
        );
        return Ok(());
    }
    house
        .cargo(&["deny", "--offline", "check", "licenses", "bans", "sources"])
        .succeed("see deny.toml: another crate, or an exception there with its reason")
}

fn clippy(house: &House) -> Result<(), Failure> {
    let mut arguments = vec!["clippy", "--locked"];
    arguments.extend(SELECTION);
    arguments.extend(["--", "-D", "warnings"]);
    house
        .cargo(&arguments)
        .succeed("correct what clippy names above, or `#[expect(..., reason = \"...\")]` it")
}

/// Builds test programs and the programs that tests start, all at once.
fn build(house: &House) -> Result<(), Failure> {
    let mut arguments = vec!["build", "--locked"];
    arguments.extend(SELECTION);
    house.cargo(&arguments).succeed("correct what the compiler names above")?;
    for program in PROGRAMS {
        let path = house.binary(program, false);
        if !path.is_file() {
            return Err(Failure::new(
                format!("the build made no {}", path.display()),
                "check the [[bin]] entries: tests start this program",
            ));
        }
    }
    Ok(())
}

fn start_postgres() -> Result<PgServer, Failure> {
    let server = PgServer::start(lockstep_pgtest::Options::default()).map_err(|error| {
        Failure::new(
            error.to_string(),
            "the message above names the cause; tests need a private PostgreSQL server",
        )
    })?;
    println!("    one server for the whole run, process {}", server.pid());
    Ok(server)
}

fn nextest(options: &Options, house: &House, server: &PgServer) -> Result<u8, Failure> {
    let run = house
        .cargo(&nextest_arguments(options, house.ci()))
        .variable("LOCKSTEP_TEST_POSTGRES", server.url("postgres"));
    display(run, options.fast).exit_code()
}

fn display(run: Run, fast: bool) -> Run {
    if fast { run } else { run.inside(&DISPLAY) }
}

fn nextest_arguments(options: &Options, ci: bool) -> Vec<&str> {
    let mut arguments = vec!["nextest", "run", "--locked"];
    arguments.extend(SELECTION);
    // What each profile runs, and how patiently, is written in .config/nextest.toml.
    let profile = match (options.fast, ci) {
        (true, _) => "fast",
        (false, true) => "ci",
        (false, false) => "default",
    };
    arguments.extend(["--profile", profile]);
    arguments.extend(options.filter.iter().map(String::as_str));
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_reaches_the_runner_and_ci_has_its_own_profile() {
        let options = Options { fast: false, filter: vec!["lease".into()] };
        assert_eq!(
            nextest_arguments(&options, true).join(" "),
            "nextest run --locked --workspace --all-targets --features custom-protocol --profile ci lease"
        );
        let fast = Options { fast: true, filter: vec![] };
        assert!(nextest_arguments(&fast, false).join(" ").ends_with("--profile fast"));
    }

    #[test]
    fn only_a_fast_run_does_without_a_display() {
        let run = || Run::new("cargo").arguments(["nextest"]);
        assert!(display(run(), false).shown().starts_with("xvfb-run -a "));
        assert_eq!(display(run(), true).shown(), "cargo nextest");
    }
}
