//! The forge behind a connection: the real client against the practice forge.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use lockstep_domain::clock::Clock;
use lockstep_domain::code::Code;
use lockstep_domain::ids::ConnectionId;
use lockstep_domain::ports::Forge;
use lockstep_engine::{EngineError, Forges};
use lockstep_github::{Credential, GithubForge, GithubOptions};

/// Base address and credential per connection.
#[derive(Debug)]
pub struct TestForges {
    clock: Arc<dyn Clock>,
    known: Mutex<HashMap<ConnectionId, (String, Credential)>>,
}

impl TestForges {
    /// None known yet.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, known: Mutex::default() }
    }

    /// Adds or replaces a connection.
    pub fn put(&self, id: ConnectionId, base_url: &str, credential: Credential) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(id, (base_url.to_owned(), credential));
    }
}

#[async_trait]
impl Forges for TestForges {
    async fn forge(&self, connection: ConnectionId) -> Result<Arc<dyn Forge>, EngineError> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&connection).cloned();
        let (base_url, credential) =
            known.ok_or_else(|| EngineError::new(Code::NotFound, "The connection is not known here."))?;
        let mut options = GithubOptions::new(base_url, credential, self.clock.clone());
        options.policy.read_retries = vec![Duration::from_millis(1); 2];
        options.policy.fresh_pause = Duration::from_millis(1);
        let forge =
            GithubForge::new(options).map_err(|error| EngineError::new(Code::BadInput, error.to_string()))?;
        Ok(Arc::new(forge))
    }
}
