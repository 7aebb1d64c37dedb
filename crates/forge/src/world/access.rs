//! Who may do what.

use chrono::{DateTime, Utc};

use super::model::Grants;
use super::{AccountKind, Author, Level, Repository, Selection, Token, TokenOwner, World};

/// Who sends a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Actor {
    /// No credentials.
    Anonymous,
    /// A person's token.
    User { id: u64, grants: Option<Grants>, selection: Selection },
    /// An installation's token.
    Installation { id: u64, app: u64, account: u64, grants: Grants, selection: Selection },
    /// An App's JSON web token.
    App(u64),
}

/// What an operation needs: the permission's name and level. The name is also what
/// `x-accepted-github-permissions` shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Need(pub(crate) &'static str, pub(crate) Level);

impl Need {
    /// Reading what every collaborator sees.
    pub(crate) const METADATA: Self = Self("metadata", Level::Read);
    /// Fetching.
    pub(crate) const READ: Self = Self("contents", Level::Read);
    /// Pushing.
    pub(crate) const WRITE: Self = Self("contents", Level::Write);
}

impl Actor {
    /// The author of what this actor creates.
    pub(crate) fn author(&self) -> Option<Author> {
        match self {
            Self::User { id, .. } => Some(Author::User(*id)),
            Self::Installation { app, .. } | Self::App(app) => Some(Author::App(*app)),
            Self::Anonymous => None,
        }
    }

    /// Is a token of an App?
    pub(crate) fn is_integration(&self) -> bool {
        matches!(self, Self::Installation { .. })
    }
}

/// Why a token is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rejected {
    /// Unknown or expired.
    BadCredentials,
    /// Its installation is suspended.
    Suspended,
}

impl World {
    /// The actor behind a token.
    pub(crate) fn actor(&self, token: &str, now: DateTime<Utc>) -> Result<Actor, Rejected> {
        let Some(Token { owner, expires_at, grants, selection }) = self.tokens.get(token) else {
            return Err(Rejected::BadCredentials);
        };
        if expires_at.is_some_and(|end| end <= now) {
            return Err(Rejected::BadCredentials);
        }
        match *owner {
            TokenOwner::User(id) => {
                Ok(Actor::User { id, grants: grants.clone(), selection: selection.clone() })
            }
            TokenOwner::Installation(id) => {
                let found = self.installations.get(&id).ok_or(Rejected::BadCredentials)?;
                if found.suspended_at.is_some() {
                    return Err(Rejected::Suspended);
                }
                let grants = match grants {
                    Some(narrow) => intersect(&found.permissions, narrow),
                    None => found.permissions.clone(),
                };
                let selection = match selection {
                    Selection::All => found.selection.clone(),
                    narrow @ Selection::Selected(_) => narrow.clone(),
                };
                Ok(Actor::Installation { id, app: found.app, account: found.account, grants, selection })
            }
        }
    }

    /// How much `actor` may do in `repository` under the permission `name`.
    pub(crate) fn level(&self, actor: &Actor, repository: &Repository, name: &str) -> Level {
        let open = if repository.private || !matches!(name, "metadata" | "contents" | "pull_requests") {
            Level::None
        } else {
            Level::Read
        };
        let own = match actor {
            Actor::Anonymous | Actor::App(_) => Level::None,
            Actor::User { id, grants, selection } => {
                if selection.covers(repository.id) {
                    let role = self.role(*id, repository);
                    let granted = grants.as_ref().map_or(Level::Admin, |grants| granted(grants, name));
                    role.min(granted)
                } else {
                    Level::None
                }
            }
            Actor::Installation { account, grants, selection, .. } => {
                if *account == repository.owner && selection.covers(repository.id) {
                    granted(grants, name)
                } else {
                    Level::None
                }
            }
        };
        own.max(open)
    }

    /// A person's role in a repository.
    pub(crate) fn role(&self, user: u64, repository: &Repository) -> Level {
        if repository.owner == user || self.is_member(repository.owner, user) {
            return Level::Admin;
        }
        repository.collaborators.get(&user).copied().unwrap_or_default()
    }

    /// Is this user an owner of the organization?
    pub(crate) fn is_member(&self, organization: u64, user: u64) -> bool {
        self.accounts.get(&organization).is_some_and(|account| {
            account.kind == AccountKind::Organization && account.members.contains(&user)
        })
    }

    /// May `actor` know that `repository` exists?
    pub(crate) fn sees(&self, actor: &Actor, repository: &Repository) -> bool {
        self.level(actor, repository, "metadata") >= Level::Read
    }

    /// Does `actor` have what an operation needs?
    pub(crate) fn allows(&self, actor: &Actor, repository: &Repository, need: Need) -> bool {
        self.level(actor, repository, need.0) >= need.1
    }
}

fn granted(grants: &Grants, name: &str) -> Level {
    let level = grants.get(name).copied().unwrap_or_default();
    // Every token may read metadata, as on GitHub.
    if name == "metadata" { level.max(Level::Read) } else { level }
}

fn intersect(all: &Grants, narrow: &Grants) -> Grants {
    narrow
        .iter()
        .filter_map(|(name, level)| all.get(name).map(|most| (name.clone(), (*level).min(*most))))
        .collect()
}
