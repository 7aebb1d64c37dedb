//! Where credentials rest.
//!
//! What lives here: [`Credential`] (a token, or an App with its key), the port [`SecretStore`] and its three places:
//! [`Keychain`] (of the operating system), [`PrivateFiles`] (mode 0600 below the data folder, for machines without a
//! keychain) and [`Environment`] (a token that a script was given). [`choose`] picks one by the order explicit, keychain,
//! file, and says in a sentence which and why.
//!
//! What must not live here: reading the environment (the value comes in as a parameter, `crates/config` reads it), what a
//! credential is used for, any log line with a value.
//!
//! All calls block: from asynchronous code call them on a blocking thread. A keychain may ask a person to unlock it, so
//! each call to it has a limit of a minute; it never hangs.
//!
//! To add a place: implement [`SecretStore`], add a variant to [`Wanted`], a sentence to its `describe`, and run it
//! through the shared laws in `tests/laws.rs`.

mod choose;
mod credential;
mod environment;
mod error;
mod files;
mod keychain;

pub use choose::{Choice, Chosen, Wanted, choose};
pub use environment::Environment;
pub use error::SecretsError;
pub use files::PrivateFiles;
pub use keychain::Keychain;
pub use lockstep_domain::credential::Credential;

use lockstep_domain::ids::ConnectionId;

/// A place where the credentials of connections rest.
pub trait SecretStore: Send + Sync + std::fmt::Debug {
    /// Stores the credential of a connection, replacing an earlier one.
    ///
    /// # Errors
    /// The place cannot be written; the text says the remedy.
    fn put(&self, id: ConnectionId, credential: &Credential) -> Result<(), SecretsError>;

    /// The credential of a connection.
    ///
    /// # Errors
    /// [`SecretsError::NotFound`] when there is none; else the place cannot be read or what it holds is damaged.
    fn get(&self, id: ConnectionId) -> Result<Credential, SecretsError>;

    /// Forgets the credential of a connection. Forgetting one that is not there is no error.
    ///
    /// # Errors
    /// The place cannot be written.
    fn delete(&self, id: ConnectionId) -> Result<(), SecretsError>;

    /// Where it is, for people, as the end of "Credentials rest in ...".
    fn describe(&self) -> String;
}
