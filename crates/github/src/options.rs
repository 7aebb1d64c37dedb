//! What a connection to GitHub is built from.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use lockstep_domain::clock::Clock;
use lockstep_domain::credential::Credential;

/// Everything that a [`crate::GithubForge`] needs.
#[derive(Debug)]
pub struct GithubOptions {
    /// REST base, as in `https://api.github.com` or `https://host/api/v3`; see [`crate::Endpoints::parse`].
    pub base_url: String,
    /// What the connection proves itself with.
    pub credential: Credential,
    /// Time as a parameter.
    pub clock: Arc<dyn Clock>,
    /// Sent with every request; GitHub refuses requests without one.
    pub user_agent: String,
    /// How long to wait.
    pub timeouts: Timeouts,
    /// Retry, batch and page sizes.
    pub policy: Policy,
    /// Certificates and proxy.
    pub network: Network,
}

impl GithubOptions {
    /// Options with the house's defaults.
    #[must_use]
    pub fn new(base_url: impl Into<String>, credential: Credential, clock: Arc<dyn Clock>) -> Self {
        Self {
            base_url: base_url.into(),
            credential,
            clock,
            user_agent: concat!("lockstep/", env!("CARGO_PKG_VERSION")).to_owned(),
            timeouts: Timeouts::default(),
            policy: Policy::default(),
            network: Network::default(),
        }
    }
}

/// How long to wait for GitHub, which itself gives up after ten seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// For the connection.
    pub connect: Duration,
    /// For a whole read, from sending to the last byte.
    pub read: Duration,
    /// For a whole write. It may start only while the lease outlasts it.
    pub write: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            read: Duration::from_secs(30),
            write: Duration::from_secs(30),
        }
    }
}

/// The one place where retry, batches and pages are decided. Writes are never repeated, except where the answer proves
/// that nothing was written (a redirect, a refused credential).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// Pauses before each repetition of a read that met trouble of server or network; as many repetitions as entries.
    pub read_retries: Vec<Duration>,
    /// Pause before the one repetition with a token that was minted less than `fresh_for` ago: GitHub takes seconds to
    /// know a new token everywhere.
    pub fresh_pause: Duration,
    /// See above.
    pub fresh_for: Duration,
    /// An installation token is renewed when this much is left.
    pub renew_before: Duration,
    /// Wait after a secondary limit that names no time (GitHub: at least a minute).
    pub secondary_wait: Duration,
    /// Most recipients in one batched read.
    pub batch: usize,
    /// Most nodes that one batched read may ask for (GitHub: 500,000; far below it, answers stay under ten seconds).
    pub batch_nodes: usize,
    /// Redirects followed by one read.
    pub redirects: u32,
    /// Most pages of one listing.
    pub pages: u32,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            read_retries: vec![Duration::from_millis(500), Duration::from_secs(2)],
            fresh_pause: Duration::from_secs(1),
            fresh_for: Duration::from_secs(10),
            renew_before: Duration::from_secs(300),
            secondary_wait: Duration::from_secs(60),
            batch: 50,
            batch_nodes: 3_000,
            redirects: 3,
            pages: 200,
        }
    }
}

/// How the network is reached. The defaults of the platform apply where nothing is set.
#[derive(Clone, Default)]
pub struct Network {
    /// More certificates to trust, PEM, beside those of the system.
    pub ca_pem: Option<Vec<u8>>,
    /// `http://[user:password@]host:port` of a proxy for https. Never used for loopback.
    pub proxy: Option<String>,
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (ca, proxy) = (self.ca_pem.is_some(), self.proxy.is_some());
        write!(f, "Network {{ own certificates: {ca}, proxy: {proxy} }}")
    }
}

/// Options that cannot work; each text says what to change. No text holds a credential.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadOptions {
    /// The base URL.
    #[error("{url} is no base address of GitHub: {why}")]
    BaseUrl {
        /// What was given, without user and password.
        url: String,
        /// Why not, and what to write instead.
        why: &'static str,
    },
    /// The token.
    #[error("the token has characters that no token has: copy it again, without line breaks")]
    Token,
    /// The App's private key.
    #[error("the private key of the App is no RSA key in PEM form: download it again from the App's page")]
    PrivateKey,
    /// The proxy.
    #[error("the proxy address is not usable: write it as http://host:port")]
    Proxy,
    /// The certificates.
    #[error("the certificate file cannot be used: {0}")]
    Certificates(String),
    /// The user agent.
    #[error("the user agent has characters that a header cannot hold")]
    UserAgent,
}
