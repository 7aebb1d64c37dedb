//! Programs as child processes: start, kill, wait for what they do.

use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::Duration;

use lockstep_forge::{Entry, Journal};

/// A program of this workspace beside the running test, for instance `lockstep`.
///
/// # Panics
/// It was not built: build the workspace first.
#[must_use]
pub fn sibling_program(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("the running test has a path");
    // target/<profile>/deps/<test> and target/<profile>/<program>
    let folder =
        test.parent().and_then(std::path::Path::parent).expect("tests run from target/<profile>/deps");
    let program = folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(program.is_file(), "{name} is not built: run `cargo build --workspace` first");
    program
}

/// Runs one test of the current test binary again, in a process with other environment variables.
///
/// # Panics
/// The process does not start.
#[must_use]
pub fn rerun_with(test: &str, variables: &[(&str, &str)]) -> Output {
    let binary = std::env::current_exe().expect("the running test has a path");
    Command::new(binary)
        .args([test, "--exact", "--ignored", "--nocapture", "--test-threads=1"])
        .envs(variables.iter().copied())
        .output()
        .expect("the test binary starts")
}

/// A child process that does not outlive its test.
#[derive(Debug)]
pub struct Program {
    child: Child,
}

impl Program {
    /// Starts it with captured output.
    ///
    /// # Panics
    /// It does not start.
    #[must_use]
    pub fn start(command: &mut Command) -> Self {
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        Self { child }
    }

    /// Its process id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Whether it has not ended yet.
    pub fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Kills it as `kill -9` does and waits until it is gone.
    ///
    /// # Panics
    /// It cannot be waited for.
    pub fn kill(&mut self) -> ExitStatus {
        // Gone already is as good as killed.
        let _gone = self.child.kill();
        self.child.wait().expect("a killed program ends")
    }

    /// Waits for its end and gives what it wrote.
    ///
    /// # Panics
    /// Its output cannot be read.
    #[must_use]
    pub fn output(mut self) -> Output {
        let (stdout, stderr) = (self.child.stdout.take(), self.child.stderr.take());
        let read = |stream: Option<Box<dyn std::io::Read + Send>>| {
            std::thread::spawn(move || {
                let mut bytes = Vec::new();
                if let Some(mut stream) = stream {
                    std::io::Read::read_to_end(&mut stream, &mut bytes).expect("the output is readable");
                }
                bytes
            })
        };
        let out = read(stdout.map(|s| Box::new(s) as Box<dyn std::io::Read + Send>));
        let err = read(stderr.map(|s| Box::new(s) as Box<dyn std::io::Read + Send>));
        let status = self.child.wait().expect("the program ends");
        Output {
            status,
            stdout: out.join().expect("the reader ends"),
            stderr: err.join().expect("the reader ends"),
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if self.is_running() {
            self.kill();
        }
    }
}

/// Waits until the forge's journal holds at least `count` requests that satisfy `which`.
///
/// # Panics
/// Not within 60 seconds.
pub(crate) async fn journal_holds(journal: &Journal, count: usize, which: impl Fn(&Entry) -> bool) {
    let seen = async {
        while journal.count(&which) < count {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    let in_time = tokio::time::timeout(Duration::from_secs(60), seen).await;
    assert!(in_time.is_ok(), "the forge did not see {count} such requests within a minute");
}
