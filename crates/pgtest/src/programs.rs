//! Where the server programs are, and as whom they run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::error::PgError;

/// The account that runs the server when we are root (PostgreSQL refuses to run as root).
const SERVER_ACCOUNT: &str = "postgres";
/// Where Debian and its relatives keep the server programs, one folder per major version.
const VERSIONED: &str = "/usr/lib/postgresql";
const REMEDY: &str = "on Debian or Ubuntu: apt-get update && apt-get install -y --no-install-recommends postgresql \
                      (elsewhere: put initdb and postgres of PostgreSQL 14 or later into PATH)";

/// Numeric user and group of the account that the server runs as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ServerUser {
    pub(crate) uid: u32,
    pub(crate) gid: u32,
}

/// The programs of one PostgreSQL installation.
#[derive(Debug)]
pub(crate) struct Programs {
    initdb: PathBuf,
    postgres: PathBuf,
    /// Set when we are root.
    server_user: Option<ServerUser>,
    /// Linux only: changes the user and ties the server's life to ours.
    setpriv: bool,
}

impl Programs {
    pub(crate) fn find() -> Result<Self, PgError> {
        let (initdb, postgres) = newest_pair(Path::new(VERSIONED))
            .or_else(pair_on_path)
            .ok_or_else(|| PgError::Missing { what: "a PostgreSQL server".into(), remedy: REMEDY.into() })?;
        let setpriv = answers(Command::new("setpriv").arg("--version"));
        let server_user = if rustix::process::geteuid().is_root() {
            if !setpriv {
                return Err(PgError::Missing {
                    what: "setpriv (root cannot run PostgreSQL, setpriv changes the user)".into(),
                    remedy:
                        "on Debian or Ubuntu: apt-get install -y util-linux; elsewhere run as a plain user"
                            .into(),
                });
            }
            Some(server_account()?)
        } else {
            None
        };
        Ok(Self { initdb, postgres, server_user, setpriv })
    }

    pub(crate) fn server_user(&self) -> Option<ServerUser> {
        self.server_user
    }

    /// `initdb`, as the server's user.
    pub(crate) fn initdb(&self) -> Command {
        self.command(&self.initdb, false)
    }

    /// `postgres`, as the server's user, told to quit when the spawning thread ends.
    pub(crate) fn postgres(&self) -> Command {
        self.command(&self.postgres, true)
    }

    fn command(&self, program: &Path, tied: bool) -> Command {
        let mut command = if self.setpriv && (tied || self.server_user.is_some()) {
            let mut setpriv = Command::new("setpriv");
            if self.server_user.is_some() {
                setpriv.args([
                    format!("--reuid={SERVER_ACCOUNT}"),
                    format!("--regid={SERVER_ACCOUNT}"),
                    "--init-groups".to_owned(),
                ]);
            }
            if tied {
                setpriv.arg("--pdeathsig=QUIT");
            }
            setpriv.arg("--").arg(program);
            setpriv
        } else {
            Command::new(program)
        };
        // The caller's own PostgreSQL settings are about another server.
        for name in
            ["PGDATA", "PGHOST", "PGPORT", "PGUSER", "PGDATABASE", "PGOPTIONS", "PGPASSWORD", "PGSERVICE"]
        {
            command.env_remove(name);
        }
        command.env("LC_ALL", "C").stdin(Stdio::null());
        command
    }
}

/// The newest version below `root` that has both programs. Major versions compare as numbers: 9 before 15.
fn newest_pair(root: &Path) -> Option<(PathBuf, PathBuf)> {
    let mut versions: Vec<(u32, PathBuf)> = fs::read_dir(root)
        .ok()?
        .flatten()
        .filter_map(|entry| {
            let major = entry.file_name().to_str()?.split('.').next()?.parse().ok()?;
            Some((major, entry.path().join("bin")))
        })
        .filter(|(_, bin)| bin.join("initdb").is_file() && bin.join("postgres").is_file())
        .collect();
    versions.sort();
    let (_, bin) = versions.pop()?;
    Some((bin.join("initdb"), bin.join("postgres")))
}

fn pair_on_path() -> Option<(PathBuf, PathBuf)> {
    let found = |name: &str| answers(Command::new(name).arg("--version"));
    (found("initdb") && found("postgres")).then(|| (PathBuf::from("initdb"), PathBuf::from("postgres")))
}

fn answers(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

fn server_account() -> Result<ServerUser, PgError> {
    let ask = |flag: &str| -> Option<u32> {
        let out = Command::new("id").args([flag, SERVER_ACCOUNT]).stdin(Stdio::null()).output().ok()?;
        String::from_utf8(out.stdout).ok()?.trim().parse().ok()
    };
    match (ask("-u"), ask("-g")) {
        (Some(uid), Some(gid)) => Ok(ServerUser { uid, gid }),
        _ => Err(PgError::Missing {
            what: format!("the account `{SERVER_ACCOUNT}` (root cannot run PostgreSQL)"),
            remedy: REMEDY.into(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_with_both_programs_wins() -> std::io::Result<()> {
        let root = std::env::temp_dir().join(format!("lockstep-pgtest-programs-{}", std::process::id()));
        for (version, programs) in
            [("9.6", &["initdb", "postgres"][..]), ("15", &["initdb", "postgres"]), ("16", &["initdb"])]
        {
            let bin = root.join(version).join("bin");
            fs::create_dir_all(&bin)?;
            for program in programs {
                fs::write(bin.join(program), "")?;
            }
        }
        let found = newest_pair(&root);
        fs::remove_dir_all(&root)?;
        assert_eq!(found.map(|(initdb, _)| initdb), Some(root.join("15/bin/initdb")));
        Ok(())
    }
}
