//! The port, each method with its span.

use async_trait::async_trait;
use http::Method;
use lockstep_domain::ids::RepoId;
use lockstep_domain::lease::LeaseGuard;
use lockstep_domain::model::{RepoIdent, Spent};
use lockstep_domain::names::{Oid, RepoSlug};
use lockstep_domain::ports::{
    Forge, ForgeError, Identity, NewPull, PullInfo, RecipientAt, RecipientRead, RecipientsQuery, Remote,
    RepoInfo, RepoRead, Written,
};
use secrecy::ExposeSecret;
use tokio::sync::OnceCell;
use tracing::instrument;

use crate::auth::{Auth, scopes_allow};
use crate::classify::{Kind, unreadable};
use crate::client::Client;
use crate::endpoints::Endpoints;
use crate::options::{BadOptions, GithubOptions};
use crate::recipients::read_all;
use crate::shapes::{AppJson, UserJson};

/// One GitHub, seen through one connection. Share it behind an `Arc`; it holds the connection pool and the installation
/// token.
pub struct GithubForge {
    client: Client,
    identity: OnceCell<Identity>,
}

impl std::fmt::Debug for GithubForge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "GithubForge({})", self.client.endpoints.rest)
    }
}

impl GithubForge {
    /// Checks the options and sends nothing.
    ///
    /// # Errors
    /// What in the options cannot work, with what to change.
    pub fn new(options: GithubOptions) -> Result<Self, BadOptions> {
        Ok(Self { client: Client::new(options)?, identity: OnceCell::new() })
    }

    /// The addresses derived from the base.
    #[must_use]
    pub fn endpoints(&self) -> &Endpoints {
        &self.client.endpoints
    }

    async fn ask_identity(&self) -> Result<Identity, ForgeError> {
        let client = &self.client;
        match &client.auth {
            Auth::Token(_) => {
                let ask = client.ask(Method::GET, "/user", &["user"], &[])?;
                let user: UserJson = client.read_json(ask, "the account of the token").await?;
                Ok(Identity { login: user.login, id: user.id })
            }
            Auth::App(app) => {
                let ask = client.ask(Method::GET, "/app", &["app"], &[])?;
                let answer = client.as_app(app, &ask, Kind::Read).await?;
                let Some(told) = answer.json::<AppJson>() else {
                    return Err(unreadable(client.context(Kind::Read, "the App"), &answer));
                };
                Ok(Identity { login: format!("{}[bot]", told.slug), id: told.id })
            }
        }
    }

    /// The login of the user behind a token; `None` for an App.
    async fn user_login(&self) -> Result<Option<&str>, ForgeError> {
        match self.client.auth {
            Auth::App(_) => Ok(None),
            Auth::Token(_) => {
                let identity = self.identity.get_or_try_init(|| self.ask_identity()).await?;
                Ok(Some(&identity.login))
            }
        }
    }
}

#[async_trait]
impl Forge for GithubForge {
    #[instrument(name = "github.identity", level = "debug", skip_all)]
    async fn identity(&self) -> Result<Identity, ForgeError> {
        // Always asked anew: it is the test of the credentials.
        let identity = self.ask_identity().await?;
        // Kept for the questions that need only the login; an earlier one stays.
        drop(self.identity.set(identity.clone()));
        Ok(identity)
    }

    #[instrument(name = "github.repositories.get", level = "debug", skip_all, fields(repo.id = id.0))]
    async fn repository(&self, id: RepoId) -> Result<RepoInfo, ForgeError> {
        self.client.repository(id).await
    }

    #[instrument(name = "github.repositories.get_by_name", level = "debug", skip_all, fields(repo = %slug))]
    async fn repository_by_name(&self, slug: &RepoSlug) -> Result<RepoInfo, ForgeError> {
        self.client.repository_by_name(slug).await
    }

    #[instrument(name = "github.repositories.list", level = "debug", skip_all, fields(owner = %owner))]
    async fn repositories_like(
        &self,
        owner: &str,
        pattern: &str,
        limit: usize,
    ) -> Result<Vec<RepoInfo>, ForgeError> {
        let login = self.user_login().await?;
        self.client.repositories_like(owner, pattern, limit, login).await
    }

