//! The JSON objects of the REST interface, as GitHub's description has them.

pub(crate) mod account;
mod commit;
pub(crate) mod pull;
mod repository;

use crate::core::Core;
use crate::world::World;

/// What every shape needs: the world, and the roots for links.
pub(crate) struct Shapes<'a> {
    pub(crate) core: &'a Core,
    pub(crate) world: &'a World,
    /// The root of the REST interface.
    pub(crate) api: &'a str,
}

impl Shapes<'_> {
    /// An address of the web pages.
    fn html(&self, path: &str) -> String {
        format!("{}/{path}", self.core.base_url())
    }
}
