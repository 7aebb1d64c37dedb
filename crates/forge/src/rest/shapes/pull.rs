//! Pull requests and comments.

use serde_json::{Value, json};

use super::Shapes;
use crate::ids::{Node, timestamp};
use crate::world::{Actor, Author, Comment, Pull, PullState, Repository};

/// What git computes for a single pull request.
pub(crate) struct Computed {
    pub(crate) commits: usize,
    pub(crate) additions: u64,
    pub(crate) deletions: u64,
    pub(crate) changed_files: usize,
    pub(crate) mergeable: Option<bool>,
}

impl Shapes<'_> {
    /// `pull-request-simple`, as lists carry it.
    pub(crate) fn pull(&self, repository: &Repository, pull: &Pull, actor: &Actor) -> Value {
        let full_name = self.world.full_name(repository);
        let url = format!("{}/pulls/{}", self.repository_url(repository), pull.number);
        let issue = format!("{}/issues/{}", self.repository_url(repository), pull.number);
        let statuses = format!("{}/statuses/{}", self.repository_url(repository), pull.head_sha);
        let page = self.html(&format!("{full_name}/pull/{}", pull.number));
        let state = if pull.state == PullState::Open { "open" } else { "closed" };
        json!({
            "url": url,
            "id": pull.id,
            "node_id": Node::PullRequest(repository.id, pull.id).encode(),
            "html_url": page,
            "diff_url": format!("{page}.diff"),
            "patch_url": format!("{page}.patch"),
            "issue_url": issue,
            "number": pull.number,
            "state": state,
            "locked": false,
            "active_lock_reason": null,
            "title": pull.title,
            "user": self.author(&pull.author),
            "body": pull.body,
            "created_at": timestamp(pull.created_at),
            "updated_at": timestamp(pull.updated_at),
            "closed_at": pull.closed_at.map(timestamp),
            "merged_at": pull.merged_at.map(timestamp),
            "merge_commit_sha": pull.merge_commit,
            "assignee": null,
            "assignees": [],
            "requested_reviewers": [],
            "requested_teams": [],
            "labels": [],
            "milestone": null,
            "draft": pull.draft,
            "commits_url": format!("{url}/commits"),
            "review_comments_url": format!("{url}/comments"),
            "review_comment_url": format!("{}/pulls/comments{{/number}}", self.repository_url(repository)),
            "comments_url": format!("{issue}/comments"),
            "statuses_url": statuses,
            "head": self.end(repository, &pull.head_ref, &pull.head_sha, actor),
            "base": self.end(repository, &pull.base_ref, &pull.base_sha, actor),
            "_links": {
                "self": { "href": url },
                "html": { "href": page },
                "issue": { "href": issue },
                "comments": { "href": format!("{issue}/comments") },
                "review_comments": { "href": format!("{url}/comments") },
                "review_comment": { "href": format!("{}/pulls/comments{{/number}}", self.repository_url(repository)) },
                "commits": { "href": format!("{url}/commits") },
                "statuses": { "href": statuses },
            },
            "author_association": self.association(&pull.author, repository),
            "auto_merge": null,
        })
    }

    /// `pull-request`, as single answers carry it.
    pub(crate) fn full_pull(
        &self,
        repository: &Repository,
        pull: &Pull,
        computed: &Computed,
        actor: &Actor,
    ) -> Value {
        let mut shape = self.pull(repository, pull, actor);
        let comments = self.comments_of(repository.id, pull.number).count();
        let state = match computed.mergeable {
            None => "unknown",
            Some(true) => "clean",
            Some(false) => "dirty",
        };
        if let Some(object) = shape.as_object_mut() {
            object.insert("merged".into(), json!(pull.state == PullState::Merged));
            object.insert("mergeable".into(), json!(computed.mergeable));
            object.insert("rebaseable".into(), json!(computed.mergeable));
            object.insert("mergeable_state".into(), json!(state));
            object.insert("merged_by".into(), pull.merged_by.map_or(Value::Null, |by| self.author(&by)));
            object.insert("comments".into(), json!(comments));
            object.insert("review_comments".into(), json!(0));
            object.insert("maintainer_can_modify".into(), json!(false));
            object.insert("commits".into(), json!(computed.commits));
            object.insert("additions".into(), json!(computed.additions));
            object.insert("deletions".into(), json!(computed.deletions));
            object.insert("changed_files".into(), json!(computed.changed_files));
        }
        shape
    }

    fn end(&self, repository: &Repository, branch: &str, oid: &str, actor: &Actor) -> Value {
        let owner = self.world.accounts.get(&repository.owner).map_or("ghost", |owner| owner.login.as_str());
        json!({
            "label": format!("{owner}:{branch}"),
            "ref": branch,
            "sha": oid,
            "user": self.account_by_id(repository.owner),
            "repo": self.repository(repository, actor),
        })
    }

    fn association(&self, author: &Author, repository: &Repository) -> &'static str {
        match author {
            Author::User(id) if *id == repository.owner => "OWNER",
            Author::User(id) if self.world.is_member(repository.owner, *id) => "MEMBER",
            Author::User(id) if repository.collaborators.contains_key(id) => "COLLABORATOR",
            Author::User(_) => "NONE",
            Author::App(_) => "CONTRIBUTOR",
        }
    }

    /// The comments on a pull request, oldest first.
    pub(crate) fn comments_of(&self, repository: u64, number: u64) -> impl Iterator<Item = &Comment> {
        self.world
            .comments
            .values()
            .filter(move |found| found.repository == repository && found.number == number)
    }

    /// `issue-comment`.
    pub(crate) fn comment(&self, repository: &Repository, comment: &Comment) -> Value {
        let url = self.repository_url(repository);
        let page = self.html(&format!("{}/pull/{}", self.world.full_name(repository), comment.number));
        let app = match comment.author {
            Author::App(id) => self.world.apps.get(&id).map(|app| self.app(app)),
            Author::User(_) => None,
        };
        json!({
            "id": comment.id,
            "node_id": Node::Comment(comment.id).encode(),
            "url": format!("{url}/issues/comments/{}", comment.id),
            "html_url": format!("{page}#issuecomment-{}", comment.id),
            "issue_url": format!("{url}/issues/{}", comment.number),
            "body": comment.body,
            "user": self.author(&comment.author),
            "created_at": timestamp(comment.created_at),
            "updated_at": timestamp(comment.updated_at),
            "author_association": self.association(&comment.author, repository),
            "performed_via_github_app": app,
        })
    }
}
