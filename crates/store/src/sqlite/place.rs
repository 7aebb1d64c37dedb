//! Where the file lies: a local folder that can be written, and the lock beside it while migrating.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

use crate::contract::{Result, StoreError};

/// Parts of a path that synchronising programs use as their folder.
const SYNCED: &[&str] =
    &["dropbox", "onedrive", "google drive", "googledrive", "nextcloud", "icloud drive", "mega"];

/// Refuses what cannot work and warns of what may not.
pub(super) fn check(path: &Path) -> Result<()> {
    let folder = folder(path);
    let unusable = |text: String| Err(StoreError::Unusable(text));
    match std::fs::metadata(&folder) {
        Ok(meta) if meta.is_dir() => {}
        Ok(_file) => return unusable(format!("{} is not a folder", folder.display())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return unusable(format!("the folder {} does not exist; create it first", folder.display()));
        }
        Err(error) => return unusable(format!("the folder {} cannot be read: {error}", folder.display())),
    }
    if path.is_dir() {
        return unusable(format!("{} is a folder, not a database file", path.display()));
    }
    if let Some(kind) = network_kind(&folder) {
        return unusable(format!(
            "{} is on a network file system ({kind}), where SQLite would damage the database; \
             choose a local folder, or PostgreSQL to share it",
            folder.display()
        ));
    }
    let synced = folder.components().any(|part| {
        let part = part.as_os_str().to_string_lossy().to_lowercase();
        SYNCED.iter().any(|name| part.starts_with(name))
    });
    if synced {
        tracing::warn!(folder = %folder.display(), "the database lies in a synchronised folder, which may damage it");
    }
    Ok(())
}

/// The folder of the file; an unwritten one is the current folder.
fn folder(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

/// Held while migrating: sqlx's SQLite migrator takes no lock of its own. Waits for another process; blocking.
pub(super) fn lock(path: &Path) -> Result<File> {
    let mut name = path.as_os_str().to_owned();
    name.push(".migrating");
    let name = PathBuf::from(name);
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(&name).map_err(|error| {
        let why = match error.kind() {
            std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
                "the folder is read-only; make it writable".to_owned()
            }
            std::io::ErrorKind::StorageFull => "the disk is full; free some space and try again".to_owned(),
            _ => error.to_string(),
        };
        StoreError::Unusable(format!("{} cannot be written: {why}", name.display()))
    })?;
    file.lock()
        .map_err(|error| StoreError::Unusable(format!("{} cannot be locked: {error}", name.display())))?;
    Ok(file)
}

/// The kind of network file system that a folder is on (Linux tells it by a magic number).
#[cfg(target_os = "linux")]
fn network_kind(folder: &Path) -> Option<&'static str> {
    let found = rustix::fs::statfs(folder).ok()?;
    // The field's type differs between platforms; all magics fit 32 bits.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::unnecessary_cast)]
    network_name(found.f_type as u32)
}

/// Elsewhere nothing dependable tells.
#[cfg(not(target_os = "linux"))]
fn network_kind(_folder: &Path) -> Option<&'static str> {
    None
}

/// Magic numbers of `statfs(2)`.
#[cfg(target_os = "linux")]
fn network_name(magic: u32) -> Option<&'static str> {
    match magic {
        0x6969 => Some("NFS"),
        0x517b | 0xff53_4d42 | 0xfe53_4d42 => Some("SMB"),
        0x0102_1997 => Some("9P"),
        0x5346_414f | 0x6b41_4653 => Some("AFS"),
        0x00c3_6400 => Some("Ceph"),
        0x7375_7245 => Some("Coda"),
        0x0bd0_0bd0 => Some("Lustre"),
        0x564c => Some("NCP"),
        0x786f_4256 => Some("a shared folder of VirtualBox"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_folder_is_named() {
        let error = check(Path::new("/nowhere/at/all/lockstep.db")).unwrap_err();
        assert!(error.to_string().contains("/nowhere/at/all"), "{error}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn network_file_systems_are_known_and_local_ones_pass() {
        assert_eq!(network_name(0x6969), Some("NFS"));
        for local in [0xef53, 0x9123_683e, 0x5846_5342, 0x0102_1994, 0x794c_7630] {
            assert_eq!(network_name(local), None);
        }
    }
}
