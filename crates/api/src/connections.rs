//! Connections: accounts at a forge, tested before anything is stored.

use std::sync::Arc;

use lockstep_domain::code::Code;
use lockstep_domain::ids::ConnectionId;
use lockstep_domain::model::{Connection, ConnectionKind};
use lockstep_domain::names::RepoSlug;
use lockstep_domain::ports::{Forge as _, ForgeError, Identity};
use lockstep_secrets::{Credential, SecretsError};
use lockstep_store::NewConnection;
use url::Url;

use crate::app::{App, blocking};
use crate::error::Result;
use crate::input;
use crate::wire::{ApiError, ConnectInput, ConnectionView};

/// GitHub's own REST base.
pub const GITHUB: &str = "https://api.github.com";

/// All connections, by name.
///
/// # Errors
/// The database's trouble.
pub async fn list(app: &App) -> Result<Vec<ConnectionView>> {
    Ok(app.store().connections().await?.into_iter().map(view).collect())
}

/// Asks the forge who we are, then stores the credential under the connection's id, then the connection. A connection
/// that cannot be stored takes its credential away again.
///
/// # Errors
/// `bad_input` (address, token or key in a wrong form), `bad_credentials`, `forge_unreachable`, `not_a_forge`,
/// `already_exists`, `secrets_unusable`, or the database's trouble.
pub async fn add(app: &App, input: ConnectInput) -> Result<ConnectionView> {
    let base_url = base_url(&input.base_url)?;
    let (credential, kind, installation) = credential(&input)?;
    let (identity, base_url) = identify(app, &base_url, &credential).await?;
    let name = match input.name.trim() {
        "" => default_name(&base_url, &identity),
        name => input::name("the connection", name)?,
    };
    let known = app.store().connections().await?;
    if known.iter().any(|connection| connection.name == name) {
        return Err(ApiError::new(
            Code::AlreadyExists,
            format!("A connection named {name:?} exists already."),
        ));
    }
    let id = ConnectionId(app.ids().uuid());
    put(app, id, credential).await?;
    let new = NewConnection { id, name, base_url, kind, app: installation, login: identity.login };
    match app.store().connection_insert(&new, &app.actor()).await {
        Ok(connection) => Ok(view(connection)),
        Err(error) => {
            forget(app, id).await;
            Err(error.into())
        }
    }
}

pub(crate) fn view(connection: Connection) -> ConnectionView {
    ConnectionView {
        id: connection.id.to_string(),
        name: connection.name,
        base_url: connection.base_url,
        kind: connection.kind,
        login: connection.login,
        state: connection.state,
    }
}

/// Who we are there. An address of an Enterprise Server's web page is tried once more as its REST base.
async fn identify(app: &App, base_url: &str, credential: &Credential) -> Result<(Identity, String)> {
    let first = ask(app, base_url, credential).await?;
    let other = match first {
        Err(ForgeError::NotAForge(_) | ForgeError::NotFound(_)) => enterprise(base_url),
        _ => None,
    };
    if let Some(other) = other
        && let Ok(identity) = ask(app, &other, credential).await?
    {
        return Ok((identity, other));
    }
    match first {
        Ok(identity) => Ok((identity, base_url.to_owned())),
        Err(ForgeError::NotAForge(_) | ForgeError::NotFound(_)) => {
            Err(ApiError::new(Code::NotAForge, format!("{base_url} did not answer like GitHub.")))
        }
        Err(ForgeError::Unavailable(why)) => {
            Err(ApiError::new(Code::ForgeUnreachable, format!("{base_url} cannot be reached: {why}."))
                .retryable())
        }
        Err(error) => Err(error.into()),
    }
}

/// Who we are at this address. An App's identity says nothing about its installation: that one has to give a token too.
async fn ask(
    app: &App,
    base_url: &str,
    credential: &Credential,
) -> Result<std::result::Result<Identity, ForgeError>> {
    let forge = app.forges().probe(base_url, credential.clone())?;
    let identity = match forge.identity().await {
        Ok(identity) => identity,
        Err(error) => return Ok(Err(error)),
    };
    if matches!(credential, Credential::App { .. }) {
        // No request but the one for the token: the name only becomes part of an address.
        let any = RepoSlug { owner: "owner".to_owned(), name: "name".to_owned() };
        if let Err(error) = forge.git_remote(&any).await {
            return Ok(Err(error));
        }
    }
    Ok(Ok(identity))
}

fn enterprise(base_url: &str) -> Option<String> {
    let url = Url::parse(base_url).ok()?;
    (url.path() == "/" && url.as_str().trim_end_matches('/') != GITHUB)
        .then(|| format!("{}/api/v3", base_url.trim_end_matches('/')))
}

/// The REST base as it is stored: checked, without a slash at its end.
fn base_url(text: &str) -> Result<String> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(GITHUB.to_owned());
    }
    let whole = if text.contains("://") { text.to_owned() } else { format!("https://{text}") };
    // What was typed is not repeated when it may hold a password.
    let url = Url::parse(&whole).map_err(|error| {
        ApiError::bad_input(format!("The address is not usable ({error}).")).hinted(ADDRESS)
    })?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(ApiError::bad_input("The address holds a user or a password.").hinted(ADDRESS));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(ApiError::bad_input(format!("{text} has a ? or # part.")).hinted(ADDRESS));
    }
    match (url.scheme(), url.host_str()) {
        ("https", Some("github.com" | "www.github.com" | "api.github.com")) => Ok(GITHUB.to_owned()),
        ("https", Some(_)) => Ok(url.as_str().trim_end_matches('/').to_owned()),
        ("http", Some(host)) if is_loopback(host) => Ok(url.as_str().trim_end_matches('/').to_owned()),
        ("http", Some(host)) => {
            Err(ApiError::bad_input(format!("Plain http to {host} would show the token to the network."))
                .hinted("Use https. Plain http is allowed on this machine only (127.0.0.1, localhost)."))
        }
        (scheme, _) => {
            Err(ApiError::bad_input(format!("{scheme}: is no address of a forge.")).hinted(ADDRESS))
        }
    }
}

