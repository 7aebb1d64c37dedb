//! What stands behind "ahead", kept per state of the heads: reading it may need a fetch, and a page never waits long
//! for one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use lockstep_domain::ids::ProjectId;
use lockstep_domain::model::Project;

use crate::app::App;
use crate::rows::count;
use crate::wire::{CommitView, PendingBranch};
use crate::words::ms;

/// How long a page waits; a longer fetch goes on and the next look finds its result.
const PATIENCE: Duration = Duration::from_secs(3);
/// Most commits that a page shows per branch.
const SHOWN: usize = 20;

/// Last result per project, with the heads it was read at.
#[derive(Debug, Clone, Default)]
pub(crate) struct PendingBook(Arc<Mutex<HashMap<ProjectId, (String, Reading)>>>);

#[derive(Debug, Clone)]
enum Reading {
    Underway,
    Done(Vec<PendingBranch>),
}

/// What a press would hand out, per branch that is ahead; empty while it cannot be told.
pub(crate) async fn of(app: &App, project: &Project) -> Vec<PendingBranch> {
    if !project.branches.iter().any(|branch| branch.ahead.wants_a_press()) {
        return Vec::new();
    }
    let Ok(Some(source)) = app.store().source(project.source).await else { return Vec::new() };
    let heads: Vec<_> = source.heads.iter().map(|head| (&head.branch, head.oid)).collect();
    let handed: Vec<_> =
        project.branches.iter().map(|branch| (branch.handed_out, branch.dist_head)).collect();
    let key = format!("{heads:?} {handed:?}");
    let book = app.pending().clone();
    match book.start(project.id, &key) {
        Some(Reading::Done(branches)) => return branches,
        Some(Reading::Underway) => return Vec::new(),
        None => {}
    }
    let (engine, id) = (app.engine(), project.id);
    let read = tokio::spawn(async move {
        let branches = match engine.pending(id).await {
            Ok(pending) => Some(pending.branches.into_iter().map(view).collect::<Vec<_>>()),
            Err(error) => {
                tracing::info!(code = error.code.as_str(), project.id = %id, "what is pending cannot be told");
                None
            }
        };
        book.end(id, &key, branches.clone());
        branches.unwrap_or_default()
    });
    match tokio::time::timeout(PATIENCE, read).await {
        Ok(Ok(branches)) => branches,
        _ => Vec::new(),
    }
}

impl PendingBook {
    /// What is known of this state; else it is now under way.
    fn start(&self, project: ProjectId, key: &str) -> Option<Reading> {
        let mut book = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = book.get(&project).filter(|(known, _)| known == key).map(|(_, reading)| reading.clone());
        if known.is_none() {
            book.insert(project, (key.to_owned(), Reading::Underway));
        }
        known
    }

    /// A failure is forgotten, so that the next look tries again.
    fn end(&self, project: ProjectId, key: &str, branches: Option<Vec<PendingBranch>>) {
        let mut book = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if book.get(&project).is_none_or(|(known, _)| known != key) {
            return;
        }
        match branches {
            Some(branches) => book.insert(project, (key.to_owned(), Reading::Done(branches))),
            None => book.remove(&project),
        };
    }
}

fn view(branch: lockstep_engine::PendingBranch) -> PendingBranch {
    PendingBranch {
        branch: branch.branch.to_string(),
        net_files: Some(count(branch.files.len())),
        commits: branch
            .commits
            .into_iter()
            .take(SHOWN)
            .map(|commit| CommitView {
                short: commit.oid.short(),
                subject: commit.subject,
                author: commit.author,
                at: ms(commit.at),
            })
            .collect(),
    }
}
