//! GitHub, through octocrab.
//!
//! What lives here: [`GithubForge`], the port [`lockstep_domain::ports::Forge`] over github.com and GitHub Enterprise
//! Server; tokens and App installations; the batched GraphQL read; errors named by what the caller can do. One
//! `classify` function turns real answers into those errors, one [`Policy`] says what is repeated and how much is asked
//! at once.
//!
//! What must not live here: decisions about recipients, pacing of writes (the gate is in the database), SQL, git, the
//! environment. No other room may use octocrab.
//!
//! Reads are repeated in trouble. A write is sent once: when its answer is lost the error is
//! [`lockstep_domain::ports::ForgeError::Unclear`] and the caller looks it up. It is sent only while the lease outlasts
//! its time limit.
//!
//! ```no_run
//! # use std::sync::Arc;
//! # use lockstep_domain::{clock::Clock, ports::Forge};
//! # async fn example(clock: Arc<dyn Clock>) -> Result<(), Box<dyn std::error::Error>> {
//! use lockstep_github::{Credential, GithubForge, GithubOptions};
//!
//! let credential = Credential::Token("github_pat_...".into());
//! let forge = GithubForge::new(GithubOptions::new("https://api.github.com", credential, clock))?;
//! let who = forge.identity().await?;
//! # let _ = who;
//! # Ok(()) }
//! ```
//!
//! To add a question: put its request into the file of its noun (`repositories.rs`, `pulls.rs`), its body into
//! `shapes.rs`, its method with a span into `forge.rs`, and drive it against the practice forge in `tests/`. To teach it
//! a new error, add the row to `classify.rs` and its real body to `classify_tests.rs`.

mod auth;
mod classify;
mod client;
mod endpoints;
mod forge;
mod graphql;
mod heads;
mod options;
mod pages;
mod parts;
mod pulls;
mod recipients;
mod repositories;
mod shapes;
mod wire;

pub use endpoints::Endpoints;
pub use forge::GithubForge;
pub use lockstep_domain::credential::Credential;
pub use options::{BadOptions, GithubOptions, Network, Policy, Timeouts};
