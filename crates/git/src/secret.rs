//! A credential on its way to git: never in an argument, an environment, a URL or a log, and on Linux never at rest.
//!
//! git asks a helper that is scoped to the remote's own origin, after `credential.helper=` has reset all others. The
//! helper reads a named pipe in a private folder; we hold the pipe open and have written the answer into its buffer,
//! once per question that may come (git, its negotiation child). When this process dies, the kernel's buffer dies with
//! it. A redirect to another host finds no helper and so no credential.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use lockstep_domain::ports::GitError;
use tempfile::TempDir;
use url::Url;

use crate::job::Job;

/// How many questions one command may ask; a push with negotiation asks twice.
const ANSWERS: usize = 8;

/// The helper: a shell line of builtins only, so that the answer is no process's argument. It answers one question
/// with the lines up to the next blank one.
const HELPER: &str = r#"!f() { test "$1" = get || exit 0; while IFS= read -r line && test -n "$line"; do printf '%s\n' "$line"; done <"$FROM"; }; f"#;

/// A credential for one origin, alive while this value is.
#[derive(Debug)]
pub(crate) struct Secret {
    folder: TempDir,
    _pipe: File,
}

impl Secret {
    /// Lays the credential ready below `private`, a folder of mode 0700.
    pub(crate) fn new(private: &Path, user: &str, password: &str) -> Result<Self, GitError> {
        if [user, password].iter().any(|text| text.contains(['\n', '\r', '\0'])) {
            return Err(GitError::BadCredentials);
        }
        let answer = format!("username={user}\npassword={password}\n\n");
        Self::lay(private, &answer)
            .map_err(|error| GitError::StoreUnusable(format!("no private channel to git ({})", error.kind())))
    }

    fn lay(private: &Path, answer: &str) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("ask-").tempdir_in(private)?;
        let path = folder.path().join("answer");
        let mut pipe = open_pipe(&path)?;
        for _ in 0..ANSWERS {
            pipe.write_all(answer.as_bytes())?;
        }
        Ok(Self { folder, _pipe: pipe })
    }

    /// Tells a command to ask here for `origin` and for nothing else.
    pub(crate) fn lend(self, job: Job, origin: &str, variable: &str) -> Job {
        let helper = HELPER.replace("FROM", variable);
        let path = self.folder.path().join("answer");
        job.config(format!("credential.{origin}.helper"), helper).env(variable, path).hold(self)
    }
}

/// Scheme, host and port, without user, path and query.
pub(crate) fn origin_of(url: &Url) -> String {
    url.origin().ascii_serialization()
}

#[cfg(target_os = "linux")]
fn open_pipe(path: &Path) -> io::Result<File> {
    use rustix::fs::{CWD, Mode, mkfifoat};
    match mkfifoat(CWD, path, Mode::RUSR | Mode::WUSR) {
        // Opened for both directions: opening does not wait for a reader, and the buffer lives as long as we do. A
        // buffer too small for all answers must be an error, not a wait.
        Ok(()) => {
            use rustix::fs::OFlags;
            let flags = OFlags::RDWR | OFlags::NONBLOCK | OFlags::CLOEXEC;
            Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
        }
        Err(_) => open_file(path),
    }
}

#[cfg(not(target_os = "linux"))]
fn open_pipe(path: &Path) -> io::Result<File> {
    open_file(path)
}

/// Where pipes cannot be made, a file of mode 0600 in the private folder, removed right after the command.
fn open_file(path: &Path) -> io::Result<File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn ask(path: &Path, times: usize) -> Vec<String> {
        let script = HELPER.replace("FROM", "ANSWER");
        let script = format!("{} get", script.trim_start_matches('!'));
        let one = || Command::new("sh").args(["-c", &script]).env("ANSWER", path).output().unwrap().stdout;
        (0..times).map(|_| String::from_utf8(one()).unwrap()).collect()
    }

    #[test]
    fn each_question_gets_the_same_answer_and_nothing_is_left_behind() {
        let private = tempfile::tempdir().unwrap();
        let secret = Secret::new(private.path(), "x-access-token", " s3cret=\\$ ' \" ").unwrap();
        let path = secret.folder.path().join("answer");
        let expected = "username=x-access-token\npassword= s3cret=\\$ ' \" \n";
        assert_eq!(ask(&path, 3), [expected; 3]);
        if cfg!(target_os = "linux") {
            use std::os::unix::fs::FileTypeExt;
            assert!(path.metadata().unwrap().file_type().is_fifo(), "the token is never at rest");
        }
        drop(secret);
        assert_eq!(fs::read_dir(private.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_private_file_answers_as_the_pipe_does() {
        let private = tempfile::tempdir().unwrap();
        let path = private.path().join("answer");
        open_file(&path).unwrap().write_all(b"username=a\npassword=b\n\nusername=a\npassword=b\n\n").unwrap();
        assert_eq!(ask(&path, 2), ["username=a\npassword=b\n"; 2]);
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_token_with_a_line_break_cannot_add_a_line_to_the_answer() {
        let private = tempfile::tempdir().unwrap();
        let answer = Secret::new(private.path(), "a", "b\nhost=evil");
        assert_eq!(answer.unwrap_err(), GitError::BadCredentials);
    }
}
