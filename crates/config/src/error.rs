//! What can be wrong before anything is opened, each with its remedy.

/// Why the settings or the data folder cannot be used. [`std::fmt::Display`] says what is wrong and names the value,
/// [`ConfigError::hint`] what to do. Neither holds a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The data folder cannot be made, read or written.
    #[error("the data folder cannot be used: {why}")]
    DataFolder {
        /// The system's answer, in words.
        why: String,
        /// What to do; names the folder.
        hint: String,
    },
    /// A line of the settings file.
    #[error("settings.toml, line {line}: {problem}")]
    Settings {
        /// Line, counted from 1.
        line: usize,
        /// What is wrong, with the value.
        problem: String,
        /// What to do.
        hint: String,
    },
    /// A value of the settings file that parses but cannot be used.
    #[error("settings.toml: {problem}")]
    Setting {
        /// What is wrong, with name and value.
        problem: String,
        /// What to do.
        hint: String,
    },
    /// An environment variable.
    #[error("{name}: {problem}")]
    Variable {
        /// Its name.
        name: &'static str,
        /// What is wrong.
        problem: String,
        /// What to do.
        hint: String,
    },
    /// The settings file cannot be read or written.
    #[error("settings.toml cannot be {done}: {why}")]
    File {
        /// `read`, `written`.
        done: &'static str,
        /// The system's answer, in words.
        why: String,
        /// What to do.
        hint: String,
    },
}

impl ConfigError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> &str {
        match self {
            Self::DataFolder { hint, .. }
            | Self::Settings { hint, .. }
            | Self::Setting { hint, .. }
            | Self::Variable { hint, .. }
            | Self::File { hint, .. } => hint,
        }
    }
}

/// An IO error in words without paths.
pub(crate) fn words(error: &std::io::Error) -> String {
    use std::io::ErrorKind as K;
    match error.kind() {
        K::PermissionDenied => "permission denied".to_owned(),
        K::NotADirectory => "a part of its path is a file, not a folder".to_owned(),
        K::ReadOnlyFilesystem => "the file system is read only".to_owned(),
        K::StorageFull | K::QuotaExceeded => "no space is left".to_owned(),
        K::NotFound => "it does not exist".to_owned(),
        K::AlreadyExists => "there is a file in its place".to_owned(),
        other => other.to_string(),
    }
}
