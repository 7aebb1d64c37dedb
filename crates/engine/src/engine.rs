//! The engine as a host holds it.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use lockstep_domain::clock::Clock;
use lockstep_domain::ids::{ConnectionId, Ids, ProjectId, SourceId};
use lockstep_domain::lease::Holder;
use lockstep_domain::ports::{Forge, Git};
use lockstep_store::{Actor, Imported, Store};

use crate::adopt::{AdoptRequest, BuildRequest};
use crate::ahead::SourceCheck;
use crate::error::EngineError;
use crate::forecast::Forecast;
use crate::pending::Pending;
use crate::press::{Press, SyncRequest};
use crate::recipients::ImportRequest;
use crate::settings::EngineSettings;

/// Gives the forge behind a connection, with its credentials.
#[async_trait]
pub trait Forges: Send + Sync {
    /// A value of its own per call: its [`Forge::spent`] counts what one run or one look spends.
    ///
    /// # Errors
    /// The connection is unknown or its secret cannot be read; the code and text are shown as they are.
    async fn forge(&self, connection: ConnectionId) -> Result<Arc<dyn Forge>, EngineError>;
}

/// What a host hands in.
#[derive(Clone)]
pub struct EngineParts {
    /// The database.
    pub store: Arc<dyn Store>,
    /// git.
    pub git: Arc<dyn Git>,
    /// Forges by connection.
    pub forges: Arc<dyn Forges>,
    /// This machine's clocks.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub ids: Arc<dyn Ids>,
    /// Who works here; its person is the actor of audit rows.
    pub holder: Holder,
    /// How it works.
    pub settings: EngineSettings,
}

/// Presses, looks and imports. Cheap to clone. Needs a tokio runtime; a press runs in a task of its own.
#[derive(Clone)]
pub struct Engine {
    parts: Arc<EngineParts>,
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").field("settings", &self.parts.settings).finish_non_exhaustive()
    }
}

impl Engine {
    /// An engine over these parts.
    #[must_use]
    pub fn new(parts: EngineParts) -> Self {
        Self { parts: Arc::new(parts) }
    }

    /// The parts, for modules of this crate.
    pub(crate) fn parts(&self) -> &Arc<EngineParts> {
        &self.parts
    }

    /// The person and machine of audit rows.
    #[must_use]
    pub fn actor(&self) -> Actor {
        let holder = &self.parts.holder;
        Actor { person: holder.person.clone(), machine: format!("{}@{}", holder.os_user, holder.host) }
    }

    /// Presses Sync (docs/SYNC.md). Returns as soon as the claim stands.
    ///
    /// # Errors
    /// A refusal that left nothing behind: `project_missing`, `source_missing`, `store_split`, `project_archived`,
    /// `distribution_missing`, `app_not_installed`, `installation_suspended`, `sync_in_progress` (with the holder), or
    /// the database's trouble. Later refusals are the [`crate::RunEnd`]'s error.
    pub async fn press(&self, request: SyncRequest) -> Result<Press, EngineError> {
        crate::request::sync(self.parts(), request).await
    }

    /// Builds the project's distribution as a run of kind `build`.
    ///
    /// # Errors
    /// As [`Self::press`]; `already_exists` when the project has one.
    pub async fn build(&self, request: BuildRequest) -> Result<Press, EngineError> {
        crate::adopt::build(self.parts(), request).await
    }

    /// Takes an existing repository as the project's distribution, as a run of kind `build`.
    ///
    /// # Errors
    /// As [`Self::build`].
    pub async fn adopt(&self, request: AdoptRequest) -> Result<Press, EngineError> {
        crate::adopt::adopt(self.parts(), request).await
    }

    /// Looks at a source: heads, name, trouble; how far it is ahead of each of its projects.
    ///
    /// # Errors
    /// The forge or the database could not be asked; trouble of the forge is recorded first.
    pub async fn check_source(&self, source: SourceId) -> Result<SourceCheck, EngineError> {
        crate::ahead::check_source(self.parts(), source).await
    }

    /// What stands behind the number "ahead": commits and net files, for staff. Fetches the source when its newest
    /// seen head is not here.
    ///
    /// # Errors
    /// The project is missing, or the source cannot be fetched.
    pub async fn pending(&self, project: ProjectId) -> Result<Pending, EngineError> {
        crate::pending::pending(self.parts(), project).await
    }

    /// What a press would cost now, from the database alone.
    ///
    /// # Errors
    /// The project is missing, or the database cannot be read.
    pub async fn forecast(&self, project: ProjectId) -> Result<Forecast, EngineError> {
        crate::forecast::forecast(self.parts(), project).await
    }

    /// Imports recipients all or nothing, with our open pull requests found in them.
    ///
    /// # Errors
    /// `bad_roster` names every repository that was not found; the forge's or the database's trouble.
    pub async fn import_recipients(&self, request: ImportRequest) -> Result<Imported, EngineError> {
        crate::recipients::import(self.parts(), request).await
    }
}
