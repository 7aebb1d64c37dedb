//! One child process group: fed, read without deadlocks, bounded in output and time, and ended whole.
//!
//! A git command is several processes. Signalling only the first leaves `git-remote-http` alive with our pipes open,
//! so every child leads a group of its own and the group is signalled.

use std::io;
use std::process::Stdio;
use std::time::Duration;

use lockstep_domain::stop::StopSignal;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until, timeout};

/// Bounds of one command.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Longest time without a byte of output; `None`: only the total counts.
    pub(crate) idle: Option<Duration>,
    /// Longest time in all.
    pub(crate) total: Duration,
    /// Between SIGTERM and SIGKILL.
    pub(crate) grace: Duration,
    /// Most bytes of standard output.
    pub(crate) output: usize,
}

/// Most bytes kept of standard error; older ones are dropped, the end says what failed.
const ERROR_BYTES: usize = 64 * 1024;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// By itself: exit code, `None` when a signal ended it.
    Exited(Option<i32>),
    /// Silent for too long.
    Idle,
    /// Took too long in all.
    TooLong,
    /// Wrote more than allowed.
    TooMuch,
    /// The lease is lost.
    Lost,
    /// Nobody waits for the answer any more.
    Abandoned,
}

/// What a command left.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) end: End,
    pub(crate) out: Vec<u8>,
    pub(crate) err: Vec<u8>,
}

/// Runs the command to its end. When the returned future is dropped, the group is ended in the background; `hold`
/// (locks, credentials) lives as long as the processes.
pub(crate) async fn run<H: Send + 'static>(
    mut command: Command,
    input: Vec<u8>,
    limits: Limits,
    stop: Option<StopSignal>,
    hold: H,
) -> io::Result<Finished> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    command.process_group(0);
    let child = command.kill_on_drop(true).spawn()?;
    let group = Group::of(&child);
    let (waiting, abandoned) = oneshot::channel::<()>();
    let task = tokio::spawn(async move {
        let finished = Watch::new(child, group, input, limits).run(stop, abandoned).await;
        drop(hold);
        finished
    });
    let finished = task.await.map_err(io::Error::other)?;
    drop(waiting);
    finished
}

/// The process group; killed if its watcher goes away before it ended.
struct Group {
    #[cfg(unix)]
    leader: Option<rustix::process::Pid>,
    ended: bool,
}

impl Group {
    #[cfg(unix)]
    fn of(child: &Child) -> Self {
        let leader =
            child.id().and_then(|id| i32::try_from(id).ok()).and_then(rustix::process::Pid::from_raw);
        Self { leader, ended: false }
    }

    #[cfg(not(unix))]
    fn of(_child: &Child) -> Self {
        Self { ended: false }
    }

    #[cfg(unix)]
    fn signal(&self, force: bool) {
        let signal = if force { rustix::process::Signal::KILL } else { rustix::process::Signal::TERM };
        if let Some(leader) = self.leader
            && let Err(error) = rustix::process::kill_process_group(leader, signal)
        {
            // Usually "no such process": the group ended by itself meanwhile.
            tracing::debug!(%error, "a git process group was not signalled");
        }
    }

    #[cfg(not(unix))]
    fn signal(&self, _force: bool) {}
}

impl Drop for Group {
    fn drop(&mut self) {
        if !self.ended {
            self.signal(true);
        }
    }
}

struct Watch {
    child: Child,
    group: Group,
    stdin: Option<ChildStdin>,
    input: Vec<u8>,
    written: usize,
    limits: Limits,
    out: Vec<u8>,
    err: Vec<u8>,
}

impl Watch {
    fn new(mut child: Child, group: Group, input: Vec<u8>, limits: Limits) -> Self {
        let stdin = child.stdin.take();
        Self { child, group, stdin, input, written: 0, limits, out: Vec::new(), err: Vec::new() }
    }

    async fn run(
        mut self,
        stop: Option<StopSignal>,
        abandoned: oneshot::Receiver<()>,
    ) -> io::Result<Finished> {
        let (Some(stdout), Some(stderr)) = (self.child.stdout.take(), self.child.stderr.take()) else {
            return Err(io::Error::other("a pipe is missing"));
        };
        let mut pipes = (Some(stdout), Some(stderr));
        let end = self.follow(&mut pipes, stop, abandoned).await?;
        if !matches!(end, End::Exited(_)) {
            self.finish_off(&mut pipes).await;
        }
        self.group.ended = true;
        Ok(Finished { end, out: self.out, err: self.err })
    }

