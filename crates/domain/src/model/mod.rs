//! The things of the glossary as rows, as the store gives them out.

mod log;
mod place;
mod project;
mod pull;
mod recipient;
mod run;

pub use log::*;
pub use place::*;
pub use project::*;
pub use pull::*;
pub use recipient::*;
pub use run::*;
