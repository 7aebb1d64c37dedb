//! The laws of a press, against real git, real HTTP and a real database file.

#![expect(clippy::unwrap_used, reason = "a test says what went wrong by failing")]

mod branches;
mod distribution;
mod foreign;
mod lease;
mod limits;
mod looking;
mod press;
mod privacy;
mod refused;
mod respected;
mod skipped;
mod taken;
mod trouble;
