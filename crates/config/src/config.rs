//! Everything a host needs to know before it opens a database.

use std::path::{Path, PathBuf};

use lockstep_domain::lease::Window;
use secrecy::SecretString;
use url::Url;

use crate::error::ConfigError;
use crate::settings::{self, DatabaseSettings, NetworkSettings, PacingSettings, Settings};
use crate::{folder, variables};

/// What the command line or a test says; goes before everything else.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// The data folder.
    pub data: Option<PathBuf>,
    /// The practice forge's program; the host looks beside its own.
    pub practice: Option<PathBuf>,
}

/// Which database.
#[derive(Debug, Clone)]
pub enum Database {
    /// One file.
    Sqlite(PathBuf),
    /// A server; the URL may hold a password.
    Postgres(SecretString),
}

/// Limits of content writes (docs/SYNC.md).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pacing {
    /// Start to start.
    pub min_interval_ms: i64,
    /// Most in any sliding hour.
    pub per_hour: u32,
}

impl Default for Pacing {
    fn default() -> Self {
        Self { min_interval_ms: 1_000, per_hour: 500 }
    }
}

/// How servers are reached.
#[derive(Debug, Clone, Default)]
pub struct Network {
    /// `http://host:port`; may hold a password.
    pub proxy: Option<SecretString>,
    /// A PEM file with further certificate authorities.
    pub ca_file: Option<PathBuf>,
}

/// Where credentials rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SecretsKind {
    /// A given token, else the keychain, else private files.
    #[default]
    Auto,
    /// The keychain and nothing else.
    Keychain,
    /// Private files and nothing else.
    File,
    /// `LOCKSTEP_TOKEN` and nothing else.
    Environment,
}

/// The checked configuration of one process.
#[derive(Debug, Clone)]
pub struct Config {
    /// The data folder; it exists and can be written.
    pub data: PathBuf,
    /// The database.
    pub database: Database,
    /// Person, self-declared.
    pub person: String,
    /// This machine as others see it.
    pub machine: String,
    /// Operating-system user.
    pub os_user: String,
    /// Window of this process's claims.
    pub window: Window,
    /// Pace of content writes.
    pub pacing: Pacing,
    /// `system`, `light`, `dark`.
    pub theme: String,
    /// `en`, `fr`.
    pub language: String,
    /// How servers are reached.
    pub network: Network,
    /// The git program; absent: `git` on the search path.
    pub git: Option<PathBuf>,
    /// The search path for programs.
    pub path: std::ffi::OsString,
    /// Where credentials rest.
    pub secrets: SecretsKind,
    /// A token that a script was given.
    pub token: Option<SecretString>,
    /// Filter of log lines.
    pub log: Option<String>,
    /// The practice forge's program, when it was packaged.
    pub practice: Option<PathBuf>,
}

impl Config {
    /// Reads everything, makes the data folder, checks every value. Nothing but the folder is created.
    ///
    /// # Errors
    /// The first thing that is wrong, with its value and remedy.
    pub fn load(env: impl Fn(&str) -> Option<String>, overrides: Overrides) -> Result<Self, ConfigError> {
        let data = match overrides.data.or_else(|| env(variables::DATA_DIR).map(PathBuf::from)) {
            Some(named) => std::path::absolute(&named).unwrap_or(named),
            None => folder::of_platform()?,
        };
        folder::prepare(&data)?;
        let settings = settings::read(&data)?;
        Self::from_parts(data, settings, env, overrides.practice)
    }

    fn from_parts(
        data: PathBuf,
        settings: Settings,
        env: impl Fn(&str) -> Option<String>,
        practice: Option<PathBuf>,
    ) -> Result<Self, ConfigError> {
        let os_user = os_user(&env);
        let person = env(variables::PERSON)
            .or(settings.person)
            .map_or_else(|| os_user.clone(), |person| person.trim().to_owned());
        settings::check_person(&person)?;
        let theme = settings.theme.unwrap_or_else(|| "system".to_owned());
        settings::one_of("theme", &theme, &settings::THEMES)?;
        let language = settings.language.unwrap_or_else(|| "en".to_owned());
        settings::one_of("language", &language, &settings::LANGUAGES)?;
        let database = database(&data, settings.database, env(variables::DATABASE_URL))?;
        Ok(Self {
            database,
            person,
            machine: env(variables::MACHINE)
                .or(settings.machine)
                .map_or_else(crate::system::host_name, |machine| machine.trim().to_owned()),
            os_user,
            window: window(settings.lease.window_seconds, &env)?,
            pacing: pacing(&settings.pacing)?,
            theme,
            language,
            network: network(settings.network, &data, &env)?,
            git: env(variables::GIT).map(PathBuf::from).or(settings.git),
            path: env("PATH").unwrap_or_default().into(),
            secrets: secrets(env(variables::SECRETS), settings.secrets)?,
            token: env(variables::TOKEN).map(|token| token.trim().to_owned().into()),
            log: env(variables::LOG),
            practice: practice.filter(|program| program.is_file()),
            data,
        })
    }
}

fn os_user(env: &impl Fn(&str) -> Option<String>) -> String {
    ["USER", "LOGNAME", "USERNAME"].into_iter().find_map(env).unwrap_or_else(crate::system::account)
}

