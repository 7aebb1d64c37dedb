//! The stored form of a credential.

use lockstep_domain::credential::Credential;
use secrecy::ExposeSecret;
use serde::{Deserialize, Serialize};

/// The stored form. Its bytes exist only on the way to and from a store.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
enum Stored<'a> {
    Token { token: std::borrow::Cow<'a, str> },
    App { app_id: u64, installation_id: u64, private_key_pem: std::borrow::Cow<'a, str> },
}

/// The bytes to store.
pub(crate) fn to_bytes(credential: &Credential) -> Vec<u8> {
    let stored = match credential {
        Credential::Token(token) => Stored::Token { token: token.expose_secret().into() },
        Credential::App { app_id, installation_id, private_key_pem } => Stored::App {
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
pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Credential> {
    match serde_json::from_slice(bytes).ok()? {
        Stored::Token { token } if !token.trim().is_empty() => {
            Some(Credential::Token(token.into_owned().into()))
        }
        Stored::App { app_id, installation_id, private_key_pem } if !private_key_pem.trim().is_empty() => {
            Some(Credential::App {
                app_id,
                installation_id,
                private_key_pem: private_key_pem.into_owned().into(),
            })
        }
        Stored::Token { .. } | Stored::App { .. } => None,
    }
}
