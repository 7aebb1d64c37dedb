//! The model in the words of the rows.

use lockstep_lease_model::{
    Asked, Cancel, Claimed, Held, ItemStep, ModelStore, NewOwner, Owner, Part, Reclaimed, Removed, Status,
    Written,
};
use serde_json::{Value, json};

use crate::act::{Act, LONG_W, Step, Wait};
use crate::rows::{hex, holder_cells};
use crate::world::{T0, W, holder};

pub(crate) const PEOPLE: [&str; 3] = ["ada", "bob", "eve"];
pub(crate) const RECIPIENTS: u32 = 2;

/// Token and run of a claim, both 16 bytes of this number.
pub(crate) fn bytes(number: u64) -> [u8; 16] {
    u128::from(number).to_be_bytes()
}

pub(crate) struct Model {
    store: ModelStore,
    guards: [Option<(Owner, u64)>; 3],
}

impl Model {
    pub(crate) fn new(proves_death: bool) -> Self {
        Self { store: ModelStore::new(T0, W, RECIPIENTS, proves_death), guards: [None; 3] }
    }

    pub(crate) fn fence(&self) -> i64 {
        self.store.row.fence
    }

    /// The clock at which this act happens.
    pub(crate) fn time(&self, act: &Act) -> i64 {
        let row = &self.store.row;
        let heartbeat = row.heartbeat_at.unwrap_or(self.store.now);
        match act {
            Act::Wait(Wait::By(ms)) => self.store.now + ms,
            Act::Wait(Wait::Old(off)) => heartbeat + row.window_ms + off,
            Act::Wait(Wait::Ahead(off)) => heartbeat - row.window_ms + off,
            _ => self.store.now,
        }
    }

    pub(crate) fn at(&mut self, now: i64) {
        self.store.now = now;
    }

    pub(crate) fn act(&mut self, step: &Step) -> Value {
        match step.act {
            Act::Claim { who, long } => self.claim(step.number, who, long),
            Act::Cancel { by, ago } => match self.store.ask_cancel(step.fence - ago, by as u32) {
                Asked::Now => json!("asked"),
                Asked::Before(ask) => json!(["before", cancel(&ask)]),
                Asked::NotRunning => json!("not_running"),
            },
            Act::Reclaim { ago } => match self.store.reclaim(step.fence - ago) {
                Reclaimed::Done => json!("reclaimed"),
                Reclaimed::Refused => json!("refused"),
                Reclaimed::AlreadyFinished => json!("already_finished"),
            },
            Act::Delete => removed(self.store.delete_project()),
            Act::Retire => removed(self.store.retire_source()),
            Act::Die { who } => {
                self.store.gone.insert(who as u32);
                Value::Null
            }
            Act::Wait(_) => Value::Null,
            Act::Renew { who, .. }
            | Act::Check { who }
            | Act::Progress { who, .. }
            | Act::Record { who, .. }
            | Act::Done { who, .. }
            | Act::Publish { who }
            | Act::Finish { who, .. }
            | Act::Release { who, .. } => {
                self.guards[who].map_or(Value::Null, |(owner, run)| self.owned(step, &owner, run))
            }
        }
    }

    fn claim(&mut self, number: u64, who: usize, long: bool) -> Value {
        let window_ms = if long { LONG_W } else { W };
        let new = NewOwner { token: number, run: number, window_ms, holder: who as u32 };
        match self.store.claim(&new) {
            Claimed::Won { fence, replaced } => {
                self.guards[who] = Some((Owner { token: number, fence }, number));
                json!({ "fence": fence, "replaced": replaced })
            }
            Claimed::InProgress => json!("in_progress"),
            Claimed::ProjectMissing => json!("project_missing"),
            Claimed::SourceMissing => json!("source_missing"),
        }
    }

