//! git as a child process. The forge never sees the user's configuration: an emptied environment, no system or global
//! configuration, an empty home folder, `--git-dir` and never discovery.

pub(crate) mod history;
pub(crate) mod hook;
pub(crate) mod merge;
pub(crate) mod objects;
pub(crate) mod refs;
pub(crate) mod write;

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::options::ForgeError;

/// Runs git in bare repositories.
#[derive(Debug, Clone)]
pub(crate) struct Git {
    home: PathBuf,
    path: OsString,
}

/// What a git command answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) code: i32,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

impl Answer {
    /// Standard output as text without the line end.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).trim_end().to_owned()
    }

    fn complaint(&self) -> String {
        String::from_utf8_lossy(&self.stderr).trim_end().to_owned()
    }
}

impl Git {
    /// A runner whose children see the empty folder `home` as their home.
    #[expect(clippy::disallowed_methods, reason = "PATH is passed on so that children find git and sh")]
    pub(crate) fn new(home: PathBuf) -> Result<Self, ForgeError> {
        std::fs::create_dir_all(&home).map_err(|error| ForgeError::io("home folder for git", error))?;
        let path = std::env::var_os("PATH").unwrap_or_else(|| OsString::from("/usr/bin:/bin"));
        Ok(Self { home, path })
    }

    /// The environment of every child.
    pub(crate) fn environment(&self) -> Vec<(&'static str, OsString)> {
        vec![
            ("PATH", self.path.clone()),
            ("HOME", self.home.clone().into_os_string()),
            ("LC_ALL", OsString::from("C")),
            ("TZ", OsString::from("UTC")),
            ("GIT_CONFIG_NOSYSTEM", OsString::from("1")),
            ("GIT_CONFIG_GLOBAL", OsString::from("/dev/null")),
            ("GIT_ATTR_NOSYSTEM", OsString::from("1")),
            ("GIT_TERMINAL_PROMPT", OsString::from("0")),
        ]
    }

    fn command(&self, dir: Option<&Path>) -> Command {
        let mut command = Command::new("git");
        command.env_clear().envs(self.environment()).current_dir(&self.home);
        if let Some(dir) = dir {
            let mut argument = OsString::from("--git-dir=");
            argument.push(dir);
            command.arg(argument);
        }
        command
    }

    /// Runs git in `dir` and returns what it answered, whatever the exit code.
    pub(crate) fn try_run<S: AsRef<OsStr>>(
        &self,
        dir: &Path,
        arguments: &[S],
        input: &[u8],
    ) -> Result<Answer, ForgeError> {
        let mut command = self.command(Some(dir));
        command.args(arguments);
        finish(command, input)
    }

    /// Runs git in `dir`; an exit code other than 0 is an error.
    pub(crate) fn run<S: AsRef<OsStr>>(
        &self,
        dir: &Path,
        arguments: &[S],
        input: &[u8],
    ) -> Result<Answer, ForgeError> {
        let answer = self.try_run(dir, arguments, input)?;
        if answer.code == 0 { Ok(answer) } else { Err(ForgeError::Git(answer.complaint())) }
    }

    /// Like [`Git::run`] with further environment variables.
    pub(crate) fn run_with<S: AsRef<OsStr>>(
        &self,
        dir: &Path,
        arguments: &[S],
        environment: &[(&str, String)],
        input: &[u8],
    ) -> Result<Answer, ForgeError> {
        let mut command = self.command(Some(dir));
        command.args(arguments).envs(environment.iter().map(|(name, value)| (name, value)));
        let answer = finish(command, input)?;
        if answer.code == 0 { Ok(answer) } else { Err(ForgeError::Git(answer.complaint())) }
    }
}

/// Feeds `input` from a thread of its own, so that a child that writes while it reads cannot block both.
fn finish(mut command: Command, input: &[u8]) -> Result<Answer, ForgeError> {
    let io = |error| ForgeError::io("run git", error);
    command.stdin(if input.is_empty() { Stdio::null() } else { Stdio::piped() });
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(io)?;
    let stdin = child.stdin.take();
    let output = std::thread::scope(|scope| {
        if let Some(mut stdin) = stdin {
            scope.spawn(move || {
                // A child that ends early closes the pipe; its exit code tells why.
                if stdin.write_all(input).is_err() {
                    tracing::debug!("git stopped reading");
                }
            });
        }
        child.wait_with_output()
    })
    .map_err(io)?;
    Ok(Answer { code: output.status.code().unwrap_or(-1), stdout: output.stdout, stderr: output.stderr })
}

/// Forty zeros: "no commit" in git's protocols.
pub(crate) const ZERO: &str = "0000000000000000000000000000000000000000";

/// Is this a full object id?
pub(crate) fn is_oid(text: &str) -> bool {
    text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
