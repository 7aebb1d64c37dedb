//! One process: wait for what it writes down, stop it, kill it, let it go on.

use std::io::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ExitStatus};
use std::time::{Duration, Instant};

use lockstep_testkit::Database;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::Rig;
use crate::event::{Event, What};
use crate::gate::Gate;

/// Longest wait for anything that a process writes down.
const PATIENCE: Duration = Duration::from_secs(60);
/// Pause between two looks at a file: a log has no bell.
const LOOK: Duration = Duration::from_millis(5);
/// Time in which a process comes to the end of a transaction.
const MOMENT: Duration = Duration::from_millis(200);
/// Attempts to meet it outside of one.
const HALTS: u32 = 8;

/// A process under the desk's eyes. Dropping it kills it.
#[derive(Debug)]
pub struct Pressing<'a> {
    rig: &'a Rig,
    child: Child,
    input: Option<ChildStdin>,
    log: PathBuf,
    out: PathBuf,
    err: PathBuf,
    over: bool,
}

/// How a process ended.
#[derive(Debug, Clone)]
pub struct Ended {
    /// Its process id.
    pub pid: u32,
    /// Its exit code; `None`: killed.
    pub code: Option<i32>,
    /// What it printed.
    pub out: String,
    /// What it complained.
    pub err: String,
}

impl Ended {
    /// # Panics
    /// It failed.
    pub fn assert_success(&self) {
        assert_eq!(self.code, Some(0), "{}\n{}", self.out, self.err);
    }

    /// Its JSON document, from either stream.
    #[must_use]
    pub fn json(&self) -> Value {
        let text = if self.out.trim().is_empty() { &self.err } else { &self.out };
        serde_json::from_str(text.trim()).unwrap_or(Value::Null)
    }
}

impl<'a> Pressing<'a> {
    pub(super) fn new(rig: &'a Rig, mut child: Child, log: PathBuf, out: PathBuf, err: PathBuf) -> Self {
        let input = child.stdin.take();
        Self { rig, child, input, log, out, err, over: false }
    }

    /// Its process id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What it has written down so far.
    #[must_use]
    pub fn events(&self) -> Vec<Event> {
        super::look::events_of(&self.log)
    }

    /// Waits for an event; `None`: the process ended without it.
    ///
    /// # Panics
    /// Neither within a minute.
    pub fn sees(&mut self, which: impl Fn(&What) -> bool) -> Option<Event> {
        let started = Instant::now();
        loop {
            // In this order: what it wrote before its end is seen.
            let ended = !matches!(self.child.try_wait(), Ok(None));
            if let Some(event) = self.events().into_iter().find(|event| which(&event.what)) {
                return Some(event);
            }
            if ended {
                return None;
            }
            assert!(started.elapsed() < PATIENCE, "not seen within a minute: {:?}", self.events());
            std::thread::park_timeout(LOOK);
        }
    }

    /// Waits until it stands at this gate; `None`: it ended before.
    pub fn stands_at(&mut self, gate: Gate) -> Option<Event> {
        self.sees(|what| *what == What::AtGate { gate })
    }

    /// Writes a line to its standard input, which lets it through its gate.
    pub fn say(&mut self, line: &str) {
        if let Some(input) = &mut self.input {
            // A process that is gone reads nothing; its end tells.
            let _gone = writeln!(input, "{line}");
        }
    }

    /// Ends its standard input.
    pub fn hush(&mut self) {
        self.input = None;
    }

    fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        kill_process(pid.expect("a process id"), signal).expect("our own child takes our signals");
    }

    /// Stops it as SIGSTOP does; it stands when this returns.
    ///
    /// # Panics
    /// It does not stop.
    pub fn halt(&self) {
        self.signal(Signal::STOP);
        let stat = format!("/proc/{}/stat", self.pid());
        let started = Instant::now();
        loop {
            let line = std::fs::read_to_string(&stat).unwrap_or_default();
            if line.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('T')) {
                break;
            }
            assert!(started.elapsed() < PATIENCE, "SIGSTOP stops a process: {line}");
            std::thread::park_timeout(LOOK);
        }
        self.rig.note(self.pid(), What::Halted);
    }

    /// As [`Self::halt`], but not within a transaction of any of its threads: on SQLite that would lock everybody out, so it
    /// goes on for a moment and is stopped once more.
    ///
    /// # Panics
    /// It does not stop, or is always met within a transaction.
    pub fn halt_outside_of_writes(&self) {
        for _ in 0..HALTS {
            self.halt();
            if self.rig.options.database == Database::Postgres || self.rig.is_writable() {
                return;
            }
            self.go_on();
            std::thread::park_timeout(MOMENT);
        }
        panic!("process {} was within a transaction each of {HALTS} times", self.pid());
    }

    /// Lets it go on.
    pub fn go_on(&self) {
        self.rig.note(self.pid(), What::WentOn);
        self.signal(Signal::CONT);
    }

    /// Kills it as `kill -9` does; it is gone when this returns.
    pub fn kill(&mut self) {
        if let Some(status) = self.end() {
            self.rig.note(self.pid(), over(status));
        }
    }

    fn end(&mut self) -> Option<ExitStatus> {
        if self.over {
            return None;
        }
        self.over = true;
        // Gone already is as good as killed.
        let _gone = self.child.kill();
        self.child.wait().ok()
    }

    /// Waits for its end.
    ///
    /// # Panics
    /// Not within two minutes.
    #[must_use]
    pub fn ended(mut self) -> Ended {
        let started = Instant::now();
        let status = loop {
            if let Ok(Some(status)) = self.child.try_wait() {
                break status;
            }
            assert!(started.elapsed() < PATIENCE * 2, "it does not end: {:?}", self.events());
            std::thread::park_timeout(LOOK);
        };
        self.over = true;
        self.rig.note(self.pid(), over(status));
        let read = |path: &PathBuf| std::fs::read_to_string(path).unwrap_or_default();
        Ended { pid: self.pid(), code: status.code(), out: read(&self.out), err: read(&self.err) }
    }
}

fn over(status: ExitStatus) -> What {
    match (status.code(), status.signal()) {
        (Some(code), _) => What::Exited { code },
        (None, _) => What::Killed,
    }
}

impl Drop for Pressing<'_> {
    fn drop(&mut self) {
        self.kill();
    }
}
