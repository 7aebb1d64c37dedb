//! The window's content: packages, checks, build.

use std::fs;

use crate::failure::Failure;
use crate::house::House;

/// Installs exactly what `ui/package-lock.json` says; nothing to do when that is what is there.
pub(crate) fn install(house: &House) -> Result<(), Failure> {
    let ui = house.root().join("ui");
    let lock = fs::read(ui.join("package-lock.json")).map_err(|_missing| {
        Failure::new(
            "ui/package-lock.json cannot be read",
            "check that the checkout is complete (`git status`)",
        )
    })?;
    // npm has no cheap "is this current?"; a copy of the lock file beside the packages answers it.
    let stamp = ui.join("node_modules/.lockstep-installed");
    if fs::read(&stamp).is_ok_and(|installed| installed == lock) {
        println!("    packages are current");
        return Ok(());
    }
    house
        .npm(&["ci", "--no-audit", "--no-fund", "--loglevel=error"])
        .succeed("read npm's answer above; `npm ci` needs the npm registry")?;
    fs::write(&stamp, lock).map_err(Failure::io("writing ui/node_modules/.lockstep-installed"))
}

/// Types, lints, component tests.
pub(crate) fn check(house: &House) -> Result<(), Failure> {
    house
        .npm(&["run", "--silent", "check"])
        .succeed("correct what is named above; `npm --prefix ui run check` repeats only this step")
}

/// Builds `ui/dist`, which the window embeds when it is compiled.
pub(crate) fn build(house: &House) -> Result<(), Failure> {
    house
        .npm(&["run", "--silent", "build"])
        .succeed("correct what is named above; `npm --prefix ui run build` repeats only this step")
}
