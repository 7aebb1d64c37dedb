//! The settings file, `settings.toml` in the data folder. People may edit it; their comments survive our writes.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml_edit::{DocumentMut, value};

use crate::error::{ConfigError, words};

/// What `theme` may be.
pub const THEMES: [&str; 3] = ["system", "light", "dark"];
/// What `language` may be.
pub const LANGUAGES: [&str; 2] = ["en", "fr"];

/// The file as written; everything may be absent.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Person who acts, self-declared.
    pub person: Option<String>,
    /// Name of this machine as others see it.
    pub machine: Option<String>,
    /// `system`, `light` or `dark`.
    pub theme: Option<String>,
    /// `en` or `fr`.
    pub language: Option<String>,
    /// The git program.
    pub git: Option<PathBuf>,
    /// Where credentials rest: `auto`, `keychain`, `file`, `environment`.
    pub secrets: Option<String>,
    /// The database.
    pub database: DatabaseSettings,
    /// The lease.
    pub lease: LeaseSettings,
    /// Content writes at the forge.
    pub pacing: PacingSettings,
    /// How servers are reached.
    pub network: NetworkSettings,
}

/// One of the two.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DatabaseSettings {
    /// A file; relative to the data folder.
    pub sqlite: Option<PathBuf>,
    /// `postgres://user@host/database`.
    pub postgres: Option<String>,
}

/// See docs/LEASES.md section 3.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LeaseSettings {
    /// How long a heartbeat counts, 180 to 900.
    pub window_seconds: Option<i64>,
}

/// See docs/SYNC.md.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PacingSettings {
    /// Start to start of two content writes.
    pub min_interval_ms: Option<i64>,
    /// Most content writes in any hour.
    pub per_hour: Option<u32>,
}

/// Proxy and certificates, for the forge and for git.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NetworkSettings {
    /// `http://host:port`.
    pub proxy: Option<String>,
    /// A PEM file with further certificate authorities.
    pub ca_file: Option<PathBuf>,
}

/// A change that the window makes; absent leaves as is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choice {
    /// See [`Settings::theme`].
    pub theme: Option<String>,
    /// See [`Settings::person`].
    pub person: Option<String>,
    /// See [`Settings::language`].
    pub language: Option<String>,
}

/// The file's place.
#[must_use]
pub fn path(data: &Path) -> PathBuf {
    data.join("settings.toml")
}

/// Reads the file; a missing one is empty.
///
/// # Errors
/// The first wrong line, with what is known instead.
pub fn read(data: &Path) -> Result<Settings, ConfigError> {
    parse(&text(data)?)
}

/// Writes a choice into the file, whole or not at all, keeping everything else.
///
/// # Errors
/// A wrong value, a broken file (which stays as it is), or a folder that cannot be written.
pub fn write(data: &Path, choice: &Choice) -> Result<Settings, ConfigError> {
    let mut choice = choice.clone();
    choice.person = choice.person.map(|person| person.trim().to_owned());
    check(&choice)?;
    let old = text(data)?;
    parse(&old)?;
    let mut document: DocumentMut = old.parse().map_err(|error| broken(&old, &error))?;
    for (key, chosen) in [("theme", choice.theme), ("person", choice.person), ("language", choice.language)] {
        if let Some(chosen) = chosen {
            set(&mut document, key, chosen);
        }
    }
    let new = document.to_string();
    let settings = parse(&new)?;
    if new != old {
        replace(&path(data), &new).map_err(|error| ConfigError::File {
            done: "written",
            why: words(&error),
            hint: "Check the owner of the data folder and the free space; the old settings are untouched."
                .to_owned(),
        })?;
    }
    Ok(settings)
}

/// Keeps a comment behind the value.
fn set(document: &mut DocumentMut, key: &str, chosen: String) {
    let mut item = value(chosen);
    let old = document.get(key).and_then(|old| old.as_value()).map(|old| old.decor().clone());
    if let (Some(decor), Some(new)) = (old, item.as_value_mut()) {
        *new.decor_mut() = decor;
    }
    document[key] = item;
}

fn check(choice: &Choice) -> Result<(), ConfigError> {
    if let Some(theme) = &choice.theme {
        one_of("theme", theme, &THEMES)?;
    }
    if let Some(language) = &choice.language {
        one_of("language", language, &LANGUAGES)?;
    }
    if let Some(person) = &choice.person {
        check_person(person)?;
    }
    Ok(())
}

/// One of a few words.
pub(crate) fn one_of(name: &str, value: &str, known: &[&str]) -> Result<(), ConfigError> {
    if known.contains(&value) {
        return Ok(());
    }
    Err(ConfigError::Setting {
        problem: format!("{name} = {value:?} is not known"),
        hint: format!("Choose one of {}.", known.join(", ")),
    })
}

/// People see it on leases and in the history.
pub(crate) fn check_person(person: &str) -> Result<(), ConfigError> {
    let length = person.chars().count();
    if (1..=80).contains(&length) && !person.chars().any(char::is_control) {
        return Ok(());
    }
    Err(ConfigError::Setting {
        problem: format!("person has {length} characters or a control character"),
        hint: "Give a name of 1 to 80 characters; your colleagues see it.".to_owned(),
    })
}

fn text(data: &Path) -> Result<String, ConfigError> {
    match fs::read_to_string(path(data)) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(ConfigError::File {
            done: "read",
            why: if error.kind() == io::ErrorKind::InvalidData {
                "it is not UTF-8 text".to_owned()
            } else {
                words(&error)
            },
            hint: "Correct or remove settings.toml in the data folder; without it the defaults hold."
                .to_owned(),
        }),
    }
}

fn parse(text: &str) -> Result<Settings, ConfigError> {
    toml_edit::de::from_str(text).map_err(|error| {
        let line = error.span().map_or(1, |span| line_of(text, span.start));
        ConfigError::Settings { line, problem: plain(error.message()), hint: remedy(error.message()) }
    })
}

fn broken(text: &str, error: &toml_edit::TomlError) -> ConfigError {
    let line = error.span().map_or(1, |span| line_of(text, span.start));
    ConfigError::Settings { line, problem: plain(error.message()), hint: remedy(error.message()) }
}

fn line_of(text: &str, at: usize) -> usize {
    1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count()
}

/// The parser's words on one line.
fn plain(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ").replace("unknown field", "unknown setting")
}

fn remedy(message: &str) -> String {
    let known = "Correct the line, or remove it: the default then holds.";
    if message.contains("unknown field") { format!("Check the spelling. {known}") } else { known.to_owned() }
}

/// Whole or not at all: a new file beside the old one takes its place. For its owner only, it may hold a URL.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().prefix(".settings-").tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    #[cfg(unix)]
    fs::File::open(folder)?.sync_all()?;
    Ok(())
}
