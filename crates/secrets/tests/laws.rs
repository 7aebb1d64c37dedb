//! The laws that every place keeps, and those of each.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use lockstep_domain::ids::ConnectionId;
use lockstep_secrets::{Credential, Environment, Keychain, PrivateFiles, SecretStore, SecretsError};
use secrecy::ExposeSecret;
use uuid::Uuid;

const SECRET: &str = "ghp_never_shown";

fn id(n: u128) -> ConnectionId {
    ConnectionId(Uuid::from_u128(n))
}

fn token() -> Credential {
    Credential::Token(SECRET.into())
}

fn app() -> Credential {
    Credential::App { app_id: 7, installation_id: 42, private_key_pem: format!("-----BEGIN {SECRET}").into() }
}

fn mock() -> Keychain {
    Keychain::over(keyring_core::mock::Store::new().unwrap())
}

/// Everything a store must do, whatever it is.
fn keeps_what_it_was_given(store: &dyn SecretStore) {
    assert!(matches!(store.get(id(1)), Err(SecretsError::NotFound { .. })));
    store.delete(id(1)).unwrap();
    store.put(id(1), &token()).unwrap();
    store.put(id(2), &app()).unwrap();
    let Credential::Token(back) = store.get(id(1)).unwrap() else { panic!("a token was stored") };
    assert_eq!(back.expose_secret(), SECRET);
    let Credential::App { app_id, installation_id, private_key_pem } = store.get(id(2)).unwrap() else {
        panic!("an App was stored")
    };
    assert_eq!((app_id, installation_id), (7, 42));
    assert!(private_key_pem.expose_secret().contains(SECRET));
    store.put(id(1), &Credential::Token("renewed".into())).unwrap();
    let Credential::Token(back) = store.get(id(1)).unwrap() else { panic!("a token was stored") };
    assert_eq!(back.expose_secret(), "renewed");
    store.delete(id(1)).unwrap();
    assert!(matches!(store.get(id(1)), Err(SecretsError::NotFound { .. })));
    assert!(store.get(id(2)).is_ok());
    assert!(!format!("{store:?} {}", store.describe()).contains(SECRET));
}

#[test]
fn a_keychain_keeps_what_it_was_given() {
    keeps_what_it_was_given(&mock());
}

#[test]
fn private_files_keep_what_they_were_given() {
    let data = tempfile::tempdir().unwrap();
    keeps_what_it_was_given(&PrivateFiles::below(data.path()));
}

#[test]
fn a_credential_never_shows_its_secret() {
    for credential in [token(), app()] {
        assert!(!format!("{credential:?} {credential:#?}").contains(SECRET));
    }
    let environment = Environment::new(&SECRET.into()).unwrap();
    assert!(!format!("{environment:?}").contains(SECRET));
}

#[test]
fn the_environment_answers_for_any_connection_and_cannot_be_changed() {
    let environment = Environment::new(&format!(" {SECRET}\n").into()).unwrap();
    let Credential::Token(back) = environment.get(id(9)).unwrap() else { panic!("a token was given") };
    assert_eq!(back.expose_secret(), SECRET);
    assert!(matches!(environment.put(id(9), &token()), Err(SecretsError::ReadOnly)));
    assert!(matches!(environment.delete(id(9)), Err(SecretsError::ReadOnly)));
}

#[test]
fn a_machine_without_a_session_bus_gets_an_answer_and_no_hang() {
    // Whether or not a bus runs where the tests run, the call returns; without one it says so.
    match Keychain::of_this_system() {
        Ok(found) => assert!(!found.describe().is_empty()),
        Err(error) => assert!(matches!(error, SecretsError::NoKeychain(_)), "{error}"),
    }
}

#[test]
fn a_keychain_that_refuses_says_so_without_the_value() {
    let store: Arc<keyring_core::CredentialStore> = keyring_core::mock::Store::new().unwrap();
    let keychain = Keychain::over(Arc::clone(&store));
    keychain.put(id(1), &token()).unwrap();
    let entry = keyring_core::Entry::new_in_store(&store, "lockstep", &id(1).to_string()).unwrap();
    let mock = entry.as_any().downcast_ref::<keyring_core::mock::Cred>().unwrap();
    mock.set_error(keyring_core::Error::NoStorageAccess("locked".into()));
    let error = keychain.get(id(1)).unwrap_err();
    assert!(error.to_string().contains("unlock it"), "{error}");
    mock.set_error(keyring_core::Error::BadEncoding(SECRET.as_bytes().to_vec()));
    let error = keychain.get(id(1)).unwrap_err();
    assert!(matches!(error, SecretsError::Damaged { .. }), "{error}");
    assert!(!format!("{error:?} {error}").contains(SECRET));
    assert!(keychain.get(id(1)).is_ok());
}

#[cfg(unix)]
mod modes {
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use super::*;

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    fn set(path: &Path, mode: u32) {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_private_file_is_readable_by_its_owner_only_and_written_whole() {
        let data = tempfile::tempdir().unwrap();
        let files = PrivateFiles::below(data.path());
        files.put(id(1), &token()).unwrap();
        files.put(id(1), &app()).unwrap();
        let folder = data.path().join("credentials");
        assert_eq!(mode(&folder), 0o700);
        assert_eq!(mode(&folder.join(format!("{}.json", id(1)))), 0o600);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "no leftover of the writing");
    }

    #[test]
    fn a_file_that_others_may_touch_is_refused_with_the_remedy() {
        let data = tempfile::tempdir().unwrap();
        let files = PrivateFiles::below(data.path());
        files.put(id(1), &token()).unwrap();
        let folder = data.path().join("credentials");
        let path = folder.join(format!("{}.json", id(1)));
        for open in [0o640, 0o604, 0o620, 0o666] {
            set(&path, open);
            let error = files.get(id(1)).unwrap_err();
            assert!(matches!(error, SecretsError::TooOpen { .. }), "{open:o}");
            assert!(error.to_string().contains("chmod 600"), "{error}");
            assert!(!format!("{error:?}").contains(SECRET));
        }
        set(&path, 0o600);
        set(&folder, 0o770);
        let error = files.get(id(1)).unwrap_err();
        assert!(error.to_string().contains("chmod 700"), "{error}");
        assert!(files.put(id(2), &token()).is_err());
    }
}

#[test]
fn a_damaged_file_is_told_with_the_remedy_and_without_its_content() {
    let data = tempfile::tempdir().unwrap();
    let files = PrivateFiles::below(data.path());
    files.put(id(1), &token()).unwrap();
    let path = data.path().join("credentials").join(format!("{}.json", id(1)));
    let whole = std::fs::read_to_string(&path).unwrap();
    let halves = [&whole[..whole.len() - 3], "", "[]", "{\"kind\":\"token\",\"token\":\"  \"}", "\u{0}\u{1}"];
    for bad in halves {
        std::fs::write(&path, bad).unwrap();
        let error = files.get(id(1)).unwrap_err();
        assert!(matches!(error, SecretsError::Damaged { .. }), "{bad}: {error}");
        assert!(error.to_string().contains("connect again"));
        assert!(!format!("{error:?} {error}").contains(SECRET));
    }
}

#[test]
fn a_folder_in_place_of_the_file_is_refused() {
    let data = tempfile::tempdir().unwrap();
    let files = PrivateFiles::below(data.path());
    files.put(id(1), &token()).unwrap();
    let path = data.path().join("credentials").join(format!("{}.json", id(1)));
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    assert!(matches!(files.get(id(1)), Err(SecretsError::File { .. })));
}
