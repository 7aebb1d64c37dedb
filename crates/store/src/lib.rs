//! All SQL of Lockstep, for SQLite and PostgreSQL, behind one trait.
//!
//! Here live the schema's migrations, the statements (one file per table, both dialects), transactions, the claim that
//! mints a [`lockstep_domain::lease::LeaseGuard`], and the change feed. No HTTP, no git, no decisions.
//!
//! - `both/` is written once and compiled for each driver: one file per table, one per act over several tables.
//! - `sqlite/` and `postgres/` hold what differs: types, opening, error names, waking.
//! - `predicates` names every guard, `sql` renders a template with them for one dialect.
//!
//! To add a statement: write it once with named predicates in its table's file, give it a case in the conformance
//! suite (it runs against both databases), and a migration with sample data when the schema moves.

#![expect(
    clippy::duplicate_mod,
    reason = "`both` is compiled once per driver; sqlx has no type that covers two"
)]

#[macro_use]
mod args;
mod context;
mod contract;
#[cfg(feature = "mutants")]
pub mod mutants;
mod open;
mod pacing;
mod postgres;
mod predicates;
mod sql;
mod sqlite;
#[cfg(feature = "test-clock")]
pub mod test_clock;

pub use contract::*;
pub use open::{OpenOptions, Synchronous, open};
