//! One request, one answer: the connector below octocrab, time limits, counting and the log line.
//!
//! octocrab's own client would follow redirects, retry and log as it likes; here it gets a service that does none of
//! it, so that each request is sent exactly once and every decision is made above.

use std::fmt;
use std::sync::{Arc, OnceLock, atomic};
use std::time::Duration;

use base64::Engine as _;
use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, HeaderValue, USER_AGENT};
use http::{HeaderMap, Method, Request};
use http_body_util::{BodyExt, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::legacy::connect::{Connect, HttpConnector};
use hyper_util::client::legacy::{Client, Error as ClientError};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use lockstep_domain::clock::Clock;
use lockstep_domain::model::Spent;
use octocrab::{AuthState, OctoBody, Octocrab, OctocrabBuilder};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use secrecy::{ExposeSecret, SecretString};
use serde::de::DeserializeOwned;
use serde_json::Value;
use url::Url;

use crate::options::{BadOptions, GithubOptions, Network, Timeouts};

/// No answer of GitHub that we ask for comes near this.
const LARGEST_ANSWER: usize = 32 * 1024 * 1024;

/// A request as it is sent.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    pub(crate) method: Method,
    pub(crate) url: Url,
    /// The template of the path, for the log.
    pub(crate) route: &'static str,
    pub(crate) body: Option<Value>,
    pub(crate) limit: Duration,
    pub(crate) graphql: bool,
}

/// An answer, whatever its status.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    pub(crate) fn request_id(&self) -> Option<String> {
        self.header("x-github-request-id").map(str::to_owned)
    }

    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    pub(crate) fn is_redirect(&self) -> bool {
        matches!(self.status, 301 | 302 | 303 | 307 | 308)
    }

    pub(crate) fn json<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_slice(&self.body).ok()
    }
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Lost {
    /// It was never sent: no connection.
    NotSent(String),
    /// It took too long; it may have been worked on.
    TimedOut,
    /// The connection broke or the answer was cut; it may have been worked on.
    Broken(String),
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotSent(why) => write!(f, "no connection ({why})"),
            Self::TimedOut => f.write_str("no answer in time"),
            Self::Broken(why) => write!(f, "the connection broke ({why})"),
        }
    }
}

enum Connector {
    Direct(HttpsConnector<HttpConnector>),
    Proxied(HttpsConnector<Tunnel<HttpConnector>>),
}

/// The connection to one GitHub.
pub(crate) struct Wire {
    connector: Connector,
    // Built at the first request: octocrab starts a task, which needs the runtime that serves the request.
    crab: OnceLock<Octocrab>,
    user_agent: HeaderValue,
    clock: Arc<dyn Clock>,
    rest: atomic::AtomicU32,
    graphql: atomic::AtomicU32,
}

impl fmt::Debug for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wire").finish_non_exhaustive()
    }
}

impl Wire {
    pub(crate) fn new(options: &GithubOptions, rest: &str) -> Result<Self, BadOptions> {
        let secure = rest.starts_with("https://");
        let connector = connector(&options.network, options.timeouts, secure)?;
        let user_agent = HeaderValue::from_str(&options.user_agent).map_err(|_| BadOptions::UserAgent)?;
        Ok(Self {
            connector,
            crab: OnceLock::new(),
            user_agent,
            clock: Arc::clone(&options.clock),
            rest: atomic::AtomicU32::new(0),
            graphql: atomic::AtomicU32::new(0),
        })
    }

    pub(crate) fn spent(&self) -> Spent {
        Spent {
            graphql: self.graphql.load(atomic::Ordering::Relaxed),
            rest: self.rest.load(atomic::Ordering::Relaxed),
            fetches: 0,
            pushes: 0,
        }
    }

    fn crab(&self) -> &Octocrab {
        self.crab.get_or_init(|| match &self.connector {
            Connector::Direct(connector) => crab(connector.clone()),
            Connector::Proxied(connector) => crab(connector.clone()),
        })
    }

    /// Sends once and waits for the whole answer.
    pub(crate) async fn send(&self, ask: &Ask, bearer: &SecretString) -> Result<Answer, Lost> {
        let counter = if ask.graphql { &self.graphql } else { &self.rest };
        counter.fetch_add(1, atomic::Ordering::Relaxed);
        let started = self.clock.boot();
        let ended = match tokio::time::timeout(ask.limit, self.exchange(ask, bearer)).await {
            Ok(ended) => ended,
            Err(_) => Err(Lost::TimedOut),
        };
        let (method, route) = (ask.method.as_str(), ask.route);
        let duration_ms = self.clock.boot().0 - started.0;
        match &ended {
            Ok(answer) => {
                let request_id = answer.header("x-github-request-id").unwrap_or_default();
                tracing::debug!(method, route, status = answer.status, duration_ms, request_id, "answered");
            }
            Err(lost) => tracing::debug!(method, route, %lost, duration_ms, "no answer"),
        }
        ended
    }

