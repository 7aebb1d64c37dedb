//! The window's typed view of the command list, generated. `cargo xtask bindings` writes it anew.

use std::path::Path;

use lockstep_config::variables;
use specta_typescript::Typescript;
use tauri::test::MockRuntime;

/// Tests run in the package's folder.
const FILE: &str = "ui/src/ipc/bindings.ts";

#[test]
fn bindings_are_current() {
    let folder = tempfile::tempdir().unwrap();
    let fresh = folder.path().join("bindings.ts");
    let header = "/* eslint-disable */\n";
    crate::builder::<MockRuntime>().export(Typescript::default().header(header), &fresh).unwrap();
    let fresh = std::fs::read_to_string(fresh).unwrap();
    if variables::of_process(variables::UPDATE_BINDINGS).as_deref() == Some("1") {
        std::fs::write(FILE, &fresh).unwrap();
    }
    let kept = std::fs::read_to_string(Path::new(FILE)).unwrap_or_default();
    assert!(kept == fresh, "{FILE} is stale: run `cargo xtask bindings` and look at the change");
}
