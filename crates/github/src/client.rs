//! Reads and writes: credentials, redirects, repetition of reads, one sending of writes.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use http::Method;
use lockstep_domain::clock::Clock;
use lockstep_domain::lease::LeaseGuard;
use lockstep_domain::ports::ForgeError;
use secrecy::SecretString;
use serde_json::Value;
use url::Url;

use crate::auth::{App, Auth, Minted, TokenJson, millis};
use crate::classify::{Context, Kind, classify, classify_lost, unreadable};
use crate::endpoints::Endpoints;
use crate::options::{BadOptions, GithubOptions, Policy, Timeouts};
use crate::shapes::instant;
use crate::wire::{Answer, Ask, Lost, Wire};

/// The connection with its credentials.
pub(crate) struct Client {
    pub(crate) endpoints: Endpoints,
    pub(crate) policy: Policy,
    pub(crate) auth: Auth,
    pub(crate) clock: Arc<dyn Clock>,
    timeouts: Timeouts,
    wire: Wire,
    scopes: RwLock<Option<Vec<String>>>,
}

/// Why a request ended without an answer.
pub(crate) enum Ended {
    /// Named already.
    Named(ForgeError),
    /// Lost on the way.
    Lost(Lost),
}

/// A credential for one request.
struct Bearer {
    token: SecretString,
    /// Minted just now: GitHub may not know it everywhere.
    fresh: bool,
}

impl Client {
    pub(crate) fn new(options: GithubOptions) -> Result<Self, BadOptions> {
        let endpoints = Endpoints::parse(&options.base_url)?;
        let auth = Auth::new(&options.credential)?;
        let wire = Wire::new(&options, &endpoints.rest)?;
        let GithubOptions { clock, timeouts, policy, .. } = options;
        Ok(Self { endpoints, policy, auth, clock, timeouts, wire, scopes: RwLock::default() })
    }

    pub(crate) fn spent(&self) -> lockstep_domain::model::Spent {
        self.wire.spent()
    }

