//! What the model remembers. The database's clock always reads 0: time passes by making everything else older, so that
//! an unbounded time has finitely many states.

use std::hash::{Hash, Hasher};

use crate::row::{Owner, Row};
use crate::rules::Law;

/// Length of the window in ticks. The local deadline at 11/12 W then allows an age of one tick, not of two.
pub const W: i64 = 2;
/// First age (in ticks since the last successful renewal was sent) that is past the local deadline of 11/12 W.
pub const PAST: u8 = 2;

/// The two kinds of publication.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// The distribution step.
    Distribution,
    /// The end.
    End,
}

/// What is committed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Db {
    /// The lease.
    pub row: Row,
    /// Whether project and source exist undeleted; which of the two is gone makes no difference to any guard.
    pub alive: bool,
    /// Whose batch the two halves of the published data are (tokens), while they differ.
    pub published: [u64; 2],
    /// Publications of the row's fence: how often of each kind. Those of older fences are forgotten: a publication
    /// under an older fence is a broken law already.
    pub publications: [u8; 2],
    /// Ticks since the row's heartbeat was written, up to 2 W + 1.
    pub quiet: u8,
    /// Whether the clock stepped back since then.
    pub stepped_back: bool,
}

/// Who has a transaction open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum By {
    /// A worker.
    Worker(usize),
    /// Staff, deleting or retiring.
    Staff,
}

/// The one transaction that holds the row's lock, with its uncommitted state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Txn {
    /// Whose.
    pub by: By,
    /// As it will be after COMMIT.
    pub db: Db,
}

/// What a holder knows, in its own memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Guard {
    /// Token and fence.
    pub owner: Owner,
    /// Ticks of its own clock since its last successful renewal was sent, up to [`PAST`].
    pub age: u8,
    /// How often it was told of its loss.
    pub lost: u8,
}

/// Statements that take the row's lock first and read the clock in a later statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Write {
    /// A heartbeat.
    Renew,
    /// The distribution step.
    Publish,
    /// The end.
    Finish,
}

/// How a call ended, on its way back to the worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Answer {
    /// The lease is the worker's.
    Claimed(Owner),
    /// Committed.
    Done(Write),
    /// Zero rows: rolled back.
    Lost(Write),
    /// Refused by the uniqueness of publications: rolled back.
    Twice(Write),
}

/// What a worker waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Call {
    /// Nothing.
    Idle,
    /// The claim's UPDATE has its verdict from a first look at the row and waits for the lock.
    Reading {
        /// The holder it has proven dead, by fence.
        dead: Option<i64>,
        /// Whether somebody committed a change of the row since: the verdict is then taken again.
        moved: bool,
    },
    /// The claim's UPDATE is done, not committed.
    Claiming(Owner),
    /// A guarded write has its verdict before its lock. Only flawed rules come here.
    Guessed(Write),
    /// The row is locked by token and fence.
    Locked(Write),
    /// The clock was read under the lock, everything written, not committed.
    Judged(Write),
    /// Over at the server.
    Answered(Answer),
}

/// A process and what it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Worker {
    /// How often it crashed: with its number the identity of the process.
    pub incarnation: u8,
    /// What it believes to hold.
    pub guard: Option<Guard>,
    /// The call under way.
    pub call: Call,
    /// Ticks since the call was sent, up to [`PAST`].
    pub sent: u8,
}

/// What may still happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Budget {
    /// Claims.
    pub claims: u8,
    /// Steps of the clock forward, by any of the configuration's lengths.
    pub forward: u8,
    /// Ticks that the clock may still step back, all steps together.
    pub back: u8,
    /// Crashes, each with a restart at once (a process that stays down is one that does nothing more).
    pub crashes: u8,
    /// Failovers that lose the last commit.
    pub failovers: u8,
}

/// Most workers of a configuration.
pub const CREW: usize = 3;

/// Everything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// Committed.
    pub db: Db,
    /// What a failover brings back: the state before the last commit.
    pub before: Option<Db>,
    /// The open transaction.
    pub txn: Option<Txn>,
    /// The workers; those beyond the configuration's number stay idle.
    pub workers: [Worker; CREW],
    /// Last token.
    pub minted: u64,
    /// What may still happen.
    pub budget: Budget,
    /// Whether the database's clock never stepped and no failover happened.
    pub honest: bool,
    /// Fences for which a person asked to cancel, one bit each.
    pub asked: u16,
    /// Laws found broken, one bit each.
    pub broken: u16,
}

impl State {
    pub(super) fn first(budget: Budget) -> Self {
        let db = Db {
            row: Row::free(W),
            alive: true,
            published: [0, 0],
            publications: [0, 0],
            quiet: 0,
            stepped_back: false,
        };
        let idle = Worker { incarnation: 0, guard: None, call: Call::Idle, sent: 0 };
        let before = (budget.failovers > 0).then(|| db.clone());
        Self {
            db,
            before,
            txn: None,
            workers: [idle; CREW],
            minted: 0,
            budget,
            honest: true,
            asked: 0,
            broken: 0,
        }
    }

    /// Whether a law was found broken on the way here.
    #[must_use]
    pub const fn breaks(&self, law: Law) -> bool {
        self.broken & law.bit() != 0
    }

    pub(super) fn break_law(&mut self, law: Law) {
        self.broken |= law.bit();
    }

    /// Number of a worker's process.
    pub(super) fn process(&self, worker: usize) -> u32 {
        // A handful of workers and crashes.
        worker as u32 * 8 + u32::from(self.workers[worker].incarnation)
    }

