//! What git computes over history: ancestry, comparison, logs, changed files.

use std::path::Path;

use super::Git;
use crate::options::ForgeError;

/// How two commits relate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Comparison {
    pub(crate) merge_base: String,
    pub(crate) ahead: u64,
    pub(crate) behind: u64,
}

impl Comparison {
    /// REST's word for it.
    pub(crate) fn status(&self) -> &'static str {
        match (self.ahead, self.behind) {
            (0, 0) => "identical",
            (_, 0) => "ahead",
            (0, _) => "behind",
            _ => "diverged",
        }
    }
}

/// Compares two commits that exist; `None`: they have no common ancestor.
pub(crate) fn compare(
    git: &Git,
    dir: &Path,
    base: &str,
    head: &str,
) -> Result<Option<Comparison>, ForgeError> {
    let found = git.try_run(dir, &["merge-base", base, head], b"")?;
    match found.code {
        0 => {}
        1 => return Ok(None),
        _ => return Err(ForgeError::Git(format!("cannot compare {base} with {head}"))),
    }
    let range = format!("{base}...{head}");
    let counts = git.run(dir, &["rev-list", "--left-right", "--count", &range], b"")?.text();
    let (behind, ahead) = counts.split_once('\t').unwrap_or(("0", "0"));
    Ok(Some(Comparison {
        merge_base: found.text(),
        ahead: ahead.parse().unwrap_or_default(),
        behind: behind.parse().unwrap_or_default(),
    }))
}

/// Is `old` an ancestor of `new` (or the same)? Missing objects are no ancestors.
pub(crate) fn is_ancestor(git: &Git, dir: &Path, old: &str, new: &str) -> Result<bool, ForgeError> {
    Ok(git.try_run(dir, &["merge-base", "--is-ancestor", old, new], b"")?.code == 0)
}

/// Commit ids, in `git rev-list` order, with further arguments (ranges, `--reverse`, `--max-count=` ...).
pub(crate) fn list(git: &Git, dir: &Path, arguments: &[String]) -> Result<Vec<String>, ForgeError> {
    let mut all = vec!["rev-list".to_owned()];
    all.extend_from_slice(arguments);
    Ok(git.run(dir, &all, b"")?.text().lines().map(str::to_owned).collect())
}

/// The commit on `base`'s first-parent line that brought `head` in; `head` itself after a fast-forward.
pub(crate) fn merged_by(git: &Git, dir: &Path, head: &str, base: &str) -> Result<String, ForgeError> {
    let range = format!("{head}..{base}");
    let line =
        list(git, dir, &["--first-parent".into(), "--ancestry-path".into(), "--reverse".into(), range])?;
    Ok(line.into_iter().next().unwrap_or_else(|| head.to_owned()))
}

/// A changed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChangedFile {
    pub(crate) path: String,
    pub(crate) previous: Option<String>,
    pub(crate) status: &'static str,
    pub(crate) blob: String,
    pub(crate) additions: u64,
    pub(crate) deletions: u64,
}

/// The files that differ between two trees or commits, renames found, ordered by path.
pub(crate) fn changed_files(
    git: &Git,
    dir: &Path,
    base: Option<&str>,
    head: &str,
) -> Result<Vec<ChangedFile>, ForgeError> {
    let mut arguments =
        vec!["diff-tree", "-r", "-z", "-M", "--raw", "--numstat", "--no-abbrev", "--no-commit-id"];
    match base {
        Some(base) => arguments.extend([base, head]),
        None => arguments.extend(["--root", head]),
    }
    Ok(parse_changes(&git.run(dir, &arguments, b"")?.stdout))
}

fn parse_changes(output: &[u8]) -> Vec<ChangedFile> {
    let fields = output.split(|byte| *byte == 0).map(String::from_utf8_lossy).collect::<Vec<_>>();
    let mut fields = fields.iter();
    let mut files: Vec<ChangedFile> = Vec::new();
    while let Some(field) = fields.next() {
        if let Some(raw) = field.strip_prefix(':') {
            let words = raw.split(' ').collect::<Vec<_>>();
            let letter = words.get(4).copied().unwrap_or("M");
            let renamed = letter.starts_with(['R', 'C']);
            let previous = if renamed { fields.next().map(|path| path.to_string()) } else { None };
            let path = fields.next().map(|path| path.to_string()).unwrap_or_default();
            let gone = letter.starts_with('D');
            files.push(ChangedFile {
                path,
                previous,
                status: status_word(letter),
                blob: words.get(if gone { 2 } else { 3 }).copied().unwrap_or_default().to_owned(),
                additions: 0,
                deletions: 0,
            });
        } else if let Some((added, rest)) = field.split_once('\t') {
            let (removed, path) = rest.split_once('\t').unwrap_or((rest, ""));
            let path = if path.is_empty() {
                // A rename: the old and the new name follow as fields of their own.
                fields.next();
                fields.next().map(|path| path.to_string()).unwrap_or_default()
            } else {
                path.to_owned()
            };
            if let Some(file) = files.iter_mut().find(|file| file.path == path) {
                file.additions = added.parse().unwrap_or_default();
                file.deletions = removed.parse().unwrap_or_default();
            }
        }
    }
    files
}

fn status_word(letter: &str) -> &'static str {
    match letter.as_bytes().first() {
        Some(b'A') => "added",
        Some(b'D') => "removed",
        Some(b'R') => "renamed",
        Some(b'C') => "copied",
        Some(b'T') => "changed",
        _ => "modified",
    }
}
