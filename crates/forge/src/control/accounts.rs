//! Users, organizations, tokens, Apps and installations.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::Control;
use crate::ids;
use crate::options::ForgeError;
use crate::world::{Account, AccountKind, App, Installation, Level, Selection, Token, TokenOwner};

const PRACTICE_PUBLIC_KEY: &str = include_str!("../../keys/practice-app.pub.pem");

/// A GitHub App to create.
#[derive(Debug, Clone)]
pub struct NewApp {
    /// The name in addresses; its bot is `slug[bot]`.
    pub slug: String,
    /// The account that owns it.
    pub owner: String,
    /// Permissions it asks for, for instance `("contents", Level::Write)`.
    pub permissions: Vec<(String, Level)>,
    /// The public key that its JSON web tokens are checked with, PEM; `None`: that of
    /// [`crate::PRACTICE_APP_KEY`].
    pub public_key: Option<String>,
}

impl NewApp {
    /// An App with all that Lockstep asks for: metadata read; contents, pull requests, workflows and administration
    /// write.
    pub fn lockstep(slug: impl Into<String>, owner: impl Into<String>) -> Self {
        let write = ["contents", "pull_requests", "workflows", "administration"];
        let mut permissions = vec![("metadata".to_owned(), Level::Read)];
        permissions.extend(write.map(|name| (name.to_owned(), Level::Write)));
        Self { slug: slug.into(), owner: owner.into(), permissions, public_key: None }
    }
}

/// A created App.
#[derive(Debug, Clone, Serialize)]
pub struct AppCreated {
    /// The id that goes into `iss`.
    pub id: u64,
    /// The client id, accepted in `iss` as well.
    pub client_id: String,
    /// The name in addresses.
    pub slug: String,
}

/// A created installation.
#[derive(Debug, Clone, Serialize)]
pub struct InstallationCreated {
    /// The id in `/app/installations/{id}`.
    pub id: u64,
}

impl Control {
    fn create_account(
        &self,
        login: &str,
        kind: AccountKind,
        members: BTreeSet<u64>,
    ) -> Result<u64, ForgeError> {
        let created_at = self.core.now();
        self.core.write(|world| {
            if world.account(login).is_some() {
                return Err(ForgeError::Refused(format!("the account {login} exists")));
            }
            let id = world.take_id();
            world.accounts.insert(id, Account { id, login: login.to_owned(), kind, members, created_at });
            Ok(id)
        })
    }

    fn account_id(&self, login: &str) -> Result<u64, ForgeError> {
        self.core
            .read(|world| world.account(login).map(|account| account.id))
            .ok_or_else(|| ForgeError::NotFound(format!("account {login}")))
    }

    /// Creates a user and returns its id.
    ///
    /// # Errors
    /// The name is taken.
    pub fn create_user(&self, login: &str) -> Result<u64, ForgeError> {
        self.create_account(login, AccountKind::User, BTreeSet::new())
    }

    /// Creates an organization owned by `members` and returns its id.
    ///
    /// # Errors
    /// The name is taken, or a member does not exist.
    pub fn create_org(&self, login: &str, members: &[&str]) -> Result<u64, ForgeError> {
        let members = members.iter().map(|member| self.account_id(member)).collect::<Result<_, _>>()?;
        self.create_account(login, AccountKind::Organization, members)
    }

    /// A personal token with all that its user may do.
    ///
    /// # Errors
    /// There is no such user.
    pub fn create_token(&self, user: &str) -> Result<String, ForgeError> {
        self.create_token_with(user, None, None)
    }

    /// A personal token: with a given text (else a generated one), and narrowed to `permissions` when given.
    ///
    /// # Errors
    /// There is no such user.
    pub fn create_token_with(
        &self,
        user: &str,
        text: Option<&str>,
        permissions: Option<&[(&str, Level)]>,
    ) -> Result<String, ForgeError> {
        let user = self.account_id(user)?;
        let grants =
            permissions.map(|list| list.iter().map(|(name, level)| ((*name).to_owned(), *level)).collect());
        self.core.write(|world| {
            world.tokens_made += 1;
            let made = || ids::token("ghp_", self.core.token_seed, world.tokens_made);
            let token = text.map_or_else(made, str::to_owned);
            let entry =
                Token { owner: TokenOwner::User(user), expires_at: None, grants, selection: Selection::All };
            world.tokens.insert(token.clone(), entry);
            Ok(token)
        })
    }

    /// Ends a token of any kind.
    ///
    /// # Errors
    /// Only when the state cannot be saved.
    pub fn revoke_token(&self, token: &str) -> Result<(), ForgeError> {
        self.core.write(|world| {
            world.tokens.remove(token);
            Ok(())
        })
    }

