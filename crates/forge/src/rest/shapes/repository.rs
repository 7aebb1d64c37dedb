//! Repositories: GitHub's `repository`, `minimal-repository` and `full-repository`.

use serde_json::{Value, json};

use super::Shapes;
use crate::ids::{Node, timestamp};
use crate::world::{AccountKind, Actor, Level, PullState, Repository};

/// The addresses below a repository's own, with their suffixes.
const LINKS: &[(&str, &str)] = &[
    ("forks_url", "/forks"),
    ("keys_url", "/keys{/key_id}"),
    ("collaborators_url", "/collaborators{/collaborator}"),
    ("teams_url", "/teams"),
    ("hooks_url", "/hooks"),
    ("issue_events_url", "/issues/events{/number}"),
    ("events_url", "/events"),
    ("assignees_url", "/assignees{/user}"),
    ("branches_url", "/branches{/branch}"),
    ("tags_url", "/tags"),
    ("blobs_url", "/git/blobs{/sha}"),
    ("git_tags_url", "/git/tags{/sha}"),
    ("git_refs_url", "/git/refs{/sha}"),
    ("trees_url", "/git/trees{/sha}"),
    ("statuses_url", "/statuses/{sha}"),
    ("languages_url", "/languages"),
    ("stargazers_url", "/stargazers"),
    ("contributors_url", "/contributors"),
    ("subscribers_url", "/subscribers"),
    ("subscription_url", "/subscription"),
    ("commits_url", "/commits{/sha}"),
    ("git_commits_url", "/git/commits{/sha}"),
    ("comments_url", "/comments{/number}"),
    ("issue_comment_url", "/issues/comments{/number}"),
    ("contents_url", "/contents/{+path}"),
    ("compare_url", "/compare/{base}...{head}"),
    ("merges_url", "/merges"),
    ("archive_url", "/{archive_format}{/ref}"),
    ("downloads_url", "/downloads"),
    ("issues_url", "/issues{/number}"),
    ("pulls_url", "/pulls{/number}"),
    ("milestones_url", "/milestones{/number}"),
    ("notifications_url", "/notifications{?since,all,participating}"),
    ("labels_url", "/labels{/name}"),
    ("releases_url", "/releases{/id}"),
    ("deployments_url", "/deployments"),
];

impl Shapes<'_> {
    /// The address of a repository in the interface.
    pub(crate) fn repository_url(&self, repository: &Repository) -> String {
        format!("{}/repos/{}", self.api, self.world.full_name(repository))
    }

    /// The repository as lists and pull requests carry it.
    pub(crate) fn repository(&self, repository: &Repository, actor: &Actor) -> Value {
        let full_name = self.world.full_name(repository);
        let url = self.repository_url(repository);
        let page = self.html(&full_name);
        let host = self.core.base_url().trim_start_matches("http://");
        let open = self.open_pulls(repository);
        let mut shape = json!({
            "id": repository.id,
            "node_id": Node::Repository(repository.id).encode(),
            "name": repository.name,
            "full_name": full_name,
            "private": repository.private,
            "owner": self.account_by_id(repository.owner),
            "html_url": page,
            "description": repository.description,
            "fork": false,
            "url": url,
            "created_at": timestamp(repository.created_at),
            "updated_at": timestamp(repository.updated_at),
            "pushed_at": timestamp(repository.pushed_at.unwrap_or(repository.created_at)),
            "git_url": format!("git://{host}/{full_name}.git"),
            "ssh_url": format!("git@{host}:{full_name}.git"),
            "clone_url": format!("{page}.git"),
            "svn_url": page,
            "homepage": null,
            "size": 0,
            "stargazers_count": 0,
            "watchers_count": 0,
            "language": null,
            "has_issues": true,
            "has_projects": true,
            "has_downloads": true,
            "has_wiki": true,
            "has_pages": false,
            "has_discussions": false,
            "forks_count": 0,
            "mirror_url": null,
            "archived": repository.archived_at.is_some(),
            "disabled": false,
            "open_issues_count": open,
            "license": null,
            "allow_forking": true,
            "is_template": false,
            "web_commit_signoff_required": false,
            "topics": [],
            "visibility": if repository.private { "private" } else { "public" },
            "forks": 0,
            "open_issues": open,
            "watchers": 0,
            "default_branch": repository.default_branch,
            "permissions": self.permissions(repository, actor),
        });
        if let Some(object) = shape.as_object_mut() {
            for (name, suffix) in LINKS {
                object.insert((*name).into(), json!(format!("{url}{suffix}")));
            }
        }
        shape
    }

    /// The repository as `GET /repos/{owner}/{repo}` answers it.
    pub(crate) fn full_repository(&self, repository: &Repository, actor: &Actor) -> Value {
        let mut shape = self.repository(repository, actor);
        if let Some(object) = shape.as_object_mut() {
            object.insert("network_count".into(), json!(0));
            object.insert("subscribers_count".into(), json!(0));
            object.insert("allow_merge_commit".into(), json!(repository.merge_commit));
            object.insert("allow_squash_merge".into(), json!(repository.squash));
            object.insert("allow_rebase_merge".into(), json!(repository.rebase));
            object.insert("allow_auto_merge".into(), json!(false));
            object.insert("allow_update_branch".into(), json!(false));
            object.insert("delete_branch_on_merge".into(), json!(repository.delete_branch_on_merge));
            let owner = self.world.accounts.get(&repository.owner);
            if let Some(owner) = owner.filter(|owner| owner.kind == AccountKind::Organization) {
                object.insert("organization".into(), self.account(owner));
            }
        }
        shape
    }

    fn open_pulls(&self, repository: &Repository) -> usize {
        let pulls = self.world.pulls.get(&repository.id);
        pulls.map_or(0, |pulls| pulls.values().filter(|pull| pull.state == PullState::Open).count())
    }

    fn permissions(&self, repository: &Repository, actor: &Actor) -> Value {
        let level = match actor {
            Actor::User { id, .. } => self.world.role(*id, repository),
            _ => self.world.level(actor, repository, "contents"),
        };
        let level = level.max(if self.world.sees(actor, repository) { Level::Read } else { Level::None });
        json!({
            "admin": level >= Level::Admin,
            "maintain": level >= Level::Admin,
            "push": level >= Level::Write,
            "triage": level >= Level::Write,
            "pull": level >= Level::Read,
        })
    }
}
