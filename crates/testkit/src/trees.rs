//! Trees of the forge's bare repositories, entry by entry.

use std::path::Path;
use std::process::Command;

use crate::world::World;

/// One entry: mode, object and path, byte for byte.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TreeEntry {
    /// As git writes it, `100644`.
    pub mode: String,
    /// The object's id.
    pub oid: String,
    /// The path's bytes.
    pub path: Vec<u8>,
}

/// Every entry below a revision of a bare repository, sorted by path.
///
/// # Panics
/// git fails.
#[must_use]
pub fn tree(git_dir: &Path, revision: &str) -> Vec<TreeEntry> {
    let output = Command::new("git")
        .arg("--git-dir")
        .arg(git_dir)
        .args(["ls-tree", "-r", "-z", "--full-tree", revision])
        .output()
        .expect("git runs");
    assert!(output.status.success(), "ls-tree {revision}: {}", String::from_utf8_lossy(&output.stderr));
    let entry = |record: &[u8]| {
        let tab = record.iter().position(|byte| *byte == b'\t')?;
        let head = String::from_utf8_lossy(record.get(..tab)?).into_owned();
        let mut words = head.split(' ');
        let (mode, _kind, oid) = (words.next()?, words.next()?, words.next()?);
        Some(TreeEntry { mode: mode.to_owned(), oid: oid.to_owned(), path: record.get(tab + 1..)?.to_vec() })
    };
    let records = output.stdout.split(|byte| *byte == 0).filter(|record| !record.is_empty());
    let mut entries: Vec<_> = records.filter_map(entry).collect();
    entries.sort();
    entries
}

impl World {
    /// The tree of a branch of `owner/name`.
    ///
    /// # Panics
    /// There is no such repository or branch.
    #[must_use]
    pub fn tree_of(&self, full_name: &str, branch: &str) -> Vec<TreeEntry> {
        let dir = self.forge.handle().repository_dir(full_name).expect("the repository exists");
        tree(&dir, &format!("refs/heads/{branch}"))
    }

    /// Source and distribution hand out the same bytes.
    ///
    /// # Panics
    /// They differ.
    pub fn assert_distribution_is_the_source(&self, branch: &str) {
        let source = self.tree_of(&self.course.source, branch);
        let distribution = self.tree_of(&self.course.distribution, branch);
        assert!(!source.is_empty());
        assert_eq!(source, distribution, "trees of source and distribution");
    }
}
