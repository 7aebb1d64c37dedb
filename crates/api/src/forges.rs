//! The forge behind each connection, with its credential.

use std::sync::Arc;

use async_trait::async_trait;
use lockstep_config::Config;
use lockstep_domain::clock::Clock;
use lockstep_domain::code::Code;
use lockstep_domain::ids::ConnectionId;
use lockstep_domain::ports::Forge;
use lockstep_engine::{EngineError, Forges};
use lockstep_github::{GithubForge, GithubOptions, Network};
use lockstep_secrets::{Credential, SecretStore};
use lockstep_store::Store;
use secrecy::ExposeSecret as _;

use crate::app::blocking;
use crate::error::Result;
use crate::wire::ApiError;

/// Makes forges; each is a value of its own and counts what it spends.
#[derive(Debug)]
pub(crate) struct ForgeBook {
    store: Arc<dyn Store>,
    secrets: Arc<dyn SecretStore>,
    clock: Arc<dyn Clock>,
    network: Network,
}

impl ForgeBook {
    pub(crate) fn new(
        store: Arc<dyn Store>,
        secrets: Arc<dyn SecretStore>,
        clock: Arc<dyn Clock>,
        config: &Config,
    ) -> Result<Self> {
        let ca_pem = match &config.network.ca_file {
            Some(file) => Some(std::fs::read(file).map_err(|_unreadable| {
                ApiError::bad_input(
                    "The certificate file of the settings ([network] ca_file) cannot be read.",
                )
            })?),
            None => None,
        };
        let proxy = config.network.proxy.as_ref().map(|proxy| proxy.expose_secret().to_owned());
        Ok(Self { store, secrets, clock, network: Network { ca_pem, proxy } })
    }

    /// A forge for a connection that does not exist yet.
    pub(crate) fn probe(&self, base_url: &str, credential: Credential) -> Result<GithubForge> {
        let mut options = GithubOptions::new(base_url, credential, Arc::clone(&self.clock));
        options.network = self.network.clone();
        GithubForge::new(options)
            .map_err(|error| ApiError::bad_input(crate::error::sentence(&error.to_string())))
    }

    /// The forge of a known connection.
    pub(crate) async fn of(&self, id: ConnectionId) -> Result<Arc<dyn Forge>> {
        let all = self.store.connections().await?;
        let connection = all.into_iter().find(|connection| connection.id == id).ok_or_else(|| {
            ApiError::new(Code::NotFound, "This connection does not exist in this database.")
        })?;
        let secrets = Arc::clone(&self.secrets);
        let credential = blocking(move || secrets.get(id)).await??;
        Ok(Arc::new(self.probe(&connection.base_url, credential)?))
    }
}

#[async_trait]
impl Forges for ForgeBook {
    async fn forge(&self, connection: ConnectionId) -> std::result::Result<Arc<dyn Forge>, EngineError> {
        self.of(connection).await.map_err(|error| EngineError::new(error.code, error.message))
    }
}
