//! The tools that a command needs: asked for first, so that nothing fails half an hour later for want of one.

use crate::failure::Failure;
use crate::house::House;
use crate::packages::{self, Package};
use crate::run::Run;

/// The test runner's version that the configuration in `.config/nextest.toml` is written for.
const NEXTEST: &str = "0.9.143";

/// What one command needs.
#[derive(Debug, Default)]
pub(crate) struct Needs {
    pub(crate) packages: Vec<Package>,
    pub(crate) lints: bool,
    pub(crate) nextest: bool,
}

/// Makes sure of everything in `needs`, and of Rust, Node and git, which all commands need.
pub(crate) fn ensure(needs: &Needs, house: &House) -> Result<(), Failure> {
    let rust = version("rustc", &["--version"], (1, 95), "run `rustup update stable` (https://rustup.rs)")?;
    let node =
        version("node", &["--version"], (20, 19), "install Node 20.19 or later from https://nodejs.org")?;
    let npm = version(npm_program(), &["--version"], (9, 0), "install npm 9 or later; it comes with Node")?;
    let git = version("git", &["--version"], (2, 38), "install git 2.38 or later (merge-tree --write-tree)")?;
    println!("    rustc {rust}, node {node}, npm {npm}, git {git}");
    if needs.lints {
        ensure_lints(house)?;
    }
    packages::ensure(&needs.packages)?;
    if needs.nextest {
        ensure_nextest(house)?;
    }
    Ok(())
}

fn npm_program() -> &'static str {
    if cfg!(windows) { "npm.cmd" } else { "npm" }
}

fn ensure_lints(house: &House) -> Result<(), Failure> {
    if house.cargo(&["fmt", "--version"]).works() && house.cargo(&["clippy", "--version"]).works() {
        return Ok(());
    }
    println!("    rustfmt or clippy is missing; adding them with rustup");
    Run::new("rustup")
        .arguments(["component", "add", "rustfmt", "clippy"])
        .folder(house.root())
        .succeed("add rustfmt and clippy to this Rust by the way it was installed")
}

fn ensure_nextest(house: &House) -> Result<(), Failure> {
    if house.cargo(&["nextest", "--version"]).works() {
        return Ok(());
    }
    println!("    cargo-nextest is missing; installing {NEXTEST} from source (a few minutes, once)");
    let remedy = "install cargo-nextest as https://nexte.st/docs/installation says";
    house.cargo(&["install", "--locked", "--version", NEXTEST, "cargo-nextest"]).succeed(remedy)?;
    if house.cargo(&["nextest", "--version"]).works() {
        return Ok(());
    }
    Err(Failure::new(
        "cargo-nextest was installed, but cargo does not find it",
        "put cargo's bin folder into PATH",
    ))
}

/// The version of a program, at least `least`.
fn version(program: &str, arguments: &[&str], least: (u32, u32), remedy: &str) -> Result<String, Failure> {
    let said = Run::new(program)
        .arguments(arguments)
        .answer(remedy)
        .map_err(|failure| Failure::new(format!("{program} does not answer: {failure}"), remedy))?;
    let (text, found) = parse_version(&said)
        .ok_or_else(|| Failure::new(format!("`{program}` answered `{}`", said.trim()), remedy))?;
    if found < least {
        let (major, minor) = least;
        return Err(Failure::new(format!("{program} {text} is too old, {major}.{minor} is needed"), remedy));
    }
    Ok(text)
}

/// The first word that begins like a version: `git version 2.47.3`, `v20.20.2`, `rustc 1.95.0 (5980 2026-04-14)`.
fn parse_version(said: &str) -> Option<(String, (u32, u32))> {
    said.split_whitespace().find_map(|word| {
        let word = word.trim_start_matches('v');
        let mut numbers = word.split(['.', '-', '+']).map(str::parse::<u32>);
        let (major, minor) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
        Some((word.to_owned(), (major, minor)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_programs_say() {
        for (said, expected) in [
            ("git version 2.47.3\n", (2, 47)),
            ("git version 2.39.5 (Apple Git-154)", (2, 39)),
            ("v20.20.2\n", (20, 20)),
            ("rustc 1.95.0 (59807616e 2026-04-14)", (1, 95)),
            ("rustc 1.96.0-nightly (abc 2026-05-01)", (1, 96)),
        ] {
            assert_eq!(parse_version(said).map(|(_, version)| version), Some(expected), "{said}");
        }
        assert_eq!(parse_version("command not found"), None);
    }

    #[test]
    fn an_old_version_is_refused_with_the_remedy() {
        let failure = version("git", &["--version"], (99, 0), "install a newer git").unwrap_err().to_string();
        assert!(
            failure.contains("too old, 99.0 is needed") && failure.contains("install a newer git"),
            "{failure}"
        );
    }
}
