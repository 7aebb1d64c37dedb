//! The REST interface: the table of operations and what they have in common.

mod apps;
mod comments;
mod commits;
mod pulls;
mod refs;
mod repos;
pub(crate) mod shapes;

pub(crate) use apps::mint;
pub(crate) use pulls::{changed, commits_of};

use std::collections::BTreeMap;
use std::sync::Arc;

use http::{Method, request::Parts};
use serde_json::Value;

use crate::core::Core;
use crate::http::answer::{Exchange, Fault, Reply};
use crate::http::auth;
use crate::http::call::{Call, missing, parse_query, unescape};
use crate::world::{Actor, Level, Need, Repository};
use shapes::Shapes;

type Run = fn(&Call) -> Result<Reply, Fault>;

/// Who may call an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Who {
    /// Anybody.
    Anyone,
    /// An App with its JSON web token.
    App,
    /// A user's or an installation's token.
    Token,
    /// A token with this permission on the repository in the path.
    May(Need),
}

struct Route {
    method: Method,
    template: &'static str,
    who: Who,
    run: Run,
}

const fn get(template: &'static str, who: Who, run: Run) -> Route {
    Route { method: Method::GET, template, who, run }
}

const fn post(template: &'static str, who: Who, run: Run) -> Route {
    Route { method: Method::POST, template, who, run }
}

const fn patch(template: &'static str, who: Who, run: Run) -> Route {
    Route { method: Method::PATCH, template, who, run }
}

const PULLS_READ: Who = Who::May(Need("pull_requests", Level::Read));
const PULLS_WRITE: Who = Who::May(Need("pull_requests", Level::Write));
const METADATA: Who = Who::May(Need::METADATA);
const CONTENTS: Who = Who::May(Need::READ);

static ROUTES: &[Route] = &[
    get("/", Who::Anyone, apps::root),
    get("/user", Who::Token, apps::user),
    get("/rate_limit", Who::Anyone, apps::rate_limit),
    get("/app", Who::App, apps::app),
    get("/app/installations", Who::App, apps::installations),
    get("/app/installations/{installation_id}", Who::App, apps::installation),
    post("/app/installations/{installation_id}/access_tokens", Who::App, apps::access_token),
    get("/installation/repositories", Who::Token, apps::installation_repositories),
    get("/orgs/{org}/repos", Who::Token, repos::of_organization),
    post("/orgs/{org}/repos", Who::Token, repos::create_in_organization),
    get("/users/{user}/repos", Who::Anyone, repos::of_user),
    get("/user/repos", Who::Token, repos::of_caller),
    post("/user/repos", Who::Token, repos::create_for_user),
    get("/orgs/{org}/installation", Who::App, apps::installation_of_account),
    get("/users/{user}/installation", Who::App, apps::installation_of_account),
    get("/repos/{owner}/{repo}/installation", Who::App, apps::installation_of_repository),
    get("/repos/{owner}/{repo}", METADATA, repos::get),
    get("/repos/{owner}/{repo}/branches", CONTENTS, refs::branches),
    get("/repos/{owner}/{repo}/branches/{*branch}", CONTENTS, refs::branch),
    get("/repos/{owner}/{repo}/git/ref/{*ref}", CONTENTS, refs::git_ref),
    get("/repos/{owner}/{repo}/git/matching-refs/{*ref}", CONTENTS, refs::matching),
    get("/repos/{owner}/{repo}/commits", CONTENTS, commits::list),
    get("/repos/{owner}/{repo}/commits/{sha}", CONTENTS, commits::get),
    get("/repos/{owner}/{repo}/compare/{*basehead}", CONTENTS, commits::compare),
    get("/repos/{owner}/{repo}/pulls", PULLS_READ, pulls::list),
    post("/repos/{owner}/{repo}/pulls", PULLS_WRITE, pulls::create),
    get("/repos/{owner}/{repo}/pulls/{number}", PULLS_READ, pulls::get),
    patch("/repos/{owner}/{repo}/pulls/{number}", PULLS_WRITE, pulls::update),
    get("/repos/{owner}/{repo}/pulls/{number}/commits", PULLS_READ, pulls::commits),
    get("/repos/{owner}/{repo}/pulls/{number}/files", PULLS_READ, pulls::files),
    Route {
        method: Method::PUT,
        template: "/repos/{owner}/{repo}/pulls/{number}/merge",
        who: Who::May(Need::WRITE),
        run: pulls::merge,
    },
    get("/repos/{owner}/{repo}/issues/{number}/comments", PULLS_READ, comments::list),
    post("/repos/{owner}/{repo}/issues/{number}/comments", PULLS_WRITE, comments::create),
    patch("/repos/{owner}/{repo}/issues/comments/{comment_id}", PULLS_WRITE, comments::update),
];

