//! The whole history of a desk: logs, database and forge, as the checker takes it.

use std::path::Path;

use lockstep_domain::model::{Item, Project};
use lockstep_store::{Pace, StoreError};
use serde_json::Value;

use super::Rig;
use crate::event::{Event, What};
use crate::history::{Audited, BranchState, Commented, ForgeWrite, History, Pull, RefMoved};

/// Most audit rows of one desk.
const ALL: u32 = 100_000;

/// The whole lines of a log.
pub(crate) fn events_of(log: &Path) -> Vec<Event> {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    whole.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

impl Rig {
    /// Whether the database takes writes now: on SQLite a process that is stopped in a transaction locks all others out.
    ///
    /// # Panics
    /// It fails for another reason than being busy.
    #[must_use]
    pub fn is_writable(&self) -> bool {
        let (store, _) = self.store.as_ref().expect("a desk that is ready");
        let pace = Pace { min_interval_ms: 0, per_hour: 1_000_000 };
        match self.runtime.block_on(store.gate_reserve("a look of the desk", pace)) {
            Ok(_) => true,
            Err(StoreError::Busy) => false,
            Err(error) => panic!("the database fails: {error}"),
        }
    }

    /// Every event of every process so far, in the order of the boot clock.
    ///
    /// # Panics
    /// The folder of logs cannot be read.
    #[must_use]
    pub fn events(&self) -> Vec<Event> {
        let mut all = self.own_events();
        for entry in std::fs::read_dir(self.at("logs")).expect("the logs") {
            let path = entry.expect("a log").path();
            if path.extension().is_some_and(|end| end == "log") {
                all.extend(events_of(&path));
            }
        }
        all.sort_by_key(|event| (event.at_ns, event.pid, event.seq));
        all
    }

    /// The milliseconds between two moments, each the first of its kind.
    #[must_use]
    pub fn claims(&self) -> Vec<Event> {
        self.events().into_iter().filter(|event| matches!(event.what, What::Claimed { .. })).collect()
    }

    /// Everything that the checker judges; the world is at rest.
    ///
    /// # Panics
    /// Database or forge cannot be read.
    #[must_use]
    pub fn history(&self) -> History {
        let (store, id) = self.store.as_ref().expect("a desk that is ready");
        let (project, audit, lease, outcomes, items) = self.runtime.block_on(async {
            let project = store.project(*id).await.expect("the project").expect("the project");
            let audit = store.audit(Some(*id), ALL).await.expect("the audit");
            let lease = store.lease(*id).await.expect("the lease").expect("the lease");
            let outcomes = store.last_outcomes(*id).await.expect("the outcomes");
            let run = lease.run.expect("a run");
            (project, audit, lease, outcomes, store.items(run).await.expect("the items"))
        });
        let audited = |row: &lockstep_domain::model::AuditRow| {
            let detail: Value = serde_json::from_str(&row.detail).unwrap_or(Value::Null);
            let fence = detail["fence"].as_i64();
            Audited { event: row.event.clone(), fence, at_ms: row.at.0, detail }
        };
        let failed = outcomes.iter().filter(|last| last.outcome.as_str() == "failed").count();
        History {
            window_ms: self.options.window_ms,
            events: self.events(),
            audit: audit.iter().rev().map(audited).collect(),
            forge: self.forge_writes(),
            pulls: self.pulls(),
            comments: self.comments(),
            branches: self.branches(&project),
            recipients: self.course.recipients.clone(),
            outcomes: outcomes.len(),
            failed,
            open_items: items.iter().filter(|item: &&Item| item.outcome.is_none()).count(),
            lease_held: lease.held,
            ..History::default()
        }
    }

    fn branches(&self, project: &Project) -> Vec<BranchState> {
        let control = self.forge.control();
        let one = |branch: &lockstep_domain::model::ProjectBranch| BranchState {
            branch: branch.branch.to_string(),
            dist_head: branch.dist_head.map(|oid| oid.to_string()),
            update_number: branch.update_number,
            at_forge: control
                .branch(&self.course.distribution, branch.branch.as_str())
                .expect("the distribution"),
        };
        project.branches.iter().map(one).collect()
    }

    fn pulls(&self) -> Vec<Pull> {
        let control = self.forge.control();
        let of = |repo: &String| {
            let pulls = control.pull_requests(repo).expect("the repository");
            let repo = repo.clone();
            pulls.into_iter().map(move |pull| Pull {
                repo: repo.clone(),
                number: pull.number,
                state: pull.state,
                head_ref: pull.head_ref,
                base_ref: pull.base_ref,
                head: pull.head_sha,
            })
        };
        self.course.recipients.iter().flat_map(of).collect()
    }

    fn comments(&self) -> Vec<Commented> {
        let control = self.forge.control();
        let mut all = Vec::new();
        for pull in self.pulls() {
            for comment in control.comments(&pull.repo, pull.number).expect("the pull request") {
                let marker =
                    comment.body.split_once("<!-- lockstep:").and_then(|(_, rest)| rest.split_once(" -->"));
                let head = marker.map(|(head, _)| head.to_owned()).unwrap_or_default();
                all.push(Commented { repo: pull.repo.clone(), number: pull.number, head });
            }
        }
        all
    }

    fn forge_writes(&self) -> Vec<ForgeWrite> {
        let mut all = Vec::new();
        for entry in self.forge.journal().entries() {
            let route = entry.route.as_deref().unwrap_or_default();
            let made = entry.method == "POST" && entry.status == 201;
            let kind = match () {
                () if entry.is_push() => "push",
                () if made && route.ends_with("/pulls") => "open",
                () if made && route.ends_with("/comments") => "comment",
                () if entry.method == "PATCH" && entry.status == 200 => "close",
                () => continue,
            };
            let moved = entry.moved.iter().map(|moved| RefMoved {
                name: moved.name.clone(),
                old: moved.old.clone(),
                new: moved.new.clone(),
            });
            all.push(ForgeWrite {
                number: entry.number,
                at_ms: entry.at.timestamp_millis(),
                kind: kind.to_owned(),
                repo: entry.repository.clone().unwrap_or_default(),
                moved: moved.collect(),
            });
        }
        all
    }
}
