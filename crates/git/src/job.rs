//! One git command, before it runs.

use std::any::Any;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Something that must live as long as the command's processes: a lock, a credential.
pub(crate) type Hold = Box<dyn Any + Send>;

/// A command with its git directory, never the current folder.
#[derive(Default)]
pub(crate) struct Job {
    pub(crate) git_dir: Option<PathBuf>,
    pub(crate) args: Vec<OsString>,
    pub(crate) env: Vec<(String, OsString)>,
    pub(crate) config: Vec<(String, String)>,
    pub(crate) input: Vec<u8>,
    pub(crate) idle: Option<Duration>,
    pub(crate) hold: Vec<Hold>,
}

impl Job {
    /// A command on this git directory.
    pub(crate) fn on(git_dir: &Path) -> Self {
        Self { git_dir: Some(git_dir.to_owned()), ..Self::default() }
    }

    /// A command that needs no repository.
    pub(crate) fn anywhere() -> Self {
        Self::default()
    }

    pub(crate) fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Words written in the source, split at blanks.
    pub(crate) fn words(mut self, words: &str) -> Self {
        self.args.extend(words.split_whitespace().map(OsString::from));
        self
    }

    pub(crate) fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    pub(crate) fn env(mut self, key: impl Into<String>, value: impl Into<OsString>) -> Self {
        self.env.push((key.into(), value.into()));
        self
    }

    pub(crate) fn config(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.config.push((key.into(), value.into()));
        self
    }

    pub(crate) fn input(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.input = input.into();
        self
    }

    pub(crate) fn hold(mut self, hold: impl Any + Send) -> Self {
        self.hold.push(Box::new(hold));
        self
    }

    pub(crate) const fn idle(mut self, idle: Duration) -> Self {
        self.idle = Some(idle);
        self
    }

    /// The command's name, for logs.
    pub(crate) fn name(&self) -> String {
        self.args.first().map(|arg| arg.to_string_lossy().into_owned()).unwrap_or_default()
    }
}
