//! Starting and stopping a forge.

use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::control::Control;
use crate::core::Core;
use crate::journal::Journal;
use crate::options::{BaseStyle, ForgeError, ForgeOptions};

/// Starts forges.
#[derive(Debug, Clone, Copy)]
pub struct Forge;

impl Forge {
    /// Opens (or creates) the data folder, binds 127.0.0.1 and serves in the caller's tokio runtime until the
    /// handle is dropped or [`ForgeHandle::shutdown`] is called.
    ///
    /// # Errors
    /// The port is taken, the folder cannot be used, the state file is broken, or git is missing.
    pub async fn start(options: ForgeOptions) -> Result<ForgeHandle, ForgeError> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, options.port))
            .await
            .map_err(|error| ForgeError::io(format!("bind 127.0.0.1:{}", options.port), error))?;
        let address = listener.local_addr().map_err(|error| ForgeError::io("local address", error))?;
        let base = options.base;
        let (data, folder) = match options.data.clone() {
            Some(path) => (path, None),
            None => {
                let folder = tempfile::Builder::new()
                    .prefix("lockstep-forge-")
                    .tempdir()
                    .map_err(|error| ForgeError::io("temporary folder", error))?;
                (folder.path().to_owned(), Some(folder))
            }
        };
        let base_url = format!("http://127.0.0.1:{}", address.port());
        let core = Arc::new(Core::open(options, data, base_url)?);
        let (stop, stopped) = oneshot::channel::<()>();
        let app = crate::http::app(core.clone());
        let served = tokio::spawn(async move {
            let server = axum::serve(listener, app).with_graceful_shutdown(async {
                // An error means that the handle is gone: stop as well.
                drop(stopped.await);
            });
            if let Err(error) = server.await {
                tracing::warn!(%error, "the practice forge stopped serving");
            }
        });
        tracing::debug!(url = core.base_url(), "the practice forge serves");
        let control = Control::new(core.clone());
        Ok(ForgeHandle { core, control, base, stop: Some(stop), served: Some(served), _folder: folder })
    }
}

/// A running forge. Dropping it stops it.
pub struct ForgeHandle {
    core: Arc<Core>,
    control: Control,
    base: BaseStyle,
    stop: Option<oneshot::Sender<()>>,
    served: Option<JoinHandle<()>>,
    _folder: Option<tempfile::TempDir>,
}

impl ForgeHandle {
    /// `http://127.0.0.1:PORT`, without a slash at the end.
    pub fn base_url(&self) -> &str {
        self.core.base_url()
    }

    /// The root of the REST interface in the chosen style, without a slash at the end.
    pub fn api_root(&self) -> String {
        match self.base {
            BaseStyle::Root => self.base_url().to_owned(),
            BaseStyle::ApiV3 => format!("{}/api/v3", self.base_url()),
        }
    }

    /// The address of the GraphQL interface in the chosen style.
    pub fn graphql_url(&self) -> String {
        match self.base {
            BaseStyle::Root => format!("{}/graphql", self.base_url()),
            BaseStyle::ApiV3 => format!("{}/api/graphql", self.base_url()),
        }
    }

    /// The address to clone `owner/name` from, without credentials.
    pub fn clone_url(&self, full_name: &str) -> String {
        format!("{}/{full_name}.git", self.base_url())
    }

    /// The folder with the state file and the repositories.
    pub fn data_dir(&self) -> &Path {
        self.core.data()
    }

    /// The bare repository of `owner/name`, for looking at it with git.
    ///
    /// # Errors
    /// There is no such repository.
    pub fn repository_dir(&self, full_name: &str) -> Result<PathBuf, ForgeError> {
        self.control.repository_dir(full_name)
    }

    /// Everything that a person could do on GitHub's web pages, as functions.
    pub fn control(&self) -> &Control {
        &self.control
    }

    /// The requests so far.
    pub fn journal(&self) -> Journal {
        self.core.journal.clone()
    }

    /// Where an answer differed from GitHub's description (always empty unless
    /// [`ForgeOptions::self_check`] is set). A test should end with none.
    pub fn self_check_failures(&self) -> Vec<String> {
        self.core.self_check_failures()
    }

    /// Stops serving and waits until it has.
    pub async fn shutdown(mut self) {
        if let Some(stop) = self.stop.take() {
            // The receiver is gone when the server already ended.
            let _already_ended = stop.send(());
        }
        if let Some(served) = self.served.take() {
            // Idle keep-alive connections of clients would hold a graceful end open.
            let abort = served.abort_handle();
            if tokio::time::timeout(std::time::Duration::from_secs(2), served).await.is_err() {
                abort.abort();
            }
        }
    }
}

impl Drop for ForgeHandle {
    fn drop(&mut self) {
        if let Some(served) = self.served.take() {
            served.abort();
        }
    }
}

impl std::fmt::Debug for ForgeHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ForgeHandle").field("base_url", &self.base_url()).finish_non_exhaustive()
    }
}
