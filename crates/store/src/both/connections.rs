//! `connections`: accounts at forges. The base URL never changes (a trigger refuses it).

use lockstep_domain::ids::ConnectionId;
use lockstep_domain::model::{Connection, ConnectionState};
use serde_json::json;

use super::audit;
use super::driver::Row;
use super::on::On;
use super::row::{Named as _, get, ms, parsed};
use crate::contract::{Actor, NewConnection, Result, StoreError};

const INSERT: &str = "INSERT INTO connections \
    (id, name, base_url, kind, app_id, installation_id, login, state, created_at) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, 'usable', {now})";
const ALL: &str = "SELECT {connection_row} FROM connections WHERE {undeleted} ORDER BY name";
const ONE: &str = "SELECT {connection_row} FROM connections WHERE id = $1";
const NOTE: &str =
    "UPDATE connections SET state = $2, login = $3 WHERE id = $1 AND (state <> $2 OR login <> $3)";

pub(super) async fn insert(on: &mut On, new: &NewConnection, actor: &Actor) -> Result<Connection> {
    let (app, installation) = new.app.unzip();
    let args = args![new.id.0, &new.name, &new.base_url, new.kind.as_str(), app, installation, &new.login];
    on.exec(INSERT, args).await.named(|| format!("a connection named {}", new.name))?;
    let detail = json!({ "connection": new.id.0, "name": new.name, "base_url": new.base_url });
    audit::write(on, actor, None, "connection.added", &detail).await?;
    on.feed("connection", None, &new.id);
    one(on, new.id).await?.ok_or_else(|| StoreError::NotFound("the connection".into()))
}

pub(super) async fn all(on: &mut On) -> Result<Vec<Connection>> {
    on.rows(ALL, args![]).await?.iter().map(row).collect()
}

pub(super) async fn one(on: &mut On, id: ConnectionId) -> Result<Option<Connection>> {
    on.row(ONE, args![id.0]).await?.as_ref().map(row).transpose()
}

pub(super) async fn note(on: &mut On, id: ConnectionId, state: ConnectionState, login: &str) -> Result<()> {
    if on.exec(NOTE, args![id.0, state.as_str(), login]).await? > 0 {
        on.feed("connection", None, &id);
        return Ok(());
    }
    match one(on, id).await? {
        Some(_unchanged) => Ok(()),
        None => Err(StoreError::NotFound("the connection".into())),
    }
}

fn row(row: &Row) -> Result<Connection> {
    let app: Option<i64> = get(row, "app_id")?;
    let installation: Option<i64> = get(row, "installation_id")?;
    Ok(Connection {
        id: ConnectionId(get(row, "id")?),
        name: get(row, "name")?,
        base_url: get(row, "base_url")?,
        kind: parsed(row, "kind")?,
        app: app.zip(installation),
        login: get(row, "login")?,
        state: parsed(row, "state")?,
        created_at: ms(row, "created_at")?,
    })
}
