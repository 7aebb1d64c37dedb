//! The window's typed view of the command list.

use crate::failure::Failure;
use crate::house::{House, SELECTION};
use crate::tools::{self, Needs};

/// Rewrites `ui/src/ipc/bindings.ts`: the test that fails when the file is stale writes it when asked to.
pub(crate) fn bindings(house: &House) -> Result<(), Failure> {
    tools::ensure(&Needs { nextest: true, ..Needs::default() }, house)?;
    let filter = "package(lockstep-desktop) and test(bindings_are_current)";
    let mut arguments = vec!["nextest", "run"];
    arguments.extend(SELECTION);
    arguments.extend(["--no-tests", "fail", "-E", filter]);
    house
        .cargo(&arguments)
        .variable("LOCKSTEP_UPDATE_BINDINGS", "1")
        .succeed("the commands must compile first; correct what is named above")?;
    println!("ui/src/ipc/bindings.ts is current");
    Ok(())
}
