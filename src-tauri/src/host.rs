//! What the window's commands share: the application, opened when it is first needed.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use lockstep_api::App;
use lockstep_api::wire::{ApiError, FeedBatch};
use lockstep_config::{Config, ConfigError, Overrides, variables};
use tauri::async_runtime::JoinHandle;
use tauri::ipc::Channel;

/// A start-up that failed is not tried again before this has passed: the window asks several things at once.
const AGAIN: Duration = Duration::from_secs(2);

/// The application behind the window. It opens at the first command and, after a failure, at a later one: the window
/// can show why and try again.
pub(crate) struct Host {
    config: Box<dyn Fn() -> Result<Config, ConfigError> + Send + Sync>,
    opened: tokio::sync::Mutex<Opened>,
    follower: Mutex<Option<JoinHandle<()>>>,
}

enum Opened {
    Not,
    Ready(App),
    Failed(Instant, Box<ApiError>),
}

impl Host {
    /// A host that reads its configuration with `config` each time it tries to open.
    pub(crate) fn new(config: impl Fn() -> Result<Config, ConfigError> + Send + Sync + 'static) -> Self {
        Self {
            config: Box::new(config),
            opened: tokio::sync::Mutex::new(Opened::Not),
            follower: Mutex::default(),
        }
    }

    /// The application, opened now if it was not.
    pub(crate) async fn app(&self) -> Result<App, ApiError> {
        let mut opened = self.opened.lock().await;
        match &*opened {
            Opened::Ready(app) => return Ok(app.clone()),
            Opened::Failed(at, error) if at.elapsed() < AGAIN => return Err((**error).clone()),
            Opened::Not | Opened::Failed(..) => {}
        }
        let result = match (self.config)() {
            Ok(config) => App::open(config).await,
            Err(error) => Err(error.into()),
        };
        *opened = match &result {
            Ok(app) => Opened::Ready(app.clone()),
            Err(error) => Opened::Failed(Instant::now(), Box::new(error.clone())),
        };
        result
    }

    /// The application, when it is open.
    pub(crate) async fn opened(&self) -> Option<App> {
        match &*self.opened.lock().await {
            Opened::Ready(app) => Some(app.clone()),
            Opened::Not | Opened::Failed(..) => None,
        }
    }

    /// Runs of this process; 0 while that cannot be told without waiting.
    pub(crate) fn live_runs(&self) -> usize {
        match self.opened.try_lock().as_deref() {
            Ok(Opened::Ready(app)) => app.live_runs(),
            _ => 0,
        }
    }

    /// Sends the feed to the window, in place of what it followed before (it may have been loaded again).
    pub(crate) fn follow(&self, app: App, channel: Channel<FeedBatch>) {
        self.keep(Some(tauri::async_runtime::spawn(async move {
            lockstep_api::feed::follow(&app, |batch| channel.send(batch).is_ok()).await;
        })));
    }

    /// Ends what was followed.
    pub(crate) fn stop_following(&self) {
        self.keep(None);
    }

    fn keep(&self, follower: Option<JoinHandle<()>>) {
        let mut kept = self.follower.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = std::mem::replace(&mut *kept, follower) {
            before.abort();
        }
    }
}

/// The configuration of this process.
pub(crate) fn config() -> Result<Config, ConfigError> {
    Config::load(
        variables::of_process,
        Overrides { data: data_argument(), practice: beside("lockstep-forge") },
    )
}

/// `--data DIR` or `--data=DIR`; anything else on the command line is not ours (the platform adds its own).
fn data_argument() -> Option<PathBuf> {
    let mut arguments = std::env::args_os().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--data" {
            return arguments.next().map(PathBuf::from);
        }
        if let Some(folder) = argument.to_str().and_then(|text| text.strip_prefix("--data=")) {
            return Some(PathBuf::from(folder));
        }
    }
    None
}

/// A program that was installed beside this one.
fn beside(name: &str) -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?;
    Some(own.parent()?.join(format!("{name}{}", std::env::consts::EXE_SUFFIX)))
}
