//! What can happen, one atomic step each. Anything may happen between two steps: that is what a pause, a slow network or
//! a stopped process is.

use std::fmt;

use super::state::{Call, State, Write};
use super::{Config, W};

/// One step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// A tick of every clock.
    Tick,
    /// The database's clock steps forward.
    Forward(i64),
    /// The database's clock steps back.
    Back(i64),
    /// A person presses Sync: the claim's first look finds the row claimable.
    Press(usize),
    /// The claim's UPDATE gets the row's lock.
    Claim(usize),
    /// A guarded write locks the row by token and fence.
    Lock(usize, Write),
    /// Its next statement reads the clock under the lock and writes.
    Judge(usize),
    /// COMMIT.
    Commit(usize),
    /// The answer reaches the worker.
    Hear(usize),
    /// The answer of a renewal never reaches the worker.
    LoseAnswer(usize),
    /// The server or the network ends the call under way: rolled back.
    GiveUp(usize),
    /// A progress snapshot.
    Progress(usize),
    /// A row of the run.
    Item(usize),
    /// The conditional release.
    Release(usize),
    /// The fence check.
    Check(usize),
    /// The worker looks at its own deadline and finds it past.
    Deadline(usize),
    /// The worker starts a write to the outside.
    WriteOutside(usize),
    /// A worker that was told of its loss ends.
    Leave(usize),
    /// The process dies and another one starts in its place.
    Crash(usize),
    /// A person asks the holder of a fence to stop.
    AskCancel(i64),
    /// A person ends the lease of a holder that is gone.
    Reclaim,
    /// Staff delete the project: lock the lease row, find no live lease.
    Delete,
    /// Staff retire its source, likewise.
    Retire,
    /// COMMIT of the deletion.
    CommitDeletion,
    /// The server is replaced by a copy that lacks the last commit.
    Failover,
}

/// Everything that this configuration lets happen; [`super::step`] says what of it can.
pub(super) fn all(config: &Config, state: &State, actions: &mut Vec<Action>) {
    actions.push(Action::Tick);
    if state.budget.forward > 0 {
        actions.extend([Action::Forward(1), Action::Forward(W + 1)]);
    }
    if state.budget.back > 0 {
        actions.extend((1..=i64::from(state.budget.back)).map(Action::Back));
    }
    for (worker, known) in state.workers.iter().enumerate().take(config.workers) {
        if known.call != Call::Idle {
            actions.extend([
                Action::Claim(worker),
                Action::Judge(worker),
                Action::Commit(worker),
                Action::Hear(worker),
                Action::LoseAnswer(worker),
                Action::GiveUp(worker),
            ]);
        } else if known.guard.is_some() {
            actions.extend([Write::Renew, Write::Publish, Write::Finish].map(|w| Action::Lock(worker, w)));
            actions.extend([
                Action::Progress(worker),
                Action::Item(worker),
                Action::Release(worker),
                Action::Check(worker),
                Action::Leave(worker),
            ]);
        } else {
            actions.push(Action::Press(worker));
        }
        if known.guard.is_some() {
            actions.extend([Action::Deadline(worker), Action::WriteOutside(worker)]);
        }
        if state.budget.crashes > 0 {
            actions.push(Action::Crash(worker));
        }
    }
    if config.people {
        actions.push(Action::Reclaim);
        actions.extend((1..=state.db.row.fence).map(Action::AskCancel));
    }
    if config.deletion {
        actions.extend([Action::Delete, Action::Retire, Action::CommitDeletion]);
    }
    if state.budget.failovers > 0 {
        actions.push(Action::Failover);
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let who = |f: &mut fmt::Formatter<'_>, worker: usize, what: &str| {
            write!(f, "worker {}: {what}", worker + 1)
        };
        match *self {
            Self::Tick => f.write_str("a tick passes"),
            Self::Forward(ticks) => write!(f, "the database's clock steps forward by {ticks}"),
            Self::Back(ticks) => write!(f, "the database's clock steps back by {ticks}"),
            Self::Press(w) => who(f, w, "presses Sync, finds the row claimable"),
            Self::Claim(w) => who(f, w, "the claim's UPDATE gets the row"),
            Self::Lock(w, Write::Renew) => who(f, w, "renew: asks for the row by token and fence"),
            Self::Lock(w, Write::Publish) => who(f, w, "publish: asks for the row by token and fence"),
            Self::Lock(w, Write::Finish) => who(f, w, "finish: asks for the row by token and fence"),
            Self::Judge(w) => who(f, w, "the next statement reads the clock and writes"),
            Self::Commit(w) => who(f, w, "COMMIT"),
            Self::Hear(w) => who(f, w, "hears the answer"),
            Self::LoseAnswer(w) => who(f, w, "never hears the answer"),
            Self::GiveUp(w) => who(f, w, "the call is ended and rolled back"),
            Self::Progress(w) => who(f, w, "writes progress"),
            Self::Item(w) => who(f, w, "writes an item"),
            Self::Release(w) => who(f, w, "releases"),
            Self::Check(w) => who(f, w, "checks the fence"),
            Self::Deadline(w) => who(f, w, "finds its own deadline past"),
            Self::WriteOutside(w) => who(f, w, "writes to the outside"),
            Self::Leave(w) => who(f, w, "ends as a loser"),
            Self::Crash(w) => who(f, w, "crashes and starts again"),
            Self::AskCancel(fence) => write!(f, "a person asks fence {fence} to stop"),
            Self::Reclaim => f.write_str("a person reclaims"),
            Self::Delete => f.write_str("staff delete the project, row locked"),
            Self::Retire => f.write_str("staff retire the source, row locked"),
            Self::CommitDeletion => f.write_str("staff: COMMIT"),
            Self::Failover => f.write_str("a failover loses the last commit"),
        }
    }
}
