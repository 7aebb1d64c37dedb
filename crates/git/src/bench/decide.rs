//! The decision about one branch of one recipient (docs/SYNC.md), by ancestry and content alone: a restored
//! database must work.

use std::collections::BTreeSet;

use lockstep_domain::names::Oid;
use lockstep_domain::ports::{CommitSpec, DecideRequest, Decision, Forecast, GitError};

use super::Bench;
use super::merge::Merged;
use crate::answers::local_fault;
use crate::facts::Spot;
use crate::history::oids;
use crate::job::Job;

/// Text of a merge on top of a recipient's commits; constant, names nothing.
const MERGE_MESSAGE: &str = "Merge project update\n";

/// Where GitHub asks for a permission of its own.
const WORKFLOWS: &str = ".github/workflows";

/// What would be lost if the sync branch moved to the new head.
enum Loss {
    Nothing,
    /// The recipient's commits would: merge on top of this head.
    On(Oid),
}

impl Bench {
    pub(super) async fn judge(&self, request: &DecideRequest) -> Result<Decision, GitError> {
        let common = self.common(request.new, request.base).await?;
        if common.is_empty() {
            return Ok(Decision::NoCommonHistory);
        }
        let taken = self.taken(request, common).await?;
        let base_tree = self.inner.tree_of(&self.git_dir(), request.base).await?;
        if self.merge_from(taken, request.base, request.new).await? == Merged::Clean(base_tree) {
            let undone = taken == request.new && self.undone(taken, request.base).await?;
            return Ok(Decision::UpToDate { undone });
        }
        if let Some(sync) = request.sync
            && self.contains(sync, request.new).await?
        {
            return Ok(Decision::Unchanged(self.forecast(request.base, sync).await?));
        }
        match self.loss(request).await? {
            Loss::Nothing => self.deliver(request, request.new, false).await,
            Loss::On(theirs) => self.merge_on_top(request, theirs).await,
        }
    }

    /// The newest distribution head that the recipient has taken: contained in the base, or in the head of a merged
    /// pull request of ours whose merge commit the base still has (a revert of the branch itself takes it back).
    async fn taken(&self, request: &DecideRequest, common: Vec<Oid>) -> Result<Oid, GitError> {
        let mut candidates: BTreeSet<Oid> = common.into_iter().collect();
        for (_, head, merged_as) in &request.merged {
            let Some(merged_as) = merged_as else { continue };
            if self.contains(request.base, *merged_as).await? && self.absent(&[*head]).await?.is_empty() {
                candidates.extend(self.common(request.new, *head).await?);
            }
        }
        let candidates: Vec<_> = candidates.into_iter().collect();
        if let [only] = candidates[..] {
            return Ok(only);
        }
        let independent = self.list("merge-base --independent", &candidates).await?;
        if let [only] = independent[..] {
            return Ok(only);
        }
        // Histories that crossed (`whole` only): sorted by date, the newest first.
        let newest = self.list("rev-list --no-walk=sorted", &independent).await?;
        newest.first().copied().ok_or_else(|| GitError::Unexpected("no common commit was named".into()))
    }

    /// Common ancestors of the new distribution head and another commit. The distribution is a line, so there is one:
    /// its newest head that the other contains.
    async fn common(&self, new: Oid, other: Oid) -> Result<Vec<Oid>, GitError> {
        self.list("merge-base --all", &[new, other]).await
    }

    /// A command that answers oids; exit code 1 without a word means none.
    async fn list(&self, command: &str, about: &[Oid]) -> Result<Vec<Oid>, GitError> {
        let job = Job::on(&self.git_dir()).words(command).args(oids(about));
        let answer = self.inner.runner.local(job).await?;
        match answer.code {
            Some(0) => Ok(answer.text().lines().filter_map(|line| line.parse().ok()).collect()),
            Some(1) if answer.out.is_empty() && answer.err.is_empty() => Ok(Vec::new()),
            _ => Err(local_fault(command, &answer)),
        }
    }

    /// Whether `old` is `new` or an ancestor; an object that a complete history lacks is none of its commits.
    async fn contains(&self, new: Oid, old: Oid) -> Result<bool, GitError> {
        Ok(self.inner.is_ancestor(&self.git_dir(), old, new).await?.unwrap_or(false))
    }

