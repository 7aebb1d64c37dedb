//! From a row to the words of `domain`.

use std::str::FromStr;

use lockstep_domain::clock::Millis;
use lockstep_domain::ids::{ConnectionId, RepoId};
use lockstep_domain::model::RepoIdent;
use lockstep_domain::names::{Oid, RepoSlug};
use serde::de::DeserializeOwned;
use sqlx::{Decode, Row as _, Type};
use uuid::Uuid;

use super::driver::{Db, Row};
use crate::contract::{Result, StoreError};

/// A column as the driver gives it.
pub(crate) fn get<'r, T: Decode<'r, Db> + Type<Db>>(row: &'r Row, column: &'static str) -> Result<T> {
    row.try_get(column).map_err(|error| StoreError::Corrupt { place: column, value: error.to_string() })
}

fn corrupt(place: &'static str, value: &str) -> StoreError {
    StoreError::Corrupt { place, value: value.chars().take(80).collect() }
}

/// A stable code or another parsed text.
pub(crate) fn parsed<T: FromStr>(row: &Row, column: &'static str) -> Result<T> {
    let text: String = get(row, column)?;
    text.parse().map_err(|_bad| corrupt(column, &text))
}

/// The same, or nothing.
pub(crate) fn parsed_opt<T: FromStr>(row: &Row, column: &'static str) -> Result<Option<T>> {
    let text: Option<String> = get(row, column)?;
    text.map(|text| text.parse().map_err(|_bad| corrupt(column, &text))).transpose()
}

/// JSON as text.
pub(crate) fn json<T: DeserializeOwned>(row: &Row, column: &'static str) -> Result<T> {
    let text: String = get(row, column)?;
    serde_json::from_str(&text).map_err(|_bad| corrupt(column, &text))
}

/// A time selected with `{ms:column}`.
pub(crate) fn ms(row: &Row, column: &'static str) -> Result<Millis> {
    get(row, column).map(Millis)
}

/// The same, or nothing.
pub(crate) fn ms_opt(row: &Row, column: &'static str) -> Result<Option<Millis>> {
    Ok(get::<Option<i64>>(row, column)?.map(Millis))
}

/// A count.
pub(crate) fn count(row: &Row, column: &'static str) -> Result<u32> {
    let value: i64 = get(row, column)?;
    u32::try_from(value).map_err(|_bad| corrupt(column, &value.to_string()))
}

/// The same, or nothing.
pub(crate) fn count_opt(row: &Row, column: &'static str) -> Result<Option<u32>> {
    let value: Option<i64> = get(row, column)?;
    value.map(|value| u32::try_from(value).map_err(|_bad| corrupt(column, &value.to_string()))).transpose()
}

/// A repository from `connection_id`, `repo_id`, `node_id`, `owner`, `name`.
pub(crate) fn repo(row: &Row) -> Result<RepoIdent> {
    Ok(RepoIdent {
        connection: ConnectionId(get(row, "connection_id")?),
        id: RepoId(get(row, "repo_id")?),
        node_id: get(row, "node_id")?,
        slug: RepoSlug { owner: get(row, "owner")?, name: get(row, "name")? },
    })
}

/// Ids as JSON, for `{ids:$1}`.
pub(crate) fn id_list(ids: impl IntoIterator<Item = Uuid>) -> Result<String> {
    json_text(&ids.into_iter().map(|id| serde_json::json!({ "id": id })).collect::<Vec<_>>())
}

/// Anything as JSON text.
pub(crate) fn json_text<T: serde::Serialize + ?Sized>(value: &T) -> Result<String> {
    serde_json::to_string(value).map_err(|error| StoreError::Failed(format!("cannot be written: {error}")))
}

/// An object id as text.
pub(crate) fn oid_text(oid: Option<&Oid>) -> Option<String> {
    oid.map(ToString::to_string)
}

/// Names what exists already where the driver only knows a constraint.
pub(crate) trait Named<T> {
    /// Replaces the text of [`StoreError::AlreadyExists`].
    fn named(self, what: impl FnOnce() -> String) -> Result<T>;
}

impl<T> Named<T> for Result<T> {
    fn named(self, what: impl FnOnce() -> String) -> Self {
        match self {
            Err(StoreError::AlreadyExists(_)) => Err(StoreError::AlreadyExists(what())),
            other => other,
        }
    }
}
