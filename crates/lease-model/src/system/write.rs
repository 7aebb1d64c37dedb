//! Statements whose guard is the owner.

use super::Config;
use super::state::{Answer, By, Call, Db, Part, State, Txn, Write};
use super::step::{commit_db, set};
use crate::row::{Op, Owner, Status};
use crate::rules::{Flaw, Law, Rules};

const fn op(what: Write) -> Op {
    match what {
        Write::Renew => Op::Renew,
        Write::Publish => Op::Publish,
        Write::Finish => Op::Finish,
    }
}

/// Whether these rules judge before they have the lock.
fn guesses(rules: Rules, what: Write) -> bool {
    match what {
        Write::Renew => rules.has(Flaw::RenewJudgesBeforeTheLock),
        Write::Publish => rules.has(Flaw::PublishWithoutRowLock),
        Write::Finish => false,
    }
}

/// Whoever changes the lease or a row of the run must be its owner.
pub(super) fn must_own(next: &mut State, owner: &Owner) {
    if next.db.row.token != Some(owner.token) {
        next.break_law(Law::NonOwnerChangesNothing);
    }
}

pub(super) fn lock(config: &Config, state: &State, worker: usize, what: Write) -> Option<State> {
    let guard = state.workers[worker].guard.filter(|guard| guard.lost == 0)?;
    if state.workers[worker].call != Call::Idle || !state.row_is_unlocked() {
        return None;
    }
    let mut next = state.clone();
    let owned = state.db.row.is_owned(config.rules, op(what), &guard.owner);
    let call = if guesses(config.rules, what) {
        let alive = state.db.alive;
        let good = owned && state.db.row.is_renewable(config.rules, op(what), 0, alive);
        if good { Call::Guessed(what) } else { Call::Answered(Answer::Lost(what)) }
    } else if owned {
        next.txn = Some(Txn { by: By::Worker(worker), db: state.db.clone() });
        Call::Locked(what)
    } else {
        Call::Answered(Answer::Lost(what))
    };
    set(&mut next, worker, call);
    Some(next)
}

pub(super) fn judge(config: &Config, state: &State, worker: usize) -> Option<State> {
    let owner = state.workers[worker].guard?.owner;
    match state.workers[worker].call {
        Call::Locked(what) => {
            let db = state.txn.as_ref()?.db.clone();
            let alive = db.alive;
            let may = db.row.is_renewable(config.rules, op(what), 0, alive);
            Some(effect(config, state, worker, &owner, what, may.then_some(db)))
        }
        Call::Guessed(what) if state.row_is_unlocked() => {
            let db = state.db.clone();
            let mut next = effect(config, state, worker, &owner, what, Some(db));
            if what == Write::Publish {
                // No lock, no transaction: it stands at once.
                let txn = next.txn.take();
                let row = next.db.row.clone();
                if let Some(mut txn) = txn {
                    txn.db.row = row;
                    commit_db(&mut next, txn.db);
                    set(&mut next, worker, Call::Answered(Answer::Done(what)));
                }
            }
            Some(next)
        }
        _ => None,
    }
}

/// Writes into the transaction, or rolls it back when there is nothing to write into.
fn effect(
    config: &Config,
    state: &State,
    worker: usize,
    owner: &Owner,
    what: Write,
    db: Option<Db>,
) -> State {
    let mut next = state.clone();
    next.txn = None;
    let Some(mut db) = db else {
        set(&mut next, worker, Call::Answered(Answer::Lost(what)));
        return next;
    };
    laws_of(&mut next, &db, owner, what);
    let part = match what {
        Write::Renew => None,
        Write::Publish => Some(Part::Distribution),
        Write::Finish => Some(Part::End),
    };
    if let Some(part) = part {
        let times = &mut db.publications[part as usize];
        if *times > 0 && owner.fence == db.row.fence && !config.rules.has(Flaw::PublishTwice) {
            set(&mut next, worker, Call::Answered(Answer::Twice(what)));
            return next;
        }
        *times += 1;
    }
    match what {
        Write::Finish => db.row.clear(0, Status::Succeeded),
        Write::Renew | Write::Publish => {
            db.row.renew(0, None);
            (db.quiet, db.stepped_back) = (0, false);
        }
    }
    if what == Write::Publish {
        db.published = [owner.token; 2];
        if config.rules.has(Flaw::PublishInTwoTransactions) {
            next.db.published[0] = owner.token;
        }
    }
    next.txn = Some(Txn { by: By::Worker(worker), db });
    set(&mut next, worker, Call::Judged(what));
    next
}

fn laws_of(next: &mut State, db: &Db, owner: &Owner, what: Write) {
    let owns = db.row.token == Some(owner.token);
    let live = db.row.is_live(0);
    match what {
        Write::Renew => {
            must_own(next, owner);
            if !live {
                next.break_law(Law::ExpiredIsNotRenewed);
            }
        }
        Write::Publish | Write::Finish => {
            if !owns || !live || !db.alive {
                next.break_law(Law::NoStalePublication);
            }
        }
    }
}

/// Progress and item: one guarded write each, without the clock. Their rows matter to no guard, so that a right one
/// changes nothing here.
pub(super) fn alone(config: &Config, state: &State, worker: usize, op: Op) -> Option<State> {
    let guard = state.workers[worker].guard.filter(|guard| guard.lost == 0)?;
    let writes = state.workers[worker].call == Call::Idle
        && state.row_is_unlocked()
        && state.db.row.is_owned(config.rules, op, &guard.owner);
    (writes && state.db.row.token != Some(guard.owner.token)).then(|| {
        let mut next = state.clone();
        must_own(&mut next, &guard.owner);
        next
    })
}
