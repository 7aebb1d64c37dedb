//! Branches and refs.

use crate::http::answer::{Fault, Reply};
use crate::http::call::Call;

/// 409 while there is not one commit.
fn refuse_empty(refs: &crate::git::refs::Refs) -> Result<(), Fault> {
    if refs.is_empty() { Err(Fault::new(409, "Git Repository is empty.")) } else { Ok(()) }
}

pub(super) fn branches(call: &Call) -> Result<Reply, Fault> {
    let repository = call.repository()?;
    let refs = call.core.refs(repository.id);
    let all = call.shape(|shapes| {
        let heads = refs.iter().filter_map(|(name, oid)| Some((name.strip_prefix("refs/heads/")?, oid)));
        heads.map(|(name, oid)| shapes.short_branch(repository, name, oid)).collect()
    });
    Ok(call.listed(all))
}

pub(super) fn branch(call: &Call) -> Result<Reply, Fault> {
    let repository = call.repository()?;
    let name = call.param("branch");
    let missing = || Fault::new(404, "Branch not found");
    let oid = call.core.branch(repository.id, name).ok_or_else(missing)?;
    let commit = call.core.commit(repository.id, &oid)?.ok_or_else(missing)?;
    Ok(Reply::ok(call.shape(|shapes| shapes.branch(repository, name, &commit))))
}

pub(super) fn git_ref(call: &Call) -> Result<Reply, Fault> {
    let repository = call.repository()?;
    let refs = call.core.refs(repository.id);
    refuse_empty(&refs)?;
    let name = format!("refs/{}", call.param("ref"));
    let oid = refs.get(&name).ok_or_else(Fault::not_found)?;
    Ok(Reply::ok(call.shape(|shapes| shapes.git_ref(repository, &name, oid))))
}

pub(super) fn matching(call: &Call) -> Result<Reply, Fault> {
    let repository = call.repository()?;
    let refs = call.core.refs(repository.id);
    refuse_empty(&refs)?;
    let prefix = format!("refs/{}", call.param("ref"));
    let all = call.shape(|shapes| {
        let found = refs.iter().filter(|(name, _)| name.starts_with(&prefix));
        found.map(|(name, oid)| shapes.git_ref(repository, name, oid)).collect()
    });
    Ok(call.listed(all))
}
