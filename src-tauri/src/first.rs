//! One window per data folder: a second start shows the first window and ends. A lock and a loopback socket, no session
//! bus.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::time::Duration;

use lockstep_config::system::SystemIds;
use lockstep_domain::ids::Ids as _;

const PATIENCE: Duration = Duration::from_secs(2);

/// What a start finds.
pub(crate) enum Start {
    /// No other window: keep this while the process lives.
    First(First),
    /// Another window has this folder and was asked to show itself.
    Second,
}

/// The lock of the first window, and its ear for later starts.
pub(crate) struct First {
    _lock: Option<File>,
    ear: Option<(TcpListener, String)>,
}

/// Takes the folder's window lock, or asks the window that has it to show itself. Where neither works this start goes on
/// as if it were the first: leases keep two windows safe.
pub(crate) fn start(data: &Path) -> Start {
    let note = data.join("window.note");
    match lock(&data.join("window.lock")) {
        Ok(lock) => Start::First(First { _lock: Some(lock), ear: listen(&note) }),
        Err(TryLockError::WouldBlock) => match knock(&note) {
            Ok(()) => Start::Second,
            Err(error) => {
                tracing::warn!(%error, "the first window does not answer");
                Start::First(First { _lock: None, ear: None })
            }
        },
        Err(TryLockError::Error(error)) => {
            tracing::warn!(%error, "the window lock cannot be taken");
            Start::First(First { _lock: None, ear: None })
        }
    }
}

impl First {
    /// Calls `show` for every later start, on a thread of its own.
    pub(crate) fn listen(&mut self, show: impl Fn() + Send + 'static) {
        let Some((listener, word)) = self.ear.take() else { return };
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if heard(&stream, &word).unwrap_or(false) {
                    show();
                }
            }
        });
    }
}

fn lock(path: &Path) -> Result<File, TryLockError> {
    let file = OpenOptions::new().create(true).append(true).open(path).map_err(TryLockError::Error)?;
    file.try_lock()?;
    Ok(file)
}

/// Listens on loopback; the note tells port and word to whoever may read the folder. It is only read while somebody has
/// the lock, and whoever takes the lock writes it anew.
fn listen(note: &Path) -> Option<(TcpListener, String)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).ok()?;
    let port = listener.local_addr().ok()?.port();
    let word: String = SystemIds.token().expose().iter().map(|byte| format!("{byte:02x}")).collect();
    write_private(note, &format!("{port} {word}\n")).ok()?;
    Some((listener, word))
}

fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    drop(std::fs::remove_file(path));
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(text.as_bytes())
}

fn knock(note: &Path) -> std::io::Result<()> {
    let text = std::fs::read_to_string(note)?;
    let (port, word) = text
        .trim()
        .split_once(' ')
        .and_then(|(port, word)| Some((port.parse::<u16>().ok()?, word)))
        .ok_or_else(|| std::io::Error::other("the note of the first window is unreadable"))?;
    let mut stream = TcpStream::connect_timeout(&(Ipv4Addr::LOCALHOST, port).into(), PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    writeln!(stream, "{word}")?;
    let mut answer = String::new();
    BufReader::new(stream).read_line(&mut answer)?;
    if answer.trim() == "shown" { Ok(()) } else { Err(std::io::Error::other("another program answered")) }
}

fn heard(stream: &TcpStream, word: &str) -> std::io::Result<bool> {
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut said = String::new();
    BufReader::new(std::io::Read::take(stream, 100)).read_line(&mut said)?;
    if said.trim() != word {
        return Ok(false);
    }
    let mut out: &TcpStream = stream;
    out.write_all(b"shown\n")?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn a_second_start_shows_the_first_window_and_a_later_one_is_first_again() {
        let folder = tempfile::tempdir().unwrap();
        let (shown, seen) = mpsc::channel();
        let Start::First(mut first) = start(folder.path()) else { panic!("nobody else is here") };
        first.listen(move || shown.send(()).unwrap());
        assert!(matches!(start(folder.path()), Start::Second));
        seen.recv_timeout(PATIENCE).unwrap();
        drop(first);
        assert!(matches!(start(folder.path()), Start::First(_)));
    }

    #[test]
    fn who_does_not_know_the_word_shows_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let Start::First(mut first) = start(folder.path()) else { panic!("nobody else is here") };
        first.listen(|| panic!("shown to a stranger"));
        let note = std::fs::read_to_string(folder.path().join("window.note")).unwrap();
        let port: u16 = note.split(' ').next().unwrap().parse().unwrap();
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
        writeln!(stream, "open sesame").unwrap();
        let mut answer = String::new();
        BufReader::new(stream).read_line(&mut answer).unwrap();
        assert_eq!(answer, "");
    }
}