    #[instrument(name = "github.repositories.read", level = "debug", skip_all, fields(count = asked.len()))]
    async fn repositories(&self, asked: &[&RepoIdent]) -> Result<Vec<Option<RepoRead>>, ForgeError> {
        self.client.repositories(asked).await
    }

    #[instrument(name = "github.heads", level = "debug", skip_all, fields(repo.id = repo.id.0))]
    async fn heads(&self, repo: &RepoInfo) -> Result<Vec<(String, Oid)>, ForgeError> {
        self.client.heads(repo).await
    }

    #[instrument(name = "github.recipients", level = "debug", skip_all, fields(count = query.node_ids.len()))]
    async fn recipients(&self, query: &RecipientsQuery) -> Result<Vec<RecipientRead>, ForgeError> {
        read_all(&self.client, query).await
    }

    #[instrument(name = "github.pulls.find", level = "debug", skip_all, fields(repo.id = repo.id.0))]
    async fn find_open_pull(
        &self,
        repo: &RecipientAt,
        head: &str,
        base: &str,
    ) -> Result<Option<PullInfo>, ForgeError> {
        self.client.find_open_pull(repo, head, base).await
    }

    #[instrument(name = "github.pulls.has_marker", level = "debug", skip_all, fields(repo.id = repo.id.0, pull.number = number))]
    async fn has_marker(&self, repo: &RecipientAt, number: i64, marker: &str) -> Result<bool, ForgeError> {
        self.client.has_marker(repo, number, marker).await
    }

    #[instrument(name = "github.repositories.create", level = "debug", skip_all, fields(repo = %slug))]
    async fn create_private_repository(
        &self,
        guard: &LeaseGuard,
        slug: &RepoSlug,
    ) -> Result<RepoInfo, ForgeError> {
        let login = self.user_login().await?;
        self.client.create_private_repository(guard, slug, login).await
    }

    #[instrument(name = "github.pulls.create", level = "debug", skip_all, fields(repo.id = repo.id.0))]
    async fn open_pull(
        &self,
        guard: &LeaseGuard,
        repo: &RecipientAt,
        pull: &NewPull,
    ) -> Result<Written<PullInfo>, ForgeError> {
        self.client.open_pull(guard, repo, pull).await
    }

    #[instrument(name = "github.comments.create", level = "debug", skip_all, fields(repo.id = repo.id.0, pull.number = number))]
    async fn comment(
        &self,
        guard: &LeaseGuard,
        repo: &RecipientAt,
        number: i64,
        body: &str,
    ) -> Result<Written<()>, ForgeError> {
        self.client.comment(guard, repo, number, body).await
    }

    #[instrument(name = "github.pulls.close", level = "debug", skip_all, fields(repo.id = repo.id.0, pull.number = number))]
    async fn close_pull(
        &self,
        guard: &LeaseGuard,
        repo: &RecipientAt,
        number: i64,
    ) -> Result<Written<()>, ForgeError> {
        self.client.close_pull(guard, repo, number).await
    }

    #[instrument(name = "github.git_remote", level = "debug", skip_all, fields(repo = %slug))]
    async fn git_remote(&self, slug: &RepoSlug) -> Result<Remote, ForgeError> {
        let password = self.client.git_password().await?;
        Ok(Remote {
            url: format!("{}/{}/{}.git", self.client.endpoints.web, slug.owner, slug.name),
            user: "x-access-token".to_owned(),
            password: password.expose_secret().to_owned(),
        })
    }

    async fn may(&self, permission: &str) -> Option<bool> {
        match &self.client.auth {
            Auth::App(app) => {
                if app.grants(permission).is_none() {
                    self.client.git_password().await.ok()?;
                }
                app.grants(permission)
            }
            Auth::Token(_) => {
                if self.client.scopes().is_none() {
                    self.user_login().await.ok()?;
                }
                scopes_allow(&self.client.scopes()?, permission)
            }
        }
    }

    fn spent(&self) -> Spent {
        self.client.spent()
    }
}
