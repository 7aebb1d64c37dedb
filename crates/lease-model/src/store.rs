//! The lease as a thing that runs: one project with its source, runs, items and publications in memory, over the same
//! transitions as the model checker's.

use std::collections::{BTreeMap, BTreeSet};

use crate::row::{Cancel, Held, NewOwner, Op, Owner, Row, Status};
use crate::rules::Rules;
use crate::system::Part;

/// How a claim ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claimed {
    /// The new owner's fence, and the fence of the dead lease that it replaced.
    Won {
        /// Fence of this claim.
        fence: i64,
        /// Fence of the holder that was replaced.
        replaced: Option<i64>,
    },
    /// Somebody live holds it.
    InProgress,
    /// The project is deleted.
    ProjectMissing,
    /// The source is retired.
    SourceMissing,
}

/// How a guarded write ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// Committed.
    Done,
    /// Rolled back whole: not the owner's, expired or deleted.
    Lost,
    /// Rolled back whole: published under this fence already.
    Twice,
}

/// How an ask to cancel ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// Stamped.
    Now,
    /// Somebody was first.
    Before(Cancel),
    /// No such fence is held.
    NotRunning,
}

/// How a reclaim ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reclaimed {
    /// Free now.
    Done,
    /// Its holder is live.
    Refused,
    /// Another fence, or free already.
    AlreadyFinished,
}

/// How a deletion ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removed {
    /// Gone.
    Done,
    /// A live lease forbids it.
    Held,
    /// Gone before.
    NotFound,
}

/// A run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// Its id.
    pub id: u64,
    /// Fence of its claim.
    pub fence: i64,
    /// Process of its holder.
    pub holder: u32,
    /// When it was claimed.
    pub started_at: i64,
    /// When it ended.
    pub ended_at: Option<i64>,
    /// As stored; see [`ModelStore::shown`].
    pub status: Status,
}

/// How far an item got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemStep {
    /// By a publication.
    Planned,
    /// Before a ref moves.
    Recorded,
    /// Has an outcome.
    Done,
}

/// One project's lease and everything that a run writes under it.
#[derive(Debug, Clone)]
pub struct ModelStore {
    /// The database's clock.
    pub now: i64,
    /// The lease.
    pub row: Row,
    /// Runs, oldest first.
    pub runs: Vec<Run>,
    /// Publications: fence and kind, with run and time.
    pub publications: BTreeMap<(i64, Part), (u64, i64)>,
    /// Items: run and recipient, with step and time.
    pub items: BTreeMap<(u64, u32), (ItemStep, i64)>,
    /// Number of the last published update; 0: none.
    pub published: u32,
    /// Audit events of the project since it was made, oldest first.
    pub audit: Vec<&'static str>,
    /// Processes that are gone.
    pub gone: BTreeSet<u32>,
    recipients: u32,
    proves_death: bool,
    deleted: bool,
    retired: bool,
}

const RULES: Rules = Rules::RIGHT;

impl ModelStore {
    /// A new project with so many recipients and a free lease. `proves_death`: one machine, where a process that is gone
    /// ends its lease.
    #[must_use]
    pub fn new(now: i64, window_ms: i64, recipients: u32, proves_death: bool) -> Self {
        Self {
            now,
            row: Row::free(window_ms),
            runs: Vec::new(),
            publications: BTreeMap::new(),
            items: BTreeMap::new(),
            published: 0,
            audit: Vec::new(),
            gone: BTreeSet::new(),
            recipients,
            proves_death,
            deleted: false,
            retired: false,
        }
    }

    fn alive(&self) -> bool {
        !self.deleted && !self.retired
    }

    fn is_gone(&self, holder: Option<u32>) -> bool {
        self.proves_death && holder.is_some_and(|holder| self.gone.contains(&holder))
    }

    fn holder_is_gone(&self) -> bool {
        self.row.token.is_some() && self.is_gone(self.row.holder)
    }

    fn is_held_live(&self) -> bool {
        self.row.is_held_live(self.now) && !self.holder_is_gone()
    }

    fn interrupt(&mut self) {
        if let Some(run) = self.runs.iter_mut().find(|run| run.status == Status::Running) {
            run.status = Status::Interrupted;
            run.ended_at = Some(self.now);
        }
    }

    /// A run's status as people see it: a dead run is never shown as running.
    #[must_use]
    pub fn shown(&self, run: &Run) -> Status {
        let held = self.row.is_held_live(self.now) && self.row.fence == run.fence;
        let dead = !held || self.is_gone(Some(run.holder));
        if run.status == Status::Running && dead { Status::Interrupted } else { run.status }
    }

    /// Claims.
    pub fn claim(&mut self, new: &NewOwner) -> Claimed {
        if self.deleted {
            return Claimed::ProjectMissing;
        }
        if self.retired {
            return Claimed::SourceMissing;
        }
        if !self.row.may_claim(RULES, self.now, self.holder_is_gone()) {
            return Claimed::InProgress;
        }
        let replaced = self.row.token.map(|_held| self.row.fence);
        self.row.claim(RULES, new, self.now);
        self.interrupt();
        self.runs.push(Run {
            id: new.run,
            fence: self.row.fence,
            holder: new.holder,
            started_at: self.now,
            ended_at: None,
            status: Status::Running,
        });
        self.audit.push("lease.claimed");
        Claimed::Won { fence: self.row.fence, replaced }
    }

