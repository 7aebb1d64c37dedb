//! The only reader of the environment in xtask.

use std::path::{Path, PathBuf};

#[expect(clippy::disallowed_methods, reason = "xtask's one reader; the product's is crates/config")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// A run without a person: no questions, the `ci` profile, one stable build folder.
pub(crate) fn is_ci() -> bool {
    variable("CI").is_some_and(|value| value != "false" && value != "0")
}

/// Where the person wants compiled output, when they said so.
pub(crate) fn target_dir() -> Option<PathBuf> {
    variable("CARGO_TARGET_DIR").map(PathBuf::from)
}

/// The folder for caches: `$XDG_CACHE_HOME`, else `$HOME/.cache`.
pub(crate) fn cache_home() -> Option<PathBuf> {
    variable("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| variable("HOME").map(|home| Path::new(&home).join(".cache")))
}

/// The home folder of whoever runs this.
pub(crate) fn home() -> Option<String> {
    variable("HOME")
}

/// Whether a window can be shown. Only X11 and Wayland announce themselves; elsewhere the answer is yes.
pub(crate) fn has_display() -> bool {
    !cfg!(target_os = "linux") || variable("DISPLAY").is_some() || variable("WAYLAND_DISPLAY").is_some()
}

/// The cargo that started us.
pub(crate) fn cargo() -> String {
    variable("CARGO").unwrap_or_else(|| "cargo".to_owned())
}

/// The folder of xtask's own package. Asked at run time: a build folder may be shared by several checkouts.
pub(crate) fn manifest_dir() -> PathBuf {
    PathBuf::from(variable("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").to_owned()))
}

/// Programs on the search path.
pub(crate) fn on_path(program: &str) -> bool {
    variable("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(program).is_file()))
}
