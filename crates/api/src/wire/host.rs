//! Where the program runs, what it is connected to, what it remembers.

use lockstep_domain::model::{ConnectionKind, ConnectionState};
use serde::{Deserialize, Serialize};
use specta::Type;

use super::{Probe, TimeMs};

/// Where the program runs and what it stands on.
#[derive(Debug, Clone, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct AppInfo {
    /// Version of the program.
    pub version: String,
    /// Self-declared person.
    pub person: String,
    /// Operating-system user.
    pub os_user: String,
    /// Host name.
    pub host: String,
    /// The database.
    pub database: DatabaseInfo,
    /// git's version, or why it cannot be used.
    pub git: Probe,
    /// Where secrets rest, as a sentence.
    pub secrets: String,
    /// No connection was made yet: show the first start.
    pub first_start: bool,
    /// Whether the practice course can be started here.
    pub practice: bool,
}

/// The database, for people.
#[derive(Debug, Clone, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct DatabaseInfo {
    /// `sqlite` or `postgres`.
    pub kind: String,
    /// "On this computer" or the server's host and database name; no password.
    pub place: String,
    /// Version of the engine.
    pub engine: String,
    /// Round trip of a small read.
    pub latency_ms: u32,
    /// The database's clock at the read.
    #[specta(type = super::Told)]
    pub now: TimeMs,
    /// Difference between this machine's clock and the database's.
    pub skew_ms: i32,
}

/// A connection.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ConnectionView {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// REST base.
    pub base_url: String,
    /// Token or App.
    pub kind: ConnectionKind,
    /// Login there.
    pub login: String,
    /// As last known.
    pub state: ConnectionState,
}

/// To make a connection with a token.
#[derive(Debug, Clone, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ConnectInput {
    /// Unique name; empty: taken from the host.
    pub name: String,
    /// REST base; empty: github.com.
    pub base_url: String,
    /// The token, or the App's private key as PEM. Never comes back.
    pub secret: String,
    /// App id and installation id, for an App.
    pub app_id: Option<String>,
    /// Installation id.
    pub installation_id: Option<String>,
}

/// A repository found at the forge.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RepoHit {
    /// `owner/name`.
    pub name: String,
    /// Private.
    pub private: bool,
    /// Archived.
    pub archived: bool,
}

/// What the window remembers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Preferences {
    /// `system`, `light` or `dark`.
    pub theme: String,
    /// Person, self-declared.
    pub person: String,
    /// `en` or `fr`.
    pub language: String,
}

/// A change of preferences; absent leaves as is.
#[derive(Debug, Clone, Default, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct PreferencesInput {
    /// `system`, `light` or `dark`.
    pub theme: Option<String>,
    /// Person.
    pub person: Option<String>,
    /// Language.
    pub language: Option<String>,
}

/// What the practice course offers, to prefill the form of a new project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct PracticeHint {
    /// Connection id.
    pub connection: String,
    /// `owner/name` of the source.
    pub source: String,
    /// `owner/name` of the living distribution.
    pub distribution: String,
    /// `owner/pattern` of the recipients.
    pub pattern: String,
    /// Proposed project name.
    pub project: String,
}
