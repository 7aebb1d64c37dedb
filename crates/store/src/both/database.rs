//! The store itself: unpacks, chooses the lane, calls the table or the act.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use lockstep_domain::ahead::Ahead;
use lockstep_domain::clock::Millis;
use lockstep_domain::code::Code;
use lockstep_domain::ids::{ConnectionId, ProjectId, RecipientId, RunId, SourceId};
use lockstep_domain::lease::{Fence, LeaseGuard, LeaseView};
use lockstep_domain::model::{
    AuditRow, Connection, ConnectionState, FeedRow, Item, LastOutcome, LeaseEntry, Project, ProjectState,
    PullRow, Recipient, RepoIdent, Run, Source,
};
use lockstep_domain::names::{BranchName, Oid, RepoSlug};

use super::claim::{self, Attempt};
use super::driver;
use super::lane::Lane;
use super::publications::{self, Part};
use super::{
    audit, connections, feed, finish, gates, history, import, items, last_outcomes, leases, meta,
    own_commits, passing, projects, publish, pulls, recipients, reclaim, runs, sources, verdicts,
};
use crate::context::Owner;
use crate::contract::{
    Actor, CancelResult, Claim, ClaimRequest, Ending, Imported, ItemDone, ItemRecord, LeaseLine,
    NewConnection, NewProject, NewRecipient, Pace, PassRead, Publication, RecipientPatch, Reclaim, Result,
    Slot, Store, StoreError, StoreInfo, Verdict,
};

/// One act on one lane, under a span of its own.
macro_rules! call {
    ($lane:expr, $how:ident, $span:literal, |$on:ident| $act:expr) => {
        $lane.$how(tracing::debug_span!($span), move |$on| Box::pin(async move { $act.await })).await
    };
}

/// An opened database.
#[derive(Debug)]
pub(crate) struct Database {
    /// Everything that writes.
    work: Lane,
    /// Reads apart.
    reads: Lane,
    /// What the driver keeps beside the pools.
    keep: driver::Keep,
}

impl Database {
    pub(crate) fn new(work: Lane, reads: Lane, keep: driver::Keep) -> Self {
        Self { work, reads, keep }
    }

    /// Whether a publication whose COMMIT was not answered took effect: its row tells, or nothing was written.
    async fn settle(&self, result: Result<()>, owner: Owner, part: Part) -> Result<()> {
        if !matches!(result, Err(StoreError::Unclear)) {
            return result;
        }
        match call!(self.work, write, "store.publications.settle", |on| publications::settle(
            on, &owner, part
        )) {
            Ok(true) => Ok(()),
            Ok(false) => Err(StoreError::Busy),
            Err(_still_unclear) => Err(StoreError::Unclear),
        }
    }

    /// One attempt, and what it means when its transaction was taken back or its answer lost.
    async fn attempt(&self, request: &Arc<ClaimRequest>) -> Result<Attempt> {
        let asked = Arc::clone(request);
        match call!(self.work, write, "store.leases.claim", |on| claim::attempt(on, &asked)) {
            Err(StoreError::LeaseLost | StoreError::Unclear) => {
                let asked = Arc::clone(request);
                call!(self.work, write, "store.leases.claim_settle", |on| claim::settle(on, &asked))
            }
            other => other,
        }
    }
}

#[async_trait]
impl Store for Database {
    async fn info(&self) -> Result<StoreInfo> {
        call!(self.reads, peek, "store.meta.info", |on| meta::info(on))
    }

    async fn check_whole(&self) -> Result<()> {
        call!(self.work, peek, "store.meta.check_whole", |on| meta::check_whole(on))
    }

    async fn close(&self) {
        self.keep.close().await;
        self.reads.close().await;
        self.work.close().await;
    }

    async fn connection_insert(&self, new: &NewConnection, actor: &Actor) -> Result<Connection> {
        let (new, actor) = (new.clone(), actor.clone());
        call!(self.work, write, "store.connections.insert", |on| connections::insert(on, &new, &actor))
    }

    async fn connections(&self) -> Result<Vec<Connection>> {
        call!(self.reads, peek, "store.connections.all", |on| connections::all(on))
    }

    async fn connection_note(&self, id: ConnectionId, state: ConnectionState, login: &str) -> Result<()> {
        let login = login.to_owned();
        call!(self.work, write, "store.connections.note", |on| connections::note(on, id, state, &login))
    }

    async fn source_insert(&self, repo: &RepoIdent, actor: &Actor) -> Result<Source> {
        let (repo, actor) = (repo.clone(), actor.clone());
        call!(self.work, write, "store.sources.insert", |on| sources::insert(on, &repo, &actor))
    }

