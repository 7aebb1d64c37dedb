//! GitHub's REST bodies, as far as they are read. A field that a later API version drops is never required.

use chrono::DateTime;
use lockstep_domain::clock::Millis;
use lockstep_domain::ids::RepoId;
use lockstep_domain::model::{Mergeable, PullState};
use lockstep_domain::ports::{PullInfo, RepoInfo};
use serde::Deserialize;

/// An RFC 3339 instant.
pub(crate) fn instant(text: &str) -> Option<Millis> {
    DateTime::parse_from_rfc3339(text).ok().map(|at| Millis(at.timestamp_millis()))
}

/// Deleted accounts are shown like this on GitHub's pages.
pub(crate) const GHOST: &str = "ghost";

#[derive(Debug, Deserialize)]
pub(crate) struct RepoJson {
    id: i64,
    node_id: String,
    full_name: String,
    #[serde(default)]
    private: bool,
    #[serde(default)]
    archived: bool,
    default_branch: Option<String>,
    #[serde(default)]
    html_url: String,
}

impl RepoJson {
    /// `None` when the name is none that GitHub gives.
    pub(crate) fn info(self) -> Option<RepoInfo> {
        Some(RepoInfo {
            id: RepoId(self.id),
            node_id: self.node_id,
            slug: self.full_name.parse().ok()?,
            private: self.private,
            archived: self.archived,
            default_branch: self.default_branch.filter(|name| !name.is_empty()),
            html_url: self.html_url,
        })
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct RepoPageJson {
    pub(crate) repositories: Vec<RepoJson>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct UserJson {
    pub(crate) login: String,
    pub(crate) id: i64,
}

#[derive(Debug, Deserialize)]
pub(crate) struct AppJson {
    pub(crate) slug: String,
    pub(crate) id: i64,
}

#[derive(Debug, Deserialize)]
pub(crate) struct CommentJson {
    pub(crate) body: Option<String>,
}

#[derive(Debug, Deserialize)]
struct IdJson {
    id: i64,
}

#[derive(Debug, Deserialize)]
struct SideJson {
    #[serde(rename = "ref")]
    name: String,
    sha: Option<String>,
    repo: Option<IdJson>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct PullJson {
    number: i64,
    user: Option<UserJson>,
    state: String,
    head: SideJson,
    base: SideJson,
    pub(crate) body: Option<String>,
    merge_commit_sha: Option<String>,
    mergeable: Option<bool>,
    created_at: String,
    updated_at: String,
    merged_at: Option<String>,
    closed_at: Option<String>,
    #[serde(default)]
    html_url: String,
}

impl PullJson {
    /// `None` when a time is none.
    pub(crate) fn info(self) -> Option<PullInfo> {
        let merged_at = self.merged_at.as_deref().and_then(instant);
        let state = match (merged_at, self.state.as_str()) {
            (Some(_), _) => PullState::Merged,
            (None, "open") => PullState::Open,
            (None, _) => PullState::Closed,
        };
        // Before the merge this field is GitHub's own trial merge.
        let merge_commit = self.merge_commit_sha.filter(|_| state == PullState::Merged);
        Some(PullInfo {
            number: self.number,
            author: self.user.map_or_else(|| GHOST.to_owned(), |user| user.login),
            state,
            head_ref: self.head.name,
            head: self.head.sha.and_then(|sha| sha.parse().ok()),
            head_repo: self.head.repo.map(|repo| RepoId(repo.id)),
            base: self.base.name,
            merge_commit: merge_commit.and_then(|sha| sha.parse().ok()),
            mergeable: match self.mergeable {
                Some(true) => Mergeable::Mergeable,
                Some(false) => Mergeable::Conflicting,
                None => Mergeable::Unknown,
            },
            created_at: instant(&self.created_at)?,
            updated_at: instant(&self.updated_at)?,
            merged_at,
            closed_at: self.closed_at.as_deref().and_then(instant),
            url: self.html_url,
        })
    }
}
