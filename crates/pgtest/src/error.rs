//! What can go wrong, named by what the caller can do about it.

use std::fmt;
use std::io;

/// Why no server could be started.
#[derive(Debug)]
pub enum PgError {
    /// A program is not on this machine; `remedy` is the exact command or step that brings it.
    Missing {
        /// What is missing, in words.
        what: String,
        /// What to run.
        remedy: String,
    },
    /// A program ran and refused; `log` is the end of what it wrote.
    Failed {
        /// Which step failed.
        step: &'static str,
        /// The last lines of its output.
        log: String,
    },
    /// The operating system refused something.
    Io {
        /// What was being done.
        doing: String,
        /// Its answer.
        source: io::Error,
    },
}

impl PgError {
    pub(crate) fn io(doing: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let doing = doing.into();
        move |source| Self::Io { doing, source }
    }
}

impl fmt::Display for PgError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { what, remedy } => write!(f, "{what} is missing; {remedy}"),
            Self::Failed { step, log } => write!(f, "PostgreSQL: {step} failed:\n{log}"),
            Self::Io { doing, source } => write!(f, "PostgreSQL: {doing}: {source}"),
        }
    }
}

impl std::error::Error for PgError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            Self::Missing { .. } | Self::Failed { .. } => None,
        }
    }
}
