//! Where this checkout and its compiled output are.

use std::path::{Path, PathBuf};

use crate::env;
use crate::failure::Failure;
use crate::run::Run;

/// One selection of packages and features for clippy, build and tests: another one would compile the same
/// dependencies a second time. The feature makes the window load its embedded content instead of a development server.
pub(crate) const SELECTION: [&str; 4] = ["--workspace", "--all-targets", "--features", "custom-protocol"];

/// The checkout.
#[derive(Debug)]
pub(crate) struct House {
    root: PathBuf,
    cache: PathBuf,
    target: PathBuf,
    ci: bool,
}

impl House {
    pub(crate) fn locate() -> Result<Self, Failure> {
        let manifest = env::manifest_dir();
        let root = manifest
            .parent()
            .filter(|root| root.join("Cargo.toml").is_file())
            .ok_or_else(|| {
                Failure::new("the checkout was not found", "run `cargo xtask` inside the checkout")
            })?
            .to_owned();
        let cache = env::cache_home()
            .ok_or_else(|| {
                Failure::new("HOME is not set", "set HOME: caches and the practice course live below it")
            })?
            .join("lockstep");
        let ci = env::is_ci();
        let target = env::target_dir().unwrap_or_else(|| cache.join(target_name(&root, ci)));
        let target = std::path::absolute(target).map_err(Failure::io("finding the build folder"))?;
        Ok(Self { root, cache, target, ci })
    }

    /// A house whose compiled programs somebody else put into `target`.
    #[cfg(test)]
    pub(crate) fn with_programs_in(target: &Path) -> Self {
        Self { root: target.to_owned(), cache: target.to_owned(), target: target.to_owned(), ci: false }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn ci(&self) -> bool {
        self.ci
    }

    /// Compiled output; outside the checkout and, for a person, distinct per checkout.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// Where the practice course of this checkout keeps its data.
    pub(crate) fn demo_folder(&self) -> PathBuf {
        self.cache.join(format!("demo-{:08x}", path_hash(&self.root)))
    }

    /// A program that this workspace builds.
    pub(crate) fn binary(&self, name: &str, release: bool) -> PathBuf {
        let profile = if release { "release" } else { "debug" };
        self.target.join(profile).join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
    }

    /// cargo in this checkout, with our build folder.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Run {
        let run = Run::new(env::cargo())
            .arguments(arguments)
            .folder(&self.root)
            .variable("CARGO_TARGET_DIR", self.target.as_os_str());
        // Incremental data costs time and space and helps only the next small edit.
        if self.ci { run.variable("CARGO_INCREMENTAL", "0") } else { run }
    }

    pub(crate) fn npm(&self, arguments: &[&str]) -> Run {
        let program = if cfg!(windows) { "npm.cmd" } else { "npm" };
        Run::new(program)
            .arguments(arguments)
            .folder(self.root.join("ui"))
            .variable("npm_config_fund", "false")
    }
}

fn target_name(root: &Path, ci: bool) -> String {
    if ci { "target-ci".to_owned() } else { format!("target-{:08x}", path_hash(root)) }
}

/// FNV-1a, folded to 32 bits: the same name for the same path in every version of this program.
fn path_hash(path: &Path) -> u32 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in path.as_os_str().as_encoded_bytes() {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    #[expect(clippy::cast_possible_truncation, reason = "folding is the point")]
    let folded = (hash ^ (hash >> 32)) as u32;
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_checkouts_never_share_a_build_folder_and_ci_has_one() {
        let (one, two) = (Path::new("/a/one"), Path::new("/a/two"));
        assert_ne!(target_name(one, false), target_name(two, false));
        assert_eq!(target_name(one, false), target_name(one, false));
        assert_eq!(target_name(one, true), target_name(two, true));
    }
}
