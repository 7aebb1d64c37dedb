//! The cluster's life: made, started, watched, stopped.

use std::fs::{self, File};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::Options;
use crate::error::PgError;
use crate::folder::Folder;
use crate::programs::Programs;

/// How long a start may take, on a machine that is busy with other things.
const START_PATIENCE: Duration = Duration::from_secs(60);
/// How long the quick shutdown may take before the server is killed.
const STOP_PATIENCE: Duration = Duration::from_secs(10);
/// The end of a log that an error shows.
const LOG_LINES: usize = 15;

/// Runs `initdb` into the folder.
pub(crate) fn init(programs: &Programs, folder: &Folder, options: Options) -> Result<(), PgError> {
    let mut command = programs.initdb();
    command
        .args(["--auth=trust", "-U", "postgres", "-E", "UTF8", "--locale=C"])
        .arg("-D")
        .arg(folder.data())
        .current_dir(folder.path());
    if !options.durable {
        command.arg("--no-sync");
    }
    let output = command.output().map_err(PgError::io("running initdb"))?;
    if output.status.success() {
        return Ok(());
    }
    let log =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    Err(PgError::Failed { step: "initdb", log: last_lines(&log) })
}

/// Starts the server from a thread of its own, which stays until `stopped` closes and then ends the server: on Linux
/// the parent-death signal follows the spawning THREAD, so a caller's thread would take the server along.
pub(crate) fn spawn(
    programs: &Programs,
    folder: &Folder,
    options: Options,
    stopped: Receiver<()>,
) -> Result<(u32, JoinHandle<()>), PgError> {
    let log = File::create(folder.log()).map_err(PgError::io("creating the server's log"))?;
    let log_too = log.try_clone().map_err(PgError::io("opening the server's log twice"))?;
    let mut command = programs.postgres();
    server_arguments(&mut command, folder, options);
    command.stdout(Stdio::from(log)).stderr(Stdio::from(log_too)).current_dir(folder.path());
    if cfg!(target_os = "linux") {
        // Ctrl-C is for the tests; the server ends with its owner anyway.
        command.process_group(0);
    }
    let (started, start) = mpsc::channel();
    let keeper = std::thread::Builder::new()
        .name("pgtest-keeper".into())
        .spawn(move || keep(&mut command, &started, &stopped))
        .map_err(PgError::io("starting a thread"))?;
    let pid = match start.recv() {
        Ok(Ok(pid)) => pid,
        Ok(Err(error)) => return Err(PgError::io("starting postgres")(error)),
        Err(_closed) => {
            return Err(PgError::Failed { step: "start", log: "the keeping thread ended".into() });
        }
    };
    Ok((pid, keeper))
}

fn server_arguments(command: &mut Command, folder: &Folder, options: Options) {
    let mut set = |setting: &str| {
        command.args(["-c", setting]);
    };
    set("listen_addresses=");
    set("max_connections=200");
    set("timezone=UTC");
    if !options.durable {
        set("fsync=off");
        set("synchronous_commit=off");
        set("full_page_writes=off");
    }
    command.arg("-c").arg(format!("unix_socket_directories={}", folder.path().display()));
    command.arg("-D").arg(folder.data());
}

fn keep(command: &mut Command, started: &mpsc::Sender<std::io::Result<u32>>, stopped: &Receiver<()>) {
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            // The receiver waits for exactly this message; if it is gone there is nobody to tell.
            let _told = started.send(Err(error));
            return;
        }
    };
    let _told = started.send(Ok(child.id()));
    loop {
        match stopped.recv_timeout(Duration::from_millis(200)) {
            Err(mpsc::RecvTimeoutError::Timeout) => {
                // A server that ended by itself ends this thread too: that is how a failed start is noticed.
                if !matches!(child.try_wait(), Ok(None)) {
                    return;
                }
            }
            Ok(()) | Err(mpsc::RecvTimeoutError::Disconnected) => {
                end(&mut child);
                return;
            }
        }
    }
}

/// SIGQUIT is PostgreSQL's immediate shutdown: its children end with it, and no checkpoint is written for a folder that
/// is about to be removed.
fn end(child: &mut Child) {
    if let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // Already gone is as good.
        let _asked = kill_process(pid, Signal::QUIT);
    }
    let deadline = Instant::now() + STOP_PATIENCE;
    while Instant::now() < deadline {
        if !matches!(child.try_wait(), Ok(None)) {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let _killed = child.kill();
    let _waited = child.wait();
}

/// Waits until `postmaster.pid` says `ready` in its 8th line. The server writes that line when it takes connections;
/// there is nothing to subscribe to, so this file is polled.
pub(crate) fn wait_until_ready(folder: &Folder, keeper: Option<&JoinHandle<()>>) -> Result<(), PgError> {
    let file = folder.data().join("postmaster.pid");
    let deadline = Instant::now() + START_PATIENCE;
    while Instant::now() < deadline {
        let status = fs::read_to_string(&file).unwrap_or_default();
        if status.lines().nth(7).is_some_and(|line| line.trim() == "ready") {
            return Ok(());
        }
        if keeper.is_none_or(JoinHandle::is_finished) {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let log = fs::read_to_string(folder.log()).unwrap_or_default();
    Err(PgError::Failed { step: "start", log: last_lines(&log) })
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LOG_LINES)..].join("\n")
}
