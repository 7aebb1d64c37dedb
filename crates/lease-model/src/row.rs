//! One lease row, and what each guarded write does to it: the transitions that the model checker walks through and that
//! [`crate::ModelStore`] executes.
//!
//! Times are milliseconds of the database's clock, passed in as `now`. Tokens, runs and people are numbers.

use crate::rules::{Flaw, Rules};

/// Who owns a lease, as a guarded statement names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Owner {
    /// Fresh per claim attempt.
    pub token: u64,
    /// The claim's fence.
    pub fence: i64,
}

/// The statements whose guard is the owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Op {
    /// Heartbeat.
    Renew,
    /// Look, read only.
    Check,
    /// Progress snapshot.
    Progress,
    /// A row of the run.
    Item,
    /// The distribution step.
    Publish,
    /// The end in time.
    Finish,
    /// The end at any time.
    Release,
}

/// A cancel stamped on the row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cancel {
    /// When.
    pub at: i64,
    /// Which person.
    pub by: u32,
    /// For which fence.
    pub fence: i64,
}

/// How a run ended, as the lease row remembers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// Held.
    Running,
    /// Everything done.
    Succeeded,
    /// Something left.
    Incomplete,
    /// Broken as a whole.
    Failed,
    /// Stopped by a person.
    Cancelled,
    /// Its holder went away.
    Interrupted,
}

/// What a claim writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NewOwner {
    /// Fresh token.
    pub token: u64,
    /// The run born with it.
    pub run: u64,
    /// The claimer's window.
    pub window_ms: i64,
    /// The claimer's process.
    pub holder: u32,
}

/// What a holder learns of its lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Held {
    /// Milliseconds until expiry.
    pub left_ms: i64,
    /// A cancel asked for this fence.
    pub cancel: Option<Cancel>,
}

/// A lease row.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Row {
    /// Empty when free.
    pub token: Option<u64>,
    /// Never reset.
    pub fence: i64,
    /// Run of the current or last holder.
    pub run: Option<u64>,
    /// Window of the current or last holder.
    pub window_ms: i64,
    /// When it was claimed.
    pub claimed_at: Option<i64>,
    /// Last heartbeat.
    pub heartbeat_at: Option<i64>,
    /// Asked to stop.
    pub cancel: Option<Cancel>,
    /// Snapshot (its number) and time.
    pub progress: Option<(u32, i64)>,
    /// Process of the current or last holder.
    pub holder: Option<u32>,
    /// Last outcome, its fence and time.
    pub last: Option<(Status, i64, i64)>,
}

impl Row {
    /// A row that nobody ever held.
    #[must_use]
    pub const fn free(window_ms: i64) -> Self {
        Self {
            token: None,
            fence: 0,
            run: None,
            window_ms,
            claimed_at: None,
            heartbeat_at: None,
            cancel: None,
            progress: None,
            holder: None,
            last: None,
        }
    }

    /// LIVE: `now - W <= h <= now + W`. STALE: everything else, also when `h` is missing.
    #[must_use]
    pub fn is_live(&self, now: i64) -> bool {
        let from = now - self.window_ms;
        let to = now + self.window_ms;
        self.heartbeat_at.is_some_and(|h| from <= h && h <= to)
    }

    /// Held and live: what a deletion waits for and what people see as running.
    #[must_use]
    pub fn is_held_live(&self, now: i64) -> bool {
        self.token.is_some() && self.is_live(now)
    }

    /// Free, or STALE, or held by exactly the holder that was proven dead.
    pub(crate) fn may_claim(&self, rules: Rules, now: i64, dead: bool) -> bool {
        if rules.has(Flaw::ClaimOnlyWhenFree) {
            return self.token.is_none();
        }
        rules.has(Flaw::ClaimWithoutExpiry) || self.token.is_none() || !self.is_live(now) || dead
    }

    /// The one update of a claim; the caller has tested [`Self::may_claim`].
    pub(crate) fn claim(&mut self, rules: Rules, new: &NewOwner, now: i64) {
        self.token = Some(new.token);
        if !rules.has(Flaw::NoFenceBump) {
            self.fence += 1;
        }
        self.run = Some(new.run);
        self.window_ms = new.window_ms;
        self.claimed_at = Some(now);
        self.heartbeat_at = Some(now);
        if !rules.has(Flaw::CancelOutlivesItsFence) {
            self.cancel = None;
        }
        self.progress = None;
        self.holder = Some(new.holder);
    }