/// Matches a template; `{name}` is one segment, `{*name}` the rest.
fn matches(template: &str, path: &str) -> Option<BTreeMap<String, String>> {
    let mut params = BTreeMap::new();
    let mut segments = path.trim_matches('/').split('/');
    for part in template.trim_matches('/').split('/') {
        if let Some(name) = part.strip_prefix("{*").and_then(|rest| rest.strip_suffix('}')) {
            let rest = segments.by_ref().map(unescape).collect::<Vec<_>>().join("/");
            params.insert(name.to_owned(), rest);
            return Some(params);
        }
        let segment = segments.next()?;
        match part.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
            Some(name) if !segment.is_empty() => {
                params.insert(name.to_owned(), unescape(segment));
            }
            Some(_) => return None,
            None if part == segment => {}
            None => return None,
        }
    }
    segments.next().is_none().then_some(params)
}

/// The operation for a path below the interface's root. `/repositories/{id}` stands for `/repos/{owner}/{repo}`.
fn find(method: &Method, path: &str) -> Option<(&'static Route, BTreeMap<String, String>)> {
    let by_id = path.strip_prefix("/repositories/");
    ROUTES.iter().filter(|route| route.method == *method).find_map(|route| {
        let params = match by_id {
            Some(rest) => {
                let template = route.template.strip_prefix("/repos/{owner}/{repo}")?;
                matches(&format!("{{repository_id}}{template}"), rest)
            }
            None => matches(route.template, path),
        };
        params.map(|params| (route, params))
    })
}

/// Answers a request of the REST interface.
pub(crate) fn serve(core: &Arc<Core>, exchange: &mut Exchange, parts: &Parts, body: &[u8]) -> Reply {
    let full = parts.uri.path();
    let (style, path) = match full.strip_prefix("/api/v3") {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => ("/api/v3", rest),
        _ => ("", full),
    };
    if style == "/api/v3" && path == "/graphql" {
        exchange.route = Some("/graphql".into());
        return Fault::not_found().into();
    }
    let Some((route, params)) = find(&parts.method, path) else {
        return Fault::new(501, format!("The practice forge does not know {} {full}", parts.method)).into();
    };
    exchange.route = Some(route.template.to_owned());
    match answer(core, exchange, parts, body, (style, path), (route, params)) {
        Ok(reply) => reply,
        Err(fault) => fault.into(),
    }
}

fn answer(
    core: &Arc<Core>,
    exchange: &mut Exchange,
    parts: &Parts,
    body: &[u8],
    (style, path): (&str, &str),
    (route, params): (&Route, BTreeMap<String, String>),
) -> Result<Reply, Fault> {
    let actor = auth::actor(core, &parts.headers)?;
    exchange.budget = budget(&actor, "core");
    admit(&actor, route.who)?;
    let mut call = Call {
        core: core.clone(),
        actor,
        params,
        query: parse_query(parts.uri.query().unwrap_or_default()),
        body: read_json(body)?,
        api: format!("{}{style}", core.base_url()),
        path: path.to_owned(),
        stateless: parts.headers.get("x-github-stateless-s2s-token").is_some_and(|asked| asked == "enabled"),
        repository: None,
    };
    if let Who::May(need) = route.who {
        let repository = repository_of(&call, route, path, parts)?;
        exchange.repository = Some(repository.id);
        call.repository = Some(repository);
        permit(&call, route, need)?;
    }
    let reply = (route.run)(&call)?;
    Ok(match route.who {
        Who::May(Need(name, level)) => {
            reply.with("x-accepted-github-permissions", format!("{name}={}", level.word()))
        }
        _ => reply,
    })
}

/// The identity whose budget a request spends.
pub(crate) fn budget(actor: &Actor, resource: &'static str) -> Option<(String, &'static str)> {
    match actor {
        Actor::Anonymous => Some(("anonymous".into(), resource)),
        Actor::User { id, .. } => Some((format!("user {id}"), resource)),
        Actor::Installation { id, .. } => Some((format!("installation {id}"), resource)),
        Actor::App(_) => None,
    }
}

