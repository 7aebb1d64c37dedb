//! Questions about commits: trees, ancestry, logs, sizes, people.

use std::collections::BTreeSet;
use std::path::Path;

use lockstep_domain::clock::Millis;
use lockstep_domain::names::Oid;
use lockstep_domain::ports::{Ancestry, CommitInfo, GitError};

use crate::answers::{cut, local_fault};
use crate::job::Job;
use crate::program::Inner;
use crate::runner::Answer;

impl Inner {
    /// The tree of a commit.
    pub(crate) async fn tree_of(&self, git_dir: &Path, commit: Oid) -> Result<Oid, GitError> {
        let wanted = format!("{commit}^{{tree}}");
        let job = Job::on(git_dir).words("rev-parse --verify --quiet").arg(wanted);
        let answer = self.runner.local(job).await?;
        // Quiet: exit code 1 and not a word when the object is missing.
        if answer.code == Some(1) {
            return Err(GitError::MissingObject(commit.to_string()));
        }
        one_oid("rev-parse", &answer)
    }

    pub(crate) async fn message_of(&self, commit: Oid) -> Result<String, GitError> {
        let job = Job::on(&self.store.git_dir()).words("cat-file commit").arg(commit.to_string());
        let answer = self.runner.local(job).await?;
        if !answer.good() {
            return Err(local_fault("cat-file", &answer));
        }
        let text = answer.text();
        Ok(text.split_once("\n\n").map(|(_, message)| message.to_owned()).unwrap_or_default())
    }

    /// Whether `old` is `new` or an ancestor of it; `None` when an object is missing.
    pub(crate) async fn is_ancestor(
        &self,
        git_dir: &Path,
        old: Oid,
        new: Oid,
    ) -> Result<Option<bool>, GitError> {
        if old == new {
            return Ok(Some(true));
        }
        let job = Job::on(git_dir).words("merge-base --is-ancestor").args(oids(&[old, new]));
        let answer = self.runner.local(job).await?;
        match answer.code {
            Some(0) => Ok(Some(true)),
            Some(1) => Ok(Some(false)),
            _ => match local_fault("merge-base", &answer) {
                GitError::MissingObject(_) => Ok(None),
                fault => Err(fault),
            },
        }
    }

    pub(crate) async fn ancestry(&self, old: Oid, new: Oid) -> Result<Ancestry, GitError> {
        let git_dir = self.store.git_dir();
        match self.is_ancestor(&git_dir, old, new).await? {
            None => Ok(Ancestry::Unknown),
            Some(false) => Ok(Ancestry::Diverged),
            Some(true) => {
                let job = Job::on(&git_dir).words("rev-list --count").arg(format!("{old}..{new}"));
                let answer = self.runner.local(job).await?;
                match answer.text().trim().parse() {
                    Ok(count) => Ok(Ancestry::Forward(count)),
                    Err(_) => match local_fault("rev-list", &answer) {
                        GitError::MissingObject(_) => Ok(Ancestry::Unknown),
                        fault => Err(fault),
                    },
                }
            }
        }
    }

    pub(crate) async fn newest_with_tree(&self, tip: Oid, tree: Oid) -> Result<Option<Oid>, GitError> {
        let job = Job::on(&self.store.git_dir()).arg("log").arg("--format=%H %T").arg(tip.to_string());
        let answer = self.runner.local(job).await?;
        if !answer.good() {
            return Err(local_fault("log", &answer));
        }
        let tree = tree.to_string();
        let text = answer.text();
        let found = text.lines().filter_map(|line| line.split_once(' ')).find(|(_, of)| *of == tree);
        Ok(found.and_then(|(commit, _)| commit.parse().ok()))
    }

    pub(crate) async fn log(
        &self,
        old: Option<Oid>,
        new: Oid,
        limit: u32,
    ) -> Result<Vec<CommitInfo>, GitError> {
        let job = Job::on(&self.store.git_dir())
            .words("log -z --no-show-signature --format=%H%x00%ct%x00%an%x00%ae%x00%s")
            .arg(format!("--max-count={limit}"))
            .args(range(old, new));
        let answer = self.runner.local(job).await?;
        if !answer.good() {
            return Err(local_fault("log", &answer));
        }
        Ok(records::<5>(&answer.text()).filter_map(commit_info).collect())
    }

    pub(crate) async fn push_bytes(&self, old: Option<Oid>, new: Oid) -> Result<u64, GitError> {
        let job =
            Job::on(&self.store.git_dir()).words("rev-list --objects --disk-usage").args(range(old, new));
        let answer = self.runner.local(job).await?;
        match answer.text().trim().parse() {
            Ok(bytes) if answer.good() => Ok(bytes),
            _ => Err(local_fault("rev-list", &answer)),
        }
    }

    pub(crate) async fn people_of(&self, tip: Oid) -> Result<Vec<(String, String)>, GitError> {
        let job = Job::on(&self.store.git_dir())
            .words("log -z --no-show-signature --format=%an%x00%ae%x00%cn%x00%ce")
            .arg(tip.to_string());
        let answer = self.runner.local(job).await?;
        if !answer.good() {
            return Err(local_fault("log", &answer));
        }
        let people: BTreeSet<(String, String)> = records::<4>(&answer.text())
            .flat_map(|[author, mail, committer, other]| {
                [(author.to_owned(), mail.to_owned()), (committer.to_owned(), other.to_owned())]
            })
            .collect();
        Ok(people.into_iter().collect())
    }
}

/// `new`, without what `old` has.
fn range(old: Option<Oid>, new: Oid) -> Vec<String> {
    std::iter::once(new.to_string()).chain(old.map(|old| format!("^{old}"))).collect()
}

/// NUL-terminated fields in records of N; a record that is cut off is left out.
fn records<const N: usize>(text: &str) -> impl Iterator<Item = [&str; N]> {
    let mut fields = text.split('\0');
    std::iter::from_fn(move || {
        let mut record = [""; N];
        for field in &mut record {
            *field = fields.next()?;
        }
        Some(record)
    })
}

fn commit_info([oid, at, author, email, subject]: [&str; 5]) -> Option<CommitInfo> {
    let seconds: i64 = at.parse().ok()?;
    Some(CommitInfo {
        oid: oid.parse().ok()?,
        subject: subject.to_owned(),
        author: author.to_owned(),
        email: email.to_owned(),
        at: Millis(seconds.saturating_mul(1000)),
    })
}

pub(crate) fn oids(list: &[Oid]) -> impl Iterator<Item = String> {
    list.iter().map(Oid::to_string)
}

/// The one oid that a command answered.
pub(crate) fn one_oid(command: &str, answer: &Answer) -> Result<Oid, GitError> {
    if !answer.good() {
        return Err(local_fault(command, answer));
    }
    let text = answer.text();
    text.trim().parse().map_err(|_| GitError::Unexpected(cut(&format!("{command} answered {text:?}"))))
}
