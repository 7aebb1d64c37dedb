//! What a host may put between the engine and what it works with.
//!
//! Shipped programs pass [`Plain`], which puts nothing there. A test program passes its own and so runs the very code
//! that ships, stopped at a place of its choice.

use std::fmt;
use std::sync::Arc;

use lockstep_domain::clock::Clock;
use lockstep_domain::lease::Holder;
use lockstep_domain::ports::Git;
use lockstep_engine::Forges;
use lockstep_store::{OpenOptions, Processes, Store};

/// Every method gives back what it was given, unless a host wants otherwise.
pub trait Seams: Send + Sync + fmt::Debug {
    /// This machine's clocks.
    fn clock(&self, real: Arc<dyn Clock>) -> Arc<dyn Clock> {
        real
    }
    /// Processes of this machine, as a claim asks for them.
    fn processes(&self, real: Arc<dyn Processes>) -> Arc<dyn Processes> {
        real
    }
    /// How others see this process.
    fn holder(&self, real: Holder) -> Holder {
        real
    }
    /// How the database is opened; called right before that.
    fn opening(&self, options: OpenOptions) -> OpenOptions {
        options
    }
    /// The database.
    fn store(&self, real: Arc<dyn Store>) -> Arc<dyn Store> {
        real
    }
    /// git.
    fn git(&self, real: Arc<dyn Git>) -> Arc<dyn Git> {
        real
    }
    /// The forges.
    fn forges(&self, real: Arc<dyn Forges>) -> Arc<dyn Forges> {
        real
    }
}

/// Nothing in between: what ships.
#[derive(Debug, Clone, Copy, Default)]
pub struct Plain;

impl Seams for Plain {}