    /// Renews; `None`: lost.
    pub fn renew(&mut self, owner: &Owner, progress: Option<u32>) -> Option<Held> {
        let may = self.row.is_owned(RULES, Op::Renew, owner)
            && self.row.is_renewable(RULES, Op::Renew, self.now, self.alive());
        may.then(|| {
            self.beat(progress);
            self.row.renewed(RULES)
        })
    }

    /// A heartbeat; one that comes when the lease is late already (older than W/3 + 10 s) is told in the audit.
    fn beat(&mut self, progress: Option<u32>) {
        let late = self.row.window_ms / 3 + 10_000;
        if self.row.heartbeat_at.is_some_and(|before| self.now - before > late) {
            self.audit.push("lease.renewed_late");
        }
        self.row.renew(self.now, progress);
    }

    /// The fence check; `None`: lost.
    #[must_use]
    pub fn check(&self, owner: &Owner) -> Option<Held> {
        self.row.check(RULES, owner, self.now)
    }

    /// Writes progress; `false`: not the owner's.
    pub fn progress(&mut self, owner: &Owner, progress: u32) -> bool {
        let owned = self.row.is_owned(RULES, Op::Progress, owner);
        if owned {
            self.row.progress = Some((progress, self.now));
        }
        owned
    }

    /// Writes an item of the run up to a step; one that is done stays done.
    pub fn item(&mut self, owner: &Owner, run: u64, recipient: u32, step: ItemStep) -> Written {
        if !self.row.is_owned(RULES, Op::Item, owner) {
            return Written::Lost;
        }
        let item = self.items.entry((run, recipient)).or_insert((step, self.now));
        if item.0 != ItemStep::Done {
            item.0 = step;
        }
        item.1 = self.now;
        Written::Done
    }

    /// Publishes the distribution step as an update of this number; keeps the lease.
    pub fn publish(&mut self, owner: &Owner, run: u64, number: u32) -> Written {
        let may = self.row.is_owned(RULES, Op::Publish, owner)
            && self.row.is_renewable(RULES, Op::Publish, self.now, self.alive());
        if !may {
            return Written::Lost;
        }
        if self.publications.contains_key(&(owner.fence, Part::Distribution)) {
            return Written::Twice;
        }
        self.beat(None);
        self.write_publication(owner, run, number);
        Written::Done
    }

    fn write_publication(&mut self, owner: &Owner, run: u64, number: u32) {
        self.publications.insert((owner.fence, Part::Distribution), (run, self.now));
        self.published = number;
        for recipient in 0..self.recipients {
            self.items.entry((run, recipient)).or_insert((ItemStep::Planned, self.now));
        }
        self.audit.push("run.published");
    }

    /// Finishes, with the publication of an update when there is a number.
    pub fn finish(&mut self, owner: &Owner, run: u64, status: Status, number: Option<u32>) -> Written {
        let may = self.row.is_owned(RULES, Op::Finish, owner)
            && self.row.is_renewable(RULES, Op::Finish, self.now, self.alive());
        if !may {
            return Written::Lost;
        }
        if number.is_some() && self.publications.contains_key(&(owner.fence, Part::Distribution)) {
            return Written::Twice;
        }
        self.row.clear(self.now, status);
        self.publications.insert((owner.fence, Part::End), (run, self.now));
        if let Some(number) = number {
            self.write_publication(owner, run, number);
        }
        self.end(run, status, "run.finished");
        Written::Done
    }

    /// Releases, expired or not; `false`: not the owner's.
    pub fn release(&mut self, owner: &Owner, run: u64, status: Status) -> bool {
        let owned = self.row.is_owned(RULES, Op::Release, owner);
        if owned {
            self.row.clear(self.now, status);
            self.end(run, status, "lease.released");
        }
        owned
    }

    fn end(&mut self, run: u64, status: Status, event: &'static str) {
        if let Some(run) =
            self.runs.iter_mut().find(|known| known.id == run && known.status == Status::Running)
        {
            run.status = status;
            run.ended_at = Some(self.now);
        }
        self.audit.push(event);
    }

    /// Asks the holder of a fence to stop.
    pub fn ask_cancel(&mut self, seen: i64, by: u32) -> Asked {
        if self.row.ask_cancel(RULES, seen, self.now, by) {
            self.audit.push("lease.cancel_asked");
            return Asked::Now;
        }
        let held = self.row.token.is_some() && self.row.fence == seen;
        self.row.cancel.filter(|_ask| held).map_or(Asked::NotRunning, Asked::Before)
    }

    /// Ends the lease of a holder that is gone.
    pub fn reclaim(&mut self, seen: i64) -> Reclaimed {
        if self.row.may_reclaim(RULES, seen, self.now, self.holder_is_gone()) {
            self.row.clear(self.now, Status::Interrupted);
            self.interrupt();
            self.audit.push("lease.reclaimed");
            return Reclaimed::Done;
        }
        let held = self.row.token.is_some() && self.row.fence == seen;
        if held { Reclaimed::Refused } else { Reclaimed::AlreadyFinished }
    }

    /// Deletes the project.
    pub fn delete_project(&mut self) -> Removed {
        if self.is_held_live() {
            return Removed::Held;
        }
        if std::mem::replace(&mut self.deleted, true) {
            return Removed::NotFound;
        }
        self.audit.push("project.deleted");
        Removed::Done
    }

    /// Retires the source; a deleted project is not asked.
    pub fn retire_source(&mut self) -> Removed {
        if self.retired {
            return Removed::NotFound;
        }
        if !self.deleted && self.is_held_live() {
            return Removed::Held;
        }
        self.retired = true;
        Removed::Done
    }
}
