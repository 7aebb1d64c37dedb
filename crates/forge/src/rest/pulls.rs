//! Pull requests.

use serde_json::{Value, json};

use super::commits::{files_of, shapes_of};
use super::shapes::pull::Computed;
use crate::core::Core;
use crate::git::history;
use crate::http::answer::{Fault, Reply};
use crate::http::call::Call;
use crate::options::ForgeError;
use crate::pulls::{self, MergeMethod, MergeRefusal, NewPull, OpenRefusal};
use crate::world::{Pull, PullState, Repository};

const CREATE_DOCS: &str = "https://docs.github.com/rest/pulls/pulls#create-a-pull-request";
const UPDATE_DOCS: &str = "https://docs.github.com/rest/pulls/pulls#update-a-pull-request";

pub(super) fn list(call: &Call) -> Result<Reply, Fault> {
    let repository = call.repository()?;
    let owner =
        call.core.read(|world| world.accounts.get(&repository.owner).map(|owner| owner.login.clone()));
    let owner = owner.unwrap_or_default();
    let state = call.query("state").unwrap_or("open");
    // A head without an owner is silently ignored, as on GitHub.
    let head = call.query("head").and_then(|head| head.split_once(':'));
    let mut found = call.core.read(|world| {
        world
            .pulls
            .get(&repository.id)
            .map(|pulls| pulls.values().cloned().collect::<Vec<_>>())
            .unwrap_or_default()
    });
    found.retain(|pull| {
        let by_state = match state {
            "all" => true,
            "closed" => pull.state != PullState::Open,
            _ => pull.state == PullState::Open,
        };
        let by_head =
            head.is_none_or(|(of, branch)| of.eq_ignore_ascii_case(&owner) && pull.head_ref == branch);
        by_state && by_head && call.query("base").is_none_or(|base| pull.base_ref == base)
    });
    let sort = call.query("sort").unwrap_or("created");
    found.sort_by_key(|pull| match sort {
        "updated" => (pull.updated_at, pull.number),
        _ => (pull.created_at, pull.number),
    });
    if call.query("direction").unwrap_or(if sort == "created" { "desc" } else { "asc" }) == "desc" {
        found.reverse();
    }
    let all = call.shape(|shapes| {
        found.iter().map(|pull| shapes.pull(repository, pull, &call.actor)).collect::<Vec<Value>>()
    });
    Ok(call.listed(all))
}

/// What git computes for a pull request.
pub(crate) fn computed(core: &Core, repository: &Repository, pull: &Pull) -> Result<Computed, ForgeError> {
    let commits = commits_of(core, pull)?;
    let files = changed(core, pull)?;
    let mergeable = if pull.state == PullState::Open {
        let base = core.branch(pull.repository, &pull.base_ref).unwrap_or_else(|| pull.base_sha.clone());
        // Unrelated histories cannot be merged at all.
        Some(core.merges(repository.id, &base, &pull.head_sha).unwrap_or(false))
    } else {
        None
    };
    Ok(Computed {
        commits: commits.len(),
        additions: files.iter().map(|file| file.additions).sum(),
        deletions: files.iter().map(|file| file.deletions).sum(),
        changed_files: files.len(),
        mergeable,
    })
}

/// The base that a pull request is compared with: for a merged one, the base before the merge.
fn compared_base(core: &Core, pull: &Pull) -> Result<String, ForgeError> {
    let Some(merge) = &pull.merge_commit else { return Ok(pull.base_sha.clone()) };
    let commit = core.commit(pull.repository, merge)?;
    Ok(commit.and_then(|commit| commit.parents.first().cloned()).unwrap_or_else(|| pull.base_sha.clone()))
}

/// The commits of a pull request, oldest first.
pub(crate) fn commits_of(core: &Core, pull: &Pull) -> Result<Vec<String>, ForgeError> {
    let range = format!("{}..{}", compared_base(core, pull)?, pull.head_sha);
    history::list(&core.git, &core.dir(pull.repository), &["--reverse".into(), "--topo-order".into(), range])
}