fn admit(actor: &Actor, who: Who) -> Result<(), Fault> {
    match (who, actor) {
        (Who::App, Actor::App(_)) | (Who::Anyone, _) => Ok(()),
        (Who::App, _) => Err(Fault::new(401, "A JSON web token could not be decoded")),
        (Who::Token | Who::May(_), Actor::App(_)) => Err(auth::bad_credentials()),
        (Who::Token, Actor::Anonymous) => Err(Fault::new(401, "Requires authentication")),
        (Who::Token | Who::May(_), _) => Ok(()),
    }
}

fn read_json(body: &[u8]) -> Result<Value, Fault> {
    if body.is_empty() {
        return Ok(Value::Null);
    }
    serde_json::from_slice(body).map_err(|_| Fault::new(400, "Problems parsing JSON"))
}

/// The repository in the path; 301 or 307 under a former name, 404 when it may not be seen.
fn repository_of(call: &Call, route: &Route, path: &str, parts: &Parts) -> Result<Repository, Fault> {
    let by_id = call.params.get("repository_id").and_then(|id| id.parse::<u64>().ok());
    let (owner, name) = (call.param("owner"), call.param("repo"));
    call.core.read(|world| {
        let now = match by_id {
            Some(id) => world.repositories.get(&id),
            None => world.repository(owner, name),
        };
        if let Some(found) = now.filter(|found| world.sees(&call.actor, found)) {
            return Ok(found.clone());
        }
        let Some(moved) =
            world.renamed(owner, name).filter(|found| now.is_none() && world.sees(&call.actor, found))
        else {
            return Err(Fault::not_found());
        };
        let rest =
            path.trim_matches('/').splitn(4, '/').nth(3).map(|rest| format!("/{rest}")).unwrap_or_default();
        let query = parts.uri.query().map(|query| format!("?{query}")).unwrap_or_default();
        let location = format!("{}/repositories/{}{rest}{query}", call.api, moved.id);
        let status = if route.method == Method::GET { 301 } else { 307 };
        Err(Fault { location: Some(location), ..Fault::new(status, "Moved Permanently") }
            .docs("https://docs.github.com/v3/#http-redirects"))
    })
}

fn permit(call: &Call, route: &Route, need: Need) -> Result<(), Fault> {
    let repository = call.repository()?;
    let writes = route.method != Method::GET;
    if writes && call.actor == Actor::Anonymous {
        return Err(Fault::new(401, "Requires authentication"));
    }
    if !call.core.read(|world| world.allows(&call.actor, repository, need)) {
        return Err(missing(&call.actor, need));
    }
    if writes && repository.archived_at.is_some() {
        return Err(Fault::new(403, "Repository was archived so is read-only."));
    }
    Ok(())
}

impl Call {
    /// Builds an answer from the world.
    pub(crate) fn shape<T>(&self, build: impl FnOnce(&Shapes<'_>) -> T) -> T {
        self.core.read(|world| build(&Shapes { core: &self.core, world, api: &self.api }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn template(method: &Method, path: &str) -> Option<&'static str> {
        find(method, path).map(|(route, _)| route.template)
    }

    #[test]
    fn a_path_finds_its_operation_by_name_and_by_id() {
        let pulls = Some("/repos/{owner}/{repo}/pulls");
        assert_eq!(template(&Method::GET, "/repos/o/r/pulls"), pulls);
        assert_eq!(template(&Method::POST, "/repositories/7/pulls"), pulls);
        assert_eq!(template(&Method::GET, "/repositories/7"), Some("/repos/{owner}/{repo}"));
        assert_eq!(template(&Method::DELETE, "/repos/o/r"), None);
        assert_eq!(template(&Method::GET, "/repos/o/r/unknown"), None);
        assert_eq!(template(&Method::GET, "/"), Some("/"));
    }

    #[test]
    fn a_branch_name_with_slashes_is_one_parameter() {
        let (_, params) = find(&Method::GET, "/repos/o/r/branches/sync/main").unwrap();
        assert_eq!(params["branch"], "sync/main");
        let (_, params) = find(&Method::GET, "/repos/o/r/branches/sync%2Fmain").unwrap();
        assert_eq!(params["branch"], "sync/main");
    }
}