    /// Whether the row's holder is a process that is gone.
    pub(super) fn holder_is_gone(&self) -> bool {
        self.db.row.token.is_some()
            && self
                .db
                .row
                .holder
                .is_some_and(|holder| !(0..self.workers.len()).any(|worker| self.process(worker) == holder))
    }

    /// Whether this worker may start another statement on the row: nobody else has it locked.
    pub(super) fn row_is_unlocked(&self) -> bool {
        self.txn.is_none()
    }

    /// The committed state and all that is kept beside it.
    pub(super) fn all_dbs(&mut self) -> impl Iterator<Item = &mut Db> {
        [Some(&mut self.db), self.before.as_mut(), self.txn.as_mut().map(|txn| &mut txn.db)]
            .into_iter()
            .flatten()
    }

    /// Workers are alike: the state in which they stand in order is the same state.
    pub(super) fn sort_workers(&mut self, count: usize) {
        let by = self.txn.as_ref().map(|txn| txn.by);
        let mut order = [0, 1, 2];
        order[..count].sort_by_key(|&i| (self.workers[i], by == Some(By::Worker(i)), self.holds(i)));
        if order == [0, 1, 2] {
            return;
        }
        let place = |old: usize| order.iter().position(|i| *i == old).unwrap_or(old);
        let workers = order.map(|i| self.workers[i]);
        for db in self.all_dbs() {
            db.row.holder = db.row.holder.map(|holder| place(holder as usize / 8) as u32 * 8 + holder % 8);
        }
        if let Some(Txn { by: By::Worker(worker), .. }) = &mut self.txn {
            *worker = place(*worker);
        }
        self.workers = workers;
    }

    fn holds(&self, worker: usize) -> bool {
        self.db.row.holder.is_some_and(|holder| holder as usize / 8 == worker)
    }
}

impl Db {
    /// Ages everything by `ticks` of the database's clock (negative: it stepped back).
    pub(super) fn age(&mut self, ticks: i64, oldest: i64) {
        if let Some(heartbeat) = &mut self.row.heartbeat_at {
            *heartbeat = (*heartbeat - ticks).max(oldest);
        }
    }

    /// Forgets what no guard reads, so that states that differ in nothing that matters are one.
    pub(super) fn forget(&mut self, proves_death: bool) {
        let row = &mut self.row;
        row.claimed_at = None;
        row.progress = None;
        row.last = None;
        row.run = None;
        if !proves_death {
            row.holder = None;
        }
        if let Some(cancel) = &mut row.cancel {
            cancel.at = 0;
        }
        if row.token.is_none() {
            row.heartbeat_at = None;
            self.quiet = 0;
            self.stepped_back = false;
        }
        if self.published[0] == self.published[1] {
            self.published = [0, 0];
        }
    }

    /// All that [`Self::forget`] leaves, in one number.
    fn packed(&self) -> u128 {
        let row = &self.row;
        let heartbeat = row.heartbeat_at.map_or(0, |h| (h + 100) as u64);
        let parts = [
            row.token.map_or(0, |token| token + 1),
            row.fence as u64,
            heartbeat,
            row.cancel.map_or(0, |ask| ask.fence as u64 + 1),
            row.holder.map_or(0, |holder| u64::from(holder) + 1),
            u64::from(self.alive),
            self.published[0],
            self.published[1],
            u64::from(self.publications[0]),
            u64::from(self.publications[1]),
            u64::from(self.quiet),
            u64::from(self.stepped_back),
        ];
        // None of them reaches 256: ticks, tokens and fences are a handful.
        parts.into_iter().fold(1, |packed, part| packed << 8 | u128::from(part))
    }
}

/// The model checker knows states by their hash and asks for millions: a few numbers instead of every field.
impl Hash for State {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let Budget { claims, forward, back, crashes, failovers } = self.budget;
        let budget = [claims, forward, back, crashes, failovers, self.minted as u8, u8::from(self.honest), 0];
        hasher.write_u128(self.db.packed());
        hasher.write_u128(self.before.as_ref().map_or(0, Db::packed));
        let by = self.txn.as_ref().map_or(0, |txn| match txn.by {
            By::Staff => 1,
            By::Worker(worker) => worker + 2,
        });
        hasher.write_u128(self.txn.as_ref().map_or(0, |txn| txn.db.packed()));
        hasher.write_u64(u64::from_le_bytes(budget));
        hasher.write_u64(u64::from(self.asked) << 32 | u64::from(self.broken) << 16 | by as u64);
        for worker in &self.workers {
            hasher.write_u64(worker.packed());
        }
    }
}

impl Worker {
    fn packed(&self) -> u64 {
        let owner = |owner: Owner| owner.token << 4 | owner.fence as u64;
        let (call, detail) = match self.call {
            Call::Idle => (0, 0),
            Call::Reading { dead, moved } => {
                (1, dead.map_or(0, |fence| fence as u64 + 1) << 1 | u64::from(moved))
            }
            Call::Claiming(of) => (2, owner(of)),
            Call::Guessed(what) => (3, what as u64),
            Call::Locked(what) => (4, what as u64),
            Call::Judged(what) => (5, what as u64),
            Call::Answered(Answer::Claimed(of)) => (6, owner(of)),
            Call::Answered(Answer::Done(what)) => (7, what as u64),
            Call::Answered(Answer::Lost(what)) => (8, what as u64),
            Call::Answered(Answer::Twice(what)) => (9, what as u64),
        };
        let guard = self.guard.map_or(0, |guard| {
            1 << 16 | owner(guard.owner) << 8 | u64::from(guard.age) << 4 | u64::from(guard.lost)
        });
        guard << 32 | detail << 20 | call << 12 | u64::from(self.sent) << 8 | u64::from(self.incarnation)
    }
}
