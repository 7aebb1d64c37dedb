//! The door check: which crate may use which, how big a file may be, which licences may come in.
//!
//! Doors come from `cargo metadata`; sizes and texts from the files that git knows. Every complaint names the place,
//! the rule and the way out; all are listed, not only the first.

mod crates;
mod files;
mod imports;
mod licences;
mod metadata;
mod spdx;

use crate::failure::Failure;
use crate::house::House;

use metadata::Metadata;

/// Runs every check of this module.
pub(crate) fn check(house: &House) -> Result<(), Failure> {
    let metadata = Metadata::of(house)?;
    let files = files::known_to_git(house)?;
    let allowed = licences::Allowed::read(house)?;
    let mut complaints = crates::complaints(&metadata);
    complaints.extend(licences::complaints(&metadata, &allowed));
    complaints.extend(files::complaints(house, &files));
    complaints.extend(imports::complaints(house, &files));
    if complaints.is_empty() {
        println!("    {} crates, {} files", metadata.packages.len(), files.len());
        return Ok(());
    }
    Err(Failure::new(
        format!("{} complaints:\n  - {}", complaints.len(), complaints.join("\n  - ")),
        "each line above says where and why; the rules are in xtask/src/doors",
    ))
}
