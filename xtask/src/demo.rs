//! `cargo xtask demo`: Lockstep on a practice course, on this machine alone.

use clap::Args;

use crate::course::{self, Course, PROJECT, Plan};
use crate::env;
use crate::failure::Failure;
use crate::house::House;
use crate::packages::Package;
use crate::run::Run;
use crate::steps::Steps;
use crate::tools::{self, Needs};
use crate::web;

/// Options of `cargo xtask demo`.
#[derive(Args)]
pub(crate) struct Options {
    /// No window: prepare the course, press Sync once, print the result
    #[arg(long)]
    headless: bool,
    /// Student repositories in the course
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=2000))]
    recipients: u32,
    /// Only remove the data of the last practice course
    #[arg(long)]
    reset: bool,
    /// Build as for a release (slower to build, faster to use)
    #[arg(long)]
    release: bool,
}

pub(crate) fn demo(options: &Options, house: &House) -> Result<(), Failure> {
    let data = house.demo_folder();
    if options.reset {
        course::clear(&data)?;
        println!("removed {}", data.display());
        return Ok(());
    }
    if !options.headless && !env::has_display() {
        return Err(no_display());
    }
    let mut steps = Steps::new(if options.headless { 4 } else { 6 });
    steps.step("Tools", || tools::ensure(&needs(options), house))?;
    if !options.headless {
        steps.step("Window content: packages", || web::install(house))?;
        steps.step("Window content: build", || web::build(house))?;
    }
    steps.step("Build programs", || build(options, house))?;
    let plan = Plan { recipients: options.recipients, ahead: 3, release: options.release };
    let course = steps.step("Practice course", || Course::open(house, &data, plan))?;
    println!("    data folder: {}", data.display());
    println!("    simulated GitHub: {} (look around with a browser)", course.forge.offer.base_url);
    if options.headless {
        return steps.step(&format!("Sync \"{PROJECT}\""), || course.press_visibly());
    }
    steps.step("Window", || {
        println!(
            "    the source is 3 commits ahead: press Sync to open {} pull requests",
            options.recipients
        );
        println!("    the simulated GitHub ends when the window closes");
        open_window(options, house, &data)
    })
}

fn needs(options: &Options) -> Needs {
    // The headless command needs no web engine, no browser and no display.
    let packages = if options.headless { vec![] } else { vec![Package::WebEngine] };
    Needs { packages, ..Needs::default() }
}

fn build(options: &Options, house: &House) -> Result<(), Failure> {
    let mut arguments = vec!["build", "--locked", "--bins"];
    if options.headless {
        arguments.extend(["-p", "lockstep-cli", "-p", "lockstep-forge"]);
    } else {
        arguments.extend(["--workspace", "--features", "custom-protocol"]);
    }
    if options.release {
        arguments.push("--release");
    }
    house.cargo(&arguments).succeed("correct what the compiler names above")
}

fn open_window(options: &Options, house: &House, data: &std::path::Path) -> Result<(), Failure> {
    Run::new(house.binary("lockstep-desktop", options.release))
        .variable("LOCKSTEP_DATA_DIR", data)
        .succeed("read the window's own message above; `cargo xtask demo --headless` works without a window")
}

fn no_display() -> Failure {
    Failure::new(
        "there is no display: neither DISPLAY nor WAYLAND_DISPLAY is set",
        "use `cargo xtask demo --headless`, or a display without a screen (Debian: apt-get install xvfb xauth): \
         `xvfb-run -a -s \"-screen 0 1280x800x24\" cargo xtask demo`",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_window_nothing_of_the_web_engine_is_asked_for() {
        let options = |headless| Options { headless, recipients: 1, reset: false, release: false };
        assert_eq!(needs(&options(true)).packages, []);
        assert_eq!(needs(&options(false)).packages, [Package::WebEngine]);
    }

    #[test]
    fn a_missing_display_names_both_ways_out() {
        let text = no_display().to_string();
        assert!(text.contains("--headless") && text.contains("xvfb-run"), "{text}");
    }
}
