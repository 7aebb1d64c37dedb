//! What the rest of the house may ask of a database. Both backends answer alike.

mod error;
mod host;
mod lease;
mod new;
mod store;
mod writes;

pub use error::*;
pub use host::*;
pub use lease::*;
pub use new::*;
pub use store::*;
pub use writes::*;
