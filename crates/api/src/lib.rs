//! Use cases as functions: request in, response out. Any host can call them: the window, the headless command, a test.
//!
//! Here live the wire types ([`wire`]), the use cases (one file per noun), their cache tags and the one error that
//! leaves this room, [`wire::ApiError`]. No SQL, no HTTP, no git, no Tauri.
//!
//! To add a use case: a function in its noun's file, its wire types, its line in the shell's list of commands (bindings
//! and permissions follow from there), and its tag in [`wire::Tag`] when it changes what others show.

pub mod wire;
