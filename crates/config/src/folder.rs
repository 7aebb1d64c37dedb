//! The data folder: the platform's, or the one a person named.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::error::{ConfigError, words};

/// The platform's folder for Lockstep's data, for instance `~/.local/share/lockstep`.
pub(crate) fn of_platform() -> Result<PathBuf, ConfigError> {
    directories::ProjectDirs::from("dev", "Lockstep", "lockstep")
        .map(|dirs| dirs.data_dir().to_owned())
        .ok_or_else(|| ConfigError::DataFolder {
            why: "this account has no home folder".to_owned(),
            hint: "Name a folder with --data or LOCKSTEP_DATA_DIR.".to_owned(),
        })
}

/// Makes the folder when it is missing (for its owner only) and proves that files can be written in it.
pub(crate) fn prepare(folder: &Path) -> Result<(), ConfigError> {
    make(folder).and_then(|()| probe(folder)).map_err(|error| ConfigError::DataFolder {
        why: words(&error),
        hint: format!(
            "Make {} a folder that this account may read and write, or name another with --data or \
             LOCKSTEP_DATA_DIR.",
            folder.display()
        ),
    })
}

fn make(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn probe(folder: &Path) -> io::Result<()> {
    fs::read_dir(folder)?;
    let mut file = tempfile::Builder::new().prefix(".probe-").tempfile_in(folder)?;
    file.write_all(b"x")
}