    /// The scopes of a classic token, once an answer told them.
    pub(crate) fn scopes(&self) -> Option<Vec<String>> {
        self.scopes.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn context<'a>(&self, kind: Kind, what: &'a str) -> Context<'a> {
        Context { kind, what, now: self.clock.now(), secondary_ms: millis(self.policy.secondary_wait) }
    }

    /// A request to a REST path; the segments are escaped.
    pub(crate) fn ask(
        &self,
        method: Method,
        route: &'static str,
        path: &[&str],
        query: &[(&str, &str)],
    ) -> Result<Ask, ForgeError> {
        let unusable = || ForgeError::Unavailable("the base address is not usable".to_owned());
        let mut url = Url::parse(&self.endpoints.rest).map_err(|_| unusable())?;
        url.path_segments_mut().map_err(|()| unusable())?.pop_if_empty().extend(path);
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        let limit = if method == Method::GET { self.timeouts.read } else { self.timeouts.write };
        Ok(Ask { method, url, route, body: None, limit, graphql: false })
    }

    /// A GraphQL question.
    pub(crate) fn question(&self, name: &'static str, body: Value) -> Result<Ask, ForgeError> {
        let url = Url::parse(&self.endpoints.graphql)
            .map_err(|_| ForgeError::Unavailable("the base address is not usable".to_owned()))?;
        let limit = self.timeouts.read;
        Ok(Ask { method: Method::POST, url, route: name, body: Some(body), limit, graphql: true })
    }

    /// GETs with redirects followed and repetition in trouble; a success or a named error.
    pub(crate) async fn read(&self, ask: Ask, what: &str) -> Result<Answer, ForgeError> {
        let mut pauses = self.policy.read_retries.iter();
        loop {
            let error = match self.follow(ask.clone()).await {
                Ok(answer) if answer.is_success() => return Ok(answer),
                Ok(answer) => classify(self.context(Kind::Read, what), &answer),
                Err(Ended::Named(error)) => error,
                Err(Ended::Lost(lost)) => classify_lost(Kind::Read, &lost),
            };
            match (&error, pauses.next()) {
                (ForgeError::Unavailable(why), Some(pause)) => {
                    tracing::debug!(route = ask.route, why, "reading again");
                    tokio::time::sleep(*pause).await;
                }
                _ => return Err(error),
            }
        }
    }

    /// GETs and parses.
    pub(crate) async fn read_json<T: serde::de::DeserializeOwned>(
        &self,
        ask: Ask,
        what: &str,
    ) -> Result<T, ForgeError> {
        let answer = self.read(ask, what).await?;
        answer.json().ok_or_else(|| unreadable(self.context(Kind::Read, what), &answer))
    }

    async fn follow(&self, mut ask: Ask) -> Result<Answer, Ended> {
        for _ in 0..=self.policy.redirects {
            let answer = self.authorised(&ask, None).await?;
            if !answer.is_redirect() {
                return Ok(answer);
            }
            let next = answer.header("location").and_then(|place| ask.url.join(place).ok());
            match next {
                Some(url) if self.endpoints.covers(&url) => ask.url = url,
                // The credential never travels to another host.
                Some(url) => {
                    let host = url.host_str().unwrap_or_default().to_owned();
                    return Err(Ended::Named(ForgeError::NotAForge(format!("the redirect to {host}"))));
                }
                None => return Ok(answer),
            }
        }
        Err(Ended::Named(ForgeError::Unavailable("it redirects in a circle".to_owned())))
    }

    /// Sends with the connection's credential. A refused credential proves that nothing was done, so the request is sent
    /// once more after one: with a new token, or with the same when it was minted just now.
    pub(crate) async fn authorised(&self, ask: &Ask, guard: Option<&LeaseGuard>) -> Result<Answer, Ended> {
        let bearer = self.bearer(None).await.map_err(Ended::Named)?;
        let answer = self.guarded(ask, &bearer.token, guard).await?;
        let again = match (&self.auth, answer.status) {
            (Auth::App(_), 401) if !bearer.fresh => {
                Some(self.bearer(Some(&bearer)).await.map_err(Ended::Named)?)
            }
            (Auth::App(_), 401) => Some(bearer),
            (Auth::App(_), 403) if bearer.fresh && not_replicated(&answer) => Some(bearer),
            _ => None,
        };
        let Some(again) = again else { return Ok(answer) };
        if again.fresh {
            tokio::time::sleep(self.policy.fresh_pause).await;
        }
        self.guarded(ask, &again.token, guard).await
    }

    async fn guarded(
        &self,
        ask: &Ask,
        bearer: &SecretString,
        guard: Option<&LeaseGuard>,
    ) -> Result<Answer, Ended> {
        if guard.is_some_and(|guard| !guard.may_write(self.clock.boot(), millis(ask.limit))) {
            return Err(Ended::Named(ForgeError::LeaseLost));
        }
        let answer = self.wire.send(ask, bearer).await.map_err(Ended::Lost)?;
        self.note_scopes(&answer);
        Ok(answer)
    }

    fn note_scopes(&self, answer: &Answer) {
        let told = answer.header("x-oauth-scopes").filter(|text| !text.trim().is_empty());
        if let (Auth::Token(_), Some(told)) = (&self.auth, told) {
            let scopes = told.split(',').map(|scope| scope.trim().to_owned()).collect();
            *self.scopes.write().unwrap_or_else(PoisonError::into_inner) = Some(scopes);
        }
    }

    /// The password for git.
    pub(crate) async fn git_password(&self) -> Result<SecretString, ForgeError> {
        Ok(self.bearer(None).await?.token)
    }

    /// The credential for the next request; `refused` is not given out again.
    async fn bearer(&self, refused: Option<&Bearer>) -> Result<Bearer, ForgeError> {
        let app = match &self.auth {
            Auth::Token(token) => return Ok(Bearer { token: token.clone(), fresh: false }),
            Auth::App(app) => app,
        };
        let mut minted = app.minted.lock().await;
        let held = minted.as_ref().filter(|held| {
            let is_refused = refused.is_some_and(|old| same(&old.token, &held.token));
            !is_refused && held.usable(self.clock.as_ref(), &self.policy)
        });
        let held = match held {
            Some(held) => Arc::clone(held),
            None => Arc::new(self.mint(app).await?),
        };
        let fresh = held.fresh(self.clock.as_ref(), &self.policy);
        let bearer = Bearer { token: held.token.clone(), fresh };
        *minted = Some(held);
        Ok(bearer)
    }

    async fn mint(&self, app: &App) -> Result<Minted, ForgeError> {
        let installation = app.installation.to_string();
        let ask = self.ask(
            Method::POST,
            "/app/installations/{installation_id}/access_tokens",
            &["app", "installations", &installation, "access_tokens"],
            &[],
        )?;
        let answer = self.as_app(app, &ask, Kind::Mint).await?;
        let Some(json) = answer.json::<TokenJson>() else {
            return Err(unreadable(self.context(Kind::Mint, "the App's installation"), &answer));
        };
        app.note_granted(json.permissions);
        let expires = json.expires_at.as_deref().and_then(instant);
        Ok(Minted::new(json.token, expires, self.clock.as_ref()))
    }

    /// Asks as the App itself; repeated in trouble like a read.
    pub(crate) async fn as_app(&self, app: &App, ask: &Ask, kind: Kind) -> Result<Answer, ForgeError> {
        let mut pauses = self.policy.read_retries.iter();
        loop {
            let proof =
                app.proof(self.clock.now()).map_err(|bad| ForgeError::BadCredentials(bad.to_string()))?;
            let error = match self.wire.send(ask, &proof).await {
                Ok(answer) if answer.is_success() => return Ok(answer),
                Ok(answer) => classify(self.context(kind, "the App's installation"), &answer),
                Err(lost) => classify_lost(kind, &lost),
            };
            match (&error, pauses.next()) {
                (ForgeError::Unavailable(_), Some(pause)) => tokio::time::sleep(*pause).await,
                _ => return Err(error),
            }
        }
    }

    /// Pauses of reads, for those that repeat in their own way.
    pub(crate) fn pause(&self, tries: usize) -> Option<Duration> {
        self.policy.read_retries.get(tries).copied()
    }
}

fn same(one: &SecretString, other: &SecretString) -> bool {
    use secrecy::ExposeSecret;
    one.expose_secret() == other.expose_secret()
}

/// A permission that a token of some seconds does not seem to have.
fn not_replicated(answer: &Answer) -> bool {
    String::from_utf8_lossy(&answer.body).contains("Resource not accessible by integration")
}
