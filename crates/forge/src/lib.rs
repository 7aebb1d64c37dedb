//! The practice forge: a simulated GitHub on loopback over real bare git repositories.
//!
//! What lives here: smart HTTP, REST and GraphQL as GitHub answers them for the operations that Lockstep uses, a
//! journal of every request, control functions, a small web page, and a demo course. The truth is in the bare
//! repositories: refs, compare, commits, "merged" and changed files are computed by git, so a push moves pull
//! request heads by construction. Only what git cannot hold (accounts, tokens, pull requests, comments, rules) is in
//! the forge's own state, a small JSON file.
//!
//! What must not live here: anything of the product. No other crate than the test world may depend on this one.
//!
//! # In a test
//!
//! ```no_run
//! # async fn example() -> Result<(), lockstep_forge::ForgeError> {
//! use lockstep_forge::{Forge, ForgeOptions, NewRepository};
//!
//! let forge = Forge::start(ForgeOptions::checked()).await?;
//! let control = forge.control();
//! control.create_user("teacher")?;
//! control.create_org("school", &["teacher"])?;
//! let token = control.create_token("teacher")?;
//! control.create_repository(&NewRepository::private("school/algorithms"))?;
//! control.commit_file("school/algorithms", "main", "README.md", b"hello\n", "First")?;
//! // drive it with a real client at forge.api_root(), forge.clone_url("school/algorithms"), with `token`
//! # let _ = token;
//! assert!(forge.journal().unexpected().is_empty());
//! assert!(forge.self_check_failures().is_empty());
//! # Ok(()) }
//! ```
//!
//! # To add a REST operation
//!
//! Write the handler in the file of `rest/` that it belongs to, add its line to the table in `rest/mod.rs`, its
//! path to `schema/trim-openapi.py`, run that script, and write a law-named test. To add a GraphQL field, add it to
//! `schema/extract-graphql.mjs`, run that, and resolve it in the type's file in `graphql/`.

#![recursion_limit = "256"]

mod clock;
mod control;
mod core;
pub mod demo;
mod git;
mod graphql;
mod handle;
mod http;
mod ids;
mod journal;
mod options;
mod pulls;
mod rest;
mod selfcheck;
mod site;
mod world;

pub use clock::{Clock, ManualClock, SystemClock};
pub use control::{
    AppCreated, CommentSeen, Control, InstallationCreated, NewApp, NewRepository, PullSeen, RepositorySeen,
};
pub use git::hook::{PushRule, RuleKind};
pub use git::write::{Change, CommitSpec, FileMode, Person};
pub use handle::{Forge, ForgeHandle};
pub use journal::{AgentKind, Entry, Journal, MovedRef};
pub use options::{BaseStyle, ForgeError, ForgeOptions};
pub use pulls::MergeMethod;
pub use world::{Level, Selection};

/// The private key of the practice App when [`NewApp::public_key`] is left empty. It is public by design, opens
/// nothing but a practice forge, and must never be used elsewhere.
pub const PRACTICE_APP_KEY: &str = include_str!("../keys/practice-app.pem");
