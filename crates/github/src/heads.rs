//! Repositories with the heads of their branches: many in one question, and page by page the one with many branches.

use lockstep_domain::ids::RepoId;
use lockstep_domain::model::RepoIdent;
use lockstep_domain::names::Oid;
use lockstep_domain::ports::{ForgeError, RepoInfo, RepoRead};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::client::Client;
use crate::graphql::{GraphqlError, Told, Unanswered};
use crate::parts::in_parts;

type Heads = Vec<(String, Oid)>;

/// Branches per page, the most that GitHub gives.
const PAGE: usize = 100;

const BRANCHES: &str = "query Heads($id: ID!, $after: String) { node(id: $id) { __typename ... on Repository { refs(refPrefix: \
    \"refs/heads/\", first: 100, after: $after) { pageInfo { hasNextPage endCursor } nodes { name target { oid } } } } \
    } }";

const REPOSITORIES: &str = "query Repositories($ids: [ID!]!) { nodes(ids: $ids) { __typename ... on Repository { id databaseId \
    nameWithOwner url isPrivate isArchived defaultBranchRef { name } refs(refPrefix: \
    \"refs/heads/\", first: 100) { pageInfo { hasNextPage endCursor } nodes { name target { oid } } } } } }";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Node {
    id: String,
    database_id: i64,
    name_with_owner: String,
    url: String,
    is_private: bool,
    is_archived: bool,
    default_branch_ref: Option<Named>,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Refs {
    nodes: Vec<RefNode>,
    page_info: PageInfo,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PageInfo {
    has_next_page: bool,
    end_cursor: Option<String>,
}

#[derive(Deserialize)]
struct RefNode {
    name: String,
    target: Target,
}

#[derive(Deserialize)]
struct Target {
    oid: String,
}

impl Refs {
    /// The heads of this page and where the next one begins.
    fn page(found: &Value) -> Option<(Heads, Option<String>)> {
        let refs = Self::deserialize(found).ok()?;
        let heads = refs.nodes.into_iter().map(|one| Some((one.name, one.target.oid.parse().ok()?)));
        let next = refs.page_info.end_cursor.filter(|_| refs.page_info.has_next_page);
        Some((heads.collect::<Option<_>>()?, next))
    }
}

/// One node of the answer.
enum Seen {
    /// Readable; `next` when it has more branches than fit a page.
    Repo(RepoRead, Option<String>),
    /// Nothing under this node id.
    Nothing,
}

impl Client {
    /// `None` where the number is not known to GitHub either, or not to this connection.
    pub(crate) async fn repositories(
        &self,
        asked: &[&RepoIdent],
    ) -> Result<Vec<Option<RepoRead>>, ForgeError> {
        let most = (self.policy.batch_nodes / (1 + PAGE)).max(1);
        let seen = in_parts(self, asked, most, |part| self.nodes(part)).await?;
        let mut reads = Vec::with_capacity(seen.len());
        for (seen, ident) in seen.into_iter().zip(asked) {
            reads.push(match seen {
                Seen::Repo(read, next) if read.repo.id == ident.id => Some(self.whole(read, next).await?),
                // A node id that leads elsewhere proves as little as one that leads nowhere: the number decides.
                Seen::Repo(..) | Seen::Nothing => self.by_number(ident.id).await?,
            });
        }
        Ok(reads)
    }

    async fn nodes(&self, part: &[&RepoIdent]) -> Result<Vec<Seen>, Unanswered> {
        let ids: Vec<&str> = part.iter().map(|ident| ident.node_id.as_str()).collect();
        let what = part.iter().map(|ident| ident.slug.to_string()).collect::<Vec<_>>().join(", ");
        let told = self.query("Repositories", REPOSITORIES, &json!({ "ids": ids }), &what).await?;
        answers(&told, part)
    }

    async fn by_number(&self, id: RepoId) -> Result<Option<RepoRead>, ForgeError> {
        let repo = match self.repository(id).await {
            Ok(repo) => repo,
            Err(ForgeError::NotFound(_)) => return Ok(None),
            Err(error) => return Err(error),
        };
        let heads = self.heads(&repo).await?;
        Ok(Some(RepoRead { repo, heads }))
    }

    async fn whole(&self, mut read: RepoRead, next: Option<String>) -> Result<RepoRead, ForgeError> {
        if next.is_some() {
            self.more_heads(&read.repo, next, &mut read.heads).await?;
        }
        Ok(read)
    }

    pub(crate) async fn heads(&self, repo: &RepoInfo) -> Result<Heads, ForgeError> {
        let mut heads = Vec::new();
        self.more_heads(repo, None, &mut heads).await?;
        Ok(heads)
    }

    /// Adds the branches behind the cursor.
    async fn more_heads(
        &self,
        repo: &RepoInfo,
        mut after: Option<String>,
        heads: &mut Heads,
    ) -> Result<(), ForgeError> {
        let what = repo.slug.to_string();
        for _ in 0..self.policy.pages {
            let variables = json!({ "id": repo.node_id, "after": after });
            let told = self.query("Heads", BRANCHES, &variables, &what).await?;
            let node = &told.data["node"];
            if node["__typename"] != "Repository" {
                return Err(ForgeError::NotFound(what));
            }
            let (page, next) = Refs::page(&node["refs"]).ok_or_else(|| unread(&what, &told.errors))?;
            heads.extend(page);
            after = next;
            if after.is_none() {
                return Ok(());
            }
        }
        Err(ForgeError::Validation(format!("{what} has too many branches")))
    }
}

fn answers(told: &Told, part: &[&RepoIdent]) -> Result<Vec<Seen>, Unanswered> {
    if let Some(error) = told.errors.iter().find(|error| error.path.is_none() || error.asks_for_less()) {
        return Err(Unanswered::TooMuch(error.message.clone()));
    }
    let found = told.data["nodes"].as_array().filter(|found| found.len() == part.len());
    let found =
        found.ok_or_else(|| Unanswered::TooMuch("the list of repositories is incomplete".to_owned()))?;
    let one = |(node, ident): (&Value, &&RepoIdent)| match node["__typename"] == "Repository" {
        true => seen(node).ok_or_else(|| Unanswered::Named(unread(&ident.slug.to_string(), &told.errors))),
        false => Ok(Seen::Nothing),
    };
    found.iter().zip(part).map(one).collect()
}

fn seen(node: &Value) -> Option<Seen> {
    let whole = Node::deserialize(node).ok()?;
    let (heads, next) = Refs::page(&node["refs"])?;
    let repo = RepoInfo {
        id: RepoId(whole.database_id),
        node_id: whole.id,
        slug: whole.name_with_owner.parse().ok()?,
        private: whole.is_private,
        archived: whole.is_archived,
        default_branch: whole.default_branch_ref.map(|named| named.name),
        html_url: whole.url,
    };
    Some(Seen::Repo(RepoRead { repo, heads }, next))
}

/// A repository that is there although its branches are not.
fn unread(what: &str, errors: &[GraphqlError]) -> ForgeError {
    if errors.iter().any(|error| error.message.contains("Resource not accessible by")) {
        return ForgeError::PermissionMissing("contents".to_owned());
    }
    ForgeError::Unavailable(format!("the branches of {what} could not be read"))
}
