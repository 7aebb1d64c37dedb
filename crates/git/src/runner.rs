//! Starts git so that nothing of the user's takes part: own environment, own empty home, own configuration.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lockstep_domain::ports::{GitError, Remote};
use lockstep_domain::stop::StopSignal;
use tokio::process::Command;
use url::Url;

use crate::answers::Redactor;
use crate::child::{self, End, Finished, Limits};
use crate::job::Job;
use crate::options::{GitOptions, Version};
use crate::remote::Address;
use crate::secret::{Secret, origin_of};

/// Most bytes one command may answer: a listing of several hundred thousand files.
const OUTPUT_BYTES: usize = 256 * 1024 * 1024;

/// What git answered: its exit code decides, its words are for the log and for `answers`.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) code: Option<i32>,
    pub(crate) out: Vec<u8>,
    /// Standard error without token and local paths.
    pub(crate) err: String,
}

impl Answer {
    pub(crate) fn good(&self) -> bool {
        self.code == Some(0)
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.out).into_owned()
    }
}

/// A proxy, its password apart.
struct Proxy {
    url: String,
    /// Origin, user, password.
    sign_in: Option<(String, String, String)>,
}

/// Runs jobs.
pub(crate) struct Runner {
    program: PathBuf,
    path: OsString,
    version: Version,
    /// Private folder of this process: an empty home and the credential channels.
    private: PathBuf,
    home: PathBuf,
    redactor: Redactor,
    proxy: Option<Proxy>,
    ca_file: Option<PathBuf>,
    idle: Duration,
    total: Duration,
    grace: Duration,
}

impl Runner {
    /// Finds git and checks its version. `private` is this process's own folder; `home` in it is empty.
    pub(crate) async fn start(options: &GitOptions, private: &Path) -> Result<Self, GitError> {
        let mut runner = Self {
            program: options.find()?,
            path: options.path.clone(),
            version: Version::oldest(),
            private: private.to_owned(),
            home: private.join("home"),
            redactor: Redactor::hiding(&options.data_dir),
            proxy: options.proxy.as_deref().map(proxy).transpose()?,
            ca_file: options.ca_file.as_deref().and_then(|file| std::path::absolute(file).ok()),
            idle: options.idle.max(Duration::from_secs(1)),
            total: options.total,
            grace: options.grace,
        };
        let answer = runner.local(Job::anywhere().arg("--version")).await?;
        runner.version = Version::read(&answer.text())?;
        Ok(runner)
    }

    pub(crate) const fn version(&self) -> &Version {
        &self.version
    }

    /// Longest silence of an ordinary transfer.
    pub(crate) const fn idle(&self) -> Duration {
        self.idle
    }

    /// Runs a command that speaks to nobody.
    pub(crate) async fn local(&self, job: Job) -> Result<Answer, GitError> {
        self.run(job.env("GIT_ALLOW_PROTOCOL", ""), None, None).await
    }

    /// Runs a command that speaks to `remote`, until it ends, is silent for too long, or the lease is lost.
    pub(crate) async fn remote(
        &self,
        job: Job,
        remote: &Remote,
        stop: &StopSignal,
    ) -> Result<Answer, GitError> {
        let address = Address::of(remote)?;
        let idle = job.idle.unwrap_or(self.idle);
        let origin = origin_of(&address.url);
        let mut job = job
            .idle(idle + Duration::from_secs(5))
            .env("GIT_ALLOW_PROTOCOL", address.protocols())
            .env("no_proxy", "localhost,127.0.0.1,::1")
            .config("http.lowSpeedLimit", "1")
            .config("http.lowSpeedTime", idle.as_secs().to_string());
        if self.version.signs_in_first() {
            job = job.config(format!("http.{origin}.proactiveAuth"), "basic");
        }
        if let Some(file) = &self.ca_file {
            job = job.config("http.sslCAInfo", file.to_string_lossy());
        }
        if let Some(proxy) = &self.proxy {
            job = job.config("http.proxy", &proxy.url);
            if let Some((origin, user, password)) = &proxy.sign_in {
                job = Secret::new(&self.private, user, password)?.lend(job, origin, "LOCKSTEP_PROXY_ANSWER");
            }
        }
        let secret = Secret::new(&self.private, &remote.user, &remote.password)?;
        job = secret.lend(job, &origin, "LOCKSTEP_ANSWER");
        self.run(job, Some(stop.clone()), Some(&remote.password)).await
    }

