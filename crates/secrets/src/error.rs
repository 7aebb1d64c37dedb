//! What can go wrong, each with its remedy.

use std::path::PathBuf;

use lockstep_domain::ids::ConnectionId;

/// Why a credential could not be read or stored. No text holds a credential.
#[derive(Debug, thiserror::Error)]
pub enum SecretsError {
    /// Connect again.
    #[error(
        "there is no credential for connection {id} in {place}: connect again, or check where it was stored"
    )]
    NotFound {
        /// The connection.
        id: ConnectionId,
        /// Where it was looked for.
        place: String,
    },
    /// Start or unlock a keychain, or choose the private file.
    #[error("no keychain answers on this machine ({0}): start or unlock one, or choose the private file")]
    NoKeychain(String),
    /// The keychain is there but refused.
    #[error("the keychain refused ({0}): unlock it and try again")]
    Keychain(String),
    /// Others could read it.
    #[error(
        "{path} may be read or changed by other users (mode {mode:03o}): run chmod {want:03o} on it, and renew the credential if others use this machine"
    )]
    TooOpen {
        /// The file or folder.
        path: PathBuf,
        /// Its mode bits.
        mode: u32,
        /// The mode it should have.
        want: u32,
    },
    /// The file system refused.
    #[error("{path} cannot be {done} ({why}): check its owner and the free space")]
    File {
        /// The file or folder.
        path: PathBuf,
        /// `read`, `written`, `removed`.
        done: &'static str,
        /// The system's answer.
        why: String,
    },
    /// It holds something else than a credential.
    #[error("what {place} holds for connection {id} is no complete credential: remove it and connect again")]
    Damaged {
        /// The connection.
        id: ConnectionId,
        /// Where it rests.
        place: String,
    },
    /// The environment cannot be written.
    #[error(
        "the credential comes from the environment and cannot be changed here: unset LOCKSTEP_TOKEN first"
    )]
    ReadOnly,
    /// The environment was chosen but holds nothing.
    #[error("LOCKSTEP_TOKEN is not set: set it, or choose another place for credentials")]
    NoToken,
}
