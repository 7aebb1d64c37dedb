//! `cargo xtask mutants`: every guard is missed when it is gone (docs/LEASES.md, "What proves it: mutants").

use std::fmt::Write as _;
use std::path::Path;

use clap::Args;
use lockstep_pgtest::PgServer;
use serde::Deserialize;

use crate::failure::Failure;
use crate::house::House;
use crate::packages::Package;
use crate::run::Run;
use crate::steps::Steps;
use crate::tools::{self, Needs};

/// The version that `.cargo/mutants.toml` is written for.
const CARGO_MUTANTS: &str = "27.1.0";
const PAGE: &str = "docs/LEASES.md";
const BEGIN: &str = "<!-- written by `cargo xtask mutants` -->";
const END: &str = "<!-- end of what `cargo xtask mutants` writes -->";

/// Options of `cargo xtask mutants`.
#[derive(Args)]
pub(crate) struct Options {
    /// The Rust side instead, with cargo-mutants (long; what it covers is in .cargo/mutants.toml)
    #[arg(long)]
    rust: bool,
    /// Names of mutants, after `--`, instead of all; for `--rust` arguments of cargo-mutants
    #[arg(last = true, value_name = "NAME")]
    names: Vec<String>,
}

/// What came of one database's mutants, as the tests write it.
#[derive(Debug, Deserialize)]
struct Report {
    engine: String,
    seconds: f64,
    verdicts: Vec<Verdict>,
}

#[derive(Debug, Deserialize)]
struct Verdict {
    name: String,
    what: String,
    law: String,
    end: String,
    listed_survivor: Option<String>,
    as_listed: bool,
}

pub(crate) fn mutants(options: &Options, house: &House) -> Result<(), Failure> {
    if options.rust { rust(options, house) } else { sql(options, house) }
}

fn sql(options: &Options, house: &House) -> Result<(), Failure> {
    let mut steps = Steps::new(4);
    let needs = Needs { packages: vec![Package::Postgres], ..Needs::default() };
    steps.step("Tools", || tools::ensure(&needs, house))?;
    steps.step("Build the conformance suite", || {
        suite(house, &["--no-run"]).succeed("correct what the compiler names above")
    })?;
    let server = steps.step("PostgreSQL for the tests", || {
        PgServer::start(lockstep_pgtest::Options::default())
            .map_err(|error| Failure::new(error.to_string(), "the message above names the cause"))
    })?;
    let folder = house.target().join("mutants");
    let reports = steps.step("Mutants, both databases", || meet(options, house, &server, &folder))?;
    drop(server);
    reports.iter().for_each(|(name, report)| print(name, report));
    let wrong = reports.iter().flat_map(|(_, report)| &report.verdicts).filter(|v| !v.as_listed).count();
    if wrong > 0 {
        return Err(Failure::new(
            format!("{wrong} mutants did not end as their list says"),
            "add a law that notices, or list the survivor with its reason (crates/store/tests/conformance/mutants)",
        ));
    }
    if options.names.is_empty() {
        write_page(&house.root().join(PAGE), &summary(&reports))?;
        println!("\nThe summary is in {PAGE}.");
    }
    Ok(())
}

fn suite(house: &House, more: &[&str]) -> Run {
    let mut arguments = vec!["test", "--locked", "-p", "lockstep-store", "--test", "conformance"];
    arguments.extend(more);
    house.cargo(&arguments)
}

/// Runs them; what counts is in the reports, so that a failing test is told in one table.
fn meet(
    options: &Options,
    house: &House,
    server: &PgServer,
    folder: &Path,
) -> Result<Vec<(&'static str, Report)>, Failure> {
    if folder.exists() {
        std::fs::remove_dir_all(folder).map_err(Failure::io("removing the last report"))?;
    }
    std::fs::create_dir_all(folder).map_err(Failure::io("making the folder of the report"))?;
    let names = if options.names.is_empty() { "all".to_owned() } else { options.names.join(";") };
    let code = suite(house, &["--quiet", "--", "mutants::the_laws_miss", "--test-threads", "1"])
        .variable("LOCKSTEP_TEST_POSTGRES", server.url("postgres"))
        .variable("LOCKSTEP_MUTANTS", names)
        .variable("LOCKSTEP_MUTANTS_REPORT", folder)
        .exit_code()?;
    ["sqlite", "postgres"].into_iter().map(|name| Ok((name, read(folder, name, code)?))).collect()
}

fn read(folder: &Path, name: &str, code: u8) -> Result<Report, Failure> {
    let path = folder.join(format!("{name}.json"));
    let text = std::fs::read_to_string(&path).map_err(|error| {
        Failure::new(
            format!("the tests ended with code {code} and left no {}: {error}", path.display()),
            "read what they said above",
        )
    })?;
    serde_json::from_str(&text).map_err(|error| {
        Failure::new(format!("{} is unreadable: {error}", path.display()), "build xtask and the suite anew")
    })
}

