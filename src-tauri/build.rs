//! Generates the window's context from `tauri.conf.json`, and its permission from the one list of commands.

use std::path::{Path, PathBuf};
use std::{env, fs};

macro_rules! command_list {
    ($($name:ident,)+) => { const COMMANDS: &[&str] = &[$(stringify!($name)),+]; };
}
include!("src/list.rs");

fn main() {
    if let Err(error) = run() {
        panic!("the window's build data could not be generated: {error}");
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=src-tauri/src/list.rs");
    println!("cargo:rerun-if-changed=src-tauri/capabilities");
    println!("cargo:rerun-if-changed=src-tauri/icons");
    content(Path::new("ui/dist"))?;
    let pattern = permission()?;
    let manifest =
        tauri_build::AppManifest::new().permissions_path_pattern(Box::leak(pattern.into_boxed_str()));
    let attributes = tauri_build::Attributes::new()
        .capabilities_path_pattern("./src-tauri/capabilities/**/*")
        .app_manifest(manifest);
    tauri_build::try_build(attributes)?;
    Ok(())
}

/// The window's content is built by `npm --prefix ui ci && npm --prefix ui run build` (`cargo xtask` does it). Without
/// it this still compiles, for checks, with a page that says what is missing.
fn content(dist: &Path) -> std::io::Result<()> {
    println!("cargo:rerun-if-changed=ui/dist");
    let page = dist.join("index.html");
    if page.exists() {
        return Ok(());
    }
    fs::create_dir_all(dist)?;
    println!("cargo:warning=ui/dist was empty: run npm --prefix ui ci && npm --prefix ui run build");
    fs::write(
        page,
        "<!doctype html><title>Lockstep</title><p>The window's content was not built. Run <code>npm --prefix ui \
         ci</code> and <code>npm --prefix ui run build</code>, then build again.</p>\n",
    )
}

/// One permission for exactly the commands of the list; the capability of the window names it.
fn permission() -> Result<String, Box<dyn std::error::Error>> {
    #[expect(
        clippy::disallowed_methods,
        reason = "cargo tells build scripts their folder in the environment"
    )]
    let out = env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?;
    let folder = PathBuf::from(out).join("window-permissions");
    fs::create_dir_all(&folder)?;
    let allowed: Vec<String> = COMMANDS.iter().map(|name| format!("{name:?}")).collect();
    let text = format!(
        "[[permission]]\nidentifier = \"window-commands\"\ndescription = \"Every command of the one list\"\n\
         commands.allow = [{}]\n",
        allowed.join(", ")
    );
    let file = folder.join("commands.toml");
    if fs::read_to_string(&file).ok().as_deref() != Some(&text) {
        fs::write(&file, text)?;
    }
    Ok(folder.join("*.toml").to_string_lossy().into_owned())
}