    async fn exchange(&self, ask: &Ask, bearer: &SecretString) -> Result<Answer, Lost> {
        let crab = self.crab();
        let request = self.request(crab, ask, bearer)?;
        let response = crab.execute(request).await.map_err(|error| lost(&error))?;
        let (parts, body) = response.into_parts();
        let body = Limited::new(body, LARGEST_ANSWER)
            .collect()
            .await
            .map_err(|_| Lost::Broken("the answer was cut".to_owned()))?
            .to_bytes();
        Ok(Answer { status: parts.status.as_u16(), headers: parts.headers, body })
    }

    fn request(&self, crab: &Octocrab, ask: &Ask, bearer: &SecretString) -> Result<Request<OctoBody>, Lost> {
        let unsendable = |what: &str| Lost::NotSent(format!("the request's {what} cannot be sent"));
        let mut authorization = HeaderValue::from_str(&format!("Bearer {}", bearer.expose_secret()))
            .map_err(|_| unsendable("credential"))?;
        authorization.set_sensitive(true);
        let builder = Request::builder()
            .method(ask.method.clone())
            .uri(ask.url.as_str())
            .header(ACCEPT, "application/vnd.github+json")
            .header(USER_AGENT, self.user_agent.clone())
            .header(AUTHORIZATION, authorization);
        // octocrab adds content-type and `x-github-api-version: 2022-11-28`.
        crab.build_request(builder, ask.body.as_ref()).map_err(|_| unsendable("body"))
    }
}

fn crab<C: Connect + Clone + Send + Sync + 'static>(connector: C) -> Octocrab {
    // Idle connections are given up before GitHub closes them: a write on a dying connection has an unclear end.
    let client: Client<C, OctoBody> = Client::builder(TokioExecutor::new())
        .pool_idle_timeout(Duration::from_secs(20))
        .pool_timer(TokioTimer::new())
        .build(connector);
    match OctocrabBuilder::new_empty().with_service(client).with_auth(AuthState::None).build() {
        Ok(crab) => crab,
        Err(never) => match never {},
    }
}

fn connector(network: &Network, timeouts: Timeouts, secure: bool) -> Result<Connector, BadOptions> {
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    tcp.set_connect_timeout(Some(timeouts.connect));
    let roots = if secure { roots(network)? } else { RootCertStore::empty() };
    let tls = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| BadOptions::Certificates(error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let https = HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1();
    Ok(match network.proxy.as_deref().filter(|_| secure) {
        None => Connector::Direct(https.wrap_connector(tcp)),
        Some(proxy) => Connector::Proxied(https.wrap_connector(tunnel(proxy, tcp)?)),
    })
}

fn tunnel(proxy: &str, tcp: HttpConnector) -> Result<Tunnel<HttpConnector>, BadOptions> {
    let mut url = Url::parse(proxy).map_err(|_| BadOptions::Proxy)?;
    if url.scheme() != "http" || url.host_str().is_none() {
        return Err(BadOptions::Proxy);
    }
    let login = (!url.username().is_empty())
        .then(|| format!("{}:{}", url.username(), url.password().unwrap_or_default()));
    url.set_username("").and_then(|()| url.set_password(None)).map_err(|()| BadOptions::Proxy)?;
    let uri = url.as_str().parse().map_err(|_| BadOptions::Proxy)?;
    let tunnel = Tunnel::new(uri, tcp);
    match login {
        None => Ok(tunnel),
        Some(login) => {
            let basic = format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(login));
            Ok(tunnel.with_auth(HeaderValue::from_str(&basic).map_err(|_| BadOptions::Proxy)?))
        }
    }
}

/// The system's certificates and the given ones.
fn roots(network: &Network) -> Result<RootCertStore, BadOptions> {
    let bad = |why: String| BadOptions::Certificates(why);
    let mut roots = RootCertStore::empty();
    let system = rustls_native_certs::load_native_certs();
    roots.add_parsable_certificates(system.certs);
    if let Some(pem) = &network.ca_pem {
        let before = roots.len();
        for certificate in CertificateDer::pem_slice_iter(pem) {
            let certificate = certificate.map_err(|error| bad(error.to_string()))?;
            roots.add(certificate).map_err(|error| bad(error.to_string()))?;
        }
        if roots.len() == before {
            return Err(bad("it holds no certificate in PEM form".to_owned()));
        }
    }
    if roots.is_empty() {
        return Err(bad("this system has no certificates: install ca-certificates".to_owned()));
    }
    Ok(roots)
}

/// Whether the request can have left this machine, and the innermost reason in words.
fn lost(error: &octocrab::Error) -> Lost {
    let mut sent = true;
    let mut inner: &(dyn std::error::Error + 'static) = error;
    loop {
        if inner.downcast_ref::<ClientError>().is_some_and(ClientError::is_connect) {
            sent = false;
        }
        match inner.source() {
            Some(next) => inner = next,
            None => break,
        }
    }
    let why = inner.to_string();
    if sent { Lost::Broken(why) } else { Lost::NotSent(why) }
}
