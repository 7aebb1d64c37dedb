//! Every request the forge saw, for assertions. Authorization values never enter it.

use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, Utc};
use serde::Serialize;

/// Which interface a request used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AgentKind {
    /// The REST interface.
    Rest,
    /// The GraphQL interface.
    Graphql,
    /// git over smart HTTP.
    Git,
    /// The read-only web pages.
    Site,
    /// The forge's own control endpoints.
    Control,
}

/// A ref that a push moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MovedRef {
    /// The full name.
    pub name: String,
    /// The commit before, `None` when the ref was created.
    pub old: Option<String>,
    /// The commit after, `None` when the ref was deleted.
    pub new: Option<String>,
}

/// One request.
#[derive(Debug, Clone, Serialize)]
pub struct Entry {
    /// Counts from 0 in order of arrival.
    pub number: u64,
    /// When it arrived.
    pub at: DateTime<Utc>,
    /// Which interface it used.
    pub kind: AgentKind,
    /// The HTTP method.
    pub method: String,
    /// The template that matched, for instance `/repos/{owner}/{repo}/pulls`; `None` for an unknown route.
    pub route: Option<String>,
    /// Path and query as sent.
    pub path: String,
    /// The answered status.
    pub status: u16,
    /// The value of `x-github-request-id`.
    pub request_id: String,
    /// `owner/name` of the repository concerned, as known now.
    pub repository: Option<String>,
    /// For GraphQL: the name of the operation.
    pub operation: Option<String>,
    /// For git: `git-upload-pack` or `git-receive-pack`.
    pub service: Option<String>,
    /// For git: what the push moved.
    pub moved: Vec<MovedRef>,
}

impl Entry {
    /// Is this the request of a push that carries the ref updates (not the advertisement before it)?
    pub fn is_push(&self) -> bool {
        self.kind == AgentKind::Git
            && self.method == "POST"
            && self.service.as_deref() == Some("git-receive-pack")
            && self.status == 200
    }

    /// Is this the request of a fetch or clone (not the advertisement before it)?
    pub fn is_fetch(&self) -> bool {
        self.kind == AgentKind::Git
            && self.method == "POST"
            && self.service.as_deref() == Some("git-upload-pack")
    }
}

/// The list of requests. Cloning gives another view of the same list.
#[derive(Debug, Clone, Default)]
pub struct Journal(Arc<Mutex<Vec<Entry>>>);

impl Journal {
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn record(&self, mut entry: Entry) -> u64 {
        let mut entries = self.lock();
        entry.number = entries.last().map_or(0, |last| last.number + 1);
        let number = entry.number;
        entries.push(entry);
        number
    }

    pub(crate) fn add_moved(&self, number: u64, moved: Vec<MovedRef>) {
        if let Some(entry) = self.lock().iter_mut().find(|entry| entry.number == number) {
            entry.moved = moved;
        }
    }

    /// All requests so far, oldest first.
    pub fn entries(&self) -> Vec<Entry> {
        self.lock().clone()
    }

    /// How many requests satisfy `which`.
    pub fn count(&self, which: impl Fn(&Entry) -> bool) -> usize {
        self.lock().iter().filter(|entry| which(entry)).count()
    }

    /// How many requests matched this method and route template, on any repository.
    pub fn count_route(&self, method: &str, route: &str) -> usize {
        self.count(|entry| entry.method == method && entry.route.as_deref() == Some(route))
    }

    /// How many pushes moved or tried to move refs (see [`Entry::is_push`]).
    pub fn pushes(&self) -> usize {
        self.count(Entry::is_push)
    }

    /// The requests that the forge does not know (answered 501). A test should end with none.
    pub fn unexpected(&self) -> Vec<Entry> {
        self.lock().iter().filter(|entry| entry.status == 501).cloned().collect()
    }

    /// Forgets all requests so far.
    pub fn clear(&self) {
        self.lock().clear();
    }
}
