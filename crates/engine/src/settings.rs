//! What a host may set. Defaults are the product's.

use std::time::Duration;

use lockstep_domain::lease::Window;
use lockstep_store::Pace;

/// Most that one handed-out branch may hold (docs/SYNC.md).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Files per branch.
    pub files: u32,
    /// Bytes of one blob.
    pub blob_bytes: u64,
    /// Bytes of one push.
    pub push_bytes: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { files: 100_000, blob_bytes: 100 * 1024 * 1024, push_bytes: 2 * 1024 * 1024 * 1024 }
    }
}

/// How the engine works on this host.
#[derive(Debug, Clone)]
pub struct EngineSettings {
    /// Window of the leases claimed here.
    pub window: Window,
    /// Pace of content writes.
    pub pace: Pace,
    /// Recipients decided and pushed at the same time.
    pub parallel: usize,
    /// Bounds of a handed-out branch.
    pub bounds: Bounds,
    /// Pauses before an announcement is repeated when GitHub does not see the pushed branch yet.
    pub announce_retry: Vec<Duration>,
    /// Age of a batched read from which a pull request is looked up again before it is written to.
    pub read_fresh: Duration,
}

impl Default for EngineSettings {
    fn default() -> Self {
        Self {
            window: Window::DEFAULT,
            pace: Pace { min_interval_ms: 1_000, per_hour: 500 },
            parallel: 4,
            bounds: Bounds::default(),
            announce_retry: [1, 2, 4, 8].map(Duration::from_secs).to_vec(),
            read_fresh: Duration::from_secs(60),
        }
    }
}
