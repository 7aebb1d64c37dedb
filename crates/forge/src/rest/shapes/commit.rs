//! Commits, refs, branches and changed files.

use serde_json::{Value, json};

use super::Shapes;
use crate::git::history::ChangedFile;
use crate::git::objects::{Commit, Signature};
use crate::http::call::escape;
use crate::ids::Node;
use crate::world::{Author, Repository};

impl Shapes<'_> {
    /// `commit`.
    pub(crate) fn commit(&self, repository: &Repository, commit: &Commit) -> Value {
        let url = self.repository_url(repository);
        let page = self.html(&self.world.full_name(repository));
        let parents = commit.parents.iter().map(|parent| {
            json!({
                "sha": parent,
                "url": format!("{url}/commits/{parent}"),
                "html_url": format!("{page}/commit/{parent}"),
            })
        });
        json!({
            "sha": commit.oid,
            "node_id": Node::Commit(repository.id, commit.oid.clone()).encode(),
            "url": format!("{url}/commits/{}", commit.oid),
            "html_url": format!("{page}/commit/{}", commit.oid),
            "comments_url": format!("{url}/commits/{}/comments", commit.oid),
            "commit": {
                "url": format!("{url}/git/commits/{}", commit.oid),
                "author": git_user(&commit.author),
                "committer": git_user(&commit.committer),
                "message": commit.message,
                "tree": { "sha": commit.tree, "url": format!("{url}/git/trees/{}", commit.tree) },
                "comment_count": 0,
                "verification": {
                    "verified": false,
                    "reason": "unsigned",
                    "signature": null,
                    "payload": null,
                    "verified_at": null,
                },
            },
            "author": self.account_of(&commit.author),
            "committer": self.account_of(&commit.committer),
            "parents": parents.collect::<Vec<_>>(),
        })
    }

    /// The account behind a noreply address; null for anyone else, as on GitHub.
    fn account_of(&self, who: &Signature) -> Value {
        let Some(login) = who.email.strip_suffix("@users.noreply.github.com") else { return Value::Null };
        let login = login.rsplit('+').next().unwrap_or(login);
        if let Some(slug) = login.strip_suffix("[bot]") {
            let app = self.world.apps.values().find(|app| app.slug == slug);
            return app.map_or(Value::Null, |app| self.author(&Author::App(app.id)));
        }
        self.world.account(login).map_or(Value::Null, |account| self.account(account))
    }

    /// `git-ref`.
    pub(crate) fn git_ref(&self, repository: &Repository, name: &str, oid: &str) -> Value {
        let url = self.repository_url(repository);
        json!({
            "ref": name,
            "node_id": Node::Ref(repository.id, name.to_owned()).encode(),
            "url": format!("{url}/git/{name}"),
            "object": { "sha": oid, "type": "commit", "url": format!("{url}/git/commits/{oid}") },
        })
    }

    /// `short-branch`.
    pub(crate) fn short_branch(&self, repository: &Repository, name: &str, oid: &str) -> Value {
        let url = self.repository_url(repository);
        json!({
            "name": name,
            "commit": { "sha": oid, "url": format!("{url}/commits/{oid}") },
            "protected": self.is_protected(repository, name),
        })
    }

    /// `branch-with-protection`.
    pub(crate) fn branch(&self, repository: &Repository, name: &str, commit: &Commit) -> Value {
        let url = format!("{}/branches/{}", self.repository_url(repository), escape(name));
        let protected = self.is_protected(repository, name);
        json!({
            "name": name,
            "commit": self.commit(repository, commit),
            "_links": {
                "self": url,
                "html": self.html(&format!("{}/tree/{name}", self.world.full_name(repository))),
            },
            "protected": protected,
            "protection": {
                "enabled": protected,
                "required_status_checks": { "enforcement_level": "off", "contexts": [], "checks": [] },
            },
            "protection_url": format!("{url}/protection"),
        })
    }

    fn is_protected(&self, repository: &Repository, branch: &str) -> bool {
        use crate::git::hook::RuleKind;
        let full = format!("refs/heads/{branch}");
        repository
            .rules
            .iter()
            .any(|rule| rule.pattern == full && matches!(rule.kind, RuleKind::Protected(_)))
    }

    /// `diff-entry`, without the patch text.
    pub(crate) fn changed_file(&self, repository: &Repository, file: &ChangedFile, head: &str) -> Value {
        let page = self.html(&self.world.full_name(repository));
        let path = file.path.split('/').map(escape).collect::<Vec<_>>().join("/");
        let mut shape = json!({
            "sha": file.blob,
            "filename": file.path,
            "status": file.status,
            "additions": file.additions,
            "deletions": file.deletions,
            "changes": file.additions + file.deletions,
            "blob_url": format!("{page}/blob/{head}/{path}"),
            "raw_url": format!("{page}/raw/{head}/{path}"),
            "contents_url": format!("{}/contents/{path}?ref={head}", self.repository_url(repository)),
        });
        if let (Some(previous), Some(object)) = (&file.previous, shape.as_object_mut()) {
            object.insert("previous_filename".into(), json!(previous));
        }
        shape
    }
}

fn git_user(who: &Signature) -> Value {
    json!({ "name": who.name, "email": who.email, "date": who.date() })
}
