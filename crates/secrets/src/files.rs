//! Private files below the data folder: the explicit fallback of a machine without a keychain.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use lockstep_domain::ids::ConnectionId;

use crate::credential::{from_bytes, to_bytes};
use crate::{Credential, SecretStore, SecretsError};

/// One file per connection, mode 0600, in a folder of mode 0700. One file each, so that a window and a headless command
/// never overwrite each other's entry. On Windows the user profile's own access list is what protects them.
#[derive(Debug)]
pub struct PrivateFiles {
    folder: PathBuf,
}

impl PrivateFiles {
    /// Below this data folder, in `credentials/`. Nothing is created before the first `put`.
    #[must_use]
    pub fn below(data: &Path) -> Self {
        Self { folder: data.join("credentials") }
    }

    fn path(&self, id: ConnectionId) -> PathBuf {
        self.folder.join(format!("{id}.json"))
    }

    fn prepare(&self) -> Result<(), SecretsError> {
        if !self.folder.exists() {
            make_private_folder(&self.folder).map_err(|error| failed(&self.folder, "written", &error))?;
        }
        check_mode(&self.folder, 0o700)
    }
}

impl SecretStore for PrivateFiles {
    fn put(&self, id: ConnectionId, credential: &Credential) -> Result<(), SecretsError> {
        self.prepare()?;
        let path = self.path(id);
        let written = |error: &io::Error| failed(&path, "written", error);
        // A temporary file has mode 0600 from its creation on.
        let mut file = tempfile::Builder::new()
            .prefix(".new-")
            .tempfile_in(&self.folder)
            .map_err(|error| written(&error))?;
        file.write_all(&to_bytes(credential)).map_err(|error| written(&error))?;
        file.as_file().sync_all().map_err(|error| written(&error))?;
        file.persist(&path).map_err(|error| written(&error.error))?;
        sync_folder(&self.folder).map_err(|error| written(&error))
    }

    fn get(&self, id: ConnectionId) -> Result<Credential, SecretsError> {
        let path = self.path(id);
        let not_found = || SecretsError::NotFound { id, place: self.describe() };
        match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(not_found()),
            Err(error) => return Err(failed(&path, "read", &error)),
            Ok(meta) if !meta.is_file() => {
                return Err(failed(&path, "read", &io::Error::other("it is not a plain file")));
            }
            Ok(_) => {}
        }
        check_mode(&self.folder, 0o700)?;
        check_mode(&path, 0o600)?;
        let bytes = fs::read(&path).map_err(|error| failed(&path, "read", &error))?;
        from_bytes(&bytes).ok_or_else(|| SecretsError::Damaged { id, place: path.display().to_string() })
    }

    fn delete(&self, id: ConnectionId) -> Result<(), SecretsError> {
        let path = self.path(id);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(&path, "removed", &error)),
            _ => Ok(()),
        }
    }

    fn describe(&self) -> String {
        format!("private files in {}", self.folder.display())
    }
}

fn failed(path: &Path, done: &'static str, error: &io::Error) -> SecretsError {
    SecretsError::File { path: path.to_owned(), done, why: error.to_string() }
}

#[cfg(unix)]
fn make_private_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    if let Some(parent) = folder.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn make_private_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

/// Refuses what group or others may touch.
#[cfg(unix)]
fn check_mode(path: &Path, want: u32) -> Result<(), SecretsError> {
    use std::os::unix::fs::PermissionsExt;
    let meta = fs::metadata(path).map_err(|error| failed(path, "read", &error))?;
    let mode = meta.permissions().mode() & 0o777;
    if mode & 0o077 == 0 { Ok(()) } else { Err(SecretsError::TooOpen { path: path.to_owned(), mode, want }) }
}

#[cfg(not(unix))]
fn check_mode(_path: &Path, _want: u32) -> Result<(), SecretsError> {
    Ok(())
}

/// Makes the rename durable.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    fs::File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}