    /// Whether something that the last update changed is back as it was before it.
    async fn undone(&self, taken: Oid, base: Oid) -> Result<bool, GitError> {
        let git_dir = self.git_dir();
        let job = Job::on(&git_dir).words("rev-parse --verify --quiet").arg(format!("{taken}^1"));
        let Ok(before) = self.inner.runner.local(job).await?.text().trim().parse::<Oid>() else {
            return Ok(false);
        };
        let update: BTreeSet<Spot> = self.inner.spots(&git_dir, before, taken).await?;
        let theirs: BTreeSet<Spot> = self.inner.spots(&git_dir, base, taken).await?;
        // The same path, the same content before: from the state before the update and from the base alike.
        Ok(update.intersection(&theirs).next().is_some())
    }

    /// Foreign are commits of the sync branch that are neither in the new head, nor in the base, nor ours. A merge of
    /// ours on top of theirs is ours, but theirs below it still count.
    async fn loss(&self, request: &DecideRequest) -> Result<Loss, GitError> {
        let Some(sync) = request.sync else { return Ok(Loss::Nothing) };
        if request.merged.iter().any(|(_, head, _)| *head == sync) {
            return Ok(Loss::Nothing);
        }
        let job = Job::on(&self.git_dir()).arg("rev-list").args([
            sync.to_string(),
            format!("^{}", request.new),
            format!("^{}", request.base),
        ]);
        let answer = self.inner.runner.local(job).await?;
        if !answer.good() {
            return Err(local_fault("rev-list", &answer));
        }
        let text = answer.text();
        let mut ahead = text.lines().filter_map(|line| line.parse::<Oid>().ok());
        Ok(if ahead.any(|oid| !request.own.contains(&oid)) { Loss::On(sync) } else { Loss::Nothing })
    }

    async fn merge_on_top(&self, request: &DecideRequest, theirs: Oid) -> Result<Decision, GitError> {
        if self.common(request.new, theirs).await?.is_empty() {
            return Ok(Decision::ForeignCommits(Vec::new()));
        }
        let tree = match self.merge(theirs, request.new).await? {
            Merged::Clean(tree) => tree,
            Merged::Conflict(paths) => return Ok(Decision::ForeignCommits(paths)),
            Merged::Unknown => return Ok(Decision::ForeignCommits(Vec::new())),
        };
        let spec = CommitSpec {
            tree,
            parents: vec![theirs, request.new],
            message: MERGE_MESSAGE.to_owned(),
            at: request.at,
        };
        let oid = self.inner.commit_tree(&self.git_dir(), &spec).await?;
        self.deliver(request, oid, true).await
    }

    async fn deliver(&self, request: &DecideRequest, oid: Oid, on_top: bool) -> Result<Decision, GitError> {
        Ok(Decision::Push {
            oid,
            on_top,
            forecast: self.forecast(request.base, oid).await?,
            workflows: self.workflows(request, oid).await?,
        })
    }

    async fn forecast(&self, base: Oid, head: Oid) -> Result<Forecast, GitError> {
        Ok(match self.merge(base, head).await? {
            Merged::Clean(_) => Forecast::Clean,
            Merged::Conflict(paths) => Forecast::Conflict(paths),
            Merged::Unknown => Forecast::Unknown,
        })
    }

    /// Whether the pushed head differs from the base there, or one of the pushed commits touches it.
    async fn workflows(&self, request: &DecideRequest, oid: Oid) -> Result<bool, GitError> {
        let git_dir = self.git_dir();
        let differ = Job::on(&git_dir)
            .words("diff-tree -r --quiet")
            .args(oids(&[request.base, oid]))
            .args(["--", WORKFLOWS]);
        let differ = self.inner.runner.local(differ).await?;
        match differ.code {
            Some(0) => {}
            Some(1) => return Ok(true),
            _ => return Err(local_fault("diff-tree", &differ)),
        }
        let known = [Some(request.base), request.sync].into_iter().flatten().map(|known| format!("^{known}"));
        let touch = Job::on(&git_dir)
            .words("rev-list --max-count=1 --full-history")
            .arg(oid.to_string())
            .args(known)
            .args(["--", WORKFLOWS]);
        let touch = self.inner.runner.local(touch).await?;
        if touch.good() { Ok(!touch.out.is_empty()) } else { Err(local_fault("rev-list", &touch)) }
    }
}