const ADDRESS: &str = "Leave it empty for github.com, or write https://host.example/api/v3.";

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || bare.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

type Proof = (Credential, ConnectionKind, Option<(i64, i64)>);

fn credential(input: &ConnectInput) -> Result<Proof> {
    let secret = input.secret.trim();
    let given = |text: &Option<String>| {
        text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
    };
    match (given(&input.app_id), given(&input.installation_id)) {
        (None, None) => {
            if secret.is_empty() {
                return Err(ApiError::bad_input(
                    "The token is empty. Paste one, or give an App's id and key.",
                ));
            }
            Ok((Credential::Token(secret.to_owned().into()), ConnectionKind::Token, None))
        }
        (Some(app), Some(installation)) => {
            let (app, app_number) = number("app id", &app)?;
            let (installation, installation_number) = number("installation id", &installation)?;
            if !secret.starts_with("-----BEGIN") {
                return Err(ApiError::bad_input(
                    "The App's private key is not in PEM form. Give the whole file that GitHub made, from \
                     -----BEGIN on.",
                ));
            }
            let credential = Credential::App {
                app_id: app,
                installation_id: installation,
                private_key_pem: format!("{secret}\n").into(),
            };
            Ok((credential, ConnectionKind::App, Some((app_number, installation_number))))
        }
        _ => Err(ApiError::bad_input(
            "An App needs both its app id and its installation id. Give both, or neither for a token.",
        )),
    }
}

fn number(what: &str, text: &str) -> Result<(u64, i64)> {
    let wrong = || ApiError::bad_input(format!("{text:?} is no {what}. It is a number on the App's page."));
    let number: i64 = text.parse().map_err(|_no_number| wrong())?;
    let positive = u64::try_from(number).ok().filter(|number| *number > 0).ok_or_else(wrong)?;
    Ok((positive, number))
}

fn default_name(base_url: &str, identity: &Identity) -> String {
    let host = crate::pages::root(base_url).and_then(|url| url.host_str().map(str::to_owned));
    format!("{} ({})", host.unwrap_or_else(|| "forge".to_owned()), identity.login)
}

async fn put(app: &App, id: ConnectionId, credential: Credential) -> Result<()> {
    let (secrets, given) = (Arc::clone(&app.secrets().store), app.config().token.clone());
    let same = match (&credential, given) {
        (Credential::Token(token), Some(given)) => same_secret(token, &given),
        _ => false,
    };
    match blocking(move || secrets.put(id, &credential)).await? {
        // It is the very token of the environment: there is nothing to store.
        Err(SecretsError::ReadOnly) if same => Ok(()),
        other => Ok(other?),
    }
}

fn same_secret(one: &secrecy::SecretString, other: &secrecy::SecretString) -> bool {
    use secrecy::ExposeSecret as _;
    one.expose_secret() == other.expose_secret()
}

async fn forget(app: &App, id: ConnectionId) {
    let secrets = Arc::clone(&app.secrets().store);
    if let Ok(Err(error)) = blocking(move || secrets.delete(id)).await {
        tracing::warn!(%error, connection.id = %id, "the credential of a connection that was not made stays behind");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_made_the_rest_base() {
        for (given, expected) in [
            ("", GITHUB),
            ("https://github.com", GITHUB),
            ("github.com", GITHUB),
            ("https://ghe.example/api/v3/", "https://ghe.example/api/v3"),
            ("http://127.0.0.1:4000/", "http://127.0.0.1:4000"),
            ("http://localhost:4000", "http://localhost:4000"),
            ("http://[::1]:4000", "http://[::1]:4000"),
        ] {
            assert_eq!(base_url(given).unwrap(), expected, "{given}");
        }
    }

    #[test]
    fn an_address_that_would_show_the_token_is_refused() {
        for bad in
            ["http://ghe.example", "ftp://host", "https://", "https://user:hunter2@host", "https://h/?a=b"]
        {
            let error = base_url(bad).expect_err(bad);
            assert_eq!(error.code, Code::BadInput);
            assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
        }
    }

    #[test]
    fn an_app_needs_both_numbers_and_a_key() {
        let input = |app: Option<&str>, installation: Option<&str>, secret: &str| ConnectInput {
            name: String::new(),
            base_url: String::new(),
            secret: secret.to_owned(),
            app_id: app.map(str::to_owned),
            installation_id: installation.map(str::to_owned),
        };
        let pem = "-----BEGIN RSA PRIVATE KEY-----";
        assert_eq!(credential(&input(Some("1"), Some("2"), pem)).unwrap().2, Some((1, 2)));
        assert!(credential(&input(Some("1"), None, pem)).is_err());
        assert!(credential(&input(Some("x"), Some("2"), pem)).unwrap_err().message.contains('x'));
        assert!(credential(&input(Some("1"), Some("2"), "ghp_secret")).is_err());
        assert!(credential(&input(None, None, "  ")).is_err());
        assert_eq!(credential(&input(Some(""), Some(" "), "t")).unwrap().1, ConnectionKind::Token);
    }

    #[test]
    fn only_a_bare_web_address_is_tried_as_an_enterprise_server() {
        assert_eq!(enterprise("https://ghe.example").as_deref(), Some("https://ghe.example/api/v3"));
        assert_eq!(enterprise("https://ghe.example/api/v3"), None);
        assert_eq!(enterprise(GITHUB), None);
    }
}
