//! Generates the window's context from `tauri.conf.json`.
fn main() {
    let attributes = tauri_build::Attributes::new()
        .capabilities_path_pattern("./src-tauri/capabilities/**/*");
    if let Err(error) = tauri_build::try_build(attributes) {
        panic!("the window's build data could not be generated: {error:#}");
    }
}
