//! Commits, trees and other objects, read in batches.

use std::path::Path;

use chrono::{DateTime, FixedOffset};

use super::{Git, is_oid};
use crate::options::ForgeError;

/// Who wrote or committed, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Signature {
    pub(crate) name: String,
    pub(crate) email: String,
    pub(crate) seconds: i64,
    pub(crate) offset: String,
}

impl Signature {
    /// `2026-03-01T09:30:00Z`: REST shows commit dates in UTC.
    pub(crate) fn date(&self) -> String {
        crate::ids::timestamp(DateTime::from_timestamp(self.seconds, 0).unwrap_or_default())
    }

    /// The date with its own offset, as GraphQL's `GitTimestamp` shows it.
    pub(crate) fn local_date(&self) -> String {
        let utc = DateTime::from_timestamp(self.seconds, 0).unwrap_or_default();
        let minutes = self.offset.parse::<i32>().map_or(0, |value| value / 100 * 60 + value % 100);
        FixedOffset::east_opt(minutes * 60).map_or_else(
            || self.date(),
            |zone| utc.with_timezone(&zone).to_rfc3339_opts(chrono::SecondsFormat::Secs, true),
        )
    }
}

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Commit {
    pub(crate) oid: String,
    pub(crate) tree: String,
    pub(crate) parents: Vec<String>,
    pub(crate) author: Signature,
    pub(crate) committer: Signature,
    pub(crate) message: String,
}

impl Commit {
    /// The first line of the message.
    pub(crate) fn headline(&self) -> &str {
        self.message.lines().next().unwrap_or_default()
    }
}

/// Reads commits in the given order; ids that are missing or no commits are left out.
pub(crate) fn commits(git: &Git, dir: &Path, oids: &[String]) -> Result<Vec<Commit>, ForgeError> {
    if oids.is_empty() {
        return Ok(Vec::new());
    }
    let input = oids.iter().map(|oid| format!("{oid}\n")).collect::<String>();
    let answer = git.run(dir, &["cat-file", "--batch"], input.as_bytes())?;
    let mut rest = answer.stdout.as_slice();
    let mut found = Vec::with_capacity(oids.len());
    while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
        let header = String::from_utf8_lossy(&rest[..end]).into_owned();
        rest = &rest[end + 1..];
        let words = header.split(' ').collect::<Vec<_>>();
        let [oid, kind, size] = words.as_slice() else { continue };
        let Ok(size) = size.parse::<usize>() else { continue };
        let body = rest.get(..size).unwrap_or_default();
        if *kind == "commit" {
            found.push(parse_commit(oid, body));
        }
        rest = rest.get(size + 1..).unwrap_or_default();
    }
    Ok(found)
}

/// Reads one commit, `None` when the repository does not have it.
pub(crate) fn commit(git: &Git, dir: &Path, oid: &str) -> Result<Option<Commit>, ForgeError> {
    if !is_oid(oid) {
        return Ok(None);
    }
    Ok(commits(git, dir, &[oid.to_owned()])?.pop())
}

/// The kind of an object (`commit`, `tree`, `blob`, `tag`) with its size, `None` when it is missing.
pub(crate) fn kind(git: &Git, dir: &Path, oid: &str) -> Result<Option<(String, u64)>, ForgeError> {
    let answer = git.run(dir, &["cat-file", "--batch-check"], format!("{oid}\n").as_bytes())?.text();
    let words = answer.split(' ').collect::<Vec<_>>();
    Ok(match words.as_slice() {
        [_, kind, size] if *kind != "missing" => size.parse().ok().map(|size| ((*kind).to_owned(), size)),
        _ => None,
    })
}

/// Resolves an expression such as `HEAD:folder/file` or a short commit id.
pub(crate) fn resolve(git: &Git, dir: &Path, expression: &str) -> Result<Option<String>, ForgeError> {
    let arguments = ["rev-parse", "--verify", "--quiet", "--end-of-options", expression];
    let answer = git.try_run(dir, &arguments, b"")?;
    Ok((answer.code == 0).then(|| answer.text()))
}

fn parse_commit(oid: &str, body: &[u8]) -> Commit {
    let text = String::from_utf8_lossy(body);
    let (head, message) = text.split_once("\n\n").unwrap_or((&text, ""));
    let mut commit = Commit {
        oid: oid.to_owned(),
        tree: String::new(),
        parents: Vec::new(),
        author: parse_signature(""),
        committer: parse_signature(""),
        message: message.trim_end_matches('\n').to_owned(),
    };
    for line in head.lines() {
        match line.split_once(' ') {
            Some(("tree", tree)) => tree.clone_into(&mut commit.tree),
            Some(("parent", parent)) => commit.parents.push(parent.to_owned()),
            Some(("author", who)) => commit.author = parse_signature(who),
            Some(("committer", who)) => commit.committer = parse_signature(who),
            _ => {}
        }
    }
    commit
}

fn parse_signature(text: &str) -> Signature {
    let (name, rest) = text.split_once(" <").unwrap_or((text, ""));
    let (email, when) = rest.split_once("> ").unwrap_or((rest, "0 +0000"));
    let (seconds, offset) = when.split_once(' ').unwrap_or((when, "+0000"));
    Signature {
        name: name.to_owned(),
        email: email.to_owned(),
        seconds: seconds.parse().unwrap_or_default(),
        offset: offset.to_owned(),
    }
}
