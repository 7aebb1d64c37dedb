//! Rows as people see them, put together from what the store holds of one project.

use std::collections::{HashMap, HashSet};

use lockstep_domain::clock::Millis;
use lockstep_domain::ids::RecipientId;
use lockstep_domain::lease::{Holder, LeaseView};
use lockstep_domain::model::{
    Connection, Counts, Item, LastOutcome, Project, ProjectBranch, PullRow, PullState, Recipient, Source,
};
use lockstep_domain::names::BranchName;
use lockstep_domain::outcome::{ItemStep, Outcome};
use lockstep_engine::owed;

use crate::app::App;
use crate::error::Result;
use crate::wire::{
    AheadView, PressKind, ProjectRow, PullCounts, PullView, RecipientBranchRow, RecipientRow, RunView,
};
use crate::words::{ms, small};
use crate::{leases, pages};

/// Everything about one project that its rows are made of: of all recipients, or of those that were asked for. Counts
/// mean the project only when all were read.
#[derive(Debug)]
pub(crate) struct Facts {
    pub(crate) project: Project,
    pub(crate) source: Option<Source>,
    pub(crate) recipients: Vec<Recipient>,
    last: Vec<LastOutcome>,
    pulls: Vec<PullRow>,
    pub(crate) lease: LeaseView,
    owed: HashSet<RecipientId>,
    pub(crate) db_now: Millis,
}

impl Facts {
    /// Reads them, of `only` these recipients when given; the lease was read before.
    pub(crate) async fn read(
        app: &App,
        project: Project,
        source: Option<Source>,
        lease: LeaseView,
        only: Option<&[RecipientId]>,
    ) -> Result<Self> {
        let store = app.store();
        let (recipients, last, pulls) = match only {
            None => (
                store.recipients(project.id).await?,
                store.last_outcomes(project.id).await?,
                store.pulls(project.id).await?,
            ),
            Some(only) => (
                store.recipients_some(project.id, only).await?,
                store.last_outcomes_some(project.id, only).await?,
                store.pulls_some(project.id, only).await?,
            ),
        };
        let db_now = lease.db_now;
        let owed = owed(&project, &recipients, &last, &pulls, db_now);
        let owed = owed.into_iter().map(|pair| pair.recipient).collect();
        Ok(Self { project, source, recipients, last, pulls, lease, owed, db_now })
    }

    /// How many recipients are owed something.
    pub(crate) fn owed(&self) -> u32 {
        count(self.owed.len())
    }

    /// The row in the list of projects.
    pub(crate) fn project_row(
        &self,
        press: PressKind,
        resumable: Option<RunView>,
        ours: &Holder,
    ) -> ProjectRow {
        let project = &self.project;
        ProjectRow {
            id: project.id.to_string(),
            name: project.name.clone(),
            source: self.source.as_ref().map_or_else(String::new, |source| source.repo.slug.to_string()),
            state: project.state,
            strategy: project.strategy,
            ahead: ahead_views(project, self.source.as_ref()),
            lease: leases::card(&self.lease, &project.name, ours),
            counts: self.counts(),
            recipients: count(self.recipients.len()),
            owed: self.owed(),
            pulls: self.pull_counts(),
            last_synced: self.last.iter().map(|last| last.at).max().map(ms),
            deadline: project.deadline.map(ms),
            press,
            resumable,
        }
    }

    /// Each recipient's strongest last outcome.
    fn counts(&self) -> Counts {
        let mut strongest: HashMap<RecipientId, Outcome> = HashMap::new();
        for last in &self.last {
            let known = strongest.get(&last.recipient).copied();
            if let Some(outcome) = Outcome::strongest(known.into_iter().chain([last.outcome])) {
                strongest.insert(last.recipient, outcome);
            }
        }
        let mut counts = Counts::default();
        for recipient in &self.recipients {
            if let Some(outcome) = strongest.get(&recipient.id) {
                counts.add(*outcome);
            }
        }
        counts
    }

