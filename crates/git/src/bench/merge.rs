//! Virtual merges: `git merge-tree --write-tree`, without work tree, index, attributes or merge configuration.

use lockstep_domain::clock::Millis;
use lockstep_domain::names::Oid;
use lockstep_domain::ports::{CommitSpec, GitError};

use super::Bench;
use crate::answers::local_fault;
use crate::job::Job;

/// What a merge would give.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Merged {
    /// This tree.
    Clean(Oid),
    /// Conflicts in these paths.
    Conflict(Vec<String>),
    /// An object is missing.
    Unknown,
}

impl Bench {
    /// The plain merge: what GitHub will do.
    pub(super) async fn merge(&self, ours: Oid, theirs: Oid) -> Result<Merged, GitError> {
        self.merge_tree(None, ours, theirs).await
    }

    /// The merge as if `from` were the only common ancestor.
    pub(super) async fn merge_from(&self, from: Oid, ours: Oid, theirs: Oid) -> Result<Merged, GitError> {
        if self.inner.runner.version().takes_merge_base() {
            return self.merge_tree(Some(from), ours, theirs).await;
        }
        // git before 2.40: two commits that really have `from` as their only parent.
        let (ours, theirs) = (self.child_of(from, ours).await?, self.child_of(from, theirs).await?);
        self.merge_tree(None, ours, theirs).await
    }

    /// A commit on `parent` with the tree of `like`.
    async fn child_of(&self, parent: Oid, like: Oid) -> Result<Oid, GitError> {
        let git_dir = self.git_dir();
        let tree = self.inner.tree_of(&git_dir, like).await?;
        let spec = CommitSpec { tree, parents: vec![parent], message: "virtual\n".into(), at: Millis(0) };
        self.inner.commit_tree(&git_dir, &spec).await
    }

    async fn merge_tree(&self, from: Option<Oid>, ours: Oid, theirs: Oid) -> Result<Merged, GitError> {
        let mut job = Job::on(&self.git_dir()).words("merge-tree --write-tree -z --messages");
        if let Some(from) = from {
            job = job.arg(format!("--merge-base={from}"));
        }
        let answer = self.inner.runner.local(job.arg(ours.to_string()).arg(theirs.to_string())).await?;
        match answer.code {
            Some(0) => first_oid(&answer.out).map(Merged::Clean),
            Some(1) => Ok(Merged::Conflict(conflicts(&answer.out, [ours, theirs]))),
            _ => match local_fault("merge-tree", &answer) {
                fault @ GitError::StoreUnusable(_) => Err(fault),
                fault => {
                    tracing::debug!(%fault, "a virtual merge could not be told");
                    Ok(Merged::Unknown)
                }
            },
        }
    }
}

fn first_oid(out: &[u8]) -> Result<Oid, GitError> {
    let first = out.split(|byte| *byte == 0).next().unwrap_or_default();
    let oid = String::from_utf8_lossy(first).trim().parse();
    oid.map_err(|_| GitError::Unexpected("merge-tree named no tree".into()))
}

/// Paths of the `CONFLICT` messages. The records are `<n>\0<path>\0 … <type>\0<text>\0` after an empty field; where a
/// file had to step aside it is called `<path>~<commit>`, which is no path of anybody's.
fn conflicts(out: &[u8], sides: [Oid; 2]) -> Vec<String> {
    let mut fields = out.split(|byte| *byte == 0).skip_while(|field| !field.is_empty()).skip(1);
    let mut found: Vec<String> = Vec::new();
    while let Some(count) =
        fields.next().and_then(|field| std::str::from_utf8(field).ok()?.parse::<usize>().ok())
    {
        let paths: Vec<_> = fields.by_ref().take(count).map(String::from_utf8_lossy).collect();
        let (Some(kind), Some(_text)) = (fields.next(), fields.next()) else { break };
        if !kind.starts_with(b"CONFLICT") {
            continue;
        }
        for path in paths {
            let aside = sides.iter().find_map(|side| path.find(&format!("~{side}")));
            let path = aside.and_then(|at| path.get(..at)).unwrap_or(&path).to_owned();
            if !found.contains(&path) {
                found.push(path);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paths_of_a_conflict_come_from_its_messages() {
        let (ours, theirs) = ("a".repeat(40), "b".repeat(40));
        let out = format!(
            "{ours}\x00100644 {ours} 1\tc.txt~{theirs}\x00100644 {theirs} 3\tc.txt~{theirs}\0\0\
             2\0c.txt~{theirs}\0c.txt\0CONFLICT (file/directory)\0directory in the way\0\
             1\0c.txt~{theirs}\0CONFLICT (modify/delete)\0deleted\0\
             1\0x.txt\0Auto-merging\0Auto-merging x.txt\0\
             1\0y\nz.txt\0CONFLICT (contents)\0Merge conflict in y\0"
        );
        let sides = [ours.parse().unwrap(), theirs.parse().unwrap()];
        assert_eq!(conflicts(out.as_bytes(), sides), ["c.txt", "y\nz.txt"]);
        assert_eq!(first_oid(out.as_bytes()).unwrap(), sides[0]);
    }
}
