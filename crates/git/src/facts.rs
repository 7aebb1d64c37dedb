//! What a tree holds: files, the largest one, the fingerprint; and what differs between two trees.

use std::collections::BTreeSet;
use std::path::Path;

use lockstep_domain::names::Oid;
use lockstep_domain::ports::{GitError, PathChange, TreeFacts};
use sha2::{Digest, Sha256};

use crate::answers::local_fault;
use crate::job::Job;
use crate::program::Inner;

/// git knows this tree without having it.
const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

impl Inner {
    pub(crate) async fn tree_facts(&self, commit: Oid) -> Result<TreeFacts, GitError> {
        let job =
            Job::on(&self.store.git_dir()).words("ls-tree -r -l -z --full-tree").arg(commit.to_string());
        let answer = self.runner.local(job).await?;
        if !answer.good() {
            return Err(local_fault("ls-tree", &answer));
        }
        facts(&answer.out).ok_or_else(|| GitError::Unexpected("ls-tree answered in another form".into()))
    }

    pub(crate) async fn changes(&self, old: Option<Oid>, new: Oid) -> Result<Vec<PathChange>, GitError> {
        let old = old.map_or_else(|| EMPTY_TREE.to_owned(), |oid| oid.to_string());
        let job = Job::on(&self.store.git_dir())
            .words("diff-tree -r -z -M --name-status --no-commit-id")
            .arg(old)
            .arg(new.to_string());
        let answer = self.runner.local(job).await?;
        if !answer.good() {
            return Err(local_fault("diff-tree", &answer));
        }
        Ok(changes(&answer.out))
    }
}

/// A path and what the older of two trees has there (mode and blob; zeros where it has nothing).
pub(crate) type Spot = (Vec<u8>, Vec<u8>);

impl Inner {
    /// Where `new` differs from `old`, with what `old` has there.
    pub(crate) async fn spots(&self, git_dir: &Path, old: Oid, new: Oid) -> Result<BTreeSet<Spot>, GitError> {
        let job = Job::on(git_dir)
            .words("diff-tree -r -z --raw --no-renames --no-abbrev --no-commit-id")
            .args([old.to_string(), new.to_string()]);
        let answer = self.runner.local(job).await?;
        if answer.good() { Ok(spots(&answer.out)) } else { Err(local_fault("diff-tree", &answer)) }
    }
}

/// `:<old mode> <new mode> <old blob> <new blob> <status>\0<path>\0`.
fn spots(listing: &[u8]) -> BTreeSet<Spot> {
    let mut fields = listing.split(|byte| *byte == 0).filter(|field| !field.is_empty());
    let mut found = BTreeSet::new();
    while let (Some(raw), Some(path)) = (fields.next(), fields.next()) {
        let words: Vec<_> = raw.split(|byte| *byte == b' ').collect();
        if let [mode, _, blob, ..] = words[..] {
            found.insert((path.to_vec(), [mode, blob].concat()));
        }
    }
    found
}

struct Entry<'a> {
    mode: &'a [u8],
    oid: &'a [u8],
    size: Option<u64>,
    path: &'a [u8],
}

/// `<mode> <type> <oid> <padded size or ->\t<path>`.
fn entry(record: &[u8]) -> Option<Entry<'_>> {
    let tab = record.iter().position(|byte| *byte == b'\t')?;
    let mut words = record.get(..tab)?.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
    let (mode, _kind, oid, size) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let size = std::str::from_utf8(size).ok().and_then(|text| text.parse().ok());
    Some(Entry { mode, oid, size, path: record.get(tab + 1..)? })
}

fn facts(listing: &[u8]) -> Option<TreeFacts> {
    let records = listing.split(|byte| *byte == 0).filter(|record| !record.is_empty());
    let mut entries = records.map(entry).collect::<Option<Vec<_>>>()?;
    entries.sort_by(|a, b| a.path.cmp(b.path));
    let mut hash = Sha256::new();
    for entry in &entries {
        for field in [entry.mode, entry.path, entry.oid] {
            hash.update(field);
            hash.update([0]);
        }
    }
    let largest = entries
        .iter()
        .filter_map(|entry| entry.size.map(|size| (entry.path, size)))
        .max_by_key(|(path, size)| (*size, std::cmp::Reverse(*path)))
        .map(|(path, size)| (String::from_utf8_lossy(path).into_owned(), size));
    Some(TreeFacts {
        files: u32::try_from(entries.len()).unwrap_or(u32::MAX),
        largest,
        fingerprint: hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect(),
    })
}

/// `<status>\0<path>\0`, for renames and copies `<status>\0<old>\0<new>\0`: the new path counts.
fn changes(listing: &[u8]) -> Vec<PathChange> {
    let mut fields = listing.split(|byte| *byte == 0).filter(|field| !field.is_empty());
    let mut found = Vec::new();
    while let (Some(status), Some(first)) = (fields.next(), fields.next()) {
        let letter = status.first().map_or('?', |byte| char::from(*byte));
        let path = if matches!(letter, 'R' | 'C') { fields.next().unwrap_or(first) } else { first };
        let text = String::from_utf8_lossy(path);
        let lossy = matches!(text, std::borrow::Cow::Owned(_));
        found.push(PathChange { status: letter, path: text.into_owned(), lossy });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fingerprint_is_over_mode_path_and_blob_in_the_order_of_the_paths() {
        let a = "1111111111111111111111111111111111111111";
        let b = "2222222222222222222222222222222222222222";
        let listing = format!("100755 blob {b}      12\tb\n\tx\0160000 commit {a}       -\ta\0");
        let found = facts(listing.as_bytes()).unwrap();
        let expected = Sha256::digest(format!("160000\0a\0{a}\0100755\0b\n\tx\0{b}\0"));
        let expected: String = expected.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(found.fingerprint, expected);
        assert_eq!((found.files, found.largest), (2, Some(("b\n\tx".into(), 12))));
        assert!(facts(b"nonsense\0").is_none());
        assert_eq!(facts(b"").unwrap().files, 0);
    }

    #[test]
    fn a_rename_counts_under_its_new_name_and_an_unclear_name_is_told() {
        let found = changes(b"M\0a\tb\nc\0R087\0old\0new\0A\0caf\xe9\0");
        let short: Vec<_> = found.iter().map(|c| (c.status, c.path.as_str(), c.lossy)).collect();
        assert_eq!(short, [('M', "a\tb\nc", false), ('R', "new", false), ('A', "caf\u{fffd}", true)]);
    }
}
