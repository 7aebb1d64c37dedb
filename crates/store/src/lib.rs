//! All SQL of Lockstep, for SQLite and PostgreSQL, behind one trait.
//!
//! Here live the schema's migrations, the statements (one file per table, both dialects), transactions, the claim that
//! mints a [`lockstep_domain::lease::LeaseGuard`], and the change feed. No HTTP, no git, no decisions.
//!
//! To add a statement: write it once with named predicates in its table's file, give it a case in the conformance
//! suite (it runs against both databases), and a migration with sample data when the schema moves.

mod contract;

pub use contract::*;