    async fn follow<O: AsyncRead + Unpin, E: AsyncRead + Unpin>(
        &mut self,
        pipes: &mut (Option<O>, Option<E>),
        stop: Option<StopSignal>,
        mut abandoned: oneshot::Receiver<()>,
    ) -> io::Result<End> {
        let deadline = Instant::now() + self.limits.total;
        let mut heard = Instant::now();
        let lost = async move {
            match stop {
                Some(signal) => signal.lost().await,
                None => std::future::pending().await,
            }
        };
        tokio::pin!(lost);
        let (mut out_buffer, mut err_buffer) = (vec![0; 64 * 1024], vec![0; 8 * 1024]);
        let mut exit = None;
        loop {
            if let (Some(code), None, None) = (exit, &pipes.0, &pipes.1) {
                return Ok(End::Exited(code));
            }
            let silence = self.limits.idle.map_or(deadline, |idle| (heard + idle).min(deadline));
            let rest = self.input.get(self.written..).unwrap_or_default();
            tokio::select! {
                biased;
                () = &mut lost => return Ok(End::Lost),
                _ = &mut abandoned => return Ok(End::Abandoned),
                read = next(&mut pipes.0, &mut out_buffer) => match read? {
                    0 => pipes.0 = None,
                    count => {
                        heard = Instant::now();
                        self.out.extend_from_slice(out_buffer.get(..count).unwrap_or_default());
                        if self.out.len() > self.limits.output {
                            return Ok(End::TooMuch);
                        }
                    }
                },
                read = next(&mut pipes.1, &mut err_buffer) => match read? {
                    0 => pipes.1 = None,
                    count => {
                        heard = Instant::now();
                        keep_end(&mut self.err, err_buffer.get(..count).unwrap_or_default());
                    }
                },
                wrote = feed(&mut self.stdin, rest) => match wrote {
                    Ok(count) if count > 0 => {
                        heard = Instant::now();
                        self.written += count;
                    }
                    // All written, or the child closed its side: it says why on its other pipes.
                    _ => self.stdin = None,
                },
                status = self.child.wait(), if exit.is_none() => exit = Some(status?.code()),
                () = sleep_until(silence) => {
                    return Ok(if Instant::now() >= deadline { End::TooLong } else { End::Idle });
                }
            }
        }
    }

    /// Asks the group to end, so that git removes its lock files, and kills what is left after the grace.
    async fn finish_off<O: AsyncRead + Unpin, E: AsyncRead + Unpin>(
        &mut self,
        pipes: &mut (Option<O>, Option<E>),
    ) {
        self.stdin = None;
        self.group.signal(false);
        let grace = self.limits.grace;
        if timeout(grace, drain(&mut self.child, pipes)).await.is_err() {
            self.group.signal(true);
            if timeout(grace, drain(&mut self.child, pipes)).await.is_err() {
                tracing::warn!("a killed git process group did not close its pipes");
            }
        }
    }
}

/// Reads the next piece; a closed pipe never answers.
async fn next<R: AsyncRead + Unpin>(pipe: &mut Option<R>, buffer: &mut [u8]) -> io::Result<usize> {
    match pipe {
        Some(pipe) => pipe.read(buffer).await,
        None => std::future::pending().await,
    }
}

/// Writes the next piece; 0 when there is nothing left to write.
async fn feed(stdin: &mut Option<ChildStdin>, rest: &[u8]) -> io::Result<usize> {
    match stdin {
        Some(_) if rest.is_empty() => Ok(0),
        Some(stdin) => stdin.write(rest).await,
        None => std::future::pending().await,
    }
}

/// Waits until the child has ended and nobody holds its pipes.
async fn drain<O: AsyncRead + Unpin, E: AsyncRead + Unpin>(
    child: &mut Child,
    pipes: &mut (Option<O>, Option<E>),
) {
    let (mut one, mut two) = (vec![0; 4096], vec![0; 4096]);
    let mut running = true;
    while running || pipes.0.is_some() || pipes.1.is_some() {
        tokio::select! {
            read = next(&mut pipes.0, &mut one) => if !matches!(read, Ok(1..)) { pipes.0 = None },
            read = next(&mut pipes.1, &mut two) => if !matches!(read, Ok(1..)) { pipes.1 = None },
            _ = child.wait(), if running => running = false,
        }
    }
}

fn keep_end(kept: &mut Vec<u8>, more: &[u8]) {
    kept.extend_from_slice(more);
    if kept.len() > 2 * ERROR_BYTES {
        kept.drain(..kept.len() - ERROR_BYTES);
    }
}
