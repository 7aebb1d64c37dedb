//! Identities. Rows are named by UUIDs, repositories by the forge's numeric id.

use serde::Serialize;
use uuid::Uuid;

use crate::lease::OwnerToken;

macro_rules! uuid_id {
    ($($(#[$meta:meta])* $name:ident,)+) => {$(
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { self.0.fmt(f) }
        }

        impl std::str::FromStr for $name {
            type Err = uuid::Error;
            fn from_str(text: &str) -> Result<Self, Self::Err> { Uuid::parse_str(text).map(Self) }
        }
    )+};
}

uuid_id! {
    /// An account at one forge.
    ConnectionId,
    /// A repository that staff registered.
    SourceId,
    /// A project: one source handed out to many recipients.
    ProjectId,
    /// One recipient repository within a project.
    RecipientId,
    /// One press.
    RunId,
    /// One database, for the owner mark on distributions.
    DatabaseId,
}

/// The forge's numeric repository id: stable over renames and transfers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct RepoId(pub i64);

impl std::fmt::Display for RepoId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// Randomness as a parameter.
pub trait Ids: Send + Sync + std::fmt::Debug {
    /// A fresh id; time-ordered where the host can.
    fn uuid(&self) -> Uuid;
    /// A fresh owner token: 128 random bits from the operating system, for one claim attempt.
    fn token(&self) -> OwnerToken;
}
