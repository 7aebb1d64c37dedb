//! Repositories: reading, listing, creating.

use serde_json::Value;

use crate::control::{self, NewRepository};
use crate::http::answer::{Fault, Reply};
use crate::http::call::{Call, missing};
use crate::options::ForgeError;
use crate::world::{AccountKind, Actor, Level, Need, Repository};

pub(super) fn get(call: &Call) -> Result<Reply, Fault> {
    let repository = call.repository()?;
    Ok(Reply::ok(call.shape(|shapes| shapes.full_repository(repository, &call.actor))))
}

fn owned_by(call: &Call, login: &str, kind: Option<AccountKind>) -> Result<Vec<Value>, Fault> {
    call.shape(|shapes| {
        let account = shapes.world.account(login).filter(|found| kind.is_none_or(|kind| found.kind == kind));
        let account = account.ok_or_else(Fault::not_found)?;
        let mut own = shapes.world.repositories.values().collect::<Vec<_>>();
        own.retain(|found| found.owner == account.id && shapes.world.sees(&call.actor, found));
        sort(&mut own, call, "created");
        Ok(own.into_iter().map(|found| shapes.repository(found, &call.actor)).collect())
    })
}

fn sort(own: &mut [&Repository], call: &Call, default: &str) {
    let by = call.query("sort").unwrap_or(default);
    match by {
        "full_name" => own.sort_by_key(|found| found.name.to_lowercase()),
        "updated" => own.sort_by_key(|found| found.updated_at),
        "pushed" => own.sort_by_key(|found| found.pushed_at),
        _ => own.sort_by_key(|found| found.id),
    }
    let descending = match call.query("direction") {
        Some("asc") => false,
        Some("desc") => true,
        _ => by != "full_name",
    };
    if descending {
        own.reverse();
    }
}

pub(super) fn of_organization(call: &Call) -> Result<Reply, Fault> {
    Ok(call.listed(owned_by(call, call.param("org"), Some(AccountKind::Organization))?))
}

pub(super) fn of_user(call: &Call) -> Result<Reply, Fault> {
    Ok(call.listed(owned_by(call, call.param("user"), None)?))
}

/// The caller's repositories: own ones, and unless `affiliation` says otherwise those of organizations and those where
/// the caller has a role.
pub(super) fn of_caller(call: &Call) -> Result<Reply, Fault> {
    let Actor::User { id, .. } = &call.actor else {
        return Err(Fault::new(403, "Resource not accessible by integration"));
    };
    let asked = call.query("affiliation").unwrap_or("owner,collaborator,organization_member").to_owned();
    let wants = |word: &str| asked.split(',').any(|part| part.trim() == word);
    let all = call.shape(|shapes| {
        let mut found = shapes.world.repositories.values().collect::<Vec<_>>();
        found.retain(|found| {
            shapes.world.sees(&call.actor, found)
                && ((found.owner == *id && wants("owner"))
                    || (shapes.world.is_member(found.owner, *id) && wants("organization_member"))
                    || (found.collaborators.contains_key(id) && wants("collaborator")))
        });
        sort(&mut found, call, "full_name");
        found.into_iter().map(|found| shapes.repository(found, &call.actor)).collect()
    });
    Ok(call.listed(all))
}

pub(super) fn create_in_organization(call: &Call) -> Result<Reply, Fault> {
    let need = Need("administration", Level::Write);
    let allowed = call.core.read(|world| -> Result<bool, Fault> {
        let organization = world
            .account(call.param("org"))
            .filter(|found| found.kind == AccountKind::Organization)
            .ok_or_else(Fault::not_found)?;
        match &call.actor {
            Actor::User { id, grants, .. } => Ok(world.is_member(organization.id, *id)
                && grants.as_ref().is_none_or(|grants| grants.get(need.0) >= Some(&need.1))),
            Actor::Installation { account, grants, .. } => {
                Ok(*account == organization.id && grants.get(need.0) >= Some(&need.1))
            }
            _ => Ok(false),
        }
    });
    if !allowed? {
        return Err(missing(&call.actor, need));
    }
    create(call, call.param("org"))
}

pub(super) fn create_for_user(call: &Call) -> Result<Reply, Fault> {
    let Actor::User { id, .. } = &call.actor else {
        return Err(missing(&call.actor, Need("administration", Level::Write)));
    };
    let login = call.core.read(|world| world.accounts.get(id).map(|account| account.login.clone()));
    create(call, &login.ok_or_else(Fault::not_found)?)
}

fn create(call: &Call, owner: &str) -> Result<Reply, Fault> {
    let name = call.text("name").unwrap_or_default();
    let valid = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if name.is_empty() || !name.bytes().all(valid) || name.len() > 100 {
        return Err(Fault::custom("Repository", "name is too short (minimum is 1 character)"));
    }
    let mut new = NewRepository::private(format!("{owner}/{name}"));
    new.private = call.flag("private").unwrap_or(false) || call.text("visibility") == Some("private");
    new.description = call.text("description").map(str::to_owned);
    new.merge_commit = call.flag("allow_merge_commit").unwrap_or(true);
    new.squash = call.flag("allow_squash_merge").unwrap_or(true);
    new.rebase = call.flag("allow_rebase_merge").unwrap_or(true);
    new.delete_branch_on_merge = call.flag("delete_branch_on_merge").unwrap_or(false);
    let created = control::create_repository(&call.core, &new).map_err(|error| match error {
        ForgeError::Refused(_) => {
            let mut fault = Fault::invalid(serde_json::json!({
                "resource": "Repository",
                "code": "custom",
                "field": "name",
                "message": "name already exists on this account",
            }));
            fault.message = "Repository creation failed.".into();
            fault
        }
        other => other.into(),
    })?;
    if call.flag("auto_init").unwrap_or(false) {
        let title = format!("# {name}\n");
        control::content::commit_file(
            &call.core,
            &created,
            "main",
            ("README.md", title.as_bytes()),
            "Initial commit",
        )?;
    }
    let stored =
        call.core.read(|world| world.repositories.get(&created.id).cloned()).ok_or_else(Fault::not_found)?;
    Ok(Reply::json(201, call.shape(|shapes| shapes.full_repository(&stored, &call.actor))))
}