    async fn sources(&self) -> Result<Vec<Source>> {
        call!(self.reads, snapshot, "store.sources.all", |on| sources::all(on))
    }

    async fn source(&self, id: SourceId) -> Result<Option<Source>> {
        call!(self.reads, snapshot, "store.sources.one", |on| sources::one(on, id))
    }

    async fn source_note(
        &self,
        id: SourceId,
        heads: Option<&[(BranchName, Oid)]>,
        trouble: Option<Code>,
        slug: Option<&RepoSlug>,
    ) -> Result<()> {
        let (heads, slug) = (heads.map(<[_]>::to_vec), slug.cloned());
        call!(self.work, write, "store.sources.note", |on| sources::note(
            on,
            id,
            heads.as_deref(),
            trouble,
            slug.as_ref()
        ))
    }

    async fn source_retire(&self, id: SourceId, actor: &Actor) -> Result<()> {
        let actor = actor.clone();
        call!(self.work, write, "store.sources.retire", |on| sources::retire(on, id, &actor))
    }

    async fn project_insert(&self, new: &NewProject, actor: &Actor) -> Result<Project> {
        let (new, actor) = (new.clone(), actor.clone());
        call!(self.work, write, "store.projects.insert", |on| projects::insert(on, &new, &actor))
    }

    async fn projects(&self) -> Result<Vec<Project>> {
        call!(self.reads, snapshot, "store.projects.all", |on| projects::all(on))
    }

    async fn project(&self, id: ProjectId) -> Result<Option<Project>> {
        call!(self.reads, snapshot, "store.projects.one", |on| projects::one(on, id))
    }

    async fn project_set_state(&self, id: ProjectId, state: ProjectState, actor: &Actor) -> Result<()> {
        let actor = actor.clone();
        call!(self.work, write, "store.projects.set_state", |on| projects::set_state(on, id, state, &actor))
    }

    async fn project_edit(
        &self,
        id: ProjectId,
        deadline: Option<Option<Millis>>,
        note: Option<&str>,
        actor: &Actor,
    ) -> Result<()> {
        let (note, actor) = (note.map(str::to_owned), actor.clone());
        call!(self.work, write, "store.projects.edit", |on| projects::edit(
            on,
            id,
            deadline,
            note.as_deref(),
            &actor
        ))
    }

    async fn project_delete(&self, id: ProjectId, actor: &Actor) -> Result<()> {
        let actor = actor.clone();
        call!(self.work, write, "store.projects.delete", |on| projects::delete(on, id, &actor))
    }

    async fn project_note_ahead(&self, id: ProjectId, ahead: &[(BranchName, Ahead)]) -> Result<()> {
        let ahead = ahead.to_vec();
        call!(self.work, write, "store.projects.note_ahead", |on| projects::note_ahead(on, id, &ahead))
    }

    async fn recipients_import(
        &self,
        project: ProjectId,
        new: &[NewRecipient],
        actor: &Actor,
    ) -> Result<Imported> {
        let (new, actor) = (new.to_vec(), actor.clone());
        call!(self.work, write, "store.recipients.import", |on| import::import(on, project, &new, &actor))
    }

    async fn recipients(&self, project: ProjectId) -> Result<Vec<Recipient>> {
        call!(self.reads, peek, "store.recipients.of_project", |on| recipients::of_project(on, project))
    }

    async fn recipient_edit(&self, id: RecipientId, patch: &RecipientPatch, actor: &Actor) -> Result<()> {
        let (patch, actor) = (patch.clone(), actor.clone());
        call!(self.work, write, "store.recipients.edit", |on| recipients::edit(on, id, &patch, &actor))
    }

    async fn pass_read(&self, project: ProjectId, recipient: RecipientId) -> Result<PassRead> {
        call!(self.reads, peek, "store.recipients.pass_read", |on| recipients::pass_read(
            on, project, recipient
        ))
    }

    async fn last_outcomes(&self, project: ProjectId) -> Result<Vec<LastOutcome>> {
        call!(self.reads, peek, "store.last_outcomes.of_project", |on| last_outcomes::of_project(on, project))
    }

    async fn pulls(&self, project: ProjectId) -> Result<Vec<PullRow>> {
        call!(self.reads, peek, "store.pulls.of_project", |on| pulls::of_project(on, project))
    }

    async fn recipients_some(&self, project: ProjectId, some: &[RecipientId]) -> Result<Vec<Recipient>> {
        let some = some.to_vec();
        call!(self.reads, peek, "store.recipients.some", |on| recipients::some(on, project, &some))
    }