/// The changed files of a pull request.
pub(crate) fn changed(core: &Core, pull: &Pull) -> Result<Vec<history::ChangedFile>, ForgeError> {
    let base = compared_base(core, pull)?;
    let Some(found) = core.compare(pull.repository, &base, &pull.head_sha)? else { return Ok(Vec::new()) };
    history::changed_files(&core.git, &core.dir(pull.repository), Some(&found.merge_base), &pull.head_sha)
}

fn full(call: &Call, pull: &Pull) -> Result<Value, Fault> {
    let repository = call.repository()?;
    let computed = computed(&call.core, repository, pull)?;
    Ok(call.shape(|shapes| shapes.full_pull(repository, pull, &computed, &call.actor)))
}

fn existing(call: &Call) -> Result<Pull, Fault> {
    let repository = call.repository()?;
    let number = call.number("number")?;
    call.core.read(|world| world.pull(repository.id, number).cloned()).ok_or_else(Fault::not_found)
}

pub(super) fn get(call: &Call) -> Result<Reply, Fault> {
    let pull = existing(call)?;
    Ok(Reply::ok(full(call, &pull)?))
}

pub(super) fn create(call: &Call) -> Result<Reply, Fault> {
    let repository = call.repository()?;
    for name in ["head", "base"] {
        if call.text(name).is_none_or(str::is_empty) {
            return Err(Fault::field("PullRequest", name, "missing_field").docs(CREATE_DOCS));
        }
    }
    let new = NewPull {
        title: title_of(call)?
            .ok_or_else(|| Fault::field("PullRequest", "title", "missing_field").docs(CREATE_DOCS))?,
        body: call.text("body").map(str::to_owned),
        head: call.text("head").unwrap_or_default().to_owned(),
        base: call.text("base").unwrap_or_default().to_owned(),
        draft: call.flag("draft").unwrap_or(false),
    };
    body_fits(new.body.as_deref())?;
    let pull = pulls::open(&call.core, repository, new, call.author()?).map_err(|refusal| {
        let fault = match refusal {
            OpenRefusal::HeadInvalid => Fault::field("PullRequest", "head", "invalid"),
            OpenRefusal::BaseInvalid => Fault::field("PullRequest", "base", "invalid"),
            OpenRefusal::NoCommits { base, head } => {
                Fault::custom("PullRequest", format!("No commits between {base} and {head}"))
            }
            OpenRefusal::NoCommonHistory { base, head } => Fault::custom(
                "PullRequest",
                format!("The {head} branch has no history in common with {base}"),
            ),
            OpenRefusal::Exists(label) => {
                Fault::custom("PullRequest", format!("A pull request already exists for {label}."))
            }
            OpenRefusal::Forge(error) => return Fault::from(error),
        };
        fault.docs(CREATE_DOCS)
    })?;
    Ok(Reply::json(201, full(call, &pull)?))
}

fn title_of(call: &Call) -> Result<Option<String>, Fault> {
    let Some(title) = call.text("title") else { return Ok(None) };
    if title.trim().is_empty() {
        return Err(Fault::field("PullRequest", "title", "missing_field"));
    }
    if title.chars().count() > 256 {
        return Err(Fault::custom("PullRequest", "title is too long (maximum is 256 characters)"));
    }
    Ok(Some(title.to_owned()))
}

fn body_fits(body: Option<&str>) -> Result<(), Fault> {
    if body.is_some_and(|body| body.chars().count() > super::comments::LONGEST_BODY) {
        return Err(Fault::custom("PullRequest", "body is too long (maximum is 65536 characters)"));
    }
    Ok(())
}

