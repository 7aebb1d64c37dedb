//! What a host decides about git, and which git was found.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lockstep_domain::ports::GitError;

/// Everything the runner takes from its host; nothing is read from the environment.
#[derive(Clone)]
pub struct GitOptions {
    /// Lockstep's data folder; the store is made below `git/` in it.
    pub data_dir: PathBuf,
    /// The program: a bare name is looked for in `path`, anything with a separator is taken as it is.
    pub git: PathBuf,
    /// The search path, for finding git and for its children.
    pub path: OsString,
    /// Proxy for https, `http://[user:password@]host:port`; loopback is never sent through it.
    pub proxy: Option<String>,
    /// File with the certificates to trust instead of git's own.
    pub ca_file: Option<PathBuf>,
    /// Longest silence of a transfer, at least a second.
    pub idle: Duration,
    /// Longest silence while a distribution is pushed: the first push of a large course lets the server think.
    pub publish_idle: Duration,
    /// Longest time for one command.
    pub total: Duration,
    /// Time between asking a process group to end and killing it.
    pub grace: Duration,
}

impl GitOptions {
    /// The defaults: `git` from `path`, 60 s of silence (15 min for a distribution), 30 min in all.
    pub fn new(data_dir: impl Into<PathBuf>, path: impl Into<OsString>) -> Self {
        Self {
            data_dir: data_dir.into(),
            git: PathBuf::from("git"),
            path: path.into(),
            proxy: None,
            ca_file: None,
            idle: Duration::from_secs(60),
            publish_idle: Duration::from_secs(15 * 60),
            total: Duration::from_secs(30 * 60),
            grace: Duration::from_secs(2),
        }
    }

    /// The absolute path of the program, or `Missing`.
    pub(crate) fn find(&self) -> Result<PathBuf, GitError> {
        if self.git.components().count() > 1 {
            return if self.git.is_file() { absolute(&self.git) } else { Err(GitError::Missing) };
        }
        let mut name = self.git.clone().into_os_string();
        name.push(std::env::consts::EXE_SUFFIX);
        std::env::split_paths(&self.path)
            .map(|folder| folder.join(Path::new(&name)))
            .find(|candidate| is_program(candidate))
            .ok_or(GitError::Missing)
            .and_then(|found| absolute(&found))
    }
}

/// Commands run in a folder of their own, so a relative path would mean another file there.
fn absolute(path: &Path) -> Result<PathBuf, GitError> {
    std::path::absolute(path).map_err(|_| GitError::Missing)
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

/// The proxy may hold a password: only whether there is one is shown.
impl fmt::Debug for GitOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GitOptions")
            .field("data_dir", &self.data_dir)
            .field("git", &self.git)
            .field("proxy", &self.proxy.is_some())
            .field("ca_file", &self.ca_file)
            .finish_non_exhaustive()
    }
}

/// A git version, as far as it decides which options exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    major: u32,
    minor: u32,
    text: String,
}

impl Version {
    /// The oldest that `merge-tree --write-tree` exists in.
    const MINIMUM: (u32, u32) = (2, 38);

    /// What is assumed until git was asked.
    pub(crate) fn oldest() -> Self {
        let (major, minor) = Self::MINIMUM;
        Self { major, minor, text: format!("{major}.{minor}") }
    }

    /// Reads the answer of `git --version`.
    ///
    /// # Errors
    /// `TooOld` names what was found; `Unexpected` when it is no version at all.
    pub fn read(answer: &str) -> Result<Self, GitError> {
        let text = answer.trim().strip_prefix("git version ").unwrap_or_default().to_owned();
        let mut parts = text.split(|c: char| !c.is_ascii_digit()).map(str::parse::<u32>);
        let (Some(Ok(major)), Some(Ok(minor))) = (parts.next(), parts.next()) else {
            return Err(GitError::Unexpected("it does not tell its version".into()));
        };
        if (major, minor) < Self::MINIMUM {
            return Err(GitError::TooOld { found: text });
        }
        Ok(Self { major, minor, text })
    }

    /// As git tells it, without the words around.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    const fn at_least(&self, major: u32, minor: u32) -> bool {
        self.major > major || (self.major == major && self.minor >= minor)
    }

    /// `merge-tree --merge-base=`.
    pub(crate) const fn takes_merge_base(&self) -> bool {
        self.at_least(2, 40)
    }

    /// `init --ref-format=`.
    pub(crate) const fn takes_ref_format(&self) -> bool {
        self.at_least(2, 45)
    }

    /// `http.proactiveAuth`.
    pub(crate) const fn signs_in_first(&self) -> bool {
        self.at_least(2, 46)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_git_is_refused_by_the_version_that_was_found() {
        for (text, good) in [
            ("git version 2.37.7\n", false),
            ("git version 1.9.5.msysgit.1\n", false),
            ("git version 2.38.0\n", true),
            ("git version 2.39.5 (Apple Git-154)\n", true),
            ("git version 2.47.1.windows.1\n", true),
            ("git version 3.0.0-rc1\n", true),
        ] {
            assert_eq!(Version::read(text).is_ok(), good, "{text}");
        }
        let error = Version::read("git version 2.25.1").unwrap_err();
        assert_eq!(error, GitError::TooOld { found: "2.25.1".into() });
        assert!(error.to_string().contains("2.25.1") && error.to_string().contains("2.38"));
        assert!(matches!(Version::read("hello"), Err(GitError::Unexpected(_))));
    }

    #[test]
    fn a_program_that_is_not_there_is_missing() {
        let folder = tempfile::tempdir().unwrap();
        let options = GitOptions::new(folder.path(), folder.path());
        assert_eq!(options.find(), Err(GitError::Missing));
        let named = GitOptions { git: folder.path().join("nogit"), ..options };
        assert_eq!(named.find(), Err(GitError::Missing));
    }

    #[test]
    fn a_proxy_password_never_shows() {
        let mut options = GitOptions::new("/d", "/p");
        options.proxy = Some("http://u:hunter2@proxy:3128".into());
        assert!(!format!("{options:?}").contains("hunter2"));
    }
}
