//! The lease as a model.
//!
//! **Lives here:** what docs/LEASES.md says, a second time and without a database: the row and its guarded writes
//! ([`Row`]), the same as an executable lease ([`ModelStore`]) that the property test runs beside SQLite and PostgreSQL,
//! and the system of workers, database, clocks and people ([`Config`]) whose every order of steps a model checker walks
//! through. docs/LEASES-MODEL.md names the function and the statement behind every step.
//!
//! **Must not live here:** anything of the product: this crate knows none of its crates and is in no shipped program.
//!
//! **To add a flaw:** one line in `flaws!` with the law that it breaks, the guard in [`Row`] or `system` that it takes
//! away, its surroundings in [`flawed`] when two workers and two claims do not show it. The test asks for its
//! counterexample by itself.

mod catalogue;
mod report;
mod row;
mod rules;
mod store;
mod system;

pub use catalogue::{RIGHT, WIDE, find, flawed};
pub use report::{Counterexample, Report, explore};
pub use row::{Cancel, Held, NewOwner, Op, Owner, Row, Status};
pub use rules::{Flaw, Law, Rules};
pub use store::{Asked, Claimed, ItemStep, ModelStore, Reclaimed, Removed, Run, Written};
pub use system::*;
