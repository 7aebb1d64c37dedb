//! What crosses between the core and a window or a script. One place, so that a later move is cheap.
//!
//! 64-bit numbers do not cross as numbers: counts are `u32`, fences and ids are strings, times are milliseconds in an
//! `f64`. Types sent out only serialise, types that come in only deserialise.

mod common;
mod feed;
mod host;
mod lease;
mod project;
mod recipient;
mod run;
mod source;

pub use common::*;
pub use feed::*;
pub use host::*;
pub use lease::*;
pub use project::*;
pub use recipient::*;
pub use run::*;
pub use source::*;
