//! The git program, run safely.
//!
//! **Here:** the runner with its own environment, the shared bare store, trees and commits, fetches, virtual merges,
//! the decision about a recipient's branch (`bench`), and the two guarded pushes. It implements the ports
//! [`lockstep_domain::ports::Git`] and [`lockstep_domain::ports::Workbench`].
//!
//! **Not here:** what a run does with an answer, GitHub's API, SQL, retries over time.
//!
//! **To add a git command:** build a `job::Job` with an explicit git directory, run it through
//! `Runner::local` or `Runner::remote`, read its exit code, and turn anything unexpected into a
//! `GitError` with `answers::local_fault` or `answers::remote_fault`, the only places that read git's words. A
//! command that writes to a remote takes the `LeaseGuard`.
//!
//! Laws: no work tree ever; no token in an argument, an environment, a file at rest or a text; nothing of the user's
//! git configuration takes part; a recipient's objects never enter the store.

mod answers;
mod bench;
mod child;
mod commits;
mod facts;
mod fetch;
mod history;
mod job;
mod options;
mod program;
mod push;
mod remote;
mod runner;
mod secret;
mod store;
mod sweep;

pub use options::{GitOptions, Version};
pub use program::GitProgram;
