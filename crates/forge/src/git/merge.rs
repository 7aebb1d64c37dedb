//! Virtual merges and the three merge buttons, without a work tree.

use std::path::Path;

use super::history;
use super::objects::{self, Signature};
use super::{Git, is_oid};
use crate::options::ForgeError;

/// Does `head` merge cleanly into `base`? Returns the merged tree, `None` on a conflict.
pub(crate) fn tree(git: &Git, dir: &Path, base: &str, head: &str) -> Result<Option<String>, ForgeError> {
    let answer = git.try_run(dir, &["merge-tree", "--write-tree", "--no-messages", base, head], b"")?;
    match answer.code {
        0 => Ok(answer.text().lines().next().map(str::to_owned)),
        1 => Ok(None),
        _ => Err(ForgeError::Git(String::from_utf8_lossy(&answer.stderr).trim_end().to_owned())),
    }
}

/// Writes a commit and returns its id.
pub(crate) fn commit_tree(
    git: &Git,
    dir: &Path,
    tree: &str,
    parents: &[&str],
    (author, committer): (&Signature, &Signature),
    message: &str,
) -> Result<String, ForgeError> {
    let mut arguments = vec!["commit-tree"];
    for parent in parents {
        arguments.extend(["-p", parent]);
    }
    arguments.push(tree);
    let date = |who: &Signature| format!("@{} {}", who.seconds, who.offset);
    let environment = [
        ("GIT_AUTHOR_NAME", author.name.clone()),
        ("GIT_AUTHOR_EMAIL", author.email.clone()),
        ("GIT_AUTHOR_DATE", date(author)),
        ("GIT_COMMITTER_NAME", committer.name.clone()),
        ("GIT_COMMITTER_EMAIL", committer.email.clone()),
        ("GIT_COMMITTER_DATE", date(committer)),
    ];
    let oid =
        git.run_with(dir, &arguments, &environment, format!("{}\n", message.trim_end()).as_bytes())?.text();
    if is_oid(&oid) { Ok(oid) } else { Err(ForgeError::Git(format!("commit-tree answered {oid}"))) }
}

/// Replays the commits of `base..head` onto `base`, as "Rebase and merge" does. `None` on a conflict.
pub(crate) fn rebase(
    git: &Git,
    dir: &Path,
    base: &str,
    head: &str,
    committer: &Signature,
) -> Result<Option<String>, ForgeError> {
    let range = format!("{base}..{head}");
    let picks =
        history::list(git, dir, &["--reverse".into(), "--no-merges".into(), "--topo-order".into(), range])?;
    let mut onto = base.to_owned();
    for commit in objects::commits(git, dir, &picks)? {
        let Some(parent) = commit.parents.first() else { return Ok(None) };
        let Some(tree) = pick(git, dir, parent, &onto, &commit.oid, committer)? else { return Ok(None) };
        let signatures = (&commit.author, committer);
        onto = commit_tree(git, dir, &tree, &[&onto], signatures, &commit.message)?;
    }
    Ok(Some(onto))
}

/// A three-way merge with a chosen base. `merge-tree --merge-base` needs git 2.40; two synthetic commits over the
/// base do the same from 2.38 on.
fn pick(
    git: &Git,
    dir: &Path,
    base: &str,
    ours: &str,
    theirs: &str,
    who: &Signature,
) -> Result<Option<String>, ForgeError> {
    let root = commit_tree(git, dir, &format!("{base}^{{tree}}"), &[], (who, who), "base")?;
    let left = commit_tree(git, dir, &format!("{ours}^{{tree}}"), &[&root], (who, who), "ours")?;
    let right = commit_tree(git, dir, &format!("{theirs}^{{tree}}"), &[&root], (who, who), "theirs")?;
    tree(git, dir, &left, &right)
}
