//! Which place is used: explicit, else keychain, else file.

use std::path::PathBuf;
use std::sync::Arc;

use secrecy::SecretString;

use crate::{Environment, Keychain, PrivateFiles, SecretStore, SecretsError};

/// What the settings ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Wanted {
    /// A token in the environment if there is one (somebody set it for this very call), else the keychain, else files.
    #[default]
    Auto,
    /// The keychain and nothing else.
    Keychain,
    /// Private files and nothing else.
    File,
    /// The environment and nothing else.
    Environment,
}

/// What the choice is made from.
#[derive(Debug)]
pub struct Choice {
    /// What the settings ask for.
    pub wanted: Wanted,
    /// The value of `LOCKSTEP_TOKEN`, read by the host.
    pub environment: Option<SecretString>,
    /// The data folder.
    pub data: PathBuf,
}

/// A place and the reason for it.
#[derive(Debug, Clone)]
pub struct Chosen {
    /// The place.
    pub store: Arc<dyn SecretStore>,
    /// One sentence for people: which place, and why.
    pub why: String,
}

/// Chooses where credentials rest on this machine.
///
/// # Errors
/// The place that was asked for by name is not there.
pub fn choose(choice: &Choice) -> Result<Chosen, SecretsError> {
    choose_from(choice, Keychain::of_this_system)
}

/// The choice, with the keychain as a parameter.
pub(crate) fn choose_from(
    choice: &Choice,
    keychain: impl FnOnce() -> Result<Keychain, SecretsError>,
) -> Result<Chosen, SecretsError> {
    let chosen = |store: Arc<dyn SecretStore>, because: &str| Chosen {
        why: format!("Credentials rest in {}, {because}.", store.describe()),
        store,
    };
    let files = || Arc::new(PrivateFiles::below(&choice.data));
    let given = choice.environment.as_ref();
    match (choice.wanted, given) {
        (Wanted::Environment, None) => Err(SecretsError::NoToken),
        (Wanted::Environment, Some(token)) => {
            Ok(chosen(Arc::new(Environment::new(token)?), "as the settings ask"))
        }
        (Wanted::Auto, Some(token)) => {
            Ok(chosen(Arc::new(Environment::new(token)?), "because that variable is set"))
        }
        (Wanted::File, _) => Ok(chosen(files(), "as the settings ask")),
        (Wanted::Keychain, _) => Ok(chosen(Arc::new(keychain()?), "as the settings ask")),
        (Wanted::Auto, None) => match keychain() {
            Ok(found) => Ok(chosen(Arc::new(found), "the first choice on this machine")),
            Err(SecretsError::NoKeychain(reason)) => {
                tracing::info!(reason, "no keychain answers, credentials rest in private files");
                let because = format!("because no keychain answers on this machine ({reason})");
                Ok(chosen(files(), &because))
            }
            Err(other) => Err(other),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(wanted: Wanted, token: Option<&str>) -> Choice {
        Choice { wanted, environment: token.map(Into::into), data: PathBuf::from("data") }
    }

    fn mock() -> Result<Keychain, SecretsError> {
        Ok(Keychain::over(keyring_core::mock::Store::new().unwrap()))
    }

    fn none() -> Result<Keychain, SecretsError> {
        Err(SecretsError::NoKeychain("no session bus".to_owned()))
    }

    #[test]
    fn the_order_is_explicit_then_keychain_then_file_and_the_sentence_says_which() {
        let why =
            |wanted, token, keychain: fn() -> _| choose_from(&choice(wanted, token), keychain).unwrap().why;
        assert!(why(Wanted::Auto, None, mock).contains("a keychain"));
        assert!(why(Wanted::Auto, Some("t"), mock).contains("LOCKSTEP_TOKEN"));
        assert!(why(Wanted::File, Some("t"), mock).contains("private files"));
        assert!(why(Wanted::Keychain, Some("t"), mock).contains("a keychain"));
        let fallback = why(Wanted::Auto, None, none);
        assert!(fallback.contains("private files") && fallback.contains("no session bus"), "{fallback}");
    }

    #[test]
    fn a_place_asked_for_by_name_is_never_replaced_by_another() {
        assert!(matches!(
            choose_from(&choice(Wanted::Keychain, None), none),
            Err(SecretsError::NoKeychain(_))
        ));
        assert!(matches!(choose_from(&choice(Wanted::Environment, None), mock), Err(SecretsError::NoToken)));
        assert!(matches!(
            choose_from(&choice(Wanted::Environment, Some("  ")), mock),
            Err(SecretsError::NoToken)
        ));
    }
}
