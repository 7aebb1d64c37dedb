//! Histories as text, one commit a line: `label < parents | path=lines | -path | old>new`. A commit's files start from
//! its first parent's; lines are separated by commas.

use std::fmt::Write;

/// A file of nine lines.
pub(crate) const NINE: &str = "a=1,2,3,4,5,6,7,8,9";

/// [`NINE`] with some lines replaced.
pub(crate) fn nine(path: &str, lines: &[(usize, &str)]) -> String {
    let mut all: Vec<String> = (1..=9).map(|n| n.to_string()).collect();
    for (line, text) in lines {
        all[line - 1] = (*text).to_owned();
    }
    format!("{path}={}", all.join(","))
}

struct Commit {
    label: String,
    parents: Vec<String>,
    changes: Vec<String>,
}

/// A history.
pub(crate) struct Graph(Vec<Commit>);

impl Graph {
    pub(crate) fn read(text: &str) -> Self {
        let commit = |line: &str| {
            let mut parts = line.split('|').map(str::trim);
            let head = parts.next().unwrap();
            let (label, parents) = head.split_once('<').unwrap_or((head, ""));
            Commit {
                label: label.trim().to_owned(),
                parents: parents.split_whitespace().map(str::to_owned).collect(),
                changes: parts.filter(|part| !part.is_empty()).map(str::to_owned).collect(),
            }
        };
        Self(text.lines().map(str::trim).filter(|line| !line.is_empty()).map(commit).collect())
    }

    pub(crate) fn labels(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|commit| commit.label.as_str())
    }

    fn mark(&self, label: &str) -> usize {
        self.0.iter().position(|commit| commit.label == label).unwrap_or_else(|| panic!("no {label}")) + 1
    }

    /// The input of `git fast-import`.
    pub(crate) fn stream(&self) -> String {
        let mut out = String::new();
        for (index, commit) in self.0.iter().enumerate() {
            let at = 1_700_000_000 + index * 60;
            let who = if commit.label.starts_with('D') { "Lockstep <l@x>" } else { "Student <s@x>" };
            let mark = index + 1;
            writeln!(out, "commit refs/heads/import-{mark}\nmark :{mark}\nauthor {who} {at} +0000").unwrap();
            writeln!(out, "committer {who} {at} +0000\ndata {}\n{}", commit.label.len(), commit.label)
                .unwrap();
            for (nth, parent) in commit.parents.iter().enumerate() {
                let word = if nth == 0 { "from" } else { "merge" };
                writeln!(out, "{word} :{}", self.mark(parent)).unwrap();
            }
            for change in &commit.changes {
                write_change(&mut out, change);
            }
            out.push('\n');
        }
        // The import's own refs go away again: what exists on the server is what the test sets.
        for mark in 1..=self.0.len() {
            writeln!(out, "reset refs/heads/import-{mark}\nfrom {}\n", "0".repeat(40)).unwrap();
        }
        out
    }
}

fn write_change(out: &mut String, change: &str) {
    if let Some(path) = change.strip_prefix('-') {
        writeln!(out, "D {path}").unwrap();
    } else if let Some((old, new)) = change.split_once('>') {
        writeln!(out, "R {old} {new}").unwrap();
    } else {
        let (path, lines) = change.split_once('=').unwrap_or_else(|| panic!("{change}"));
        let text: String = lines.split(',').map(|line| format!("{}\n", line.replace("\\r", "\r"))).collect();
        writeln!(out, "M 100644 inline {path}\ndata {}\n{text}", text.len()).unwrap();
    }
}
