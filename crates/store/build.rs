//! Rebuilds the store when a migration changes: the SQL is embedded.

fn main() {
    println!("cargo:rerun-if-changed=../../migrations");
}
