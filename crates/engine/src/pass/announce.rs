//! The second stage: one recipient at a time, in the order in which they were pushed (docs/SYNC.md).

use std::sync::Arc;

use lockstep_domain::clock::BootMillis;
use lockstep_domain::ids::ConnectionId;
use lockstep_domain::model::{PullRow, PullState, Recipient};
use lockstep_domain::outcome::{Outcome, Reason};
use lockstep_domain::ports::{Forge, ForgeError, NewPull, PullInfo, RecipientAt};
use lockstep_store::{ItemDone, RecipientPatch};
use tokio::sync::mpsc;

use super::decide::{Item, State};
use super::outcome::{Ended, item_done, of_forge, pull_row};
use super::write::{Wrote, write};
use super::{Pass, close, gate};
use crate::run::Halt;
use crate::texts::{self, Update};

/// A recipient whose sync branches stand, on its way to be told.
pub(crate) struct Handed {
    pub(crate) recipient: Recipient,
    pub(crate) at: RecipientAt,
    pub(crate) items: Vec<Item>,
    /// When its pull requests were read.
    pub(crate) read_at: BootMillis,
    pub(crate) patch: RecipientPatch,
}

/// How an announcement ended, with the pull request as now known.
pub(super) struct Told {
    pub(super) ended: Ended,
    pub(super) pull: Option<PullRow>,
}

/// One announcement under way.
pub(super) struct Telling<'a> {
    pub(super) pass: &'a Pass,
    pub(super) handed: &'a Handed,
    pub(super) item: &'a Item,
    pub(super) forge: Arc<dyn Forge>,
}

/// Runs until the first stage has ended and the queue is empty. After a stop the rest stays pushed.
pub(super) async fn run(pass: Arc<Pass>, mut todo: mpsc::UnboundedReceiver<Handed>) -> Result<(), Halt> {
    let mut halted = None;
    while let Some(handed) = todo.recv().await {
        if pass.ctx.stop().reason().is_some() {
            continue;
        }
        if let Err(halt) = Box::pin(tell(&pass, &handed)).await {
            // The first stage stops as well.
            pass.halt(halt.clone());
            halted.get_or_insert(halt);
        }
    }
    halted.map_or(Ok(()), Err)
}

/// All branches of one recipient.
async fn tell(pass: &Pass, handed: &Handed) -> Result<(), Halt> {
    pass.ctx.fence().await?;
    let forge = pass.ctx.forge(handed.recipient.repo.connection).await?;
    for item in &handed.items {
        let telling = Telling { pass, handed, item, forge: forge.clone() };
        let told = match item.state {
            State::Close { undone } => close::close(&telling, undone).await?,
            State::Announce { pushed } => telling.announce(pushed).await?,
            State::Ended(_) | State::Push(_) => continue,
        };
        pass.record(vec![telling.record(told)]).await?;
    }
    Ok(())
}

