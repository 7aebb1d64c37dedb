//! How a forge is started, and what can go wrong.

use std::path::PathBuf;
use std::sync::Arc;

use crate::clock::{Clock, SystemClock};

/// Which of GitHub's two address styles [`crate::ForgeHandle::api_root`] reports. Both are always served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BaseStyle {
    /// Like `https://api.github.com`: REST at the root, GraphQL at `/graphql`.
    #[default]
    Root,
    /// Like GitHub Enterprise Server: REST at `/api/v3`, GraphQL at `/api/graphql`.
    ApiV3,
}

/// What a forge needs to start.
#[derive(Clone)]
pub struct ForgeOptions {
    /// Where state and repositories live; `None`: a temporary folder that goes away with the handle.
    pub data: Option<PathBuf>,
    /// The port on 127.0.0.1; 0 lets the system choose one.
    pub port: u16,
    /// The address style that the handle reports.
    pub base: BaseStyle,
    /// Where the time comes from.
    pub clock: Arc<dyn Clock>,
    /// Seeds the tokens. The same seed and the same calls give the same tokens.
    pub token_seed: u64,
    /// Check every JSON answer of the REST interface against GitHub's own description.
    pub self_check: bool,
}

impl Default for ForgeOptions {
    fn default() -> Self {
        Self {
            data: None,
            port: 0,
            base: BaseStyle::Root,
            clock: Arc::new(SystemClock),
            token_seed: 1,
            self_check: false,
        }
    }
}

impl ForgeOptions {
    /// Options for tests: a temporary folder, any port, and the self-check on.
    pub fn checked() -> Self {
        Self { self_check: true, ..Self::default() }
    }
}

/// Why the forge, or one of its control functions, refused.
#[derive(Debug, thiserror::Error)]
pub enum ForgeError {
    /// No such account, repository, pull request, app, installation or ref.
    #[error("not found: {0}")]
    NotFound(String),
    /// The call contradicts the forge's state (a taken name, a closed pull request, a conflict).
    #[error("refused: {0}")]
    Refused(String),
    /// git answered with an error.
    #[error("git: {0}")]
    Git(String),
    /// A file or socket could not be used.
    #[error("{what}: {source}")]
    Io {
        /// What was being done.
        what: String,
        /// The system's answer.
        source: std::io::Error,
    },
    /// The state file cannot be read.
    #[error("state file: {0}")]
    State(String),
}

impl ForgeError {
    pub(crate) fn io(what: impl Into<String>, source: std::io::Error) -> Self {
        Self::Io { what: what.into(), source }
    }
}
