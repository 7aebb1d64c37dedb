//! PostgreSQL: several machines work together.

#[path = "../both/mod.rs"]
mod both;
mod driver;
mod listen;
mod open;

pub(crate) use open::open;
