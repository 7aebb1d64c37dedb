//! What one step does. `None`: it cannot happen now, or it changes nothing.

use super::state::{Answer, By, Call, Guard, PAST, State, Txn, W, Worker, Write};
use super::write;
use super::{Action, Config};
use crate::row::{NewOwner, Op, Owner, Status};
use crate::rules::{Flaw, Law};

pub(super) fn step(config: &Config, state: &State, action: Action) -> Option<State> {
    let mut next = match action {
        Action::Tick => Some(tick(state)),
        Action::Forward(ticks) => Some(clock_steps(state, ticks)),
        Action::Back(ticks) => Some(clock_steps(state, -ticks)),
        Action::Press(worker) => press(config, state, worker),
        Action::Claim(worker) => claim(config, state, worker),
        Action::Lock(worker, what) => write::lock(config, state, worker, what),
        Action::Judge(worker) => write::judge(config, state, worker),
        Action::Commit(worker) => commit(config, state, worker),
        Action::Hear(worker) => hear(config, state, worker),
        Action::LoseAnswer(worker) => lose_answer(state, worker),
        Action::GiveUp(worker) => give_up(state, worker),
        Action::Progress(worker) => write::alone(config, state, worker, Op::Progress),
        Action::Item(worker) => write::alone(config, state, worker, Op::Item),
        Action::Release(worker) => release(config, state, worker),
        Action::Check(worker) => check(config, state, worker),
        Action::Deadline(worker) => deadline(config, state, worker),
        Action::WriteOutside(worker) => write_outside(config, state, worker),
        Action::Leave(worker) => leave(state, worker),
        Action::Crash(worker) => Some(crash(config, state, worker)),
        Action::AskCancel(fence) => ask_cancel(config, state, fence),
        Action::Reclaim => reclaim(config, state),
        Action::Delete | Action::Retire => delete(config, state),
        Action::CommitDeletion => commit_deletion(state),
        Action::Failover => Some(failover(config, state)),
    }?;
    next.all_dbs().for_each(|db| db.forget(config.proves_death));
    if config.alike {
        next.sort_workers(config.workers);
    }
    Some(next)
}

/// A heartbeat older than this stays stale whatever the clock may still do.
fn oldest(state: &State) -> i64 {
    -(W + 1 + i64::from(state.budget.back))
}

fn tick(state: &State) -> State {
    let mut next = state.clone();
    let oldest = oldest(state);
    for db in next.all_dbs() {
        db.age(1, oldest);
        if db.row.token.is_some() {
            db.quiet = (db.quiet + 1).min(2 * W as u8 + 1);
        }
    }
    for worker in &mut next.workers {
        if let Some(guard) = &mut worker.guard {
            guard.age = (guard.age + 1).min(PAST);
        }
        if counts(worker.call) {
            worker.sent = (worker.sent + 1).min(PAST);
        }
    }
    next
}

/// Calls whose moment of sending matters for the deadline.
const fn counts(call: Call) -> bool {
    match call {
        Call::Reading { .. } | Call::Claiming(_) => true,
        Call::Locked(what) | Call::Judged(what) | Call::Guessed(what) => !matches!(what, Write::Finish),
        Call::Answered(answer) => {
            matches!(answer, Answer::Claimed(_) | Answer::Done(Write::Renew | Write::Publish))
        }
        Call::Idle => false,
    }
}

fn clock_steps(state: &State, ticks: i64) -> State {
    let mut next = state.clone();
    next.honest = false;
    if ticks > 0 {
        next.budget.forward -= 1;
    } else {
        next.budget.back -= ticks.unsigned_abs() as u8;
    }
    let oldest = oldest(&next);
    for db in next.all_dbs() {
        db.age(ticks, oldest);
        db.stepped_back |= ticks < 0;
    }
    next
}

pub(super) fn set(next: &mut State, worker: usize, call: Call) {
    let known = &mut next.workers[worker];
    known.call = call;
    if !counts(call) {
        known.sent = 0;
    }
}

/// Takes the place of what was committed.
pub(super) fn commit_db(next: &mut State, db: super::Db) {
    let (old, new) = (&next.db.row, &db.row);
    let born = new.token.is_some() && new.token != old.token;
    let grows = if born { new.fence == old.fence + 1 } else { new.fence >= old.fence };
    if !grows || db.publications.iter().any(|times| *times > 1) {
        next.break_law(Law::FencesGrow);
    }
    if next.db.row != db.row {
        for worker in &mut next.workers {
            if let Call::Reading { moved, .. } = &mut worker.call {
                *moved = true;
            }
        }
    }
    let old = std::mem::replace(&mut next.db, db);
    if let Some(before) = &mut next.before {
        *before = old;
    }
}