fn database(
    data: &Path,
    settings: DatabaseSettings,
    from_env: Option<String>,
) -> Result<Database, ConfigError> {
    if let Some(url) = from_env {
        return postgres(&url).map(Database::Postgres).map_err(|problem| ConfigError::Variable {
            name: variables::DATABASE_URL,
            problem,
            hint: POSTGRES_HINT.to_owned(),
        });
    }
    match (settings.sqlite, settings.postgres) {
        (Some(_), Some(_)) => Err(ConfigError::Setting {
            problem: "[database] names both sqlite and postgres".to_owned(),
            hint: "Keep one of the two lines.".to_owned(),
        }),
        (None, Some(url)) => postgres(&url).map(Database::Postgres).map_err(|problem| ConfigError::Setting {
            problem: format!("[database] postgres {problem}"),
            hint: POSTGRES_HINT.to_owned(),
        }),
        (file, None) => Ok(Database::Sqlite(data.join(file.unwrap_or_else(|| "lockstep.db".into())))),
    }
}

const POSTGRES_HINT: &str = "Write it as postgres://user@host/database.";

/// The problem never repeats the URL: it may hold a password.
fn postgres(text: &str) -> Result<SecretString, String> {
    let url = Url::parse(text.trim()).map_err(|error| format!("is no URL ({error})"))?;
    if !matches!(url.scheme(), "postgres" | "postgresql") {
        return Err(format!("starts with {}:, not with postgres:", url.scheme()));
    }
    Ok(text.trim().to_owned().into())
}

#[cfg_attr(not(debug_assertions), expect(unused_variables, reason = "release builds have no test window"))]
fn window(seconds: Option<i64>, env: &impl Fn(&str) -> Option<String>) -> Result<Window, ConfigError> {
    #[cfg(debug_assertions)]
    if let Some(text) = env(variables::TEST_WINDOW_MS) {
        let wrong = |problem: String| ConfigError::Variable {
            name: variables::TEST_WINDOW_MS,
            problem,
            hint: "Give milliseconds, at least 300.".to_owned(),
        };
        let ms = text.trim().parse().map_err(|_not_a_number| wrong(format!("{text:?} is no number")))?;
        return Window::new(ms, 0).map_err(|error| wrong(error.to_string()));
    }
    let Some(seconds) = seconds else { return Ok(Window::DEFAULT) };
    Window::new(seconds.saturating_mul(1_000), Window::MIN_MS).map_err(|_outside| ConfigError::Setting {
        problem: format!("[lease] window_seconds = {seconds} is not allowed"),
        hint: "Choose 180 to 900 seconds; 180 is the default.".to_owned(),
    })
}

fn pacing(settings: &PacingSettings) -> Result<Pacing, ConfigError> {
    let default = Pacing::default();
    let pacing = Pacing {
        min_interval_ms: settings.min_interval_ms.unwrap_or(default.min_interval_ms),
        per_hour: settings.per_hour.unwrap_or(default.per_hour),
    };
    if !(0..=600_000).contains(&pacing.min_interval_ms) {
        return Err(ConfigError::Setting {
            problem: format!("[pacing] min_interval_ms = {} is not allowed", pacing.min_interval_ms),
            hint: "Choose 0 to 600000; GitHub asks for at least 1000.".to_owned(),
        });
    }
    if !(1..=100_000).contains(&pacing.per_hour) {
        return Err(ConfigError::Setting {
            problem: format!("[pacing] per_hour = {} is not allowed", pacing.per_hour),
            hint: "Choose 1 to 100000; GitHub allows 500.".to_owned(),
        });
    }
    Ok(pacing)
}

fn network(
    settings: NetworkSettings,
    data: &Path,
    env: &impl Fn(&str) -> Option<String>,
) -> Result<Network, ConfigError> {
    let ca_file = settings.ca_file.map(|file| data.join(file));
    if ca_file.as_ref().is_some_and(|file| !file.is_file()) {
        return Err(ConfigError::Setting {
            problem: "[network] ca_file names no file".to_owned(),
            hint: "Give the path of a PEM file, or remove the line.".to_owned(),
        });
    }
    let proxy = settings.proxy.or_else(|| variables::PROXIES.into_iter().find_map(env));
    if let Some(text) = &proxy {
        let usable = Url::parse(text)
            .is_ok_and(|url| matches!(url.scheme(), "http" | "https" | "socks5") && url.has_host());
        if !usable {
            return Err(ConfigError::Setting {
                problem: "[network] proxy (or HTTPS_PROXY) is no proxy address".to_owned(),
                hint: "Write it as http://host:port.".to_owned(),
            });
        }
    }
    Ok(Network { proxy: proxy.map(Into::into), ca_file })
}

fn secrets(from_env: Option<String>, setting: Option<String>) -> Result<SecretsKind, ConfigError> {
    match from_env.or(setting).as_deref().map(str::trim) {
        None | Some("auto") => Ok(SecretsKind::Auto),
        Some("keychain") => Ok(SecretsKind::Keychain),
        Some("file") => Ok(SecretsKind::File),
        Some("environment") => Ok(SecretsKind::Environment),
        Some(other) => Err(ConfigError::Setting {
            problem: format!("secrets = {other:?} is not known"),
            hint: "Choose one of auto, keychain, file, environment.".to_owned(),
        }),
    }
}