    /// Creates a GitHub App.
    ///
    /// # Errors
    /// The slug is taken or the owner does not exist.
    pub fn create_app(&self, new: &NewApp) -> Result<AppCreated, ForgeError> {
        let owner = self.account_id(&new.owner)?;
        let created_at = self.core.now();
        self.core.write(|world| {
            if world.apps.values().any(|app| app.slug == new.slug) {
                return Err(ForgeError::Refused(format!("the app {} exists", new.slug)));
            }
            let (id, bot) = (world.take_id() % 10_000_000, world.take_id());
            let client_id = format!("Iv23li{:014}", id);
            let app = App {
                id,
                slug: new.slug.clone(),
                name: new.slug.clone(),
                owner,
                client_id: client_id.clone(),
                public_key: new.public_key.clone().unwrap_or_else(|| PRACTICE_PUBLIC_KEY.to_owned()),
                permissions: new.permissions.iter().cloned().collect(),
                bot,
                created_at,
            };
            world.apps.insert(id, app);
            Ok(AppCreated { id, client_id, slug: new.slug.clone() })
        })
    }

    /// Installs an App on an account with all the permissions that it asks for. `repositories`: full names, or `None`
    /// for all.
    ///
    /// # Errors
    /// The app, the account or a repository does not exist.
    pub fn install_app(
        &self,
        app: u64,
        account: &str,
        repositories: Option<&[&str]>,
    ) -> Result<InstallationCreated, ForgeError> {
        let account = self.account_id(account)?;
        let selection = match repositories {
            None => Selection::All,
            Some(names) => Selection::Selected(
                names.iter().map(|name| Ok(self.find(name)?.id)).collect::<Result<_, ForgeError>>()?,
            ),
        };
        let created_at = self.core.now();
        self.core.write(|world| {
            let permissions = world
                .apps
                .get(&app)
                .map(|app| app.permissions.clone())
                .ok_or_else(|| ForgeError::NotFound(format!("app {app}")))?;
            let id = world.take_id() % 100_000_000;
            let installation =
                Installation { id, app, account, permissions, selection, suspended_at: None, created_at };
            world.installations.insert(id, installation);
            Ok(InstallationCreated { id })
        })
    }

    fn change_installation(&self, id: u64, change: impl FnOnce(&mut Installation)) -> Result<(), ForgeError> {
        self.core.write(|world| {
            let found = world
                .installations
                .get_mut(&id)
                .ok_or_else(|| ForgeError::NotFound(format!("installation {id}")))?;
            change(found);
            Ok(())
        })
    }

    /// Suspends an installation: its tokens stop working and no new ones are given.
    ///
    /// # Errors
    /// There is no such installation.
    pub fn suspend(&self, installation: u64) -> Result<(), ForgeError> {
        let now = self.core.now();
        self.change_installation(installation, |found| found.suspended_at = Some(now))
    }

    /// Ends a suspension.
    ///
    /// # Errors
    /// There is no such installation.
    pub fn unsuspend(&self, installation: u64) -> Result<(), ForgeError> {
        self.change_installation(installation, |found| found.suspended_at = None)
    }

    /// Removes an installation and its tokens.
    ///
    /// # Errors
    /// There is no such installation.
    pub fn uninstall(&self, installation: u64) -> Result<(), ForgeError> {
        self.core.write(|world| {
            world.tokens.retain(|_, token| token.owner != TokenOwner::Installation(installation));
            let gone = world.installations.remove(&installation);
            gone.map(drop).ok_or_else(|| ForgeError::NotFound(format!("installation {installation}")))
        })
    }

    /// Sets one permission of an installation; tokens that exist follow at once.
    ///
    /// # Errors
    /// There is no such installation.
    pub fn set_permission(&self, installation: u64, name: &str, level: Level) -> Result<(), ForgeError> {
        self.change_installation(installation, |found| {
            found.permissions.insert(name.to_owned(), level);
        })
    }

    /// Sets which repositories an installation covers.
    ///
    /// # Errors
    /// There is no such installation.
    pub fn set_selection(&self, installation: u64, selection: Selection) -> Result<(), ForgeError> {
        self.change_installation(installation, |found| found.selection = selection)
    }

    /// Mints an installation token without a JSON web token, for tests that are not about Apps.
    ///
    /// # Errors
    /// There is no such installation.
    pub fn mint_token(&self, installation: u64) -> Result<String, ForgeError> {
        let found = self
            .core
            .read(|world| world.installations.get(&installation).cloned())
            .ok_or_else(|| ForgeError::NotFound(format!("installation {installation}")))?;
        Ok(crate::rest::mint(&self.core, &found, (None, Selection::All), false)?.0)
    }

    /// Permissions of an installation by name.
    pub fn permissions(&self, installation: u64) -> BTreeMap<String, Level> {
        self.core.read(|world| {
            world.installations.get(&installation).map(|found| found.permissions.clone()).unwrap_or_default()
        })
    }
}
