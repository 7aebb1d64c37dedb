//! How large a world is and what differs from the ordinary one.

use std::sync::Arc;
use std::time::Duration;

use lockstep_domain::lease::Window;
use lockstep_domain::model::{ProjectState, Strategy};
use lockstep_engine::EngineSettings;
use lockstep_forge::demo::DemoOptions;
use lockstep_store::Pace;

use crate::machine::ManualClock;

/// Which database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Database {
    /// A file of its own.
    #[default]
    Sqlite,
    /// A private server of its own.
    Postgres,
}

/// How the connection proves itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Access {
    /// The teacher's token.
    #[default]
    Token,
    /// The practice App.
    App,
}

/// What to build.
#[derive(Debug, Clone)]
pub struct WorldOptions {
    /// The practice course.
    pub demo: DemoOptions,
    /// Which database.
    pub database: Database,
    /// Token or App.
    pub access: Access,
    /// How the project hands out.
    pub strategy: Strategy,
    /// State of the project once it is set up.
    pub state: ProjectState,
    /// Whether the course's distribution is adopted and its recipients imported.
    pub adopted: bool,
    /// How the engine works.
    pub settings: EngineSettings,
    /// Staff's note.
    pub note: String,
    /// The engine's clock, when a test moves it; else this machine's.
    pub clock: Option<Arc<ManualClock>>,
}

impl Default for WorldOptions {
    fn default() -> Self {
        Self {
            demo: DemoOptions::default(),
            database: Database::Sqlite,
            access: Access::Token,
            strategy: Strategy::Squash,
            state: ProjectState::Published,
            adopted: true,
            settings: quick(),
            note: "Please read the new exercise.".to_owned(),
            clock: None,
        }
    }
}

impl WorldOptions {
    /// The ordinary course with this many recipients.
    #[must_use]
    pub fn recipients(count: u32) -> Self {
        Self { demo: DemoOptions { recipients: count, ..DemoOptions::default() }, ..Self::default() }
    }

    /// With another lease window, in milliseconds.
    ///
    /// # Panics
    /// The window is out of bounds.
    #[must_use]
    pub fn window(mut self, ms: i64) -> Self {
        self.settings.window = Window::new(ms, 300).expect("a window within its bounds");
        self
    }
}

/// The product's settings without its waits.
fn quick() -> EngineSettings {
    EngineSettings {
        pace: Pace { min_interval_ms: 0, per_hour: 1_000_000 },
        announce_retry: [1, 2, 4, 8].map(Duration::from_millis).to_vec(),
        ..EngineSettings::default()
    }
}