pub(super) fn update(call: &Call) -> Result<Reply, Fault> {
    let repository = call.repository()?;
    let pull = existing(call)?;
    let title = title_of(call)?;
    let body = call.text("body").map(str::to_owned);
    body_fits(body.as_deref())?;
    let base = match call.text("base").filter(|base| *base != pull.base_ref) {
        Some(base) => Some(new_base(call, &pull, base)?),
        None => None,
    };
    match call.text("state") {
        Some("closed") => {
            pulls::close(&call.core, repository.id, pull.number, call.actor.author())?;
        }
        Some("open") => {
            pulls::reopen(&call.core, repository.id, pull.number).map_err(|error| match error {
                ForgeError::Refused(why) => Fault::custom("PullRequest", why).docs(UPDATE_DOCS),
                other => other.into(),
            })?;
        }
        Some(_) => return Err(Fault::field("PullRequest", "state", "invalid").docs(UPDATE_DOCS)),
        None => {}
    }
    let now = call.core.now();
    let pull = call.core.write(|world| {
        let stored = world.pull_mut(repository.id, pull.number).ok_or_else(Fault::not_found)?;
        if title.is_some() || body.is_some() || base.is_some() {
            stored.updated_at = now;
        }
        stored.title = title.unwrap_or_else(|| stored.title.clone());
        stored.body = body.or_else(|| stored.body.clone());
        if let Some((name, oid)) = base {
            stored.base_ref = name;
            stored.base_sha = oid;
        }
        Ok::<_, Fault>(stored.clone())
    })?;
    Ok(Reply::ok(full(call, &pull)?))
}

fn new_base(call: &Call, pull: &Pull, base: &str) -> Result<(String, String), Fault> {
    if pull.state != PullState::Open {
        return Err(Fault::custom("PullRequest", "Cannot change the base branch of a closed pull request.")
            .docs(UPDATE_DOCS));
    }
    let oid = call.core.branch(pull.repository, base).ok_or_else(|| {
        Fault::invalid(json!({
            "resource": "PullRequest",
            "field": "base",
            "code": "invalid",
            "message": format!("Proposed base branch '{base}' was not found"),
        }))
        .docs(UPDATE_DOCS)
    })?;
    let ahead = call.core.compare(pull.repository, &oid, &pull.head_sha)?.map_or(0, |found| found.ahead);
    if ahead == 0 {
        let message = format!(
            "There are no new commits between base branch '{base}' and head branch '{}'",
            pull.head_ref
        );
        return Err(Fault::custom("PullRequest", message).docs(UPDATE_DOCS));
    }
    Ok((base.to_owned(), oid))
}

pub(super) fn commits(call: &Call) -> Result<Reply, Fault> {
    let pull = existing(call)?;
    let (shown, link) = call.page(commits_of(&call.core, &pull)?);
    let reply = Reply::ok(Value::Array(shapes_of(call, call.repository()?, &shown)?));
    Ok(match link {
        Some(link) => reply.with("link", link),
        None => reply,
    })
}

pub(super) fn files(call: &Call) -> Result<Reply, Fault> {
    let pull = existing(call)?;
    let (shown, link) = call.page(changed(&call.core, &pull)?);
    let reply = Reply::ok(files_of(call, call.repository()?, &shown, &pull.head_sha));
    Ok(match link {
        Some(link) => reply.with("link", link),
        None => reply,
    })
}

pub(super) fn merge(call: &Call) -> Result<Reply, Fault> {
    let repository = call.repository()?;
    let number = call.number("number")?;
    let method = match call.text("merge_method") {
        None | Some("merge") => MergeMethod::Merge,
        Some("squash") => MergeMethod::Squash,
        Some("rebase") => MergeMethod::Rebase,
        Some(_) => return Err(Fault::new(422, "Invalid request. merge_method is not a member of the list.")),
    };
    let asked = (method, call.text("sha"));
    let oid =
        pulls::merge(&call.core, repository, number, asked, call.author()?).map_err(
            |refusal| match refusal {
                MergeRefusal::NotFound => Fault::not_found(),
                MergeRefusal::NotMergeable => Fault::new(405, "Pull Request is not mergeable"),
                MergeRefusal::MethodForbidden(MergeMethod::Merge) => {
                    Fault::new(405, "Merge commits are not allowed on this repository.")
                }
                MergeRefusal::MethodForbidden(MergeMethod::Squash) => {
                    Fault::new(405, "Squash merges are not allowed on this repository.")
                }
                MergeRefusal::MethodForbidden(MergeMethod::Rebase) => {
                    Fault::new(405, "Rebase merges are not allowed on this repository.")
                }
                MergeRefusal::HeadModified => {
                    Fault::new(409, "Head branch was modified. Review and try the merge again.")
                }
                MergeRefusal::Forge(error) => error.into(),
            },
        )?;
    Ok(Reply::ok(json!({ "sha": oid, "merged": true, "message": "Pull Request successfully merged" })))
}