fn press(config: &Config, state: &State, worker: usize) -> Option<State> {
    let known = &state.workers[worker];
    let gone = config.proves_death && state.holder_is_gone();
    let may = known.guard.is_none()
        && known.call == Call::Idle
        && state.minted < u64::from(state.budget.claims)
        && state.db.alive
        && state.db.row.may_claim(config.rules, 0, gone);
    may.then(|| {
        let mut next = state.clone();
        let dead = gone.then_some(state.db.row.fence);
        set(&mut next, worker, Call::Reading { dead, moved: false });
        next
    })
}

fn claim(config: &Config, state: &State, worker: usize) -> Option<State> {
    let Call::Reading { dead, moved } = state.workers[worker].call else { return None };
    if !state.row_is_unlocked() {
        return None;
    }
    let mut next = state.clone();
    let row = &state.db.row;
    // PostgreSQL keeps the verdict from before the wait unless the row itself was changed meanwhile.
    let named_dead = row.token.is_some() && dead == Some(row.fence);
    let taken = !moved || row.may_claim(config.rules, 0, named_dead);
    let alive = state.db.alive || config.rules.has(Flaw::ClaimDoesNotLookAgain);
    if !taken || !alive || state.minted >= u64::from(state.budget.claims) {
        set(&mut next, worker, Call::Idle);
        return Some(next);
    }
    next.minted += 1;
    let mut db = state.db.clone();
    let new = NewOwner { token: next.minted, run: 0, window_ms: W, holder: state.process(worker) };
    db.row.claim(config.rules, &new, 0);
    (db.quiet, db.stepped_back) = (0, false);
    if db.row.fence > state.db.row.fence {
        db.publications = [0, 0];
    }
    let owner = Owner { token: next.minted, fence: db.row.fence };
    next.txn = Some(Txn { by: By::Worker(worker), db });
    set(&mut next, worker, Call::Claiming(owner));
    Some(next)
}

fn commit(config: &Config, state: &State, worker: usize) -> Option<State> {
    let answer = match state.workers[worker].call {
        Call::Claiming(owner) => Answer::Claimed(owner),
        Call::Judged(what) => Answer::Done(what),
        _ => return None,
    };
    let mut next = state.clone();
    if matches!(answer, Answer::Claimed(_)) {
        taken_over(config, &mut next);
        if !state.db.alive {
            next.break_law(Law::NothingDeletedIsClaimed);
        }
    }
    let db = next.txn.take()?.db;
    commit_db(&mut next, db);
    set(&mut next, worker, Call::Answered(answer));
    Some(next)
}

/// Somebody else's lease ends here: it must not be the live one of a living process.
fn taken_over(config: &Config, next: &mut State) {
    let gone = config.proves_death && next.holder_is_gone();
    if next.honest && next.db.row.is_held_live(0) && !gone {
        next.break_law(Law::LiveIsNotTaken);
    }
}

fn hear(config: &Config, state: &State, worker: usize) -> Option<State> {
    let Worker { call: Call::Answered(answer), sent, .. } = state.workers[worker] else { return None };
    let mut next = state.clone();
    let known = &mut next.workers[worker];
    match answer {
        Answer::Claimed(owner) => known.guard = Some(Guard { owner, age: sent, lost: 0 }),
        Answer::Done(Write::Finish) => known.guard = None,
        Answer::Done(Write::Renew | Write::Publish) => {
            if let Some(guard) = known.guard.as_mut().filter(|guard| guard.lost == 0) {
                let late = config.rules.has(Flaw::DeadlineFromTheAnswer);
                guard.age = if late { 0 } else { guard.age.min(sent) };
            }
        }
        Answer::Lost(_) => tell(config, &mut next, worker),
        Answer::Twice(_) => {}
    }
    set(&mut next, worker, Call::Idle);
    Some(next)
}

fn lose_answer(state: &State, worker: usize) -> Option<State> {
    (state.workers[worker].call == Call::Answered(Answer::Done(Write::Renew))).then(|| {
        let mut next = state.clone();
        set(&mut next, worker, Call::Idle);
        next
    })
}

fn give_up(state: &State, worker: usize) -> Option<State> {
    (!matches!(state.workers[worker].call, Call::Idle | Call::Answered(_))).then(|| {
        let mut next = state.clone();
        next.txn = next.txn.filter(|txn| txn.by != By::Worker(worker));
        set(&mut next, worker, Call::Idle);
        next
    })
}

/// `on lost`: a one-way switch, whoever pulls it.
fn tell(config: &Config, next: &mut State, worker: usize) {
    let Some(guard) = &mut next.workers[worker].guard else { return };
    if guard.lost == 0 || config.rules.has(Flaw::LossToldByEverybody) {
        guard.lost += 1;
        guard.age = PAST;
    }
    if guard.lost > 1 {
        next.break_law(Law::LossIsToldOnce);
    }
}

fn release(config: &Config, state: &State, worker: usize) -> Option<State> {
    let guard = state.workers[worker].guard?;
    if state.workers[worker].call != Call::Idle || !state.row_is_unlocked() {
        return None;
    }
    let mut next = state.clone();
    if state.db.row.is_owned(config.rules, Op::Release, &guard.owner) {
        write::must_own(&mut next, &guard.owner);
        let mut db = state.db.clone();
        db.row.clear(0, Status::Failed);
        commit_db(&mut next, db);
    }
    next.workers[worker].guard = None;
    Some(next)
}

