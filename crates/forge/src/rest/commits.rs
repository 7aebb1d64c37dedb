//! Commits and comparison.

use serde_json::{Value, json};

use crate::git::{history, is_oid, objects};
use crate::http::answer::{Fault, Reply};
use crate::http::call::Call;
use crate::world::Repository;

/// GitHub lists at most this many files of a comparison.
const MOST_FILES: usize = 300;

/// A branch, tag, full ref or commit id, resolved.
fn resolve(call: &Call, repository: &Repository, name: &str) -> Result<Option<String>, Fault> {
    if is_oid(name) {
        let known = call.core.commit(repository.id, name)?;
        return Ok(known.map(|commit| commit.oid.clone()));
    }
    let refs = call.core.refs(repository.id);
    let named = ["refs/heads/", "refs/tags/", "", "refs/"]
        .iter()
        .find_map(|prefix| refs.get(&format!("{prefix}{name}")).cloned());
    if named.is_some() {
        return Ok(named);
    }
    let short = name.len() >= 4 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    if name == "HEAD" {
        return Ok(refs.get(&format!("refs/heads/{}", repository.default_branch)).cloned());
    }
    if !short {
        return Ok(None);
    }
    Ok(objects::resolve(&call.core.git, &call.core.dir(repository.id), &format!("{name}^{{commit}}"))?)
}

fn refuse_empty(call: &Call, repository: &Repository) -> Result<(), Fault> {
    if call.core.refs(repository.id).is_empty() {
        return Err(Fault::new(409, "Git Repository is empty."));
    }
    Ok(())
}

pub(super) fn list(call: &Call) -> Result<Reply, Fault> {
    let repository = call.repository()?;
    refuse_empty(call, repository)?;
    let from = call.query("sha").unwrap_or(&repository.default_branch);
    let tip = resolve(call, repository, from)?.ok_or_else(Fault::not_found)?;
    let mut arguments = vec![tip];
    for (name, flag) in [("since", "--since"), ("until", "--until"), ("author", "--author")] {
        if let Some(value) = call.query(name) {
            arguments.insert(0, format!("{flag}={value}"));
        }
    }
    if let Some(path) = call.query("path") {
        arguments.extend(["--".to_owned(), path.to_owned()]);
    }
    let oids = history::list(&call.core.git, &call.core.dir(repository.id), &arguments)?;
    let (shown, link) = call.page(oids);
    let reply = Reply::ok(Value::Array(shapes_of(call, repository, &shown)?));
    Ok(match link {
        Some(link) => reply.with("link", link),
        None => reply,
    })
}

/// The `commit` shapes of these ids.
pub(super) fn shapes_of(call: &Call, repository: &Repository, oids: &[String]) -> Result<Vec<Value>, Fault> {
    let commits = call.core.commits(repository.id, oids)?;
    Ok(call.shape(|shapes| commits.iter().map(|commit| shapes.commit(repository, commit)).collect()))
}

pub(super) fn get(call: &Call) -> Result<Reply, Fault> {
    let repository = call.repository()?;
    refuse_empty(call, repository)?;
    let name = call.param("sha");
    let missing = || Fault::new(422, format!("No commit found for SHA: {name}"));
    let oid = resolve(call, repository, name)?.ok_or_else(missing)?;
    let commit = call.core.commit(repository.id, &oid)?.ok_or_else(missing)?;
    let dir = call.core.dir(repository.id);
    let base = commit.parents.first().map(String::as_str);
    let files = history::changed_files(&call.core.git, &dir, base, &oid)?;
    let mut shape = call.shape(|shapes| shapes.commit(repository, &commit));
    if let Some(object) = shape.as_object_mut() {
        let additions = files.iter().map(|file| file.additions).sum::<u64>();
        let deletions = files.iter().map(|file| file.deletions).sum::<u64>();
        object.insert(
            "stats".into(),
            json!({ "additions": additions, "deletions": deletions, "total": additions + deletions }),
        );
        object.insert("files".into(), files_of(call, repository, &files, &oid));
    }
    Ok(Reply::ok(shape))
}

/// The `diff-entry` list.
pub(super) fn files_of(
    call: &Call,
    repository: &Repository,
    files: &[history::ChangedFile],
    head: &str,
) -> Value {
    call.shape(|shapes| {
        let shown = files.iter().take(MOST_FILES);
        Value::Array(shown.map(|file| shapes.changed_file(repository, file, head)).collect())
    })
}

pub(super) fn compare(call: &Call) -> Result<Reply, Fault> {
    let repository = call.repository()?;
    let text = call.param("basehead");
    let (base_name, head_name) = text.split_once("...").ok_or_else(Fault::not_found)?;
    let base = end(call, repository, base_name)?;
    let head = end(call, repository, head_name)?;
    let found = call.core.compare(repository.id, &base, &head)?;
    let Some(found) = found else {
        return Err(Fault::new(404, format!("No common ancestor between {base_name} and {head_name}.")));
    };
    let dir = call.core.dir(repository.id);
    let range = format!("{base}..{head}");
    let ahead = history::list(&call.core.git, &dir, &["--reverse".into(), "--topo-order".into(), range])?;
    let total = ahead.len();
    let page = call.query("page").map_or(1, |page| page.parse().unwrap_or(1_usize));
    let paged = call.query("page").is_some() || call.query("per_page").is_some();
    // Without paging GitHub shows the newest 250 commits of the list.
    let (shown, link) =
        if paged { call.page(ahead) } else { (ahead[total.saturating_sub(250)..].to_vec(), None) };
    let ends = shapes_of(call, repository, &[base, found.merge_base.clone()])?;
    let commits = shapes_of(call, repository, &shown)?;
    let full_name = call.core.read(|world| world.full_name(repository));
    let html = format!("{}/{full_name}/compare/{text}", call.core.base_url());
    let mut body = json!({
        "url": format!("{}/repos/{full_name}/compare/{text}", call.api),
        "html_url": html,
        "permalink_url": html,
        "diff_url": format!("{html}.diff"),
        "patch_url": format!("{html}.patch"),
        "base_commit": ends.first(),
        "merge_base_commit": ends.last(),
        "status": found.status(),
        "ahead_by": found.ahead,
        "behind_by": found.behind,
        "total_commits": total,
        "commits": commits,
    });
    if let (1, Some(object)) = (page, body.as_object_mut()) {
        let files = history::changed_files(&call.core.git, &dir, Some(&found.merge_base), &head)?;
        object.insert("files".into(), files_of(call, repository, &files, &head));
    }
    let reply = Reply::ok(body);
    Ok(match link {
        Some(link) => reply.with("link", link),
        None => reply,
    })
}

/// One end of a comparison; `owner:` of the same repository may stand before it.
fn end(call: &Call, repository: &Repository, name: &str) -> Result<String, Fault> {
    let owner =
        call.core.read(|world| world.accounts.get(&repository.owner).map(|owner| owner.login.clone()));
    let name = match name.split_once(':') {
        Some((of, rest)) if owner.is_some_and(|owner| owner.eq_ignore_ascii_case(of)) => rest,
        Some(_) => return Err(Fault::not_found()),
        None => name,
    };
    resolve(call, repository, name)?.ok_or_else(Fault::not_found)
}
