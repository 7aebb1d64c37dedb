//! Why a command stops, with what to do about it.

use std::fmt;
use std::process::ExitCode;

/// The end of a command that did not succeed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Something to tell: what happened, and the remedy in words.
    Told { what: String, remedy: String },
    /// A program has already said everything; only its exit code travels on.
    Quiet { code: u8 },
}

impl Failure {
    pub(crate) fn new(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::Told { what: what.into(), remedy: remedy.into() }
    }

    /// An answer of the operating system; `what` says what was being done.
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let what = what.into();
        move |error| Self::new(format!("{what}: {error}"), "check that the place exists and may be written")
    }

    /// Prints what there is to say and gives the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        match self {
            Self::Told { .. } => {
                eprintln!("\nxtask stopped. {self}");
                ExitCode::FAILURE
            }
            Self::Quiet { code } => ExitCode::from(*code),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Told { what, remedy } => write!(f, "{what}\n  what to do: {remedy}"),
            Self::Quiet { code } => write!(f, "exit code {code}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_says_what_to_do() {
        let text = Failure::new("node is missing", "install Node 20").to_string();
        assert_eq!(text, "node is missing\n  what to do: install Node 20");
    }
}