fn check(config: &Config, state: &State, worker: usize) -> Option<State> {
    let guard = state.workers[worker].guard.filter(|guard| guard.lost == 0)?;
    let mut next = state.clone();
    match state.db.row.check(config.rules, &guard.owner, 0) {
        None => tell(config, &mut next, worker),
        Some(held) => {
            if held.cancel.is_none() || state.asked & 1 << guard.owner.fence != 0 {
                return None;
            }
            next.break_law(Law::CancelHitsItsFence);
        }
    }
    Some(next)
}

fn deadline(config: &Config, state: &State, worker: usize) -> Option<State> {
    let guard = state.workers[worker].guard?;
    let again = config.rules.has(Flaw::LossToldByEverybody) && guard.lost == 1;
    (guard.age >= PAST && (guard.lost == 0 || again)).then(|| {
        let mut next = state.clone();
        tell(config, &mut next, worker);
        next
    })
}

/// Allowed while not lost and before the deadline, and not beside a publication or a finish. With an honest clock it is
/// then still the owner's.
fn write_outside(config: &Config, state: &State, worker: usize) -> Option<State> {
    let Worker { guard, call, .. } = state.workers[worker];
    let guard = guard.filter(|guard| guard.lost == 0)?;
    let busy = match call {
        Call::Locked(what) | Call::Judged(what) | Call::Guessed(what) => what != Write::Renew,
        Call::Answered(answer) => !matches!(answer, Answer::Done(Write::Renew) | Answer::Lost(Write::Renew)),
        Call::Reading { .. } | Call::Claiming(_) => true,
        Call::Idle => false,
    };
    if busy || guard.age >= PAST && !config.rules.has(Flaw::WriteWithoutDeadline) {
        return None;
    }
    let owns = state.db.row.token == Some(guard.owner.token) && state.db.alive;
    (state.honest && !owns).then(|| {
        let mut next = state.clone();
        next.break_law(Law::LossIsToldOnce);
        next
    })
}

fn leave(state: &State, worker: usize) -> Option<State> {
    state.workers[worker].guard.filter(|guard| guard.lost > 0).map(|_told| {
        let mut next = state.clone();
        next.workers[worker].guard = None;
        next
    })
}

fn crash(config: &Config, state: &State, worker: usize) -> State {
    let mut next = state.clone();
    next.budget.crashes -= 1;
    next.txn = next.txn.filter(|txn| txn.by != By::Worker(worker));
    let known = &mut next.workers[worker];
    let incarnation = known.incarnation + u8::from(config.proves_death);
    *known = Worker { incarnation, guard: None, call: Call::Idle, sent: 0 };
    next
}

fn ask_cancel(config: &Config, state: &State, fence: i64) -> Option<State> {
    if !state.row_is_unlocked() {
        return None;
    }
    let mut next = state.clone();
    next.asked |= 1 << fence;
    let mut db = state.db.clone();
    if db.row.ask_cancel(config.rules, fence, 0, 0) {
        commit_db(&mut next, db);
    } else if next.asked == state.asked {
        return None;
    }
    Some(next)
}

fn reclaim(config: &Config, state: &State) -> Option<State> {
    let gone = config.proves_death && state.holder_is_gone();
    let row = &state.db.row;
    (state.row_is_unlocked() && row.may_reclaim(config.rules, row.fence, 0, gone)).then(|| {
        let mut next = state.clone();
        taken_over(config, &mut next);
        let mut db = state.db.clone();
        db.row.clear(0, Status::Interrupted);
        commit_db(&mut next, db);
        next
    })
}

fn delete(config: &Config, state: &State) -> Option<State> {
    let gone = config.proves_death && state.holder_is_gone();
    let may = state.db.alive && state.row_is_unlocked() && (gone || !state.db.row.is_held_live(0));
    may.then(|| {
        let mut next = state.clone();
        let mut db = state.db.clone();
        db.alive = false;
        next.txn = Some(Txn { by: By::Staff, db });
        next
    })
}

fn commit_deletion(state: &State) -> Option<State> {
    let txn = state.txn.as_ref().filter(|txn| txn.by == By::Staff)?;
    let mut next = state.clone();
    next.txn = None;
    commit_db(&mut next, txn.db.clone());
    Some(next)
}

/// Every connection breaks; what was under way is gone, what was answered is not.
fn failover(config: &Config, state: &State) -> State {
    let mut next = state.clone();
    next.budget.failovers -= 1;
    next.honest = false;
    next.txn = None;
    if let Some(before) = next.before.take() {
        next.db = before;
    }
    if next.budget.failovers > 0 {
        next.before = Some(next.db.clone());
    }
    for worker in 0..config.workers {
        if !matches!(next.workers[worker].call, Call::Answered(_)) {
            set(&mut next, worker, Call::Idle);
        }
    }
    next
}