    async fn run(
        &self,
        mut job: Job,
        stop: Option<StopSignal>,
        token: Option<&str>,
    ) -> Result<Answer, GitError> {
        if stop.as_ref().is_some_and(StopSignal::is_lost) {
            return Err(GitError::LeaseLost);
        }
        let limits = Limits { idle: job.idle, total: self.total, grace: self.grace, output: OUTPUT_BYTES };
        let (name, input, hold) = (job.name(), std::mem::take(&mut job.input), std::mem::take(&mut job.hold));
        let finished = child::run(self.command(&job), input, limits, stop, hold)
            .await
            .map_err(|error| not_started(&error))?;
        self.judge(&name, finished, token)
    }

    fn judge(&self, name: &str, finished: Finished, token: Option<&str>) -> Result<Answer, GitError> {
        let Finished { end, out, err } = finished;
        let err = self.redactor.clean(&err, token);
        tracing::debug!(command = name, ?end, stderr = %err, "git");
        match end {
            End::Exited(code) => Ok(Answer { code, out, err }),
            End::Lost => Err(GitError::LeaseLost),
            End::Idle | End::TooLong if token.is_some() => {
                Err(GitError::Unavailable("it took too long".into()))
            }
            End::Idle | End::TooLong => Err(GitError::Unexpected(format!("{name} took too long"))),
            End::TooMuch => Err(GitError::Unexpected(format!("{name} answered more than expected"))),
            End::Abandoned => Err(GitError::Unexpected(format!("nobody waited for {name}"))),
        }
    }

    fn command(&self, job: &Job) -> Command {
        let mut command = Command::new(&self.program);
        if let Some(git_dir) = &job.git_dir {
            let mut option = OsString::from("--git-dir=");
            option.push(git_dir);
            command.arg(option);
        }
        command.args(&job.args).current_dir(&self.home).env_clear();
        command.env("PATH", &self.path).env("HOME", &self.home).envs(ISOLATION);
        let ours = CONFIG.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        let all: Vec<_> = ours.chain(job.config.iter().cloned()).collect();
        command.env("GIT_CONFIG_COUNT", all.len().to_string());
        for (index, (key, value)) in all.iter().enumerate() {
            command.env(format!("GIT_CONFIG_KEY_{index}"), key);
            command.env(format!("GIT_CONFIG_VALUE_{index}"), value);
        }
        command.envs(job.env.iter().map(|(key, value)| (key, value)));
        command
    }
}

/// docs/OUTSIDE.md: each line closes a way in that was seen open.
const ISOLATION: [(&str, &str); 10] = [
    ("LC_ALL", "C"),
    ("TZ", "UTC"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_LITERAL_PATHSPECS", "1"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
];

/// Configuration of every command. The empty helper comes first: it resets every helper before ours.
const CONFIG: [(&str, &str); 6] = [
    ("core.attributesFile", "/dev/null"),
    ("core.hooksPath", "/dev/null"),
    ("credential.helper", ""),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("protocol.version", "2"),
];

fn not_started(error: &io::Error) -> GitError {
    match error.kind() {
        io::ErrorKind::NotFound => GitError::Missing,
        io::ErrorKind::PermissionDenied => GitError::StoreUnusable("git may not be started here".into()),
        kind => GitError::Unexpected(format!("it could not be started ({kind})")),
    }
}

/// Takes the password out of a proxy's address: it is asked for like every other one. The rest stays as it was written,
/// because curl's default port is not the scheme's.
fn proxy(text: &str) -> Result<Proxy, GitError> {
    let bad = || GitError::Refused("the proxy's address is not a URL".into());
    Url::parse(text).map_err(|_| bad())?;
    let (scheme, rest) = text.split_once("://").ok_or_else(bad)?;
    let authority = rest.split('/').next().unwrap_or(rest);
    let Some((sign_in, host)) = authority.rsplit_once('@') else {
        return Ok(Proxy { url: text.to_owned(), sign_in: None });
    };
    let (user, password) = sign_in.split_once(':').unwrap_or((sign_in, ""));
    let found = (format!("{scheme}://{host}"), unquote(user), unquote(password));
    Ok(Proxy { url: format!("{scheme}://{user}@{host}"), sign_in: Some(found) })
}

/// Undoes percent encoding; broken escapes stay as they are.
fn unquote(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let escape = tail.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match escape.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) if *first == b'%' => {
                out.push(byte);
                rest = tail.get(2..).unwrap_or_default();
            }
            _ => {
                out.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_password_is_taken_out_of_its_address() {
        let found = proxy("http://staff:p%40ss@proxy.example:3128").unwrap();
        assert_eq!(found.url, "http://staff@proxy.example:3128");
        let expected = ("http://proxy.example:3128".into(), "staff".into(), "p@ss".into());
        assert_eq!(found.sign_in, Some(expected));
        assert_eq!(proxy("http://a:b@proxy.example:80/").unwrap().url, "http://a@proxy.example:80");
        assert!(proxy("http://proxy.example:3128").unwrap().sign_in.is_none());
        assert!(proxy("nonsense").is_err());
    }
}
