//! One database in the words of the model.

use std::sync::Arc;

use lockstep_domain::ahead::Ahead;
use lockstep_domain::clock::BootMillis;
use lockstep_domain::ids::{ConnectionId, ProjectId, RecipientId, RunId, SourceId};
use lockstep_domain::lease::{CancelAsk, LeaseGuard, OwnerToken, Progress, Window};
use lockstep_domain::model::{ConnectionKind, Selection};
use lockstep_domain::outcome::{Outcome, RunKind, RunStatus};
use lockstep_store::{
    CancelResult, Claim, ClaimRequest, Ending, ItemDone, ItemRecord, LeaseLine, NewConnection, Publication,
    PublishedBranch, RecipientPatch, Reclaim, Renewal, Result, StoreError,
};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::act::{Act, LONG_W, Step};
use crate::model::{PEOPLE, RECIPIENTS, bytes, status};
use crate::rows::hex;
use crate::world::{Course, T0, W, World, actor, branch, ending, holder, oid, repo};

/// A fresh project in one database.
pub(crate) struct Side<'w> {
    world: &'w World,
    line: Arc<dyn LeaseLine>,
    source: SourceId,
    project: ProjectId,
    recipients: Vec<RecipientId>,
    guards: [Option<LeaseGuard>; 3],
}

impl<'w> Side<'w> {
    pub(crate) async fn new(world: &'w World, number: u64) -> Self {
        world.at(T0).await;
        *world.processes.alive.lock().unwrap() = [(100, 1), (200, 2), (300, 3)].into();
        let connection = ConnectionId(world.host.ids.uuid());
        let new = NewConnection {
            id: connection,
            name: format!("forge {connection}"),
            base_url: "https://api.github.com".into(),
            kind: ConnectionKind::Token,
            app: None,
            login: "lockstep".into(),
        };
        world.store.connection_insert(&new, &actor()).await.unwrap();
        let identity = repo(connection, 1, "course/source");
        let source = world.store.source_insert(&identity, &actor()).await.unwrap().id;
        let project = world.project(source, &format!("Course {number}")).await;
        let recipients =
            world.recipients(&Course { connection, source, project }, i64::from(RECIPIENTS)).await;
        let line = world.store.lease_line().await.unwrap();
        Self { world, line, source, project, recipients, guards: [None, None, None] }
    }

    pub(crate) fn name(&self) -> String {
        format!("{:?}", self.world.kind)
    }

    pub(crate) async fn end(self) {
        self.line.close().await;
    }

    pub(crate) async fn at(&self, now: i64) {
        self.world.at(now).await;
    }

