//! What a chaos process is told to do, as a file: the environment of a press stays that of the product.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::gate::Gate;

/// The orders for one process.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Control {
    /// Where it writes its log.
    pub log: PathBuf,
    /// Where it stops until a line arrives on its standard input.
    pub gate: Option<Gate>,
    /// At which arrival there; the first is 1.
    pub nth: u32,
    /// Milliseconds for which every thread of the work's runtime is kept busy once the claim stands.
    pub starve_ms: u64,
    /// How far this machine's wall clock is off, in milliseconds.
    pub clock_off_ms: i64,
    /// The boot that this process believes in; empty: the real one.
    pub boot_id: String,
    /// Ticks by which this process says it started earlier than it did: another process had its number.
    pub older_by: u64,
}
