//! Chaos of the press: processes that run the very code that ships and are stopped at named places, and the checker that
//! judges what came of it (docs/LEASES.md section 7).
//!
//! **Lives here:** the places ([`Gate`]), the program `lockstep-chaos` (the headless command with a keeper at its seams),
//! the log that each such process writes ([`Event`]), the desk that starts, stops and kills them ([`Rig`]), the scenarios,
//! and the checker ([`history::complaints`]).
//!
//! **Must not live here:** anything that a shipped program needs; rules of the lease. `cargo xtask doors` keeps this room
//! out of every shipped program.
//!
//! **To add a place:** a variant of [`Gate`] and the call of [`Keeper::at`] where it is, in the wrapper of that port.

mod control;
mod event;
mod forge;
mod gate;
mod git;
pub mod history;
mod keeper;
mod line;
pub mod rig;
pub mod scenario;
mod seams;
mod store;

pub use control::Control;
pub use event::{Event, What, now_ns, wall_ms};
pub use gate::Gate;
pub use keeper::Keeper;
pub use rig::{Rig, RigOptions};
pub use seams::ChaosSeams;
