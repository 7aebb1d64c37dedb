//! What a connection proves itself with.

use std::fmt;

use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};

/// How a connection proves itself. Its `Debug` shows no secret, and there is no `Display`.
#[derive(Clone)]
pub enum Credential {
    /// A personal access token, classic or fine-grained.
    Token(SecretString),
    /// An installation of a GitHub App.
    App {
        /// The App's numeric id.
        app_id: u64,
        /// The installation's numeric id.
        installation_id: u64,
        /// The App's private key, PEM (PKCS#1 or PKCS#8).
        private_key_pem: SecretString,
    },
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Token(_) => f.write_str("Token(hidden)"),
            Self::App { app_id, installation_id, .. } => {
                write!(
                    f,
                    "App {{ app_id: {app_id}, installation_id: {installation_id}, private_key_pem: hidden }}"
                )
            }
        }
    }
}

/// The stored form. Its bytes exist only on the way to and from a store.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
enum Stored<'a> {
    Token { token: std::borrow::Cow<'a, str> },
    App { app_id: u64, installation_id: u64, private_key_pem: std::borrow::Cow<'a, str> },
}

impl Credential {
    /// The bytes to store.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let stored = match self {
            Self::Token(token) => Stored::Token { token: token.expose_secret().into() },
            Self::App { app_id, installation_id, private_key_pem } => Stored::App {
                app_id: *app_id,
                installation_id: *installation_id,
                private_key_pem: private_key_pem.expose_secret().into(),
            },
        };
        // Strings and numbers always have a JSON form.
        serde_json::to_vec(&stored).unwrap_or_default()
    }

    /// The credential from stored bytes; `None` when they are no complete one. The parser's own message is dropped: it
    /// may quote the bytes.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        match serde_json::from_slice(bytes).ok()? {
            Stored::Token { token } if !token.trim().is_empty() => {
                Some(Self::Token(token.into_owned().into()))
            }
            Stored::App { app_id, installation_id, private_key_pem }
                if !private_key_pem.trim().is_empty() =>
            {
                Some(Self::App {
                    app_id,
                    installation_id,
                    private_key_pem: private_key_pem.into_owned().into(),
                })
            }
            Stored::Token { .. } | Stored::App { .. } => None,
        }
    }
}
