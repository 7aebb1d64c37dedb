//! The one mapping from what went wrong below to what a person reads.

use lockstep_config::ConfigError;
use lockstep_config::system::SystemIds;
use lockstep_domain::code::Code;
use lockstep_domain::ids::Ids as _;
use lockstep_domain::names::BadName;
use lockstep_domain::ports::{ForgeError, GitError};
use lockstep_engine::EngineError;
use lockstep_secrets::SecretsError;
use lockstep_store::StoreError;

use crate::wire::{ApiError, LeaseCard};

/// Shorthand of every use case.
pub type Result<T> = std::result::Result<T, ApiError>;

impl ApiError {
    /// An error whose hint is that of its code; logged here, once, under its reference.
    #[must_use]
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        let error = Self {
            code,
            message: message.into(),
            hint: hint(code).to_owned(),
            retryable: false,
            ref_id: Some(reference()),
            holder: None,
            wait_ms: None,
        };
        tracing::warn!(
            code = code.as_str(),
            reference = error.ref_id.as_deref(),
            message = error.message,
            "refused"
        );
        error
    }

    /// Input that was refused; the text names value and remedy.
    #[must_use]
    pub fn bad_input(message: impl Into<String>) -> Self {
        Self::new(Code::BadInput, message)
    }

    /// The same, with a hint that says more than the code's.
    #[must_use]
    pub fn hinted(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }

    /// The same, with the lease in the way and how long it takes.
    #[must_use]
    pub fn held_by(mut self, card: LeaseCard) -> Self {
        self.wait_ms = Some(card.left_ms).filter(|left| *left > 0);
        self.holder = Some(Box::new(card));
        self
    }

    /// The same call may work later unchanged.
    #[must_use]
    pub const fn retryable(mut self) -> Self {
        self.retryable = true;
        self
    }
}

impl std::fmt::Display for ApiError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ApiError {}

/// Eight digits that name a log line.
fn reference() -> String {
    let id = SystemIds.uuid().simple().to_string();
    id.chars().skip(24).collect()
}

impl From<EngineError> for ApiError {
    fn from(error: EngineError) -> Self {
        let card = error.holder.map(|view| crate::leases::bare_card(&view));
        let mut out = Self::new(error.code, error.text);
        out.retryable = error.retryable;
        match card {
            Some(card) => out.held_by(card),
            None => out,
        }
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        // What a driver says may hold SQL or a path: it goes to the log, not to people.
        let plain = match &error {
            StoreError::Failed(raw) => {
                tracing::error!(raw, "the database failed");
                Some("The database failed in an unexpected way.")
            }
            StoreError::Corrupt { place, value } => {
                tracing::error!(place, value, "the database holds an unreadable value");
                Some("The database holds a value that no version of Lockstep writes.")
            }
            _ => None,
        };
        let mut out = EngineError::from(error);
        if let Some(plain) = plain {
            out.text = plain.to_owned();
        }
        out.into()
    }
}

impl From<ForgeError> for ApiError {
    fn from(error: ForgeError) -> Self {
        EngineError::from(error).into()
    }
}

impl From<GitError> for ApiError {
    fn from(error: GitError) -> Self {
        EngineError::from(error).into()
    }
}

impl From<BadName> for ApiError {
    fn from(error: BadName) -> Self {
        EngineError::from(error).into()
    }
}

impl From<ConfigError> for ApiError {
    fn from(error: ConfigError) -> Self {
        let code = match &error {
            ConfigError::DataFolder { .. } | ConfigError::File { .. } => Code::DataFolderUnusable,
            ConfigError::Settings { .. } | ConfigError::Setting { .. } | ConfigError::Variable { .. } => {
                Code::BadInput
            }
        };
        let message = sentence(&error.to_string());
        Self::new(code, message).hinted(error.hint())
    }
}

impl From<SecretsError> for ApiError {
    fn from(error: SecretsError) -> Self {
        match error {
            SecretsError::NotFound { .. } => Self::new(
                Code::BadCredentials,
                "No credential is stored on this machine for this connection.",
            )
            .hinted("Connect again on this machine; credentials never leave the machine they were given on."),
            // The text names a local file: for the log only.
            SecretsError::TooOpen { .. } | SecretsError::File { .. } | SecretsError::Damaged { .. } => {
                tracing::error!(%error, "a stored credential cannot be used");
                let text = match error {
                    SecretsError::TooOpen { mode, want, .. } => format!(
                        "The stored credentials may be read by other users of this machine (mode {mode:03o}, it \
                         must be {want:03o})."
                    ),
                    SecretsError::File { done, why, .. } => {
                        format!("The stored credentials cannot be {done} ({why}).")
                    }
                    _ => "The stored credential of this connection is damaged.".to_owned(),
                };
                Self::new(Code::SecretsUnusable, text)
            }
            other => Self::new(Code::SecretsUnusable, sentence(&other.to_string())),
        }
    }
}

