//! The trait itself.

use std::fmt;
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

use super::{
    Actor, CancelResult, Claim, ClaimRequest, Ending, Imported, ItemDone, ItemRecord, LeaseLine,
    NewConnection, NewProject, NewRecipient, Pace, PassRead, Publication, RecipientPatch, Reclaim, Result,
    Slot, StoreInfo, Verdict,
};

/// The database.
#[async_trait]
pub trait Store: Send + Sync + fmt::Debug {
    /// What answers.
    async fn info(&self) -> Result<StoreInfo>;
    /// Refuses with [`StoreError::Split`] when one transaction does not cover all run tables.
    async fn check_whole(&self) -> Result<()>;
    /// Closes all connections.
    async fn close(&self);

    // connections
    /// Inserts a connection (audit, feed).
    async fn connection_insert(&self, new: &NewConnection, actor: &Actor) -> Result<Connection>;
    /// All, by name.
    async fn connections(&self) -> Result<Vec<Connection>>;
    /// State and login as last known.
    async fn connection_note(&self, id: ConnectionId, state: ConnectionState, login: &str) -> Result<()>;

    // sources
    /// Registers a source; the same repository twice is [`StoreError::AlreadyExists`].
    async fn source_insert(&self, repo: &RepoIdent, actor: &Actor) -> Result<Source>;
    /// All that are not deleted, by name, with their heads.
    async fn sources(&self) -> Result<Vec<Source>>;
    /// One, also when deleted.
    async fn source(&self, id: SourceId) -> Result<Option<Source>>;
    /// Records a whole read of its heads (missing ones become gone) or its trouble, and its current name.
    async fn source_note(
        &self,
        id: SourceId,
        heads: Option<&[(BranchName, Oid)]>,
        trouble: Option<Code>,
        slug: Option<&RepoSlug>,
    ) -> Result<()>;
    /// Soft-deletes a source: locks the lease rows of its projects in id order, refuses while one is live.
    async fn source_retire(&self, id: SourceId, actor: &Actor) -> Result<()>;

    // projects
    /// Inserts a project with its branches and its (free) lease row.
    async fn project_insert(&self, new: &NewProject, actor: &Actor) -> Result<Project>;
    /// All that are not deleted, by name.
    async fn projects(&self) -> Result<Vec<Project>>;
    /// One, also when deleted.
    async fn project(&self, id: ProjectId) -> Result<Option<Project>>;
    /// Changes state (publish, archive, unarchive); refuses while its lease is live.
    async fn project_set_state(&self, id: ProjectId, state: ProjectState, actor: &Actor) -> Result<()>;
    /// Deadline and staff's note.
    async fn project_edit(
        &self,
        id: ProjectId,
        deadline: Option<Option<Millis>>,
        note: Option<&str>,
        actor: &Actor,
    ) -> Result<()>;
    /// Soft-deletes; refuses while its lease is live.
    async fn project_delete(&self, id: ProjectId, actor: &Actor) -> Result<()>;
    /// Records how far the source is ahead.
    async fn project_note_ahead(&self, id: ProjectId, ahead: &[(BranchName, Ahead)]) -> Result<()>;

    // recipients
    /// Imports all or nothing; updates by repository, removes nothing.
    async fn recipients_import(
        &self,
        project: ProjectId,
        new: &[NewRecipient],
        actor: &Actor,
    ) -> Result<Imported>;
    /// All of a project, by repository name.
    async fn recipients(&self, project: ProjectId) -> Result<Vec<Recipient>>;
    /// A change by staff (audit, feed).
    async fn recipient_edit(&self, id: RecipientId, patch: &RecipientPatch, actor: &Actor) -> Result<()>;
    /// What the pass must know just before it pushes.
    async fn pass_read(&self, project: ProjectId, recipient: RecipientId) -> Result<PassRead>;
    /// Last outcomes of a project.
    async fn last_outcomes(&self, project: ProjectId) -> Result<Vec<LastOutcome>>;
    /// Pull requests of a project.
    async fn pulls(&self, project: ProjectId) -> Result<Vec<PullRow>>;
    /// These recipients of a project, by repository name; for one changed row of thousands.
    async fn recipients_some(&self, project: ProjectId, some: &[RecipientId]) -> Result<Vec<Recipient>>;
    /// Last outcomes of these recipients.
    async fn last_outcomes_some(&self, project: ProjectId, some: &[RecipientId]) -> Result<Vec<LastOutcome>>;
    /// Pull requests of these recipients.
    async fn pulls_some(&self, project: ProjectId, some: &[RecipientId]) -> Result<Vec<PullRow>>;
    /// Heads recorded as our own, for these recipients.
    async fn own_commits(
        &self,
        project: ProjectId,
        recipients: &[RecipientId],
    ) -> Result<Vec<(RecipientId, Oid)>>;
    /// Verdicts of these recipients.
    async fn verdicts(&self, project: ProjectId, recipients: &[RecipientId]) -> Result<Vec<Verdict>>;

