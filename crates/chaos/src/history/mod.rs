//! The checker: logs of all processes, the database and the forge's journal, judged together.
//!
//! It says nothing about times but what follows from order: an event was written after the call that it tells of, and
//! carries the moment from just before that call, so that what is called a fault is one on every machine.

mod lease;
mod outside;
mod rest;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value;

use crate::event::{Event, What};

/// An audit row.
#[derive(Debug, Clone, Default)]
pub struct Audited {
    /// Its event, as `lease.claimed`.
    pub event: String,
    /// The fence that it names.
    pub fence: Option<i64>,
    /// Database time.
    pub at_ms: i64,
    /// Its details.
    pub detail: Value,
}

/// A ref that a push moved.
#[derive(Debug, Clone, Default)]
pub struct RefMoved {
    /// Full name.
    pub name: String,
    /// Before.
    pub old: Option<String>,
    /// After.
    pub new: Option<String>,
}

/// A write that the forge took.
#[derive(Debug, Clone, Default)]
pub struct ForgeWrite {
    /// Place in the journal.
    pub number: u64,
    /// When it arrived, wall time.
    pub at_ms: i64,
    /// `push`, `open`, `comment`, `close`.
    pub kind: String,
    /// `owner/name`.
    pub repo: String,
    /// For a push.
    pub moved: Vec<RefMoved>,
}

/// A pull request as it is.
#[derive(Debug, Clone, Default)]
pub struct Pull {
    /// `owner/name`.
    pub repo: String,
    /// Number.
    pub number: u64,
    /// `open`, `closed`, `merged`.
    pub state: String,
    /// Branch to be merged.
    pub head_ref: String,
    /// Branch that it is merged into.
    pub base_ref: String,
    /// Commit.
    pub head: String,
}

/// A comment of ours.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Commented {
    /// `owner/name`.
    pub repo: String,
    /// Pull request.
    pub number: u64,
    /// The distribution head in its hidden marker.
    pub head: String,
}

/// A handed-out branch, in the database and at the forge.
#[derive(Debug, Clone, Default)]
pub struct BranchState {
    /// Name.
    pub branch: String,
    /// Head of the distribution as recorded.
    pub dist_head: Option<String>,
    /// Update number as recorded.
    pub update_number: u32,
    /// Head of the distribution as it is.
    pub at_forge: Option<String>,
}

/// Everything that is known of a desk at rest.
#[derive(Debug, Clone, Default)]
pub struct History {
    /// The window of every claim, in milliseconds.
    pub window_ms: i64,
    /// All events in the order of the boot clock.
    pub events: Vec<Event>,
    /// The project's audit, oldest first.
    pub audit: Vec<Audited>,
    /// What the forge took, in order.
    pub forge: Vec<ForgeWrite>,
    /// Pull requests of the recipients.
    pub pulls: Vec<Pull>,
    /// Comments on them.
    pub comments: Vec<Commented>,
    /// Handed-out branches.
    pub branches: Vec<BranchState>,
    /// `owner/name` of the recipients.
    pub recipients: Vec<String>,
    /// Last outcomes in the database.
    pub outcomes: usize,
    /// Of these: failed.
    pub failed: usize,
    /// Items of the last run without an outcome.
    pub open_items: usize,
    /// Whether the lease is held.
    pub lease_held: bool,
    /// Whether processes lied about their boot or their start, so that a living one may be proven dead.
    pub false_machine: bool,
}

/// A law that a history breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// Which: I1 to I9 (docs/LEASES.md section 7), `pulls`, `comments`, `refs`, `rest`.
    pub law: &'static str,
    /// What was seen.
    pub text: String,
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.law, self.text)
    }
}

/// Gathers complaints.
#[derive(Debug, Default)]
struct Found(Vec<Complaint>);

impl Found {
    fn add(&mut self, law: &'static str, text: String) {
        self.0.push(Complaint { law, text });
    }
}

/// Every law that this history breaks; empty: none.
#[must_use]
pub fn complaints(history: &History) -> Vec<Complaint> {
    let mut found = Found::default();
    lease::judge(history, &mut found);
    outside::judge(history, &mut found);
    rest::judge(history, &mut found);
    found.0
}

impl History {
    /// # Panics
    /// It breaks a law; all are named.
    pub fn assert_lawful(&self) {
        let complaints: Vec<String> = complaints(self).iter().map(ToString::to_string).collect();
        assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    }

    /// Publications that came too late, and all that there were.
    #[must_use]
    pub fn publications(&self) -> (usize, usize) {
        let all = self.audit.iter().filter(|row| row.event == "run.published").count();
        (complaints(self).iter().filter(|complaint| complaint.law == "I1").count(), all)
    }

    /// Process of each fence, from its claim.
    fn owners(&self) -> BTreeMap<i64, u32> {
        let owner = |event: &Event| match event.what {
            What::Claimed { fence, .. } => Some((fence, event.pid)),
            _ => None,
        };
        self.events.iter().filter_map(owner).collect()
    }
}
