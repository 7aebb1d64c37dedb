//! Names that come from git and the forge, checked once at the door.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

/// A text that is none of the stable identifiers of its kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{value:?} is not a known {kind}")]
pub struct UnknownCode {
    /// The kind of identifier.
    pub kind: &'static str,
    /// What was found instead.
    pub value: String,
}

/// Why a name was refused; the text names the value and the remedy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{value:?} is not a usable {kind}: {why}")]
pub struct BadName {
    /// The kind of name.
    pub kind: &'static str,
    /// The refused value.
    pub value: String,
    /// The reason, as half a sentence.
    pub why: &'static str,
}

/// A git object id: 40 lower-case hexadecimal digits (SHA-1 repositories only).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Oid([u8; 20]);

impl Oid {
    /// The first seven digits, for people.
    #[must_use]
    pub fn short(self) -> String {
        self.to_string().chars().take(7).collect()
    }
}

impl FromStr for Oid {
    type Err = BadName;
    fn from_str(text: &str) -> Result<Self, BadName> {
        let bad = |why| BadName { kind: "commit id", value: text.to_owned(), why };
        if text.len() != 40 || !text.is_ascii() {
            return Err(bad("it must have 40 hexadecimal digits"));
        }
        let mut out = [0_u8; 20];
        for (byte, pair) in out.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            let digit = |c: u8| (c as char).to_digit(16);
            match (digit(pair[0]), digit(pair[1])) {
                (Some(high), Some(low)) => *byte = u8::try_from(high * 16 + low).unwrap_or_default(),
                _ => return Err(bad("it must have 40 hexadecimal digits")),
            }
        }
        Ok(Self(out))
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Oid {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A branch name that Lockstep hands out: what `git check-ref-format refs/heads/<name>` accepts, and besides not
/// `HEAD`, `@`, a leading `-`, `sync` or anything below `sync/` (docs/SYNC.md).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct BranchName(String);

impl BranchName {
    /// The bare name, as in `main`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// `refs/heads/<name>`.
    #[must_use]
    pub fn full(&self) -> String {
        format!("refs/heads/{}", self.0)
    }

    /// The name of the sync branch, `sync/<name>`.
    #[must_use]
    pub fn sync(&self) -> String {
        format!("sync/{}", self.0)
    }

    /// `refs/heads/sync/<name>`.
    #[must_use]
    pub fn sync_full(&self) -> String {
        format!("refs/heads/sync/{}", self.0)
    }
}

impl fmt::Display for BranchName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for BranchName {
    type Err = BadName;
    fn from_str(text: &str) -> Result<Self, BadName> {
        match branch_fault(text) {
            Some(why) => Err(BadName { kind: "branch name", value: text.to_owned(), why }),
            None => Ok(Self(text.to_owned())),
        }
    }
}

/// The rules of `git check-ref-format` for `refs/heads/<name>`, and our own.
fn branch_fault(name: &str) -> Option<&'static str> {
    const FORBIDDEN: &[char] = &[' ', '~', '^', ':', '?', '*', '[', '\\', '\u{7f}'];
    let component_fault =
        name.split('/').any(|part| part.is_empty() || part.starts_with('.') || part.ends_with(".lock"));
    if name.is_empty() {
        Some("it is empty")
    } else if name == "HEAD" || name == "@" {
        Some("git reserves it")
    } else if name.starts_with('-') {
        Some("it starts with a dash")
    } else if name == "sync" || name.starts_with("sync/") {
        Some("Lockstep's own branches live under sync/")
    } else if component_fault {
        Some("a part of it is empty, starts with a dot or ends with .lock")
    } else if name.ends_with('.') || name.contains("..") || name.contains("@{") {
        Some("git does not allow that in a branch name")
    } else if name.chars().any(|c| FORBIDDEN.contains(&c) || c.is_control()) {
        Some("it has a character that git does not allow")
    } else {
        None
    }
}

/// `owner/name` of a repository, as last known: people and requests use it, identity is the numeric id.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RepoSlug {
    /// Login of the user or organisation.
    pub owner: String,
    /// Name of the repository.
    pub name: String,
}

impl fmt::Display for RepoSlug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.owner, self.name)
    }
}

impl Serialize for RepoSlug {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl FromStr for RepoSlug {
    type Err = BadName;
    fn from_str(text: &str) -> Result<Self, BadName> {
        let bad = |why| BadName { kind: "repository name", value: text.to_owned(), why };
        let (owner, name) = text.trim().split_once('/').ok_or_else(|| bad("write it as owner/name"))?;
        let owner_ok = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        let name_ok = |c: char| owner_ok(c) || c == '.';
        if owner.is_empty() || !owner.chars().all(owner_ok) {
            return Err(bad("the owner may hold letters, digits and dashes"));
        }
        if name.is_empty() || name == "." || name == ".." || !name.chars().all(name_ok) {
            return Err(bad("the name may hold letters, digits, dots, dashes and underscores"));
        }
        Ok(Self { owner: owner.to_owned(), name: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_that_would_block_the_sync_branches_is_refused() {
        for name in
            ["sync", "sync/main", "HEAD", "@", "-x", "", "a..b", "a//b", "a.lock", "a b", ".a", "a/", "x@{1}"]
        {
            assert!(name.parse::<BranchName>().is_err(), "{name}");
        }
        for name in ["main", "bonus/graph", "release-1.0", "synchrony", "é"] {
            assert!(name.parse::<BranchName>().is_ok(), "{name}");
        }
    }

    #[test]
    fn an_oid_survives_the_round_trip_and_a_short_one_is_refused() {
        let text = "82ed421f00000000000000000000000000000aff";
        assert_eq!(text.parse::<Oid>().unwrap().to_string(), text);
        assert!("82ed421f".parse::<Oid>().is_err());
    }

    #[test]
    fn a_slug_needs_owner_and_name() {
        assert!("course-staff/algo.labs".parse::<RepoSlug>().is_ok());
        for bad in ["algo", "/x", "a/", "a/b/c", "a b/c", "a/.."] {
            assert!(bad.parse::<RepoSlug>().is_err(), "{bad}");
        }
    }
}
