//! The test world: a real database file, the real git program, the practice forge behind real HTTP, and an engine over
//! them.
//!
//! **Lives here:** [`World`] and its options, the forge in a thread of its own, seeded ids and a clock that tests move,
//! looks at the whole world (trees, pull requests, the forge's journal), programs as child processes.
//!
//! **Must not live here:** anything that a shipped program needs; stand-ins for the database, git or the forge.
//!
//! ```no_run
//! # async fn example() {
//! use lockstep_testkit::World;
//!
//! let world = World::new().await;
//! let end = world.press().await;
//! assert_eq!(end.counts.opened, 30);
//! # }
//! ```
//!
//! **To add a look at the world:** a method of [`World`] in the file of its noun. Functions here panic with what they
//! could not do: they are for tests.

mod forges;
mod journal;
mod look;
mod machine;
mod options;
mod practice;
mod process;
mod trees;
mod turnstile;
mod world;

pub use forges::TestForges;
pub use journal::Spending;
pub use machine::{ManualClock, SeededIds, TestProcesses, holder, wall_clock};
pub use options::{Access, Database, WorldOptions};
pub use practice::Practice;
pub use process::{Program, rerun_with, sibling_program};
pub use trees::{TreeEntry, tree};
pub use turnstile::{ThroughTurnstile, Turnstile};
pub use world::World;
