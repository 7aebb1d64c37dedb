//! Looking at this machine's processes and files.

use std::fs;
use std::path::Path;

/// Processes that were started for this folder: their arguments and environments, as the system shows them.
pub(crate) fn processes_of(folder: &Path) -> Vec<(String, String)> {
    let mark = folder.to_str().unwrap();
    let read = |path: std::path::PathBuf| {
        fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
    };
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        if entry.file_name().to_str().is_some_and(|name| name.parse::<u32>().is_ok()) {
            let environ = read(entry.path().join("environ"));
            // The test itself may know the folder from its own environment; its children have it as their home.
            if environ.split('\0').any(|line| line.starts_with("HOME=") && line.contains(mark)) {
                found.push((read(entry.path().join("cmdline")), environ));
            }
        }
    }
    found
}

/// Files below a folder that hold this text.
pub(crate) fn files_with(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return found };
    for entry in entries.flatten() {
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            found.extend(files_with(&entry.path(), text));
        } else if kind.is_file() {
            let bytes = fs::read(entry.path()).unwrap_or_default();
            if bytes.windows(text.len()).any(|window| window == text.as_bytes()) {
                found.push(entry.path().display().to_string());
            }
        }
    }
    found
}
