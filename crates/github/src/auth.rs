//! Who we are: a token, or an App whose installation token is minted when needed.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use jsonwebtoken::{Algorithm, EncodingKey, Header};
use lockstep_domain::clock::{BootMillis, Clock, Millis};
use lockstep_domain::credential::Credential;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};

use crate::options::{BadOptions, Policy};

/// What the connection proves itself with, ready for use.
pub(crate) enum Auth {
    Token(SecretString),
    App(Box<App>),
}

impl Auth {
    pub(crate) fn new(credential: &Credential) -> Result<Self, BadOptions> {
        match credential {
            Credential::Token(token) => {
                let text = token.expose_secret().trim();
                if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
                    return Err(BadOptions::Token);
                }
                Ok(Self::Token(text.to_owned().into()))
            }
            Credential::App { app_id, installation_id, private_key_pem } => {
                let key = EncodingKey::from_rsa_pem(private_key_pem.expose_secret().as_bytes())
                    .map_err(|_| BadOptions::PrivateKey)?;
                let (id, installation) = (*app_id, *installation_id);
                Ok(Self::App(Box::new(App {
                    id,
                    installation,
                    key,
                    minted: tokio::sync::Mutex::default(),
                    granted: RwLock::default(),
                })))
            }
        }
    }
}

/// An App installation.
pub(crate) struct App {
    pub(crate) id: u64,
    pub(crate) installation: u64,
    key: EncodingKey,
    /// Held while minting, so that tasks in parallel mint once.
    pub(crate) minted: tokio::sync::Mutex<Option<Arc<Minted>>>,
    granted: RwLock<Option<HashMap<String, String>>>,
}

/// An installation token.
pub(crate) struct Minted {
    pub(crate) token: SecretString,
    at: BootMillis,
    lasts_ms: i64,
}

impl Minted {
    /// GitHub says an hour. A lifetime that makes no sense by our clock means that the clocks differ; then an hour is
    /// assumed, and a token that ended earlier is found out by its 401. The boot clock measures from here on.
    pub(crate) fn new(token: SecretString, expires: Option<Millis>, clock: &dyn Clock) -> Self {
        const HOUR: i64 = 3_600_000;
        let told = expires.map_or(HOUR, |expires| expires.since(clock.now()));
        let lasts_ms = if (60_000..=HOUR + 600_000).contains(&told) { told } else { HOUR };
        Self { token, at: clock.boot(), lasts_ms }
    }

    pub(crate) fn usable(&self, clock: &dyn Clock, policy: &Policy) -> bool {
        let age = clock.boot().0 - self.at.0;
        age < self.lasts_ms - millis(policy.renew_before)
    }

    pub(crate) fn fresh(&self, clock: &dyn Clock, policy: &Policy) -> bool {
        clock.boot().0 - self.at.0 < millis(policy.fresh_for)
    }
}

pub(crate) fn millis(duration: std::time::Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

#[derive(Serialize)]
struct Claims {
    iat: i64,
    exp: i64,
    iss: String,
}

/// What `POST access_tokens` answers, as far as it is read.
#[derive(Deserialize)]
pub(crate) struct TokenJson {
    pub(crate) token: SecretString,
    pub(crate) expires_at: Option<String>,
    #[serde(default)]
    pub(crate) permissions: HashMap<String, String>,
}

impl App {
    /// A signed proof of being the App: from a minute ago (clocks differ) for eight minutes (GitHub allows ten).
    pub(crate) fn proof(&self, now: Millis) -> Result<SecretString, BadOptions> {
        let seconds = now.0.div_euclid(1000);
        let claims = Claims { iat: seconds - 60, exp: seconds + 480, iss: self.id.to_string() };
        let signed = jsonwebtoken::encode(&Header::new(Algorithm::RS256), &claims, &self.key);
        signed.map(Into::into).map_err(|_| BadOptions::PrivateKey)
    }

    pub(crate) fn note_granted(&self, permissions: HashMap<String, String>) {
        *self.granted.write().unwrap_or_else(PoisonError::into_inner) = Some(permissions);
    }

    /// Whether the installation grants writing (for `metadata`: reading). `None` before the first token.
    pub(crate) fn grants(&self, permission: &str) -> Option<bool> {
        let granted = self.granted.read().unwrap_or_else(PoisonError::into_inner);
        let level = granted.as_ref()?.get(permission).map(String::as_str);
        Some(match level {
            Some("write" | "admin") => true,
            Some("read") => permission == "metadata",
            _ => false,
        })
    }
}

/// What a classic token's scopes allow; `None` when it cannot be told (fine-grained tokens tell no scopes).
pub(crate) fn scopes_allow(scopes: &[String], permission: &str) -> Option<bool> {
    let has = |scope: &str| scopes.iter().any(|held| held == scope);
    match permission {
        "workflows" => Some(has("workflow")),
        "metadata" | "contents" | "pull_requests" | "administration" | "issues" => Some(has("repo")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct At(i64, i64);

    impl Clock for At {
        fn now(&self) -> Millis {
            Millis(self.0)
        }
        fn boot(&self) -> BootMillis {
            BootMillis(self.1)
        }
    }

    #[test]
    fn a_token_is_renewed_with_five_minutes_left_by_the_clock_that_never_steps() {
        let policy = Policy::default();
        let minted = Minted::new("t".to_owned().into(), Some(Millis(3_600_000)), &At(0, 1000));
        assert!(minted.usable(&At(0, 1000 + 54 * 60_000), &policy));
        assert!(!minted.usable(&At(0, 1000 + 55 * 60_000), &policy));
        assert!(minted.fresh(&At(0, 10_999), &policy) && !minted.fresh(&At(0, 11_000), &policy));
    }

    #[test]
    fn a_clock_that_is_hours_off_does_not_mint_for_every_request() {
        let ahead = At(9 * 3_600_000, 0);
        let minted = Minted::new("t".to_owned().into(), Some(Millis(3_600_000)), &ahead);
        assert!(minted.usable(&ahead, &Policy::default()));
    }

    #[test]
    fn scopes_tell_what_a_classic_token_may() {
        let scopes = ["repo".to_owned()];
        assert_eq!(scopes_allow(&scopes, "contents"), Some(true));
        assert_eq!(scopes_allow(&scopes, "workflows"), Some(false));
        assert_eq!(scopes_allow(&scopes, "strange"), None);
    }

    #[test]
    fn a_token_with_a_line_break_is_refused_before_it_is_sent() {
        for bad in ["", "  ", "gh p", "ghp_x\nghp_y", "ghp_é"] {
            assert!(matches!(Auth::new(&Credential::Token(bad.into())), Err(BadOptions::Token)), "{bad:?}");
        }
        assert!(Auth::new(&Credential::Token(" ghp_x\n".into())).is_ok());
        let app = Credential::App { app_id: 1, installation_id: 2, private_key_pem: "no key".into() };
        assert!(matches!(Auth::new(&app), Err(BadOptions::PrivateKey)));
    }
}