    /// The guard of every statement of a run: token and fence.
    pub(crate) fn is_owned(&self, rules: Rules, op: Op, owner: &Owner) -> bool {
        let unguarded = match op {
            Op::Renew => rules.has(Flaw::RenewWithoutToken),
            Op::Progress => rules.has(Flaw::ProgressWithoutToken),
            Op::Item => rules.has(Flaw::ItemWithoutToken),
            Op::Publish => rules.has(Flaw::PublishWithoutToken),
            Op::Release => rules.has(Flaw::ReleaseWithoutToken),
            Op::Check | Op::Finish => false,
        };
        let fence_only = rules.has(Flaw::FenceOnly)
            || match op {
                Op::Renew => rules.has(Flaw::RenewFenceOnly),
                Op::Progress => rules.has(Flaw::ProgressFenceOnly),
                Op::Release => rules.has(Flaw::ReleaseFenceOnly),
                Op::Check | Op::Item | Op::Publish | Op::Finish => false,
            };
        let token = if fence_only { self.token.is_some() } else { self.token == Some(owner.token) };
        unguarded || token && self.fence == owner.fence
    }

    /// The second guard of renew, publish and finish, read under the row's lock.
    pub(crate) fn is_renewable(&self, rules: Rules, op: Op, now: i64, alive: bool) -> bool {
        let expired_too = match op {
            Op::Renew => rules.has(Flaw::RenewWithoutLiveness),
            Op::Finish => rules.has(Flaw::FinishWithoutLiveness),
            _ => false,
        };
        let deleted_too = op == Op::Publish && rules.has(Flaw::PublishOnADeletedProject);
        (expired_too || self.is_live(now)) && (deleted_too || alive)
    }

    /// The effect of a renewal, and of a publication on the lease.
    pub(crate) fn renew(&mut self, now: i64, progress: Option<u32>) {
        self.heartbeat_at = Some(now);
        if let Some(progress) = progress {
            self.progress = Some((progress, now));
        }
    }

    /// What a renewal tells.
    pub(crate) fn renewed(&self, rules: Rules) -> Held {
        Held { left_ms: self.window_ms, cancel: self.cancel_told(rules) }
    }

    /// What a fence check tells; `None`: lost.
    pub(crate) fn check(&self, rules: Rules, owner: &Owner, now: i64) -> Option<Held> {
        let heartbeat = self.heartbeat_at.filter(|_h| self.is_live(now))?;
        self.is_owned(rules, Op::Check, owner)
            .then(|| Held { left_ms: heartbeat + self.window_ms - now, cancel: self.cancel_told(rules) })
    }

    fn cancel_told(&self, rules: Rules) -> Option<Cancel> {
        self.cancel.filter(|ask| ask.fence == self.fence || rules.has(Flaw::CancelOutlivesItsFence))
    }

    /// The effect of a finish, a release or a reclaim: the owner cleared, everything else kept.
    pub(crate) fn clear(&mut self, now: i64, status: Status) {
        self.token = None;
        self.last = Some((status, self.fence, now));
    }

    /// Stamps a cancel for the fence that the person saw; `false`: nothing to stamp.
    pub(crate) fn ask_cancel(&mut self, rules: Rules, seen: i64, now: i64, by: u32) -> bool {
        let hit = self.fence == seen || rules.has(Flaw::CancelWithoutFence);
        if !hit || self.token.is_none() || self.cancel.is_some() {
            return false;
        }
        self.cancel = Some(Cancel { at: now, by, fence: self.fence });
        true
    }

    /// Whether a person who saw this fence may end the lease.
    pub(crate) fn may_reclaim(&self, rules: Rules, seen: i64, now: i64, dead: bool) -> bool {
        let dead = dead || rules.has(Flaw::ReclaimWithoutExpiry);
        self.token.is_some() && self.fence == seen && (dead || !self.is_live(now))
    }
}