    async fn last_outcomes_some(&self, project: ProjectId, some: &[RecipientId]) -> Result<Vec<LastOutcome>> {
        let some = some.to_vec();
        call!(self.reads, peek, "store.last_outcomes.some", |on| last_outcomes::some(on, project, &some))
    }

    async fn pulls_some(&self, project: ProjectId, some: &[RecipientId]) -> Result<Vec<PullRow>> {
        let some = some.to_vec();
        call!(self.reads, peek, "store.pulls.some", |on| pulls::some(on, project, &some))
    }

    async fn own_commits(&self, project: ProjectId, of: &[RecipientId]) -> Result<Vec<(RecipientId, Oid)>> {
        let of = of.to_vec();
        call!(self.reads, peek, "store.own_commits.of_recipients", |on| own_commits::of_recipients(
            on, project, &of
        ))
    }

    async fn verdicts(&self, project: ProjectId, of: &[RecipientId]) -> Result<Vec<Verdict>> {
        let of = of.to_vec();
        call!(self.reads, peek, "store.verdicts.of_recipients", |on| verdicts::of_recipients(
            on, project, &of
        ))
    }

    async fn claim(&self, request: &ClaimRequest) -> Result<Claim> {
        let request = Arc::new(copy(request));
        for _ in 0..2 {
            match self.attempt(&request).await? {
                Attempt::Won { fence, run, replaced } => {
                    return Ok(claim::claimed(&request, fence, run, replaced));
                }
                Attempt::InProgress(view) => return Ok(Claim::InProgress(view)),
                Attempt::ProjectMissing => return Ok(Claim::ProjectMissing),
                Attempt::SourceMissing => return Ok(Claim::SourceMissing),
                Attempt::Again => {}
            }
        }
        Err(StoreError::Busy)
    }

    async fn lease_line(&self) -> Result<Arc<dyn LeaseLine>> {
        Ok(Arc::new(self.keep.line(&self.work.ctx).await?))
    }

    async fn ask_cancel(
        &self,
        project: ProjectId,
        fence: Fence,
        actor: &Actor,
        reason: &str,
    ) -> Result<CancelResult> {
        let (actor, reason) = (actor.clone(), reason.to_owned());
        call!(self.work, write, "store.leases.ask_cancel", |on| reclaim::ask_cancel(
            on, project, fence, &actor, &reason
        ))
    }

    async fn reclaim(&self, project: ProjectId, fence: Fence, actor: &Actor) -> Result<Reclaim> {
        let actor = actor.clone();
        call!(self.work, write, "store.leases.reclaim", |on| reclaim::reclaim(on, project, fence, &actor))
    }

    async fn lease(&self, project: ProjectId) -> Result<Option<LeaseView>> {
        call!(self.reads, peek, "store.leases.one", |on| leases::one(on, project))
    }

    async fn leases(&self) -> Result<Vec<LeaseView>> {
        call!(self.reads, peek, "store.leases.all", |on| leases::all(on))
    }

    async fn record_distribution(&self, guard: &LeaseGuard, heads: &[(BranchName, Oid)]) -> Result<()> {
        let (owner, heads) = (Owner::of(guard), heads.to_vec());
        call!(self.work, write, "store.own_commits.record_distribution", |on| passing::record_distribution(
            on, &owner, &heads
        ))
    }

    async fn publish(&self, guard: &LeaseGuard, publication: &Publication) -> Result<()> {
        let (owner, publication) = (Owner::of(guard), publication.clone());
        let done =
            call!(self.work, write, "store.runs.publish", |on| publish::publish(on, &owner, &publication));
        self.settle(done, Owner::of(guard), Part::Distribution).await
    }

    async fn items_record(&self, guard: &LeaseGuard, records: &[ItemRecord]) -> Result<()> {
        let (owner, records) = (Owner::of(guard), records.to_vec());
        call!(self.work, write, "store.items.record", |on| passing::items_record(on, &owner, &records))
    }

    async fn items_pushed(&self, guard: &LeaseGuard, pushed: &[(RecipientId, BranchName)]) -> Result<()> {
        let (owner, pushed) = (Owner::of(guard), pushed.to_vec());
        call!(self.work, write, "store.items.pushed", |on| passing::items_pushed(on, &owner, &pushed))
    }

    async fn item_announced(&self, guard: &LeaseGuard, pull: &PullRow) -> Result<()> {
        let (owner, pull) = (Owner::of(guard), pull.clone());
        call!(self.work, write, "store.items.announced", |on| passing::item_announced(on, &owner, &pull))
    }