/// As a sentence: a capital first, a full stop last.
pub(crate) fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first: String = chars.next().map(|first| first.to_uppercase().collect()).unwrap_or_default();
    let stop = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{first}{}{stop}", chars.as_str())
}

/// What to do, per code. A code without words does not compile.
#[must_use]
pub const fn hint(code: Code) -> &'static str {
    match code {
        Code::ProjectMissing => "Reload the list of projects; it may have been deleted by a colleague.",
        Code::SourceMissing => "Register the source again, or choose another source.",
        Code::StoreSplit => "Ask who runs the database to put all Lockstep tables into one schema.",
        Code::ProjectArchived => "Take the project out of the archive first.",
        Code::DistributionMissing => "Build a distribution, or adopt an existing private repository.",
        Code::AppNotInstalled => "Install the App in the organisation, then press again.",
        Code::InstallationSuspended => "An owner of the organisation has to lift the suspension on GitHub.",
        Code::SyncInProgress => "Watch that run, or wait for its end.",
        Code::SourceGone => "Check that the source still exists and that this connection may read it.",
        Code::SourceBranchGone => "Restore the branch at the source, or make a project without it.",
        Code::SourceRewritten => {
            "Under `whole` history cannot be rewritten: put the old commits back, or start a new project."
        }
        Code::SourceBounds => "Make what is handed out smaller, or raise the bound in the settings.",
        Code::WouldRevealSource => "Change the named place so that it does not name the source.",
        Code::DistributionPublic => "Make the distribution private on GitHub, then press again.",
        Code::DistributionOwned => "Connect to the database that owns it, or take it over knowingly.",
        Code::DistributionChanged => "Find out who wrote to the distribution; only Lockstep may.",
        Code::DistributionFailed => "Press again; nothing was lost.",
        Code::StoreUnusable => "Free some disk space, then press again.",
        Code::CollectFailed => "Press again; nothing was changed.",
        Code::PublicationFailed => "Press again; nothing was changed in the database.",
        Code::LeaseLost => "Look who holds the project now; press again when it is free.",
        Code::Cancelled => "Press Sync to go on: only what is still owed is sent.",
        Code::Quit => "Resume the run: only what is still owed is sent.",
        Code::NotReclaimable => "Wait until the heartbeat has expired, or ask the holder.",
        Code::AlreadyFinished => "Reload: the run has ended or somebody else has taken over.",
        Code::BadCredentials => "Give the connection a new token or key.",
        Code::PermissionMissing => "Grant the named permission to the token or the App, then try again.",
        Code::ForgeUnreachable => "Check the network, the proxy and the address; then try again.",
        Code::NotAForge => {
            "Give the REST address, as in https://api.github.com or https://host.example/api/v3."
        }
        Code::RateLimited => "Wait; Lockstep goes on by itself in a run, other calls may be repeated later.",
        Code::RepositoryNotFound => "Check the spelling (owner/name) and that the connection may see it.",
        Code::GitMissing => "Install git 2.38 or later, or name the program in settings.toml (git = ...).",
        Code::GitTooOld => "Install git 2.38 or later.",
        Code::DatabaseUnusable => "Check the database and try again; the last known state is kept on screen.",
        Code::DatabaseNewer => "Install the newer Lockstep that upgraded this database.",
        Code::DataFolderUnusable => "Choose another folder with --data or LOCKSTEP_DATA_DIR.",
        Code::SecretsUnusable => "Unlock the keychain, or set secrets = \"file\" in settings.toml.",
        Code::BadInput => "Correct the named value and try again.",
        Code::BadRoster => "Correct the named line and import again; nothing was imported.",
        Code::AlreadyExists => "Use the one that exists, or choose another name.",
        Code::NotFound => "Check the spelling, or reload the list.",
        Code::Bug => "This is a fault of Lockstep. Please report it with the reference.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_hint_that_says_what_to_do() {
        for code in Code::ALL {
            let text = hint(*code);
            assert!(text.len() > 10 && text.ends_with('.'), "{code}: {text}");
        }
    }

    #[test]
    fn what_a_driver_says_does_not_reach_people() {
        let raw = "SELECT token FROM leases: no such table (/data/lockstep.db)";
        let error = ApiError::from(StoreError::Failed(raw.to_owned()));
        let shown = serde_json::to_string(&error).unwrap();
        assert!(!shown.contains("SELECT") && !shown.contains("lockstep.db"), "{shown}");
        assert_eq!(error.code, Code::Bug);
    }

    #[test]
    fn a_credential_file_is_not_named_to_people() {
        let error =
            ApiError::from(SecretsError::TooOpen { path: "/data/x.json".into(), mode: 0o644, want: 0o600 });
        assert!(!error.message.contains("x.json") && error.message.contains("644"), "{error}");
    }

    #[test]
    fn a_sentence_starts_high_and_stops() {
        assert_eq!(sentence("the database is busy"), "The database is busy.");
        assert_eq!(sentence("Done."), "Done.");
        assert_eq!(sentence(""), ".");
    }
}
