//! Refs, read from the files of a bare repository without a child process: they are read on every request.

use std::collections::BTreeMap;
use std::path::Path;

use super::is_oid;

/// Every ref of a repository with its object id.
pub(crate) type Refs = BTreeMap<String, String>;

/// Reads `packed-refs` and the loose refs below `refs/`. Symbolic refs are left out.
pub(crate) fn read(dir: &Path) -> Refs {
    // Loose refs win, and are read last: a ref that git packs meanwhile is still seen in one of the two.
    for _attempt in 0..3 {
        let before = packed(dir);
        let mut refs = parse_packed(&before);
        loose(&dir.join("refs"), "refs", &mut refs);
        if packed(dir) == before {
            return refs;
        }
    }
    let mut refs = parse_packed(&packed(dir));
    loose(&dir.join("refs"), "refs", &mut refs);
    refs
}

/// One branch's commit.
pub(crate) fn branch(dir: &Path, name: &str) -> Option<String> {
    read(dir).remove(&format!("refs/heads/{name}"))
}

fn packed(dir: &Path) -> String {
    std::fs::read_to_string(dir.join("packed-refs")).unwrap_or_default()
}

fn parse_packed(text: &str) -> Refs {
    text.lines()
        .filter(|line| !line.starts_with(['#', '^']))
        .filter_map(|line| line.split_once(' '))
        .map(|(oid, name)| (name.to_owned(), oid.to_owned()))
        .collect()
}

fn loose(folder: &Path, prefix: &str, refs: &mut Refs) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        let full = format!("{prefix}/{name}");
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder {
            loose(&entry.path(), &full, refs);
        } else if !name.ends_with(".lock") {
            let text = std::fs::read_to_string(entry.path()).unwrap_or_default();
            let oid = text.trim_end();
            if is_oid(oid) {
                refs.insert(full, oid.to_owned());
            }
        }
    }
}
