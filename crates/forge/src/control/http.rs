//! The control functions as requests under `/_forge/`. The forge listens on loopback only, and a page of another
//! origin is refused.

use std::sync::Arc;

use http::Method;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{Control, NewApp, NewRepository};
use crate::core::Core;
use crate::git::hook::PushRule;
use crate::git::write::{Change, CommitSpec, Person};
use crate::http::answer::{Exchange, Reply};
use crate::options::ForgeError;
use crate::pulls::MergeMethod;
use crate::world::Level;

/// Answers `/_forge/{action}`.
pub(crate) fn serve(core: &Arc<Core>, exchange: &mut Exchange, action: &str, body: &[u8]) -> Reply {
    exchange.route = Some(format!("/_forge/{action}"));
    let control = Control::new(core.clone());
    let outcome = match (exchange.method.clone(), action) {
        (Method::GET, "journal") => Ok(json!(core.journal.entries())),
        (Method::GET, "unexpected") => Ok(json!(core.journal.unexpected())),
        (Method::GET, "repositories") => Ok(json!(control.repositories())),
        (Method::GET, "self-check") => Ok(json!(core.self_check_failures())),
        (Method::POST, "journal/reset") => {
            core.journal.clear();
            Ok(Value::Null)
        }
        (Method::POST, _) => act(&control, action, body),
        _ => Err(unknown(action)),
    };
    match outcome {
        Ok(Value::Null) => Reply::ok(json!({ "ok": true })),
        Ok(value) => Reply::ok(value),
        Err(error) => {
            let status = match error {
                ForgeError::NotFound(_) => 404,
                ForgeError::Refused(_) => 409,
                ForgeError::State(_) => 400,
                _ => 500,
            };
            Reply::json(status, json!({ "error": error.to_string() }))
        }
    }
}

