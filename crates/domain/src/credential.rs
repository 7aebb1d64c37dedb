//! What a connection proves itself with. Where it rests is the business of the room `secrets`.

use std::fmt;

use secrecy::SecretString;

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
