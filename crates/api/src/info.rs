//! What the program stands on.

use lockstep_config::Database;
use secrecy::ExposeSecret as _;
use url::Url;

use crate::app::{App, VERSION};
use crate::error::{Result, sentence};
use crate::wire::{AppInfo, DatabaseInfo, Probe};
use crate::words::{ms, small};

/// Version, person, database, git, credentials.
///
/// # Errors
/// The database's trouble.
pub async fn get(app: &App) -> Result<AppInfo> {
    let holder = app.holder();
    let database = database(app).await?;
    let git = match app.git_version().await {
        Ok(version) => Probe { ok: Some(version), problem: None },
        Err(error) => Probe { ok: None, problem: Some(sentence(&error.to_string())) },
    };
    Ok(AppInfo {
        version: VERSION.to_owned(),
        person: holder.person,
        os_user: holder.os_user,
        host: holder.host,
        database,
        git,
        secrets: app.secrets().why.clone(),
        first_start: app.store().connections().await?.is_empty(),
        practice: app.practice().is_packaged(),
    })
}

async fn database(app: &App) -> Result<DatabaseInfo> {
    let (sent, before) = (app.clock().now(), app.clock().boot());
    let info = app.store().info().await?;
    let took = app.clock().boot().0 - before.0;
    let skew = sent.plus(took / 2).since(info.now);
    Ok(DatabaseInfo {
        kind: info.kind.to_owned(),
        place: place(&app.config().database),
        engine: info.engine,
        latency_ms: small(took),
        now: ms(info.now),
        skew_ms: i32::try_from(skew).unwrap_or(if skew < 0 { i32::MIN } else { i32::MAX }),
    })
}

/// No password, no user, no local path.
fn place(database: &Database) -> String {
    match database {
        Database::Sqlite(_) => "On this computer".to_owned(),
        Database::Postgres(url) => {
            let url = Url::parse(url.expose_secret()).ok();
            let host =
                url.as_ref().and_then(Url::host_str).filter(|host| !host.is_empty() && *host != "localhost");
            let name = url.as_ref().map(|url| url.path().trim_start_matches('/')).unwrap_or_default();
            format!(
                "{} on {}",
                if name.is_empty() { "postgres" } else { name },
                host.unwrap_or("this computer")
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_names_neither_user_nor_password() {
        let of = |url: &str| place(&Database::Postgres(url.to_owned().into()));
        assert_eq!(of("postgres://u:hunter2@db.example:5432/course"), "course on db.example");
        assert_eq!(of("postgres://u@localhost/course?host=/tmp/x"), "course on this computer");
        assert_eq!(place(&Database::Sqlite("/home/me/lockstep.db".into())), "On this computer");
    }
}
