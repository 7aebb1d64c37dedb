//! Log lines: into a file of the data folder, and on standard error where the host wants it. No line holds a secret.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;
use std::sync::Mutex;

use lockstep_config::Config;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _, fmt};

/// Our own lines from `info` on, those of others from `warn` on.
const DEFAULT: &str = "warn,lockstep=info";
/// A file that has grown past this is set aside at the next start.
const MOST_BYTES: u64 = 5 * 1024 * 1024;

/// Where lines go besides the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Also {
    /// Nowhere.
    Nowhere,
    /// Standard error.
    StandardError,
}

/// Starts logging for this process; a second call changes nothing. Without a configuration there is no file.
pub fn start(config: Option<&Config>, also: Also) {
    let wanted = config.and_then(|config| config.log.as_deref()).unwrap_or(DEFAULT);
    let filter = || EnvFilter::try_new(wanted).unwrap_or_else(|_unreadable| EnvFilter::new(DEFAULT));
    let file = config.and_then(|config| match open(&config.data) {
        Ok(file) => Some(fmt::layer().with_ansi(false).with_writer(Mutex::new(file)).with_filter(filter())),
        // Logging never stops the program.
        Err(_unwritable) => None,
    });
    let error = (also == Also::StandardError)
        .then(|| fmt::layer().with_ansi(false).with_writer(io::stderr).with_filter(filter()));
    // A test or another host may have started logging before.
    drop(tracing_subscriber::registry().with(file).with(error).try_init());
}

/// `logs/lockstep.log`, readable by its owner only.
fn open(data: &Path) -> io::Result<File> {
    let folder = data.join("logs");
    fs::create_dir_all(&folder)?;
    let path = folder.join("lockstep.log");
    if fs::metadata(&path).is_ok_and(|meta| meta.len() > MOST_BYTES) {
        fs::rename(&path, folder.join("lockstep.log.1"))?;
    }
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_file_is_set_aside() {
        let folder = tempfile::tempdir().unwrap();
        drop(open(folder.path()).unwrap());
        let path = folder.path().join("logs").join("lockstep.log");
        File::options().write(true).open(&path).unwrap().set_len(MOST_BYTES + 1).unwrap();
        drop(open(folder.path()).unwrap());
        assert_eq!(fs::metadata(&path).unwrap().len(), 0);
        assert!(folder.path().join("logs").join("lockstep.log.1").exists());
    }
}
