//! `cargo xtask bench`: measurements that a person can repeat.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use clap::Args;

use crate::course::{Course, Plan};
use crate::failure::Failure;
use crate::forge::Request;
use crate::house::House;
use crate::steps::{Steps, seconds};
use crate::tools::{self, Needs};

/// A bench: its name, what it measures, how it runs.
struct Bench {
    name: &'static str,
    measures: &'static str,
    run: fn(&Options, &House) -> Result<(), Failure>,
}

const BENCHES: [Bench; 1] = [Bench {
    name: "press",
    measures: "first and second Sync of the practice course: time, requests by kind, pushes",
    run: press,
}];

/// Options of `cargo xtask bench`.
#[derive(Args)]
pub(crate) struct Options {
    /// Which bench; without it: the list
    name: Option<String>,
    /// Student repositories in the course
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=2000))]
    recipients: u32,
    /// Measure a debug build (quick to make, not what people use)
    #[arg(long)]
    debug: bool,
}

pub(crate) fn bench(options: &Options, house: &House) -> Result<(), Failure> {
    let Some(name) = &options.name else {
        println!("cargo xtask bench NAME, where NAME is one of:\n{}", list());
        return Ok(());
    };
    (find(name)?.run)(options, house)
}

fn find(name: &str) -> Result<&'static Bench, Failure> {
    BENCHES.iter().find(|bench| bench.name == name).ok_or_else(|| {
        Failure::new(format!("there is no bench `{name}`"), format!("choose one of:\n{}", list()))
    })
}

fn list() -> String {
    BENCHES
        .iter()
        .map(|bench| format!("  {:<8} {}", bench.name, bench.measures))
        .collect::<Vec<_>>()
        .join("\n")
}

/// What one press cost.
struct Cost {
    took: Duration,
    requests: Vec<Request>,
}

fn press(options: &Options, house: &House) -> Result<(), Failure> {
    let mut steps = Steps::new(4);
    steps.step("Tools", || tools::ensure(&Needs::default(), house))?;
    steps.step("Build programs", || {
        let mut arguments = vec!["build", "--locked", "--bins", "-p", "lockstep-cli", "-p", "lockstep-forge"];
        if !options.debug {
            arguments.push("--release");
        }
        house.cargo(&arguments).succeed("correct what the compiler names above")
    })?;
    let plan = Plan { recipients: options.recipients, ahead: 3, release: !options.debug };
    let data = house.demo_folder().with_extension("bench");
    let course = steps.step("Practice course", || Course::open(house, &data, plan))?;
    steps.step("Press twice", || {
        println!(
            "    {} recipients, {} build",
            plan.recipients,
            if plan.release { "release" } else { "debug" }
        );
        report("first press (everything is new)", &measure(&course)?);
        report("second press (nothing changed)", &measure(&course)?);
        Ok(())
    })
}

fn measure(course: &Course) -> Result<Cost, Failure> {
    let before = course.forge.journal()?.len();
    let start = Instant::now();
    course.press()?;
    let took = start.elapsed();
    let requests =
        course.forge.journal()?.into_iter().skip(before).filter(|request| !request.is_ours()).collect();
    Ok(Cost { took, requests })
}

fn report(name: &str, cost: &Cost) {
    let pushes = cost.requests.iter().filter(|request| request.is_push()).count();
    println!("\n{name}: {}, {} requests, {pushes} pushes", seconds(cost.took), cost.requests.len());
    for (label, count) in by_label(&cost.requests) {
        println!("  {count:>6}  {label}");
    }
}

fn by_label(requests: &[Request]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for request in requests {
        *counts.entry(request.label()).or_default() += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_bench_names_the_known_ones() {
        let failure = find("speed").err().map(|failure| failure.to_string()).unwrap_or_default();
        assert!(failure.contains("`speed`") && failure.contains("press"), "{failure}");
        assert!(find("press").is_ok());
    }
}