impl Telling<'_> {
    pub(super) fn connection(&self) -> ConnectionId {
        self.handed.recipient.repo.connection
    }

    fn record(&self, told: Told) -> ItemDone {
        let Item { branch, new, .. } = self.item;
        let mut patch = self.handed.patch.clone();
        if told.ended.reason == Some(Reason::Archived) {
            patch.state = Some(lockstep_domain::skip::RecipientState::Archived);
        }
        let mut done = item_done(self.handed.recipient.id, branch, told.ended, Some(*new), patch);
        done.conflicts = self.item.conflicts;
        done.pull = told.pull;
        done
    }

    async fn announce(&self, pushed: bool) -> Result<Told, Halt> {
        match self.open_now().await? {
            Ok(Some(open)) => self.remark(&open, pushed).await,
            Ok(None) => self.open().await,
            Err(ended) => Ok(Told { ended, pull: None }),
        }
    }

    /// The open pull request: as read, looked up again when that was long ago.
    async fn open_now(&self) -> Result<Result<Option<PullInfo>, Ended>, Halt> {
        let age = self.pass.ctx.parts.clock.boot().0 - self.handed.read_at.0;
        let fresh = i64::try_from(self.pass.ctx.parts.settings.read_fresh.as_millis()).unwrap_or(i64::MAX);
        if age <= fresh {
            return Ok(Ok(self.item.open(self.handed.at.id).cloned()));
        }
        self.find().await
    }

    /// Looks the open pull request up by exact head and base.
    pub(super) async fn find(&self) -> Result<Result<Option<PullInfo>, Ended>, Halt> {
        let (head, base) = (self.item.branch.sync(), self.item.base.as_str());
        let ask = || self.forge.find_open_pull(&self.handed.at, &head, base);
        match gate::read(self.pass, self.connection(), ask).await? {
            Ok(found) => Ok(Ok(found)),
            Err(error) => of_forge(self.pass, error).map(Err),
        }
    }

    fn update(&self) -> Result<Update<'_>, Halt> {
        let built = self.pass.branch(&self.item.branch)?;
        let closed = self.item.newest().filter(|pull| pull.state == PullState::Closed);
        Ok(Update {
            strategy: self.pass.project.strategy,
            number: built.update_number,
            head: built.new,
            branch: &self.item.branch,
            base: &self.item.base,
            files: &built.files,
            note: &self.pass.project.note,
            follows: closed.map(|pull| pull.number),
        })
    }

    /// The last look at a text before it is sent; a trace of the source ends the item, nothing is sent.
    pub(super) fn reveals(&self, text: &str) -> Option<Ended> {
        let finder = self.pass.finder.as_ref()?;
        let recipient = &self.handed.at.slug;
        let error = finder.check("the text of the pull request", text, Some(recipient)).err()?;
        Some(Ended::failed(Reason::Validation, error.text))
    }

    /// Opens one. A lost answer is looked up, then it is sent once more.
    async fn open(&self) -> Result<Told, Halt> {
        let update = self.update()?;
        let new = NewPull {
            head: self.item.branch.sync(),
            base: self.item.base.as_str().to_owned(),
            title: texts::title(&update),
            body: texts::body(&update),
        };
        if let Some(ended) = self.reveals(&new.title).or_else(|| self.reveals(&new.body)) {
            return Ok(Told { ended, pull: None });
        }
        let mut again = true;
        loop {
            let send = || self.forge.open_pull(&self.pass.ctx.guard, &self.handed.at, &new);
            let (wrote, why) = match write(self.pass, self.connection(), &self.handed.at.slug, send).await? {
                Wrote::Done(written) => {
                    return self.announced(&written.value, Outcome::Opened, written.request_id).await;
                }
                Wrote::Ended(ended) => return Ok(Told { ended, pull: None }),
                Wrote::Exists => (false, "a pull request exists already, but was not found".to_owned()),
                Wrote::Unclear(why) => (true, why),
            };
            match self.find().await? {
                // Ours by our own lost answer.
                Ok(Some(found)) if wrote => return self.announced(&found, Outcome::Opened, None).await,
                Ok(Some(found)) => return self.remark(&found, false).await,
                Ok(None) if again => again = false,
                Ok(None) => {
                    return Ok(Told { ended: Ended::failed(Reason::UnknownOutcome, why), pull: None });
                }
                Err(ended) => return Ok(Told { ended, pull: None }),
            }
        }
    }

    /// One comment per head: when our own row does not prove it, the marker is looked for first.
    async fn remark(&self, open: &PullInfo, pushed: bool) -> Result<Told, Halt> {
        let outcome = if pushed { Outcome::Updated } else { Outcome::Unchanged };
        if self.item.announced(open.number) == Some(self.item.new) {
            return self.announced(open, outcome, None).await;
        }
        if !pushed {
            match self.has_marker(open.number, &texts::marker(self.item.new)).await? {
                Ok(true) => return self.announced(open, Outcome::Unchanged, None).await,
                Ok(false) => {}
                Err(ended) => return Ok(Told { ended, pull: None }),
            }
        }
        let text = texts::comment(&self.update()?);
        match self.comment(open.number, &text, &texts::marker(self.item.new)).await? {
            Ok(request_id) => self.announced(open, Outcome::Updated, request_id).await,
            Err(ended) => Ok(Told { ended, pull: None }),
        }
    }

    /// Comments once; a lost answer is looked up by its marker, then it is sent once more.
    pub(super) async fn comment(
        &self,
        number: i64,
        text: &str,
        marker: &str,
    ) -> Result<Result<Option<String>, Ended>, Halt> {
        if let Some(ended) = self.reveals(text) {
            return Ok(Err(ended));
        }
        let mut again = true;
        loop {
            let send = || self.forge.comment(&self.pass.ctx.guard, &self.handed.at, number, text);
            let why = match write(self.pass, self.connection(), &self.handed.at.slug, send).await? {
                Wrote::Done(written) => return Ok(Ok(written.request_id)),
                Wrote::Ended(ended) => return Ok(Err(ended)),
                Wrote::Exists => ForgeError::AlreadyExists.to_string(),
                Wrote::Unclear(why) => why,
            };
            match self.has_marker(number, marker).await? {
                Ok(true) => return Ok(Ok(None)),
                Ok(false) if again => again = false,
                Ok(false) => return Ok(Err(Ended::failed(Reason::UnknownOutcome, why))),
                Err(ended) => return Ok(Err(ended)),
            }
        }
    }

    pub(super) async fn has_marker(&self, number: i64, marker: &str) -> Result<Result<bool, Ended>, Halt> {
        let ask = || self.forge.has_marker(&self.handed.at, number, marker);
        match gate::read(self.pass, self.connection(), ask).await? {
            Ok(found) => Ok(Ok(found)),
            Err(error) => of_forge(self.pass, error).map(Err),
        }
    }

    /// The step `announced` is recorded at once, so that a crash does not repeat it.
    async fn announced(
        &self,
        pull: &PullInfo,
        outcome: Outcome,
        request_id: Option<String>,
    ) -> Result<Told, Halt> {
        let mut row = pull_row(self.handed.recipient.id, &self.item.branch, pull, Some(self.item.new));
        row.head = self.item.sync.or(row.head);
        let pass = self.pass;
        pass.guarded(|| pass.ctx.store().item_announced(&pass.ctx.guard, &row)).await?;
        Ok(Told { ended: Ended::good(outcome).told_by(request_id), pull: Some(row) })
    }
}