    fn pull_counts(&self) -> PullCounts {
        let of = |state| count(self.pulls.iter().filter(|pull| pull.state == state).count());
        PullCounts { open: of(PullState::Open), merged: of(PullState::Merged), closed: of(PullState::Closed) }
    }

    /// The rows of recipients. `items` are those of the live run.
    pub(crate) fn recipient_rows(&self, connections: &[Connection], items: &[Item]) -> Vec<RecipientRow> {
        let last: HashMap<_, _> = self.last.iter().map(|row| ((row.recipient, &row.branch), row)).collect();
        let pulls: HashMap<_, _> = self.pulls.iter().map(|row| ((row.recipient, &row.branch), row)).collect();
        let steps: HashMap<_, _> =
            items.iter().map(|item| ((item.recipient, &item.branch), item.step)).collect();
        self.recipients
            .iter()
            .map(|recipient| {
                let branches = self
                    .project
                    .branches
                    .iter()
                    .map(|branch| {
                        let key = (recipient.id, &branch.branch);
                        let last = last.get(&key).copied();
                        branch_row(branch, last, pulls.get(&key).copied(), steps.get(&key).copied())
                    })
                    .collect();
                self.recipient_row(recipient, branches, connections, &last)
            })
            .collect()
    }

    fn recipient_row(
        &self,
        recipient: &Recipient,
        branches: Vec<RecipientBranchRow>,
        connections: &[Connection],
        last: &HashMap<(RecipientId, &BranchName), &LastOutcome>,
    ) -> RecipientRow {
        let deadline = recipient.deadline.or(self.project.deadline);
        let last_at = self
            .project
            .branches
            .iter()
            .filter_map(|b| last.get(&(recipient.id, &b.branch)))
            .map(|l| l.at)
            .max();
        RecipientRow {
            id: recipient.id.to_string(),
            repo: recipient.repo.slug.to_string(),
            url: pages::repository(connections, &recipient.repo),
            label: recipient.label.clone(),
            state: recipient.state,
            deadline: deadline.map(ms),
            own_deadline: recipient.deadline.is_some(),
            past_deadline: deadline.is_some_and(|deadline| deadline <= self.db_now),
            locked: recipient.locked,
            owed: self.owed.contains(&recipient.id),
            outcome: Outcome::strongest(branches.iter().filter_map(|branch| branch.outcome)),
            branches,
            last_at: last_at.map(ms),
        }
    }
}

fn branch_row(
    branch: &ProjectBranch,
    last: Option<&LastOutcome>,
    pull: Option<&PullRow>,
    step: Option<ItemStep>,
) -> RecipientBranchRow {
    RecipientBranchRow {
        branch: branch.branch.to_string(),
        outcome: last.map(|last| last.outcome),
        reason: last.and_then(|last| last.reason),
        cause: last.map_or_else(String::new, |last| last.cause.clone()),
        conflicts: last.and_then(|last| last.conflicts),
        step,
        pull: pull.map(|pull| PullView {
            number: small(pull.number),
            state: pull.state,
            mergeable: pull.mergeable,
            url: pull.url.clone(),
            opened_at: ms(pull.opened_at),
            behind: pull.state == PullState::Open && pull.announced != branch.dist_head,
        }),
    }
}

/// Ahead per handed-out branch, in the project's order.
pub(crate) fn ahead_views(project: &Project, source: Option<&Source>) -> Vec<AheadView> {
    project
        .branches
        .iter()
        .map(|branch| {
            let (kind, number) = branch.ahead.parts();
            let heads = source.map(|source| source.heads.as_slice()).unwrap_or_default();
            let head = heads.iter().find(|head| head.branch == branch.source_branch);
            AheadView {
                branch: branch.branch.to_string(),
                kind,
                number,
                handed_out: branch.handed_out.map(|oid| oid.to_string()),
                seen: head.and_then(|head| head.oid).map(|oid| oid.to_string()),
                dist_head: branch.dist_head.map(|oid| oid.to_string()),
                update_number: branch.update_number,
                seen_at: head.map(|head| ms(head.seen_at)),
            }
        })
        .collect()
}

pub(crate) fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
