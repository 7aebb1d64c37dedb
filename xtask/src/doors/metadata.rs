//! The part of `cargo metadata` that the checks read.

use std::collections::BTreeSet;

use serde::Deserialize;

use crate::failure::Failure;
use crate::house::House;

#[derive(Debug, Deserialize)]
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
    workspace_members: BTreeSet<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) license: Option<String>,
    pub(crate) dependencies: Vec<Dependency>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// Absent for a normal dependency, else `dev` or `build`.
    kind: Option<String>,
}

impl Metadata {
    pub(crate) fn of(house: &House) -> Result<Self, Failure> {
        let text = house.cargo(&["metadata", "--format-version", "1", "--locked"]).answer(
            "when Cargo.lock is behind the manifests: run `cargo check` once and commit Cargo.lock",
        )?;
        Self::parse(&text)
    }

    pub(crate) fn parse(text: &str) -> Result<Self, Failure> {
        serde_json::from_str(text).map_err(|error| {
            Failure::new(
                format!("`cargo metadata` answered something unreadable: {error}"),
                "use the Rust of Cargo.toml",
            )
        })
    }

    /// The packages of this checkout.
    pub(crate) fn members(&self) -> impl Iterator<Item = &Package> {
        self.packages.iter().filter(|package| self.is_member(package))
    }

    pub(crate) fn is_member(&self, package: &Package) -> bool {
        self.workspace_members.contains(&package.id)
    }
}

impl Dependency {
    /// Part of the program itself, and not only of its tests.
    pub(crate) fn ships(&self) -> bool {
        self.kind.as_deref() != Some("dev")
    }
}
