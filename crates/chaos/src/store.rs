//! The database behind the keeper: claims, publications and the rest of a run's writes pass gates and are written down.

use std::sync::Arc;

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
use lockstep_store::{
    Actor, CancelResult, Claim, ClaimRequest, Ending, Imported, ItemDone, ItemRecord, LeaseLine,
    NewConnection, NewProject, NewRecipient, Pace, PassRead, Publication, RecipientPatch, Reclaim, Result,
    Slot, Store, StoreInfo, Verdict,
};

use crate::event::{What, now_ns};
use crate::gate::Gate;
use crate::keeper::Keeper;
use crate::line::KeptLine;

/// See the module.
#[derive(Debug)]
pub(crate) struct KeptStore {
    inner: Arc<dyn Store>,
    keeper: Arc<Keeper>,
}

impl KeptStore {
    pub(crate) fn new(inner: Arc<dyn Store>, keeper: Arc<Keeper>) -> Self {
        Self { inner, keeper }
    }

    async fn kept_claim(&self, request: &ClaimRequest) -> Result<Claim> {
        self.keeper.at(Gate::BeforeClaim).await;
        let begun_ns = now_ns();
        let claim = self.inner.claim(request).await?;
        match &claim {
            Claim::Claimed { guard, run, replaced } => {
                self.keeper.note(What::Claimed {
                    fence: run.fence.0,
                    replaced: replaced.as_ref().map(|dead| dead.fence.0),
                    proven: replaced.as_ref().is_some_and(|dead| dead.proven_dead),
                    window_ms: request.window.ms(),
                    begun_ns,
                });
                self.keeper.watch(guard);
                self.keeper.at(Gate::AfterClaim).await;
                self.keeper.starve();
            }
            Claim::InProgress(view) => {
                self.keeper.note(What::Refused { fence: view.fence.0, held: view.held, begun_ns });
            }
            Claim::ProjectMissing | Claim::SourceMissing => {}
        }
        Ok(claim)
    }

    async fn kept_finish(
        &self,
        guard: &LeaseGuard,
        ending: &Ending,
        publication: Option<&Publication>,
    ) -> Result<()> {
        self.keeper.at(Gate::BeforeFinish).await;
        let (begun_ns, fence) = (now_ns(), guard.fence().0);
        let done = self.inner.finish(guard, ending, publication).await;
        if publication.is_some() {
            self.keeper.note(What::Published { fence, stands: done.is_ok(), begun_ns });
        }
        self.keeper.note(What::GaveBack { fence, done: done.is_ok() });
        if done.is_ok() {
            self.keeper.at(Gate::AfterRelease).await;
        }
        done
    }
}

/// A method per line that only passes on; the rest is written out.
macro_rules! kept {
    ($(fn $name:ident($($arg:ident: $ty:ty),*) -> $out:ty;)* --- $($own:tt)*) => {
        #[async_trait]
        impl Store for KeptStore {
            $(async fn $name(&self, $($arg: $ty),*) -> $out {
                self.inner.$name($($arg),*).await
            })*
            $($own)*
        }
    };
}

