//! Decides, acts and records: what happens between a press on Sync and its outcome.
//!
//! **Lives here:** the request (collect, build, push, publish), the pass over the recipients, the heartbeat of a lease
//! holder, build and adopt, the look at a source, what is pending and what a press would cost, the texts that
//! recipients read and the check that none of them names the source.
//!
//! **Must not live here:** SQL, HTTP, git's command line, the environment, a clock or randomness of its own. The engine
//! knows the [`Store`](lockstep_store::Store) and the ports of `domain`; a host hands them in with [`EngineParts`].
//!
//! **To add a kind of press:** write its steps in a module of its own over `run::RunContext`, claim with the kind in
//! `request::open`, end it through `request::end`, and give [`Engine`] one method that returns a [`Press`].
//!
//! **To add a text for recipients:** put it into `texts`, and pass it through `privacy` before it is sent.

mod adopt;
mod ahead;
mod engine;
mod error;
mod forecast;
mod heartbeat;
mod pass;
mod pending;
mod press;
pub mod privacy;
mod recipients;
mod request;
mod run;
mod settings;
pub mod texts;

pub use adopt::{AdoptRequest, BuildRequest};
pub use ahead::SourceCheck;
pub use engine::{Engine, EngineParts, Forges};
pub use error::EngineError;
pub use forecast::Forecast;
pub use pass::owed::{OwedPair, owed};
pub use pending::{Pending, PendingBranch};
pub use press::{Press, RunEnd, SyncRequest};
pub use recipients::{ImportRequest, Listed, Wanted};
pub use settings::{Bounds, EngineSettings};