    pub(crate) async fn act(&mut self, step: &Step) -> Value {
        let store = &self.world.store;
        match step.act {
            Act::Claim { who, long } => self.claim(step.number, who, long).await,
            Act::Cancel { by, ago } => {
                let mut person = actor();
                PEOPLE[by].clone_into(&mut person.person);
                let fence = lockstep_domain::lease::Fence(step.fence - ago);
                match store.ask_cancel(self.project, fence, &person, "because").await.unwrap() {
                    CancelResult::Asked => json!("asked"),
                    CancelResult::AlreadyAsked(ask) => json!(["before", cancel(&ask)]),
                    CancelResult::NotRunning => json!("not_running"),
                }
            }
            Act::Reclaim { ago } => {
                let fence = lockstep_domain::lease::Fence(step.fence - ago);
                match store.reclaim(self.project, fence, &actor()).await.unwrap() {
                    Reclaim::Reclaimed => json!("reclaimed"),
                    Reclaim::Refused(_) => json!("refused"),
                    Reclaim::AlreadyFinished => json!("already_finished"),
                }
            }
            Act::Delete => written(store.project_delete(self.project, &actor()).await),
            Act::Retire => written(store.source_retire(self.source, &actor()).await),
            Act::Die { who } => {
                let dead = holder(PEOPLE[who]);
                self.world.processes.alive.lock().unwrap().remove(&(dead.pid, dead.process_start));
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
            | Act::Release { who, .. } => match &self.guards[who] {
                Some(guard) => self.owned(step, guard).await,
                None => Value::Null,
            },
        }
    }

    async fn claim(&mut self, number: u64, who: usize, long: bool) -> Value {
        let request = ClaimRequest {
            project: self.project,
            run: RunId(Uuid::from_bytes(bytes(number))),
            kind: RunKind::Sync,
            holder: holder(PEOPLE[who]),
            selection: Selection::All,
            window: Window::new(if long { LONG_W } else { W }, 1_000).unwrap(),
            resumes: None,
            token: OwnerToken::new(bytes(number)),
            sent: BootMillis(0),
        };
        match self.world.store.claim(&request).await.unwrap() {
            Claim::Claimed { guard, replaced, .. } => {
                let told = json!({ "fence": guard.fence().0, "replaced": replaced.map(|view| view.fence.0) });
                self.guards[who] = Some(guard);
                told
            }
            Claim::InProgress(_) => json!("in_progress"),
            Claim::ProjectMissing => json!("project_missing"),
            Claim::SourceMissing => json!("source_missing"),
        }
    }

    async fn owned(&self, step: &Step, guard: &LeaseGuard) -> Value {
        let store = &self.world.store;
        let progress = |done: u32| Progress { done, ..Progress::default() };
        let number = (step.number % 1_000) as u32 + 1;
        match step.act {
            Act::Renew { progress: done, .. } => {
                held(self.line.renew(guard, done.map(progress).as_ref()).await.unwrap())
            }
            Act::Check { .. } => held(self.line.fence_check(guard).await.unwrap()),
            Act::Progress { done, .. } => json!(self.line.progress(guard, &progress(done)).await.unwrap()),
            Act::Record { recipient, .. } => {
                written(store.items_record(guard, &[self.record(recipient)]).await)
            }
            Act::Done { recipient, .. } => written(store.items_done(guard, &[self.done(recipient)]).await),
            Act::Publish { .. } => written(store.publish(guard, &self.publication(number)).await),
            Act::Finish { publish, status, .. } => {
                let publication = publish.then(|| self.publication(number));
                written(store.finish(guard, &ended(status), publication.as_ref()).await)
            }
            Act::Release { status, .. } => json!(self.line.release(guard, &ended(status)).await.unwrap()),
            _ => Value::Null,
        }
    }

    fn record(&self, recipient: usize) -> ItemRecord {
        ItemRecord {
            recipient: self.recipients[recipient],
            branch: branch("main"),
            expected_old: None,
            new: oid('b'),
        }
    }

    fn done(&self, recipient: usize) -> ItemDone {
        ItemDone {
            recipient: self.recipients[recipient],
            branch: branch("main"),
            outcome: Outcome::Opened,
            reason: None,
            cause: String::new(),
            request_id: None,
            delivered: Some(oid('b')),
            conflicts: None,
            pull: None,
            patch: RecipientPatch::default(),
        }
    }

    fn publication(&self, number: u32) -> Publication {
        let main = PublishedBranch {
            branch: branch("main"),
            handed_out: Some(oid('a')),
            dist_head: oid('b'),
            update_number: number,
            fingerprint: "f".into(),
            ahead: Ahead::Level,
            added: Vec::new(),
            removed: Vec::new(),
        };
        let items = self.recipients.iter().map(|recipient| (*recipient, branch("main"))).collect();
        Publication { distribution: None, branches: vec![main], items }
    }

    /// Every row that the model has.
    pub(crate) async fn look(&self) -> Value {
        let world = self.world;
        let of_project = format!("project_id = {}", world.id(self.project.0));
        let mut lease = world.lease_cells(self.project).await;
        lease.remove("project_id");
        if let Some(text) = lease["progress"].as_str() {
            let progress: Progress = serde_json::from_str(text).unwrap();
            lease.insert("progress".into(), json!(progress.done));
        }
        let of_runs = format!("run_id IN (SELECT id FROM runs WHERE {of_project})");
        let place = |id: &Value| {
            let id = id.as_str().unwrap_or_default();
            self.recipients.iter().position(|known| hex(known.0.as_bytes()) == id)
        };
        let items = world.cells("items", &of_runs).await;
        let publications = world.cells("publications", &of_project).await;
        let main = world.cells("project_branches", &format!("{of_project} AND branch = 'main'")).await;
        let mut audit = world.cells("audit", &of_project).await;
        audit.sort_by_key(|row| row["seq"].as_i64());
        json!({
            "lease": lease,
            "runs": self.runs(&of_project).await,
            "publications": sorted(publications.iter().map(|row| {
                json!([row["fence"], row["kind"], row["run_id"], row["at"]])
            })),
            "items": sorted(items.iter().map(|row| {
                json!([row["run_id"], place(&row["recipient_id"]), row["step"], row["at"]])
            })),
            "published": main[0]["update_number"],
            // The first two tell of the project's making.
            "audit": audit.iter().skip(2).map(|row| row["event"].clone()).collect::<Vec<_>>(),
        })
    }

    async fn runs(&self, of_project: &str) -> Vec<Value> {
        let mut rows = self.world.cells("runs", of_project).await;
        rows.sort_by_key(|row| row["fence"].as_i64());
        let mut shown = self.world.store.runs(Some(self.project), 1_000).await.unwrap();
        shown.sort_by_key(|run| run.fence);
        assert_eq!(rows.len(), shown.len());
        rows.iter()
            .zip(&shown)
            .map(|(row, shown)| {
                json!({
                    "id": row["id"],
                    "fence": row["fence"],
                    "started_at": row["started_at"],
                    "ended_at": row["ended_at"],
                    "status": row["status"],
                    "shown": shown.status.as_str(),
                })
            })
            .collect()
    }
}

/// By their texts: runs and fences have few digits here.
fn sorted(rows: impl Iterator<Item = Value>) -> Vec<Value> {
    let mut rows: Vec<Value> = rows.collect();
    rows.sort_by_key(|row| (row[0].as_i64(), row[0].as_str().map(str::to_owned), row[1].to_string()));
    rows
}

fn ended(ended: lockstep_lease_model::Status) -> Ending {
    let known = RunStatus::ALL.iter().find(|known| known.as_str() == status(ended));
    ending(*known.unwrap())
}

fn held(renewal: Renewal) -> Value {
    match renewal {
        Renewal::Held { left_ms, cancel: ask } => json!([left_ms, ask.as_ref().map(cancel)]),
        Renewal::Lost => json!("lost"),
    }
}

fn cancel(ask: &CancelAsk) -> Value {
    json!([ask.at.0, ask.by, ask.reason])
}

fn written(result: Result<()>) -> Value {
    match result {
        Ok(()) => json!("done"),
        Err(StoreError::LeaseLost) => json!("lost"),
        Err(StoreError::AlreadyExists(_)) => json!("twice"),
        Err(StoreError::Held(_)) => json!("held"),
        Err(StoreError::NotFound(_)) => json!("not_found"),
        Err(error) => panic!("{error}"),
    }
}
