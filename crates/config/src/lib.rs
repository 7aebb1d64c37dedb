//! The only reader of the environment and of the settings file, and the home of this machine's clocks, randomness and
//! processes.
//!
//! Here live [`Config`] (everything a host needs to know before it opens a database), the names of all environment
//! variables ([`variables`]), the settings file ([`settings`]) and [`system`]. Nothing here opens a database, a
//! keychain or a connection.
//!
//! To add a setting: a field in [`settings::Settings`], its checked form in [`Config`], a line in the table of
//! [`variables`] when the environment may set it too, and a test that a wrong value is named with its remedy.

mod config;
mod error;
mod folder;
pub mod settings;
pub mod system;
pub mod variables;

pub use config::{Config, Database, Network, Overrides, Pacing, SecretsKind};
pub use error::ConfigError;
pub use settings::{Choice, LANGUAGES, THEMES};
