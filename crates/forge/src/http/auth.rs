//! From the `Authorization` header to an actor.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, header};
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use serde::Deserialize;
use serde_json::Value;

use super::answer::Fault;
use crate::core::Core;
use crate::world::access::Rejected;
use crate::world::{Actor, App};

/// The secret in the header: `Bearer`, `token`, or the password of `Basic`.
pub(crate) fn secret(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, rest) = value.split_once(' ')?;
    if scheme.eq_ignore_ascii_case("bearer") || scheme.eq_ignore_ascii_case("token") {
        return Some(rest.trim().to_owned());
    }
    if scheme.eq_ignore_ascii_case("basic") {
        let plain = String::from_utf8(STANDARD.decode(rest.trim()).ok()?).ok()?;
        let (user, password) = plain.split_once(':')?;
        // A token in place of the user name, with an empty or constant password, is accepted as well.
        let token_as_user = password.is_empty() || password == "x-oauth-basic";
        return Some(if token_as_user { user.to_owned() } else { password.to_owned() });
    }
    None
}

/// The actor of a REST or GraphQL request. No header: anonymous.
pub(crate) fn actor(core: &Core, headers: &HeaderMap) -> Result<Actor, Fault> {
    let Some(secret) = secret(headers) else {
        return if headers.contains_key(header::AUTHORIZATION) {
            Err(bad_credentials())
        } else {
            Ok(Actor::Anonymous)
        };
    };
    // A stateless installation token has dots as well, but begins differently.
    if !secret.starts_with("gh") && secret.split('.').count() == 3 {
        return app_of(core, &secret).map(Actor::App);
    }
    let now = core.now();
    core.read(|world| world.actor(&secret, now)).map_err(|why| match why {
        Rejected::BadCredentials => bad_credentials(),
        Rejected::Suspended => suspended(),
    })
}

/// 401 for an unknown or expired token.
pub(crate) fn bad_credentials() -> Fault {
    Fault::new(401, "Bad credentials")
}

/// 403 while an installation is suspended.
pub(crate) fn suspended() -> Fault {
    Fault::new(403, "This installation has been suspended")
        .docs("https://docs.github.com/rest/reference/apps#create-an-installation-access-token-for-an-app")
}

#[derive(Deserialize)]
struct Claims {
    iss: Value,
    iat: Option<i64>,
    exp: Option<i64>,
}

fn app_of(core: &Core, token: &str) -> Result<u64, Fault> {
    let undecodable = || Fault::new(401, "A JSON web token could not be decoded");
    let unchecked = jsonwebtoken::dangerous::insecure_decode::<Claims>(token).map_err(|_| undecodable())?;
    let issuer = match &unchecked.claims.iss {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let app = core.read(|world| {
        world.apps.values().find(|app| app.id.to_string() == issuer || app.client_id == issuer).cloned()
    });
    let app = app.ok_or_else(|| Fault::new(404, "Integration not found"))?;
    let claims = verify(&app, token).ok_or_else(undecodable)?;
    let now = core.now().timestamp();
    match claims.exp {
        Some(exp) if exp > now + 600 + 60 => {
            Err(Fault::new(401, "'Expiration time' claim ('exp') is too far in the future"))
        }
        Some(exp) if exp > now - 60 => Ok(()),
        _ => Err(Fault::new(
            401,
            "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the \
             assertion expires",
        )),
    }?;
    if claims.iat.is_none_or(|iat| iat > now + 60) {
        return Err(Fault::new(
            401,
            "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
        ));
    }
    Ok(app.id)
}

/// Checks the signature; the times are judged by the forge's clock.
fn verify(app: &App, token: &str) -> Option<Claims> {
    let mut validation = Validation::new(Algorithm::RS256);
    validation.validate_exp = false;
    validation.validate_aud = false;
    validation.required_spec_claims.clear();
    let key = DecodingKey::from_rsa_pem(app.public_key.as_bytes()).ok()?;
    jsonwebtoken::decode::<Claims>(token, &key, &validation).ok().map(|decoded| decoded.claims)
}
