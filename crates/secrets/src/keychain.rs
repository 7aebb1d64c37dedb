//! The keychain of the operating system.

use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use keyring_core::{CredentialStore, Entry, Error};
use lockstep_domain::ids::ConnectionId;

use crate::credential::{from_bytes, to_bytes};
use crate::{Credential, SecretStore, SecretsError};

/// The name under which a person finds our entries in the keychain's own program.
const SERVICE: &str = "lockstep";
/// A keychain that is there answers its greeting at once.
const GREETING: Duration = Duration::from_secs(5);
/// A person may have to type a password.
const ANSWER: Duration = Duration::from_secs(60);

/// The keychain: Secret Service on Linux, Keychain on macOS, Credential Manager on Windows.
pub struct Keychain {
    store: Arc<CredentialStore>,
    name: &'static str,
    limit: Duration,
}

impl std::fmt::Debug for Keychain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Keychain({})", self.name)
    }
}

impl Keychain {
    /// The keychain of this system.
    ///
    /// # Errors
    /// [`SecretsError::NoKeychain`] when none answers, for instance without a session bus; within seconds.
    pub fn of_this_system() -> Result<Self, SecretsError> {
        let store = within(GREETING, system_store)
            .unwrap_or_else(|| Err("it did not answer".to_owned()))
            .map_err(SecretsError::NoKeychain)?;
        Ok(Self { store, name: SYSTEM_NAME, limit: ANSWER })
    }

    /// Any store of the keyring family, for tests.
    #[must_use]
    pub fn over(store: Arc<CredentialStore>) -> Self {
        Self { store, name: "a keychain", limit: ANSWER }
    }

    /// Runs `work` on the entry of `id`, on a thread of its own because the keychain may wait for a person.
    fn with_entry<T: Send + 'static>(
        &self,
        id: ConnectionId,
        work: impl FnOnce(&Entry) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, SecretsError> {
        let store = Arc::clone(&self.store);
        let answer = within(self.limit, move || {
            Entry::new_in_store(&store, SERVICE, &id.to_string()).and_then(|entry| work(&entry))
        });
        match answer {
            Some(Ok(value)) => Ok(value),
            Some(Err(Error::NoEntry)) => Err(SecretsError::NotFound { id, place: self.describe() }),
            Some(Err(Error::BadEncoding(_) | Error::BadDataFormat(..))) => {
                Err(SecretsError::Damaged { id, place: self.describe() })
            }
            Some(Err(Error::Ambiguous(_))) => Err(SecretsError::Keychain(format!(
                "it holds several entries of {SERVICE} for {id}; remove all of them and connect again"
            ))),
            Some(Err(Error::TooLong(_, most))) => Err(SecretsError::Keychain(format!(
                "it takes at most {most} bytes and the credential is longer; choose the private file"
            ))),
            Some(Err(Error::NoDefaultStore)) => Err(SecretsError::NoKeychain("none was opened".to_owned())),
            Some(Err(other)) => Err(SecretsError::Keychain(other.to_string())),
            None => {
                Err(SecretsError::Keychain(format!("it did not answer within {} s", self.limit.as_secs())))
            }
        }
    }
}

impl SecretStore for Keychain {
    fn put(&self, id: ConnectionId, credential: &Credential) -> Result<(), SecretsError> {
        let bytes = to_bytes(credential);
        self.with_entry(id, move |entry| entry.set_secret(&bytes))
    }

    fn get(&self, id: ConnectionId) -> Result<Credential, SecretsError> {
        let bytes = self.with_entry(id, Entry::get_secret)?;
        from_bytes(&bytes).ok_or_else(|| SecretsError::Damaged { id, place: self.describe() })
    }

    fn delete(&self, id: ConnectionId) -> Result<(), SecretsError> {
        match self.with_entry(id, Entry::delete_credential) {
            Err(SecretsError::NotFound { .. }) => Ok(()),
            other => other,
        }
    }

    fn describe(&self) -> String {
        format!("{} (entries named {SERVICE})", self.name)
    }
}

/// The result of `work`, or `None` when it takes longer; the thread is then left to end by itself.
fn within<T: Send + 'static>(limit: Duration, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (send, receive) = mpsc::sync_channel(1);
    std::thread::Builder::new()
        .name("keychain".to_owned())
        .spawn(move || {
            // The receiver is gone when the limit has passed.
            drop(send.send(work()));
        })
        .ok()?;
    receive.recv_timeout(limit).ok()
}

#[cfg(all(unix, not(target_os = "macos")))]
const SYSTEM_NAME: &str = "the keychain of this desktop (Secret Service)";
#[cfg(target_os = "macos")]
const SYSTEM_NAME: &str = "the macOS Keychain";
#[cfg(target_os = "windows")]
const SYSTEM_NAME: &str = "the Windows Credential Manager";

#[cfg(all(unix, not(target_os = "macos")))]
fn system_store() -> Result<Arc<CredentialStore>, String> {
    let store = dbus_secret_service_keyring_store::Store::new().map_err(|error| error.to_string())?;
    Ok(store)
}

#[cfg(target_os = "macos")]
fn system_store() -> Result<Arc<CredentialStore>, String> {
    let store = apple_native_keyring_store::keychain::Store::new().map_err(|error| error.to_string())?;
    Ok(store)
}

#[cfg(target_os = "windows")]
fn system_store() -> Result<Arc<CredentialStore>, String> {
    let store = windows_native_keyring_store::Store::new().map_err(|error| error.to_string())?;
    Ok(store)
}
