//! The server's whole life, seen from outside: it answers, it stops, it leaves nothing.

#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use lockstep_pgtest::{Options, PgServer, Postgres};

/// The first bytes of a session, by the protocol: length, version 3.0, user, database, and the answer's type and kind.
fn authentication_answer(socket: &Path) -> (u8, u32) {
    let mut body = 196_608_u32.to_be_bytes().to_vec();
    body.extend_from_slice(b"user\0postgres\0database\0postgres\0\0");
    let length = u32::try_from(body.len() + 4).unwrap();
    let mut stream = UnixStream::connect(socket).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.write_all(&length.to_be_bytes()).unwrap();
    stream.write_all(&body).unwrap();
    let mut answer = [0_u8; 9];
    stream.read_exact(&mut answer).unwrap();
    (answer[0], u32::from_be_bytes([answer[5], answer[6], answer[7], answer[8]]))
}

fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !done() {
        assert!(Instant::now() < deadline, "not within 20 s: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn alive(pid: u32) -> bool {
    // A zombie has no command line any more: it is gone for our purposes.
    std::fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| !line.is_empty())
}

#[test]
fn a_server_answers_and_leaves_nothing_when_dropped() {
    for options in [Options::default(), Options { durable: true }] {
        let server = PgServer::start(options).unwrap();
        assert_eq!(authentication_answer(&server.socket()), (b'R', 0), "AuthenticationOk");
        let (pid, folder) = (server.pid(), server.socket_folder().to_owned());
        assert!(alive(pid));
        drop(server);
        assert!(!alive(pid), "the process outlived its value");
        assert!(!folder.exists(), "the folder outlived its value");
        assert!(!folder.with_extension("lock").exists(), "the lock file outlived its value");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_server_outlives_the_thread_that_asked_for_it() {
    let asking = || {
        let task = Path::new("/proc").join(std::fs::read_link("/proc/thread-self").unwrap());
        (PgServer::start(Options::default()).unwrap(), task)
    };
    let (server, task) = std::thread::spawn(asking).join().unwrap();
    // Parent-death signals are sent before the thread leaves this list.
    wait_until("the asking thread is gone", || !task.exists());
    assert_eq!(authentication_answer(&server.socket()), (b'R', 0));
}

#[test]
fn two_servers_do_not_meet() {
    let (one, two) =
        (PgServer::start(Options::default()).unwrap(), PgServer::start(Options::default()).unwrap());
    assert_ne!(one.url("postgres"), two.url("postgres"));
    drop(one);
    assert_eq!(authentication_answer(&two.socket()), (b'R', 0));
}

#[test]
fn a_given_server_is_used_instead_of_a_new_one() {
    let shared = Postgres::shared(Some("postgres://postgres@localhost/postgres?host=%2Ftmp%2Fx")).unwrap();
    assert_eq!(shared.url("t_1"), "postgres://postgres@localhost/t_1?host=%2Ftmp%2Fx");
    assert!(matches!(Postgres::shared(Some(" ")).unwrap(), Postgres::Own(_)));
}

/// The program that holds a server, as the owner that a test ends.
struct Held {
    owner: Child,
    pid: u32,
    folder: PathBuf,
}

fn hold(mut command: Command) -> Held {
    let mut owner = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(owner.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let (url, pid) = line.trim().split_once(' ').unwrap();
    let folder = url.split_once("?host=").unwrap().1.replace("%2F", "/");
    Held { owner, pid: pid.parse().unwrap(), folder: PathBuf::from(folder) }
}

#[test]
#[cfg(target_os = "linux")]
fn nothing_is_left_after_the_owner_is_killed() {
    let mut held = hold(Command::new(env!("CARGO_BIN_EXE_lockstep-pgtest")));
    assert_eq!(authentication_answer(&held.folder.join(".s.PGSQL.5432")), (b'R', 0));
    held.owner.kill().unwrap();
    held.owner.wait().unwrap();
    wait_until("the server ends with its owner", || !alive(held.pid));
    // Another process may be sweeping at the same moment, so the folder may be gone already; after a start it must be.
    drop(PgServer::start(Options::default()).unwrap());
    wait_until("the folder of the dead owner is swept", || !held.folder.exists());
}

#[test]
#[cfg(target_os = "linux")]
fn a_plain_user_can_run_a_server_too() {
    if !rustix::process::geteuid().is_root() {
        return; // every other test here already ran as a plain user
    }
    // The program may lie in a folder that only root can enter.
    let copy = std::env::temp_dir().join(format!("lockstep-pgtest-plain-{}", std::process::id()));
    std::fs::copy(env!("CARGO_BIN_EXE_lockstep-pgtest"), &copy).unwrap();
    let mut command = Command::new("setpriv");
    command
        .args(["--reuid=65534", "--regid=65534", "--clear-groups", "--pdeathsig=KILL", "--"])
        .arg(&copy)
        .current_dir("/")
        .env_remove("TMPDIR");
    let mut held = hold(command);
    std::fs::remove_file(&copy).unwrap();
    assert_eq!(authentication_answer(&held.folder.join(".s.PGSQL.5432")), (b'R', 0));
    drop(held.owner.stdin.take());
    assert!(held.owner.wait().unwrap().success());
    assert!(!alive(held.pid));
    assert!(!held.folder.exists());
}
