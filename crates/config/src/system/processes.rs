//! Whether a process of this machine still exists.

/// Processes of this machine. Only Linux tells enough to prove one dead; elsewhere every process exists and only time
/// judges a lease.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemProcesses;

impl SystemProcesses {
    /// Id of this boot; empty where no dependable one exists. Inside a container with process numbers of its own it is
    /// empty too: such a process cannot see the others of this machine, and they share one boot.
    #[must_use]
    pub fn boot_id(&self) -> String {
        linux::boot_id().unwrap_or_default()
    }

    /// Whether a process with this id and start exists on this boot. When in doubt: true.
    #[must_use]
    pub fn exists(&self, pid: u32, start: u64) -> bool {
        linux::exists(pid, start)
    }

    /// When a process started, in clock ticks since boot; with the id it names one process. `None` where that cannot be
    /// told.
    #[must_use]
    pub fn start_of(&self, pid: u32) -> Option<u64> {
        linux::start_of(pid).ok().flatten()
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::{fs, io};

    /// The number that the kernel gives to its first name space of processes.
    const FIRST_NAMESPACE: &str = "pid:[4026531836]";

    pub(super) fn boot_id() -> Option<String> {
        let namespace = fs::read_link("/proc/self/ns/pid").ok()?;
        if namespace.to_str() != Some(FIRST_NAMESPACE) {
            return None;
        }
        let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        Some(id.trim().to_owned())
    }

    pub(super) fn exists(pid: u32, start: u64) -> bool {
        match stat(pid) {
            Ok(Some(found)) => !found.ended && (start == 0 || found.start == start),
            Ok(None) => true,
            Err(error) => error.kind() != io::ErrorKind::NotFound,
        }
    }

    pub(super) fn start_of(pid: u32) -> io::Result<Option<u64>> {
        Ok(stat(pid)?.map(|found| found.start))
    }

    /// What the kernel tells of a process.
    struct Stat {
        start: u64,
        /// It has ended and only waits for its parent to take note; none of its threads is left.
        ended: bool,
    }

    /// Fields 3 (state), 20 (threads) and 22 (start) of the stat line; the second field is the program's name in brackets
    /// and may hold anything (proc_pid_stat(5)).
    fn stat(pid: u32) -> io::Result<Option<Stat>> {
        let line = match fs::read_to_string(format!("/proc/{pid}/stat")) {
            Ok(line) => line,
            // Without the file system itself nothing is proven.
            Err(_) if fs::metadata("/proc/self/stat").is_err() => return Ok(None),
            Err(error) => return Err(error),
        };
        let fields: Vec<&str> = line.rsplit_once(") ").map_or("", |(_, rest)| rest).split(' ').collect();
        let number = |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok());
        let ended =
            matches!(fields.first(), Some(&("Z" | "X"))) && number(17).is_some_and(|threads| threads <= 1);
        Ok(number(19).map(|start| Stat { start, ended }))
    }
}

#[cfg(not(target_os = "linux"))]
mod linux {
    pub(super) fn boot_id() -> Option<String> {
        None
    }

    pub(super) fn exists(_pid: u32, _start: u64) -> bool {
        true
    }

    pub(super) fn start_of(_pid: u32) -> std::io::Result<Option<u64>> {
        Ok(None)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_process_is_known_by_its_start_and_gone_after_its_end() {
        let here = SystemProcesses;
        let mut child = Command::new("sleep").arg("60").stdin(Stdio::null()).spawn().unwrap();
        let start = here.start_of(child.id()).unwrap();
        assert!(here.exists(child.id(), start));
        assert!(!here.exists(child.id(), start + 1), "the same number, another process");
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!here.exists(child.id(), start));
    }

    #[test]
    fn a_process_that_its_parent_has_not_taken_note_of_is_gone() {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
        let here = SystemProcesses;
        let mut child = Command::new("sleep").arg("60").stdin(Stdio::null()).spawn().unwrap();
        let start = here.start_of(child.id()).unwrap();
        child.kill().unwrap();
        // Waits for the end without taking note of it.
        waitid(WaitId::Pid(Pid::from_child(&child)), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT).unwrap();
        assert!(!here.exists(child.id(), start));
        child.wait().unwrap();
    }

    #[test]
    fn this_process_exists() {
        let pid = std::process::id();
        assert!(SystemProcesses.exists(pid, SystemProcesses.start_of(pid).unwrap()));
    }
}
