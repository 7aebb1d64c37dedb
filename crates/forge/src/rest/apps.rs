//! The root, the caller, Apps and their installations.

use std::collections::BTreeMap;

use chrono::Duration;
use serde_json::{Value, json};

use super::shapes::account::{selection, words};
use crate::core::Core;
use crate::http::answer::{Fault, LIMIT, Reply, reset};
use crate::http::auth;
use crate::http::call::Call;
use crate::ids;
use crate::world::{Actor, Installation, Level, Selection, Token, TokenOwner};

pub(super) fn root(call: &Call) -> Result<Reply, Fault> {
    let api = &call.api;
    Ok(Reply::ok(json!({
        "current_user_url": format!("{api}/user"),
        "organization_repositories_url": format!("{api}/orgs/{{org}}/repos{{?type,page,per_page,sort}}"),
        "rate_limit_url": format!("{api}/rate_limit"),
        "repository_url": format!("{api}/repos/{{owner}}/{{repo}}"),
        "user_repositories_url": format!("{api}/users/{{user}}/repos{{?type,page,per_page,sort}}"),
    })))
}

pub(super) fn user(call: &Call) -> Result<Reply, Fault> {
    match &call.actor {
        Actor::User { id, .. } => {
            let shape = call
                .shape(|shapes| shapes.world.accounts.get(id).map(|account| shapes.private_user(account)));
            shape.map(Reply::ok).ok_or_else(Fault::not_found)
        }
        _ => Err(Fault::new(403, "Resource not accessible by integration")),
    }
}

pub(super) fn rate_limit(call: &Call) -> Result<Reply, Fault> {
    let identity = super::budget(&call.actor, "core").map(|(identity, _)| identity).unwrap_or_default();
    let reset = reset(call.core.now());
    let one = |resource: &str| {
        let used = call.core.spend(&format!("{identity}/{resource}"), 0).min(LIMIT);
        json!({ "limit": LIMIT, "used": used, "remaining": LIMIT - used, "reset": reset, "resource": resource })
    };
    let search = json!({ "limit": 30, "used": 0, "remaining": 30, "reset": reset, "resource": "search" });
    Ok(Reply::ok(json!({
        "resources": { "core": one("core"), "graphql": one("graphql"), "search": search },
        "rate": one("core"),
    })))
}

fn app_id(call: &Call) -> Result<u64, Fault> {
    match call.actor {
        Actor::App(id) => Ok(id),
        _ => Err(auth::bad_credentials()),
    }
}

pub(super) fn app(call: &Call) -> Result<Reply, Fault> {
    let id = app_id(call)?;
    let shape = call.shape(|shapes| shapes.world.apps.get(&id).map(|app| shapes.app(app)));
    shape.map(Reply::ok).ok_or_else(Fault::not_found)
}

pub(super) fn installations(call: &Call) -> Result<Reply, Fault> {
    let id = app_id(call)?;
    let all = call.shape(|shapes| {
        let own = shapes.world.installations.values().filter(|found| found.app == id);
        own.map(|found| shapes.installation(found)).collect::<Vec<_>>()
    });
    Ok(call.listed(all))
}

fn own_installation(call: &Call) -> Result<Installation, Fault> {
    let app = app_id(call)?;
    let id = call.number("installation_id")?;
    call.core
        .read(|world| world.installations.get(&id).filter(|found| found.app == app).cloned())
        .ok_or_else(Fault::not_found)
}

pub(super) fn installation(call: &Call) -> Result<Reply, Fault> {
    let found = own_installation(call)?;
    Ok(Reply::ok(call.shape(|shapes| shapes.installation(&found))))
}

pub(super) fn installation_of_account(call: &Call) -> Result<Reply, Fault> {
    let login = if call.param("org").is_empty() { call.param("user") } else { call.param("org") };
    let account = call.core.read(|world| world.account(login).map(|account| account.id));
    installed_on(call, account.ok_or_else(Fault::not_found)?, None)
}

pub(super) fn installation_of_repository(call: &Call) -> Result<Reply, Fault> {
    let found = call.core.read(|world| {
        world.repository(call.param("owner"), call.param("repo")).map(|found| (found.owner, found.id))
    });
    let (owner, id) = found.ok_or_else(Fault::not_found)?;
    installed_on(call, owner, Some(id))
}

fn installed_on(call: &Call, account: u64, repository: Option<u64>) -> Result<Reply, Fault> {
    let app = app_id(call)?;
    let shape = call.shape(|shapes| {
        let mut all = shapes.world.installations.values();
        let found = all.find(|found| {
            found.app == app
                && found.account == account
                && repository.is_none_or(|id| found.selection.covers(id))
        });
        found.map(|found| shapes.installation(found))
    });
    shape.map(Reply::ok).ok_or_else(Fault::not_found)
}

