//! Use cases as functions: request in, response out. Any host can call them: the window, the headless command, a test.
//!
//! Here live the wire types ([`wire`]), the use cases (one file per noun), the feed of changes ([`feed`]) and the one
//! error that leaves this room, [`wire::ApiError`]. No SQL, no HTTP, no git, no Tauri.
//!
//! To add a use case: a function in its noun's file, its wire types, its line in the shell's list of commands (bindings
//! and permissions follow from there), and its tag in [`wire::Tag`] when it changes what others show.

mod app;
pub mod connections;
mod error;
pub mod feed;
mod forges;
pub mod info;
mod input;
pub mod leases;
pub mod links;
pub mod logs;
mod machine;
mod nogit;
mod pages;
mod pending;
pub mod practice;
pub mod preferences;
mod presses;
pub mod projects;
pub mod recipients;
pub mod repositories;
pub mod roster;
mod rows;
pub mod runs;
pub mod seams;
pub mod sources;
pub mod wire;
mod words;

pub use app::{App, VERSION};
pub use error::{Result, hint};