kept! {
    fn info() -> Result<StoreInfo>;
    fn check_whole() -> Result<()>;
    fn close() -> ();
    fn connection_insert(new: &NewConnection, actor: &Actor) -> Result<Connection>;
    fn connections() -> Result<Vec<Connection>>;
    fn connection_note(id: ConnectionId, state: ConnectionState, login: &str) -> Result<()>;
    fn source_insert(repo: &RepoIdent, actor: &Actor) -> Result<Source>;
    fn sources() -> Result<Vec<Source>>;
    fn source(id: SourceId) -> Result<Option<Source>>;
    fn source_note(id: SourceId, heads: Option<&[(BranchName, Oid)]>, trouble: Option<Code>, slug: Option<&RepoSlug>) -> Result<()>;
    fn source_retire(id: SourceId, actor: &Actor) -> Result<()>;
    fn project_insert(new: &NewProject, actor: &Actor) -> Result<Project>;
    fn projects() -> Result<Vec<Project>>;
    fn project(id: ProjectId) -> Result<Option<Project>>;
    fn project_set_state(id: ProjectId, state: ProjectState, actor: &Actor) -> Result<()>;
    fn project_edit(id: ProjectId, deadline: Option<Option<Millis>>, note: Option<&str>, actor: &Actor) -> Result<()>;
    fn project_delete(id: ProjectId, actor: &Actor) -> Result<()>;
    fn project_note_ahead(id: ProjectId, ahead: &[(BranchName, Ahead)]) -> Result<()>;
    fn recipients_import(project: ProjectId, new: &[NewRecipient], actor: &Actor) -> Result<Imported>;
    fn recipients(project: ProjectId) -> Result<Vec<Recipient>>;
    fn recipient_edit(id: RecipientId, patch: &RecipientPatch, actor: &Actor) -> Result<()>;
    fn pass_read(project: ProjectId, recipient: RecipientId) -> Result<PassRead>;
    fn last_outcomes(project: ProjectId) -> Result<Vec<LastOutcome>>;
    fn pulls(project: ProjectId) -> Result<Vec<PullRow>>;
    fn recipients_some(project: ProjectId, some: &[RecipientId]) -> Result<Vec<Recipient>>;
    fn last_outcomes_some(project: ProjectId, some: &[RecipientId]) -> Result<Vec<LastOutcome>>;
    fn pulls_some(project: ProjectId, some: &[RecipientId]) -> Result<Vec<PullRow>>;
    fn own_commits(project: ProjectId, recipients: &[RecipientId]) -> Result<Vec<(RecipientId, Oid)>>;
    fn verdicts(project: ProjectId, recipients: &[RecipientId]) -> Result<Vec<Verdict>>;
    fn lease(project: ProjectId) -> Result<Option<LeaseView>>;
    fn leases() -> Result<Vec<LeaseView>>;
    fn verdicts_put(guard: &LeaseGuard, verdicts: &[Verdict]) -> Result<()>;
    fn runs(project: Option<ProjectId>, limit: u32) -> Result<Vec<Run>>;
    fn run(id: RunId) -> Result<Option<Run>>;
    fn items(run: RunId) -> Result<Vec<Item>>;
    fn items_some(run: RunId, some: &[RecipientId]) -> Result<Vec<Item>>;
    fn gate_reserve(identity: &str, pace: Pace) -> Result<Slot>;
    fn gate_block(identity: &str, for_ms: i64, slower: bool) -> Result<()>;
    fn feed_head() -> Result<i64>;
    fn feed_after(cursor: i64, limit: u32) -> Result<Vec<FeedRow>>;
    fn feed_wait(cursor: i64, poll_ms: u64) -> Result<()>;
    fn lease_history(project: Option<ProjectId>, before: Option<i64>, limit: u32) -> Result<Vec<LeaseEntry>>;
    fn audit(project: Option<ProjectId>, limit: u32) -> Result<Vec<AuditRow>>;
    fn items_pushed(guard: &LeaseGuard, items: &[(RecipientId, BranchName)]) -> Result<()>;
    fn item_announced(guard: &LeaseGuard, pull: &PullRow) -> Result<()>;
    fn items_done(guard: &LeaseGuard, items: &[ItemDone]) -> Result<()>;

    ---

    async fn claim(&self, request: &ClaimRequest) -> Result<Claim> {
        self.kept_claim(request).await
    }

    async fn lease_line(&self) -> Result<Arc<dyn LeaseLine>> {
        let line = self.inner.lease_line().await?;
        Ok(Arc::new(KeptLine::new(line, Arc::clone(&self.keeper))))
    }

    async fn ask_cancel(
        &self,
        project: ProjectId,
        fence: Fence,
        actor: &Actor,
        reason: &str,
    ) -> Result<CancelResult> {
        let asked = self.inner.ask_cancel(project, fence, actor, reason).await?;
        self.keeper.note(What::AskedCancel { fence: fence.0, stamped: asked == CancelResult::Asked });
        Ok(asked)
    }

    async fn reclaim(&self, project: ProjectId, fence: Fence, actor: &Actor) -> Result<Reclaim> {
        let reclaim = self.inner.reclaim(project, fence, actor).await?;
        let done = matches!(reclaim, Reclaim::Reclaimed);
        self.keeper.note(What::Reclaimed { fence: fence.0, done });
        Ok(reclaim)
    }

    async fn record_distribution(&self, guard: &LeaseGuard, heads: &[(BranchName, Oid)]) -> Result<()> {
        self.keeper.at(Gate::AfterCollect).await;
        self.inner.record_distribution(guard, heads).await?;
        self.keeper.at(Gate::AfterDistributionRecord).await;
        Ok(())
    }

    async fn publish(&self, guard: &LeaseGuard, publication: &Publication) -> Result<()> {
        let (begun_ns, fence) = (now_ns(), guard.fence().0);
        let published = self.inner.publish(guard, publication).await;
        self.keeper.note(What::Published { fence, stands: published.is_ok(), begun_ns });
        if published.is_ok() {
            self.keeper.at(Gate::AfterCommit).await;
        }
        published
    }

    async fn items_record(&self, guard: &LeaseGuard, items: &[ItemRecord]) -> Result<()> {
        self.inner.items_record(guard, items).await?;
        self.keeper.at(Gate::AfterRecord).await;
        Ok(())
    }

    async fn finish(
        &self,
        guard: &LeaseGuard,
        ending: &Ending,
        publication: Option<&Publication>,
    ) -> Result<()> {
        self.kept_finish(guard, ending, publication).await
    }

    async fn audit_loss(&self, guard: &LeaseGuard, detail: &str) -> Result<()> {
        self.keeper.note(What::AuditedLoss { fence: guard.fence().0 });
        self.inner.audit_loss(guard, detail).await
    }
}