pub(super) fn access_token(call: &Call) -> Result<Reply, Fault> {
    let found = own_installation(call)?;
    if found.suspended_at.is_some() {
        return Err(auth::suspended());
    }
    let grants = narrowed(&found, call.body.get("permissions"))?;
    let chosen = chosen(call, &found)?;
    let minted = mint(&call.core, &found, (grants.clone(), chosen.clone()), call.stateless)?;
    let permissions = grants.unwrap_or(found.permissions);
    let mut body = json!({
        "token": minted.0,
        "expires_at": ids::timestamp(minted.1),
        "permissions": words(&permissions),
        "repository_selection": selection(if chosen == Selection::All { &found.selection } else { &chosen }),
    });
    if let (Selection::Selected(ids), Some(object)) = (&chosen, body.as_object_mut()) {
        let list = call.shape(|shapes| {
            let repositories = ids.iter().filter_map(|id| shapes.world.repositories.get(id));
            repositories.map(|repository| shapes.repository(repository, &call.actor)).collect::<Vec<_>>()
        });
        object.insert("repositories".into(), Value::Array(list));
    }
    Ok(Reply::json(201, body))
}

/// A fresh installation token and its end, one hour later.
pub(crate) fn mint(
    core: &Core,
    installation: &Installation,
    (grants, selection): (Option<BTreeMap<String, Level>>, Selection),
    stateless: bool,
) -> Result<(String, chrono::DateTime<chrono::Utc>), crate::options::ForgeError> {
    let expires = core.now() + Duration::hours(1);
    core.write(|world| {
        world.tokens_made += 1;
        let token = if stateless {
            ids::stateless_token(installation.app, core.token_seed, world.tokens_made)
        } else {
            ids::token("ghs_", core.token_seed, world.tokens_made)
        };
        let owner = TokenOwner::Installation(installation.id);
        world.tokens.insert(token.clone(), Token { owner, expires_at: Some(expires), grants, selection });
        Ok((token, expires))
    })
}

fn narrowed(
    installation: &Installation,
    asked: Option<&Value>,
) -> Result<Option<BTreeMap<String, Level>>, Fault> {
    let Some(asked) = asked.and_then(Value::as_object) else { return Ok(None) };
    let refused = || Fault::new(422, "The permissions requested are not granted to this installation.");
    let mut grants = BTreeMap::new();
    for (name, level) in asked {
        let level: Level = serde_json::from_value(level.clone()).map_err(|_| refused())?;
        let has = installation.permissions.get(name).copied().unwrap_or_default();
        if level > has && !(name == "metadata" && level == Level::Read) {
            return Err(refused());
        }
        grants.insert(name.clone(), level);
    }
    Ok(Some(grants))
}

fn chosen(call: &Call, installation: &Installation) -> Result<Selection, Fault> {
    let refused = || {
        Fault::new(
            422,
            "There is at least one repository that does not exist or is not accessible to the parent installation.",
        )
    };
    let ids = call.body.get("repository_ids").and_then(Value::as_array);
    let names = call.body.get("repositories").and_then(Value::as_array);
    if ids.is_none() && names.is_none() {
        return Ok(Selection::All);
    }
    call.core.read(|world| {
        let owner = world.accounts.get(&installation.account).map(|account| account.login.clone());
        let owner = owner.unwrap_or_default();
        let by_id =
            ids.into_iter().flatten().map(|id| id.as_u64().and_then(|id| world.repositories.get(&id)));
        let by_name = names
            .into_iter()
            .flatten()
            .map(|name| name.as_str().and_then(|name| world.repository(&owner, name)));
        let mut set = std::collections::BTreeSet::new();
        for found in by_id.chain(by_name) {
            let repository = found
                .filter(|found| {
                    found.owner == installation.account && installation.selection.covers(found.id)
                })
                .ok_or_else(refused)?;
            set.insert(repository.id);
        }
        Ok(Selection::Selected(set))
    })
}

pub(super) fn installation_repositories(call: &Call) -> Result<Reply, Fault> {
    let Actor::Installation { account, selection: covered, .. } = &call.actor else {
        return Err(Fault::new(
            403,
            "You must authenticate with an installation access token in order to list \
                                    repositories for an installation.",
        ));
    };
    let all = call.shape(|shapes| {
        let own = shapes.world.repositories.values();
        own.filter(|found| found.owner == *account && covered.covers(found.id))
            .map(|found| shapes.repository(found, &call.actor))
            .collect::<Vec<_>>()
    });
    let total = all.len();
    let (shown, link) = call.page(all);
    let reply = Reply::ok(json!({
        "total_count": total,
        "repository_selection": selection(covered),
        "repositories": shown,
    }));
    Ok(match link {
        Some(link) => reply.with("link", link),
        None => reply,
    })
}
