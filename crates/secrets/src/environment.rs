//! A token that a script was given.

use lockstep_domain::ids::ConnectionId;
use secrecy::{ExposeSecret, SecretString};

use crate::{Credential, SecretStore, SecretsError};

/// The value of `LOCKSTEP_TOKEN`, handed in by the host. It answers for every connection, so a host with several
/// connections should ask for it only where the person named one.
#[derive(Debug)]
pub struct Environment {
    token: SecretString,
}

impl Environment {
    /// Wraps the variable's value, without the white space around it.
    ///
    /// # Errors
    /// It is empty.
    pub fn new(token: &SecretString) -> Result<Self, SecretsError> {
        match token.expose_secret().trim() {
            "" => Err(SecretsError::NoToken),
            value => Ok(Self { token: value.to_owned().into() }),
        }
    }
}

impl SecretStore for Environment {
    fn put(&self, _id: ConnectionId, _credential: &Credential) -> Result<(), SecretsError> {
        Err(SecretsError::ReadOnly)
    }

    fn get(&self, _id: ConnectionId) -> Result<Credential, SecretsError> {
        Ok(Credential::Token(self.token.clone()))
    }

    fn delete(&self, _id: ConnectionId) -> Result<(), SecretsError> {
        Err(SecretsError::ReadOnly)
    }

    fn describe(&self) -> String {
        "the environment (LOCKSTEP_TOKEN)".to_owned()
    }
}
