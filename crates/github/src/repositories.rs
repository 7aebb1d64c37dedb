//! Repositories: by id, by name, by pattern, and making one.

use http::Method;
use lockstep_domain::ids::RepoId;
use lockstep_domain::lease::LeaseGuard;
use lockstep_domain::names::RepoSlug;
use lockstep_domain::ports::{ForgeError, RepoInfo};
use serde_json::json;

use crate::auth::Auth;
use crate::classify::{Kind, unreadable};
use crate::client::Client;
use crate::pages::{Next, PER_PAGE, matches};
use crate::shapes::{RepoJson, RepoPageJson};
use crate::wire::Ask;

impl Client {
    pub(crate) async fn repository(&self, id: RepoId) -> Result<RepoInfo, ForgeError> {
        let (number, what) = (id.to_string(), format!("repository {id}"));
        let ask = self.ask(Method::GET, "/repositories/{id}", &["repositories", &number], &[])?;
        self.read_repository(ask, &what).await
    }

    pub(crate) async fn repository_by_name(&self, slug: &RepoSlug) -> Result<RepoInfo, ForgeError> {
        let ask = self.ask(Method::GET, "/repos/{owner}/{repo}", &["repos", &slug.owner, &slug.name], &[])?;
        self.read_repository(ask, &slug.to_string()).await
    }

    async fn read_repository(&self, ask: Ask, what: &str) -> Result<RepoInfo, ForgeError> {
        let answer = self.read(ask, what).await?;
        let info = answer.json::<RepoJson>().and_then(RepoJson::info);
        info.ok_or_else(|| unreadable(self.context(Kind::Read, what), &answer))
    }

    /// `login` is the connection's own account when it is a user's: that account's private repositories are listed by a
    /// route of their own.
    pub(crate) async fn repositories_like(
        &self,
        owner: &str,
        pattern: &str,
        limit: usize,
        login: Option<&str>,
    ) -> Result<Vec<RepoInfo>, ForgeError> {
        let mut found = Vec::new();
        let mut keep = |repos: Vec<RepoJson>| {
            found.extend(repos.into_iter().filter_map(RepoJson::info).filter(|info| {
                info.slug.owner.eq_ignore_ascii_case(owner) && matches(pattern, &info.slug.name)
            }));
            // The pages come in the order of names, so the first ones are enough.
            if found.len() < limit { Next::Go } else { Next::Stop }
        };
        let sorted = [PER_PAGE, ("sort", "full_name"), ("direction", "asc")];
        let ask = self.ask(Method::GET, "/orgs/{org}/repos", &["orgs", owner, "repos"], &sorted)?;
        let as_org = self.each_page(ask, owner, &mut keep).await;
        match (as_org, &self.auth) {
            (Err(ForgeError::NotFound(_)), Auth::App(_)) => {
                let path = ["installation", "repositories"];
                let ask = self.ask(Method::GET, "/installation/repositories", &path, &[PER_PAGE])?;
                self.each_page(ask, owner, |page: RepoPageJson| {
                    keep(page.repositories);
                    Next::Go
                })
                .await?;
            }
            (Err(ForgeError::NotFound(_)), Auth::Token(_)) => {
                let own = login.is_some_and(|login| login.eq_ignore_ascii_case(owner));
                let ask = if own {
                    let query =
                        [PER_PAGE, ("sort", "full_name"), ("direction", "asc"), ("affiliation", "owner")];
                    self.ask(Method::GET, "/user/repos", &["user", "repos"], &query)?
                } else {
                    self.ask(Method::GET, "/users/{username}/repos", &["users", owner, "repos"], &sorted)?
                };
                self.each_page(ask, owner, &mut keep).await?;
            }
            (ended, _) => ended?,
        }
        found.sort_by_key(|info| info.slug.name.to_ascii_lowercase());
        found.truncate(limit);
        Ok(found)
    }

    pub(crate) async fn create_private_repository(
        &self,
        guard: &LeaseGuard,
        slug: &RepoSlug,
        login: Option<&str>,
    ) -> Result<RepoInfo, ForgeError> {
        let own = login.is_some_and(|login| login.eq_ignore_ascii_case(&slug.owner));
        let mut ask = if own {
            self.ask(Method::POST, "/user/repos", &["user", "repos"], &[])?
        } else {
            self.ask(Method::POST, "/orgs/{org}/repos", &["orgs", &slug.owner, "repos"], &[])?
        };
        ask.body = Some(json!({ "name": slug.name, "private": true, "auto_init": false }));
        let what = slug.to_string();
        let answer = self.write(guard, &what, &ask).await?;
        let info = answer.json::<RepoJson>().and_then(RepoJson::info);
        info.ok_or_else(|| unreadable(self.context(Kind::Write, &what), &answer))
    }
}