    // the lease
    /// The ONE conditional update, with the run born in the same transaction (docs/LEASES.md section 4).
    async fn claim(&self, request: &ClaimRequest) -> Result<Claim>;
    /// Opens a line for renewals on the CURRENT runtime.
    async fn lease_line(&self) -> Result<Arc<dyn LeaseLine>>;
    /// Asks a live holder to stop; the first ask wins; a successor is never hit.
    async fn ask_cancel(
        &self,
        project: ProjectId,
        fence: Fence,
        actor: &Actor,
        reason: &str,
    ) -> Result<CancelResult>;
    /// Ends a lease whose heartbeat proves that its holder is gone.
    async fn reclaim(&self, project: ProjectId, fence: Fence, actor: &Actor) -> Result<Reclaim>;
    /// One lease.
    async fn lease(&self, project: ProjectId) -> Result<Option<LeaseView>>;
    /// All leases of projects that are not deleted.
    async fn leases(&self) -> Result<Vec<LeaseView>>;

    // run-owned writes: each begins by locking the lease row by token and fence
    /// Records the distribution's coming heads as our own commits, before they are pushed.
    async fn record_distribution(&self, guard: &LeaseGuard, heads: &[(BranchName, Oid)]) -> Result<()>;
    /// The publication; keeps the lease, heartbeat renewed; once per fence.
    async fn publish(&self, guard: &LeaseGuard, publication: &Publication) -> Result<()>;
    /// Own commits and step `recorded`, before any ref moves.
    async fn items_record(&self, guard: &LeaseGuard, items: &[ItemRecord]) -> Result<()>;
    /// Step `pushed`.
    async fn items_pushed(&self, guard: &LeaseGuard, items: &[(RecipientId, BranchName)]) -> Result<()>;
    /// Step `announced` with the pull request as opened or commented (its `announced` head is set).
    async fn item_announced(&self, guard: &LeaseGuard, pull: &PullRow) -> Result<()>;
    /// Outcome, last outcome, pull request and recipient state in one transaction.
    async fn items_done(&self, guard: &LeaseGuard, items: &[ItemDone]) -> Result<()>;
    /// Keeps verdicts.
    async fn verdicts_put(&self, guard: &LeaseGuard, verdicts: &[Verdict]) -> Result<()>;
    /// All terminal writes; clears the owner; once per fence. With a publication for drafts and empty selections.
    async fn finish(
        &self,
        guard: &LeaseGuard,
        ending: &Ending,
        publication: Option<&Publication>,
    ) -> Result<()>;
    /// One insert-only audit row of a loser that names its own fence (docs/LEASES.md section 5).
    async fn audit_loss(&self, guard: &LeaseGuard, detail: &str) -> Result<()>;

    // runs
    /// Newest first. Status `running` is turned into `interrupted` where the lease proves it.
    async fn runs(&self, project: Option<ProjectId>, limit: u32) -> Result<Vec<Run>>;
    /// One.
    async fn run(&self, id: RunId) -> Result<Option<Run>>;
    /// Its items.
    async fn items(&self, run: RunId) -> Result<Vec<Item>>;
    /// Its items of these recipients.
    async fn items_some(&self, run: RunId, some: &[RecipientId]) -> Result<Vec<Item>>;

    // pacing
    /// Reserves the next instant for a content write of this identity by one conditional update.
    async fn gate_reserve(&self, identity: &str, pace: Pace) -> Result<Slot>;
    /// Notes that the forge asked to wait (`until` by the database's clock is derived from `for_ms`) or halved the pace.
    async fn gate_block(&self, identity: &str, for_ms: i64, slower: bool) -> Result<()>;

    // feed and audit
    /// Newest cursor.
    async fn feed_head(&self) -> Result<i64>;
    /// Rows after a cursor, oldest first.
    async fn feed_after(&self, cursor: i64, limit: u32) -> Result<Vec<FeedRow>>;
    /// Resolves when the feed may have grown by any process, or after `poll_ms` at the latest.
    async fn feed_wait(&self, cursor: i64, poll_ms: u64) -> Result<()>;
    /// What happened to the leases of one project or of all, newest first, before a position of the audit.
    async fn lease_history(
        &self,
        project: Option<ProjectId>,
        before: Option<i64>,
        limit: u32,
    ) -> Result<Vec<LeaseEntry>>;
    /// Newest first.
    async fn audit(&self, project: Option<ProjectId>, limit: u32) -> Result<Vec<AuditRow>>;
}
