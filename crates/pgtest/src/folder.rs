//! The server's folder, and the sweep of folders whose owner is gone.
//!
//! Beside each folder `lockstep-pg-<pid>-<n>` lies `lockstep-pg-<pid>-<n>.lock`, locked by the owner for as long as it
//! lives. The operating system drops the lock with the process, however that ends: a lock that can be taken belongs to
//! a dead owner.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::error::PgError;
use crate::programs::ServerUser;

const PREFIX: &str = "lockstep-pg-";
/// A socket's path may have 107 bytes; our names below the base take at most 50 of them.
const LONGEST_BASE: usize = 55;
/// How long a server that lost its owner may take to end.
const ORPHAN_PATIENCE: Duration = Duration::from_secs(5);

/// A locked temporary folder; removed when dropped.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    lock_path: PathBuf,
    /// Held, never read.
    _lock: File,
}

impl Folder {
    pub(crate) fn create(owner: Option<ServerUser>) -> Result<Self, PgError> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let base = base_folder(owner);
        for _ in 0..1_000 {
            let name = format!("{PREFIX}{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
            let lock_path = base.join(format!("{name}.lock"));
            let Some(lock) = new_lock(&lock_path)? else { continue };
            let path = base.join(name);
            let folder = Self { path, lock_path, _lock: lock };
            folder.make(owner)?;
            return Ok(folder);
        }
        Err(PgError::Io {
            doing: format!("finding a free folder name in {}", base.display()),
            source: io::ErrorKind::AlreadyExists.into(),
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.path.join("data")
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.path.join("server.log")
    }

    fn make(&self, owner: Option<ServerUser>) -> Result<(), PgError> {
        let failed = |what: &str| PgError::io(format!("{what} {}", self.path.display()));
        DirBuilder::new().mode(0o700).create(&self.path).map_err(failed("creating"))?;
        if let Some(ServerUser { uid, gid }) = owner {
            std::os::unix::fs::chown(&self.path, Some(uid), Some(gid)).map_err(failed("giving away"))?;
        }
        Ok(())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Nobody could act on a failure here; the next start sweeps what is left.
        let _gone = fs::remove_dir_all(&self.path);
        let _gone = fs::remove_file(&self.lock_path);
    }
}

/// A new, locked lock file; `None` when the name is taken or a sweep was faster.
fn new_lock(path: &Path) -> Result<Option<File>, PgError> {
    let file = match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(None),
        Err(error) => return Err(PgError::io(format!("creating {}", path.display()))(error)),
    };
    if file.try_lock().is_err() {
        return Ok(None);
    }
    // A sweep between the two calls above may have unlinked the file: then our lock guards nothing.
    Ok(still_at(&file, path).then_some(file))
}

fn still_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), fs::metadata(path)) {
        (Ok(ours), Ok(there)) => ours.ino() == there.ino() && ours.dev() == there.dev(),
        _ => false,
    }
}

/// The system's temporary folder, unless the server's user cannot reach it or its name is too long for a socket.
fn base_folder(owner: Option<ServerUser>) -> PathBuf {
    let system = std::env::temp_dir();
    let reachable = owner.is_none()
        || system
            .ancestors()
            .all(|part| fs::metadata(part).is_ok_and(|m| m.permissions().mode() & 0o001 != 0));
    if reachable && system.as_os_str().len() <= LONGEST_BASE { system } else { PathBuf::from("/tmp") }
}

/// Ends servers and removes folders of owners that are gone. Only our own account's; never fails.
pub(crate) fn sweep() {
    for base in [std::env::temp_dir(), PathBuf::from("/tmp")] {
        let Ok(entries) = fs::read_dir(&base) else { continue };
        for lock_path in entries.flatten().map(|entry| entry.path()) {
            let Some(name) = lock_path.file_name().and_then(|name| name.to_str()) else { continue };
            if name.starts_with(PREFIX) && name.ends_with(".lock") {
                sweep_one(&lock_path);
            }
        }
    }
}

fn sweep_one(lock_path: &Path) {
    let ours = |m: &fs::Metadata| m.is_file() && m.uid() == rustix::process::geteuid().as_raw();
    if !fs::symlink_metadata(lock_path).is_ok_and(|m| ours(&m)) {
        return;
    }
    let Ok(lock) = File::open(lock_path) else { return };
    if lock.try_lock().is_err() || !still_at(&lock, lock_path) {
        return;
    }
    let folder = lock_path.with_extension("");
    if !end_orphan(&folder.join("data")) {
        return;
    }
    // Best effort: what stays now is met again by the next sweep, as long as its lock file is there.
    if fs::remove_dir_all(&folder).is_ok() || !folder.exists() {
        let _gone = fs::remove_file(lock_path);
    }
}

/// Asks a server that outlived its owner to quit; `true` when none is left.
fn end_orphan(data: &Path) -> bool {
    let Some(pid) = orphan_pid(data) else { return true };
    let Some(process) = Pid::from_raw(pid) else { return true };
    if kill_process(process, Signal::QUIT).is_err() {
        return orphan_pid(data).is_none();
    }
    let deadline = Instant::now() + ORPHAN_PATIENCE;
    while Instant::now() < deadline {
        if orphan_pid(data).is_none() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    false
}

/// The process that `postmaster.pid` names, if it is alive and really serves this folder.
fn orphan_pid(data: &Path) -> Option<i32> {
    let text = fs::read_to_string(data.join("postmaster.pid")).ok()?;
    let pid: i32 = text.lines().next()?.trim().parse().ok()?;
    let command_line = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let wanted = data.to_str()?.as_bytes();
    command_line.split(|&byte| byte == 0).any(|argument| argument == wanted).then_some(pid)
}