fn print(name: &str, report: &Report) {
    println!("\n{name} {}, {:.0} s", report.engine, report.seconds);
    for verdict in &report.verdicts {
        let mark = if verdict.as_listed { " " } else { "!" };
        println!("{mark} {:<9} {} ({}) by {}", verdict.end, verdict.name, verdict.what, verdict.law);
    }
}

impl Report {
    fn ended(&self, end: &str) -> usize {
        self.verdicts.iter().filter(|verdict| verdict.end == end).count()
    }
}

/// The part of the page that this command keeps true.
fn summary(reports: &[(&str, Report)]) -> String {
    let mut text = String::from(
        "| database | mutants | killed by an assertion of the law named | only broken by an error | survive, listed | time |\n\
         |---|---|---|---|---|---|\n",
    );
    for (name, report) in reports {
        // Writing into a String does not fail.
        let _written = writeln!(
            text,
            "| {name} {} | {} | {} | {} | {} | {:.0} s |",
            report.engine,
            report.verdicts.len(),
            report.ended("killed"),
            report.ended("error"),
            report.ended("survives"),
            report.seconds
        );
    }
    text.push_str("\nSurvivors, each the same as the original:\n\n");
    for (name, report) in reports {
        for verdict in &report.verdicts {
            if let Some(why) = &verdict.listed_survivor {
                let _written = writeln!(text, "- {name}: **{}** ({}). {why}", verdict.name, verdict.what);
            }
        }
    }
    text
}

/// Replaces what stands between the two marks.
fn write_page(path: &Path, summary: &str) -> Result<(), Failure> {
    let page = std::fs::read_to_string(path).map_err(Failure::io("reading the page"))?;
    let new = between(&page, summary).ok_or_else(|| {
        Failure::new(
            format!("{} has no place for the summary", path.display()),
            format!("keep the two marks `{BEGIN}` and `{END}` in it"),
        )
    })?;
    std::fs::write(path, new).map_err(Failure::io("writing the page"))
}

fn between(page: &str, summary: &str) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_old, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n\n{summary}\n{END}{after}"))
}

fn rust(options: &Options, house: &House) -> Result<(), Failure> {
    let mut steps = Steps::new(2);
    steps.step("Tools", || {
        tools::ensure(&Needs { nextest: true, ..Needs::default() }, house)?;
        ensure_cargo_mutants(house)
    })?;
    steps.step("Mutants of the Rust side", || {
        let mut arguments = vec!["mutants", "--in-place", "--cargo-arg=--locked", "--output"];
        let output = house.target().join("mutants-rust").display().to_string();
        arguments.push(&output);
        arguments.extend(options.names.iter().map(String::as_str));
        std::fs::create_dir_all(&output).map_err(Failure::io("making the folder of the report"))?;
        house.cargo(&arguments).succeed(
            "a missed mutant needs a test that notices it, or an entry with its reason in .cargo/mutants.toml",
        )
    })
}

fn ensure_cargo_mutants(house: &House) -> Result<(), Failure> {
    if house.cargo(&["mutants", "--version"]).works() {
        return Ok(());
    }
    println!("    cargo-mutants is missing; installing {CARGO_MUTANTS} from source (a few minutes, once)");
    house
        .cargo(&["install", "--locked", "--version", CARGO_MUTANTS, "cargo-mutants"])
        .succeed("install cargo-mutants as https://mutants.rs says")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_replaces_only_what_stands_between_its_marks() {
        let page = format!("above\n{BEGIN}\nold\n{END}\nbelow");
        let new = between(&page, "new").unwrap_or_default();
        assert_eq!(new, format!("above\n{BEGIN}\n\nnew\n{END}\nbelow"));
        assert_eq!(between(&new, "new"), Some(new.clone()), "again changes nothing");
        assert_eq!(between("no marks", "new"), None);
    }

    #[test]
    fn an_error_is_not_counted_as_a_kill() {
        let verdict = |end: &str| Verdict {
            name: end.into(),
            what: "x".into(),
            law: "room::law".into(),
            end: end.into(),
            listed_survivor: (end == "survives").then(|| "the same".into()),
            as_listed: end != "error",
        };
        let verdicts = ["killed", "killed", "error", "survives"].map(verdict).into();
        let reports = [("sqlite", Report { engine: "3".into(), seconds: 1.0, verdicts })];
        let text = summary(&reports);
        assert!(text.contains("| sqlite 3 | 4 | 2 | 1 | 1 | 1 s |"), "{text}");
        assert!(text.contains("- sqlite: **survives** (x). the same"), "{text}");
    }
}