    async fn items_done(&self, guard: &LeaseGuard, done: &[ItemDone]) -> Result<()> {
        let (owner, done) = (Owner::of(guard), done.to_vec());
        call!(self.work, write, "store.items.done", |on| passing::items_done(on, &owner, &done))
    }

    async fn verdicts_put(&self, guard: &LeaseGuard, new: &[Verdict]) -> Result<()> {
        let (owner, new) = (Owner::of(guard), new.to_vec());
        call!(self.work, write, "store.verdicts.put", |on| passing::verdicts_put(on, &owner, &new))
    }

    async fn finish(
        &self,
        guard: &LeaseGuard,
        ending: &Ending,
        publication: Option<&Publication>,
    ) -> Result<()> {
        let (owner, ending, publication) = (Owner::of(guard), ending.clone(), publication.cloned());
        let done = call!(self.work, write, "store.runs.finish", |on| finish::finish(
            on,
            &owner,
            &ending,
            publication.as_ref()
        ));
        self.settle(done, Owner::of(guard), Part::End).await
    }

    async fn audit_loss(&self, guard: &LeaseGuard, detail: &str) -> Result<()> {
        let (owner, detail) = (Owner::of(guard), detail.to_owned());
        call!(self.work, write, "store.audit.loss", |on| finish::audit_loss(on, &owner, &detail))
    }

    async fn runs(&self, project: Option<ProjectId>, limit: u32) -> Result<Vec<Run>> {
        call!(self.reads, peek, "store.runs.newest", |on| runs::newest(on, project, limit))
    }

    async fn run(&self, id: RunId) -> Result<Option<Run>> {
        call!(self.reads, peek, "store.runs.one", |on| runs::one(on, id))
    }

    async fn items(&self, run: RunId) -> Result<Vec<Item>> {
        call!(self.reads, peek, "store.items.of_run", |on| items::of_run(on, run))
    }

    async fn items_some(&self, run: RunId, some: &[RecipientId]) -> Result<Vec<Item>> {
        let some = some.to_vec();
        call!(self.reads, peek, "store.items.some", |on| items::some(on, run, &some))
    }

    async fn gate_reserve(&self, identity: &str, pace: Pace) -> Result<Slot> {
        let identity = identity.to_owned();
        call!(self.work, write, "store.gates.reserve", |on| gates::reserve(on, &identity, pace))
    }

    async fn gate_block(&self, identity: &str, for_ms: i64, slower: bool) -> Result<()> {
        let identity = identity.to_owned();
        call!(self.work, write, "store.gates.block", |on| gates::block(on, &identity, for_ms, slower))
    }

    async fn feed_head(&self) -> Result<i64> {
        call!(self.reads, peek, "store.feed.head", |on| feed::head(on))
    }

    async fn feed_after(&self, cursor: i64, limit: u32) -> Result<Vec<FeedRow>> {
        call!(self.reads, peek, "store.feed.after", |on| feed::after(on, cursor, limit))
    }

    async fn feed_wait(&self, cursor: i64, poll_ms: u64) -> Result<()> {
        let end = tokio::time::Instant::now() + Duration::from_millis(poll_ms);
        loop {
            let heard = self.reads.ctx.listen();
            let left = end.saturating_duration_since(tokio::time::Instant::now());
            if left.is_zero() || self.feed_head().await? > cursor {
                return Ok(());
            }
            // Whatever was heard or not, the head is the truth: it is read again.
            let _heard = tokio::time::timeout(left.min(driver::FEED_POLL), heard).await;
        }
    }

    async fn lease_history(
        &self,
        project: Option<ProjectId>,
        before: Option<i64>,
        limit: u32,
    ) -> Result<Vec<LeaseEntry>> {
        call!(self.reads, peek, "store.audit.lease_history", |on| history::before(on, project, before, limit))
    }

    async fn audit(&self, project: Option<ProjectId>, limit: u32) -> Result<Vec<AuditRow>> {
        call!(self.reads, peek, "store.audit.newest", |on| audit::newest(on, project, limit))
    }
}

/// A claim runs on a task of its own and cannot borrow its request.
fn copy(request: &ClaimRequest) -> ClaimRequest {
    ClaimRequest {
        project: request.project,
        run: request.run,
        kind: request.kind,
        holder: request.holder.clone(),
        selection: request.selection.clone(),
        window: request.window,
        resumes: request.resumes,
        token: request.token.clone(),
        sent: request.sent,
    }
}