    fn owned(&mut self, step: &Step, owner: &Owner, run: u64) -> Value {
        let number = (step.number % 1_000) as u32 + 1;
        match step.act {
            Act::Renew { progress, .. } => held(self.store.renew(owner, progress)),
            Act::Check { .. } => held(self.store.check(owner)),
            Act::Progress { done, .. } => json!(self.store.progress(owner, done)),
            Act::Record { recipient, .. } => {
                written(self.store.item(owner, run, recipient as u32, ItemStep::Recorded))
            }
            Act::Done { recipient, .. } => {
                written(self.store.item(owner, run, recipient as u32, ItemStep::Done))
            }
            Act::Publish { .. } => written(self.store.publish(owner, run, number)),
            Act::Finish { publish, status, .. } => {
                written(self.store.finish(owner, run, status, publish.then_some(number)))
            }
            Act::Release { status, .. } => json!(self.store.release(owner, run, status)),
            _ => Value::Null,
        }
    }

    /// Every row, as [`crate::side::Side::look`] finds it.
    pub(crate) fn look(&self) -> Value {
        let store = &self.store;
        let runs: Vec<Value> = store
            .runs
            .iter()
            .map(|run| {
                json!({
                    "id": hex(&bytes(run.id)),
                    "fence": run.fence,
                    "started_at": run.started_at,
                    "ended_at": run.ended_at,
                    "status": status(run.status),
                    "shown": status(store.shown(run)),
                })
            })
            .collect();
        let publications: Vec<Value> = store
            .publications
            .iter()
            .map(|((fence, part), (run, at))| {
                let kind = if *part == Part::Distribution { "distribution" } else { "end" };
                json!([fence, kind, hex(&bytes(*run)), at])
            })
            .collect();
        let items: Vec<Value> = store
            .items
            .iter()
            .map(|((run, recipient), (step, at))| {
                let step = match step {
                    ItemStep::Planned => "planned",
                    ItemStep::Recorded => "recorded",
                    ItemStep::Done => "done",
                };
                json!([hex(&bytes(*run)), recipient, step, at])
            })
            .collect();
        json!({
            "lease": self.lease(),
            "runs": runs,
            "publications": publications,
            "items": items,
            "published": store.published,
            "audit": store.audit,
        })
    }

    fn lease(&self) -> Value {
        let row = &self.store.row;
        let cancel = row.cancel;
        let mut cells = json!({
            "owner_token": row.token.map(|token| hex(&bytes(token))).unwrap_or_default(),
            "fence": row.fence,
            "run_id": row.run.map(|run| hex(&bytes(run))).unwrap_or_default(),
            "window_ms": row.window_ms,
            "claimed_at": row.claimed_at,
            "heartbeat_at": row.heartbeat_at,
            "cancel_at": cancel.map(|ask| ask.at),
            "cancel_by": cancel.map(|ask| PEOPLE[ask.by as usize]),
            "cancel_reason": cancel.map(|_ask| "because"),
            "cancel_fence": cancel.map(|ask| ask.fence),
            "progress": row.progress.map(|(done, _at)| done),
            "progress_at": row.progress.map(|(_done, at)| at),
            "last_status": row.last.map(|(ended, ..)| status(ended)),
            "last_fence": row.last.map(|(_, fence, _)| fence),
            "last_at": row.last.map(|(.., at)| at),
        });
        let known = row.holder.map(|who| holder_cells(&holder(PEOPLE[who as usize])));
        for name in holder_cells(&holder("nobody")).as_object().into_iter().flat_map(|cells| cells.keys()) {
            cells[name] = known.as_ref().map_or(Value::Null, |known| known[name].clone());
        }
        cells
    }
}

pub(crate) const fn status(status: Status) -> &'static str {
    match status {
        Status::Running => "running",
        Status::Succeeded => "succeeded",
        Status::Incomplete => "incomplete",
        Status::Failed => "failed",
        Status::Cancelled => "cancelled",
        Status::Interrupted => "interrupted",
    }
}

fn held(held: Option<Held>) -> Value {
    held.map_or(json!("lost"), |held| json!([held.left_ms, held.cancel.map(|ask| cancel(&ask))]))
}

fn cancel(ask: &Cancel) -> Value {
    json!([ask.at, PEOPLE[ask.by as usize], "because"])
}

fn written(written: Written) -> Value {
    match written {
        Written::Done => json!("done"),
        Written::Lost => json!("lost"),
        Written::Twice => json!("twice"),
    }
}

fn removed(removed: Removed) -> Value {
    match removed {
        Removed::Done => json!("done"),
        Removed::Held => json!("held"),
        Removed::NotFound => json!("not_found"),
    }
}
