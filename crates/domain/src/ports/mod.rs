//! What the engine needs of the outside: a forge and git. The rooms `github` and `git` implement them.

mod forge;
mod git;

pub use forge::*;
pub use git::*;