fn unknown(action: &str) -> ForgeError {
    ForgeError::NotFound(format!("control action {action}"))
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, ForgeError> {
    let body = if body.is_empty() { b"{}" } else { body };
    serde_json::from_slice(body).map_err(|error| ForgeError::State(format!("body: {error}")))
}

fn act(control: &Control, action: &str, body: &[u8]) -> Result<Value, ForgeError> {
    match action.split_once('/').unwrap_or((action, "")) {
        ("user" | "org" | "token" | "app" | "installation", _) => accounts(control, action, body),
        ("pull", verb) => pull(control, verb, body),
        ("demo", "advance") => {
            let asked: Advance = read(body)?;
            Ok(json!(crate::demo::advance(control, asked.commits)?))
        }
        ("repository", verb) => repository(control, verb, body),
        _ => Err(unknown(action)),
    }
}

#[derive(Deserialize)]
struct Advance {
    #[serde(default = "one")]
    commits: u32,
}

fn one() -> u32 {
    1
}

#[derive(Deserialize)]
struct Named {
    login: String,
    #[serde(default)]
    members: Vec<String>,
}

#[derive(Deserialize)]
struct ForUser {
    user: String,
    token: Option<String>,
    permissions: Option<Vec<(String, Level)>>,
}

#[derive(Deserialize)]
struct ForApp {
    slug: String,
    owner: String,
    permissions: Option<Vec<(String, Level)>>,
    public_key: Option<String>,
}

#[derive(Deserialize)]
struct Install {
    app: u64,
    account: String,
    repositories: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct ForInstallation {
    installation: u64,
    #[serde(default)]
    name: String,
    level: Option<Level>,
}

fn accounts(control: &Control, action: &str, body: &[u8]) -> Result<Value, ForgeError> {
    match action {
        "user/create" => Ok(json!({ "id": control.create_user(&read::<Named>(body)?.login)? })),
        "org/create" => {
            let new: Named = read(body)?;
            let members = new.members.iter().map(String::as_str).collect::<Vec<_>>();
            Ok(json!({ "id": control.create_org(&new.login, &members)? }))
        }
        "token/create" => {
            let new: ForUser = read(body)?;
            let narrow = new
                .permissions
                .as_ref()
                .map(|list| list.iter().map(|(name, level)| (name.as_str(), *level)).collect::<Vec<_>>());
            let token = control.create_token_with(&new.user, new.token.as_deref(), narrow.as_deref())?;
            Ok(json!({ "token": token }))
        }
        "app/create" => {
            let asked: ForApp = read(body)?;
            let mut new = NewApp::lockstep(asked.slug, asked.owner);
            new.permissions = asked.permissions.unwrap_or(new.permissions);
            new.public_key = asked.public_key;
            Ok(json!(control.create_app(&new)?))
        }
        "installation/create" => {
            let new: Install = read(body)?;
            let names =
                new.repositories.as_ref().map(|list| list.iter().map(String::as_str).collect::<Vec<_>>());
            Ok(json!(control.install_app(new.app, &new.account, names.as_deref())?))
        }
        _ => installation(control, action, &read(body)?),
    }
}

fn installation(control: &Control, action: &str, asked: &ForInstallation) -> Result<Value, ForgeError> {
    let id = asked.installation;
    match action {
        "installation/suspend" => control.suspend(id)?,
        "installation/unsuspend" => control.unsuspend(id)?,
        "installation/uninstall" => control.uninstall(id)?,
        "installation/token" => return Ok(json!({ "token": control.mint_token(id)? })),
        "installation/permission" => {
            control.set_permission(id, &asked.name, asked.level.unwrap_or_default())?
        }
        _ => return Err(unknown(action)),
    }
    Ok(Value::Null)
}

#[derive(Deserialize)]
struct ForPull {
    repository: String,
    number: u64,
    #[serde(default)]
    method: MergeMethod,
}

fn pull(control: &Control, verb: &str, body: &[u8]) -> Result<Value, ForgeError> {
    let asked: ForPull = read(body)?;
    let (name, number) = (asked.repository.as_str(), asked.number);
    match verb {
        "merge" => Ok(json!({ "sha": control.merge_pull_request(name, number, asked.method)? })),
        "close" => control.close_pull_request(name, number).map(|()| Value::Null),
        "reopen" => control.reopen_pull_request(name, number).map(|()| Value::Null),
        _ => Err(unknown(verb)),
    }
}

#[derive(Deserialize)]
struct ForRepository {
    repository: String,
    /// The new name of a rename, or the new owner of a transfer.
    name: Option<String>,
    private: Option<bool>,
    #[serde(flatten)]
    rule: Option<PushRule>,
}

#[derive(Deserialize)]
struct Commit {
    repository: String,
    branch: String,
    path: String,
    content: String,
    #[serde(default = "edit")]
    message: String,
}

fn edit() -> String {
    "Edit".into()
}

#[derive(Deserialize)]
struct Seed {
    repository: String,
    branch: String,
    commits: Vec<SeedCommit>,
}

#[derive(Deserialize)]
struct SeedCommit {
    author: String,
    email: String,
    seconds: i64,
    message: String,
    #[serde(default)]
    files: Vec<(String, String)>,
    #[serde(default)]
    removed: Vec<String>,
}

impl From<SeedCommit> for CommitSpec {
    fn from(seed: SeedCommit) -> Self {
        let written = seed.files.into_iter().map(|(path, content)| Change::file(path, content));
        Self {
            author: Person::new(seed.author, seed.email),
            committer: None,
            seconds: seed.seconds,
            offset: "+0000".into(),
            message: seed.message,
            changes: written.chain(seed.removed.into_iter().map(Change::Remove)).collect(),
        }
    }
}

fn repository(control: &Control, verb: &str, body: &[u8]) -> Result<Value, ForgeError> {
    match verb {
        "commit" => {
            let asked: Commit = read(body)?;
            let content = asked.content.as_bytes();
            let oid = control.commit_file(
                &asked.repository,
                &asked.branch,
                &asked.path,
                content,
                &asked.message,
            )?;
            return Ok(json!({ "sha": oid }));
        }
        "seed" => {
            let asked: Seed = read(body)?;
            let specs = asked.commits.into_iter().map(CommitSpec::from).collect::<Vec<_>>();
            return Ok(json!({ "shas": control.commit(&asked.repository, &asked.branch, &specs)? }));
        }
        _ => {}
    }
    let asked: ForRepository = read(body)?;
    let name = asked.repository.as_str();
    let to = || asked.name.as_deref().ok_or_else(|| ForgeError::State("body: name is missing".into()));
    match verb {
        "create" => {
            let mut new = NewRepository::private(name);
            new.private = asked.private.unwrap_or(true);
            return Ok(json!(control.create_repository(&new)?));
        }
        "archive" => control.archive(name)?,
        "unarchive" => control.unarchive(name)?,
        "rename" => return Ok(json!(control.rename(name, to()?)?)),
        "transfer" => return Ok(json!(control.transfer(name, to()?)?)),
        "delete" => control.delete(name)?,
        "rule" => {
            let rule =
                asked.rule.ok_or_else(|| ForgeError::State("body: pattern and kind are missing".into()))?;
            control.add_push_rule(name, rule)?;
        }
        "rules/clear" => control.clear_push_rules(name)?,
        "pulls" => return Ok(json!(control.pull_requests(name)?)),
        "refs" => return Ok(json!(control.refs(name)?)),
        _ => return Err(unknown(verb)),
    }
    Ok(Value::Null)
}
