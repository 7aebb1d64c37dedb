//! One error for every caller: a stable code, plain words with the remedy, and the holder when somebody is in the way.

use lockstep_domain::code::Code;
use lockstep_domain::lease::LeaseView;
use lockstep_domain::names::BadName;
use lockstep_domain::ports::{ForgeError, GitError};
use lockstep_store::StoreError;

/// Why something was refused or ended early. The text names the value and the remedy; it holds no path, no token, no
/// SQL.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{text}")]
pub struct EngineError {
    /// The stable code.
    pub code: Code,
    /// In plain words.
    pub text: String,
    /// Who is in the way, for `sync_in_progress`.
    pub holder: Option<Box<LeaseView>>,
    /// Whether the same press may simply be tried again.
    pub retryable: bool,
}

impl EngineError {
    /// An error with this code; whether it may be tried again follows from the code.
    #[must_use]
    pub fn new(code: Code, text: impl Into<String>) -> Self {
        Self { code, text: text.into(), holder: None, retryable: retryable(code) }
    }

    /// Somebody else is at it.
    pub(crate) fn held(view: LeaseView) -> Self {
        let who = view
            .holder
            .as_ref()
            .map_or_else(|| "somebody".to_owned(), |holder| format!("{} on {}", holder.person, holder.host));
        let text =
            format!("A sync of this project is running, held by {who}. Watch it, or wait for its end.");
        Self { code: Code::SyncInProgress, text, holder: Some(Box::new(view)), retryable: true }
    }

    /// The lease is lost.
    pub(crate) fn lost() -> Self {
        Self::new(
            Code::LeaseLost,
            "The lease was lost, so nothing more was written. Press again: what was done is found, the rest follows.",
        )
    }

    /// The same trouble under the code of the step in which it arose, unless its own code says more.
    #[must_use]
    pub(crate) fn within(mut self, step: Code) -> Self {
        let general = matches!(
            self.code,
            Code::ForgeUnreachable | Code::NotAForge | Code::RateLimited | Code::Bug | Code::DatabaseUnusable
        );
        if general {
            self.code = step;
        }
        self
    }
}

const fn retryable(code: Code) -> bool {
    matches!(
        code,
        Code::SyncInProgress
            | Code::CollectFailed
            | Code::DistributionFailed
            | Code::PublicationFailed
            | Code::LeaseLost
            | Code::Cancelled
            | Code::Quit
            | Code::ForgeUnreachable
            | Code::RateLimited
            | Code::StoreUnusable
            | Code::DatabaseUnusable
    )
}

impl From<StoreError> for EngineError {
    fn from(error: StoreError) -> Self {
        let text = error.to_string();
        match error {
            StoreError::LeaseLost => Self::lost(),
            StoreError::AlreadyExists(what) => Self::new(
                Code::AlreadyExists,
                format!("{what} exists already. Use that one, or choose another name."),
            ),
            StoreError::NotFound(what) => {
                Self::new(Code::NotFound, format!("{what} does not exist any more. Reload the page."))
            }
            StoreError::Held(view) => Self::held(*view),
            StoreError::Split(_) => Self::new(
                Code::StoreSplit,
                format!("{text}. Put all Lockstep tables into one schema of one database."),
            ),
            StoreError::Newer { .. } => Self::new(Code::DatabaseNewer, text),
            StoreError::Busy => Self::new(
                Code::DatabaseUnusable,
                "The database is busy and nothing was written. Try again in a moment.",
            ),
            StoreError::Unclear => Self::new(
                Code::DatabaseUnusable,
                "The database's answer was lost. Look at the history before you press again.",
            ),
            StoreError::Unusable(_) => Self::new(Code::DatabaseUnusable, text),
            StoreError::Corrupt { .. } | StoreError::Failed(_) => Self::new(Code::Bug, text),
        }
    }
}

impl From<ForgeError> for EngineError {
    fn from(error: ForgeError) -> Self {
        let text = error.to_string();
        match error {
            ForgeError::RateLimited { .. } => Self::new(
                Code::RateLimited,
                "GitHub asks to wait before more requests are sent. Try again later.",
            ),
            ForgeError::BadCredentials(_) => {
                Self::new(Code::BadCredentials, format!("{text}. Give the connection a new token."))
            }
            ForgeError::Suspended => Self::new(
                Code::InstallationSuspended,
                "The installation of the App is suspended. An owner of the organisation has to lift that.",
            ),
            ForgeError::NotInstalled => Self::new(
                Code::AppNotInstalled,
                "The App is not installed there any more. Install it again, or choose another connection.",
            ),
            ForgeError::PermissionMissing(what) => Self::new(
                Code::PermissionMissing,
                format!("The connection lacks the permission {what:?}. Grant it on GitHub."),
            ),
            ForgeError::NotFound(_) => Self::new(Code::RepositoryNotFound, format!("{text}.")),
            ForgeError::Unavailable(_) | ForgeError::Unclear(_) => {
                Self::new(Code::ForgeUnreachable, format!("{text}. Try again later."))
            }
            ForgeError::NotAForge(_) => {
                Self::new(Code::NotAForge, format!("{text}. Check the address of the connection."))
            }
            ForgeError::AlreadyExists => Self::new(Code::AlreadyExists, text),
            ForgeError::LeaseLost => Self::lost(),
            ForgeError::Archived | ForgeError::Empty | ForgeError::NotYet(_) | ForgeError::Validation(_) => {
                Self::new(Code::BadInput, text)
            }
        }
    }
}

impl From<GitError> for EngineError {
    fn from(error: GitError) -> Self {
        let text = error.to_string();
        match error {
            GitError::Missing => Self::new(Code::GitMissing, "git was not found. Install git 2.38 or later."),
            GitError::TooOld { .. } => Self::new(Code::GitTooOld, format!("{text}. Install a newer git.")),
            GitError::NotFound => Self::new(Code::RepositoryNotFound, text),
            GitError::BadCredentials => {
                Self::new(Code::BadCredentials, "git's access was refused. Give the connection a new token.")
            }
            GitError::Refused(_) => Self::new(Code::PermissionMissing, text),
            GitError::Unavailable(_) => {
                Self::new(Code::ForgeUnreachable, format!("{text}. Try again later."))
            }
            GitError::StoreUnusable(_) => {
                Self::new(Code::StoreUnusable, format!("{text}. Free some disk space, then press again."))
            }
            GitError::LeaseLost => Self::lost(),
            GitError::MissingObject(_) | GitError::Unexpected(_) => Self::new(Code::Bug, text),
        }
    }
}

impl From<BadName> for EngineError {
    fn from(error: BadName) -> Self {
        Self::new(Code::BadInput, format!("{error}. Choose another name."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_domain::clock::Millis;

    #[test]
    fn a_step_names_general_trouble_and_keeps_what_says_more() {
        let down = EngineError::from(GitError::Unavailable("timeout".to_owned()));
        assert_eq!(down.within(Code::CollectFailed).code, Code::CollectFailed);
        let full = EngineError::from(GitError::StoreUnusable("disk full".to_owned()));
        assert_eq!(full.within(Code::CollectFailed).code, Code::StoreUnusable);
        assert_eq!(EngineError::lost().within(Code::CollectFailed).code, Code::LeaseLost);
    }

    #[test]
    fn every_text_ends_as_a_sentence_with_a_remedy_or_a_fact() {
        let limited = EngineError::from(ForgeError::RateLimited { until: Millis(0), secondary: true });
        assert!(limited.retryable);
        assert!(limited.text.ends_with('.'));
    }
}
