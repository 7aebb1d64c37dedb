//! Comments on pull requests.

use serde_json::Value;

use crate::http::answer::{Fault, Reply};
use crate::http::call::Call;
use crate::world::Comment;

/// GitHub's longest comment and description, in characters.
pub(super) const LONGEST_BODY: usize = 65_536;

fn existing_pull(call: &Call) -> Result<u64, Fault> {
    let repository = call.repository()?;
    let number = call.number("number")?;
    let exists = call.core.read(|world| world.pull(repository.id, number).is_some());
    if exists { Ok(number) } else { Err(Fault::not_found()) }
}

pub(super) fn list(call: &Call) -> Result<Reply, Fault> {
    let repository = call.repository()?;
    let number = existing_pull(call)?;
    let all = call.shape(|shapes| {
        let found = shapes.comments_of(repository.id, number);
        found.map(|comment| shapes.comment(repository, comment)).collect::<Vec<Value>>()
    });
    Ok(call.listed(all))
}

fn body_of(call: &Call) -> Result<String, Fault> {
    let body = call.text("body").unwrap_or_default();
    if body.trim().is_empty() {
        return Err(Fault::custom("IssueComment", "Body cannot be blank"));
    }
    if body.chars().count() > LONGEST_BODY {
        return Err(Fault::custom("IssueComment", "Body is too long (maximum is 65536 characters)"));
    }
    Ok(body.to_owned())
}

pub(super) fn create(call: &Call) -> Result<Reply, Fault> {
    let repository = call.repository()?;
    let number = existing_pull(call)?;
    let (body, author, now) = (body_of(call)?, call.author()?, call.core.now());
    let comment = call.core.write(|world| {
        let id = world.take_id();
        let comment =
            Comment { id, repository: repository.id, number, author, body, created_at: now, updated_at: now };
        world.comments.insert(id, comment.clone());
        if let Some(pull) = world.pull_mut(repository.id, number) {
            pull.updated_at = now;
        }
        Ok::<_, Fault>(comment)
    })?;
    Ok(Reply::json(201, call.shape(|shapes| shapes.comment(repository, &comment))))
}

pub(super) fn update(call: &Call) -> Result<Reply, Fault> {
    let repository = call.repository()?;
    let id = call.number("comment_id")?;
    let exists = call
        .core
        .read(|world| world.comments.get(&id).is_some_and(|found| found.repository == repository.id));
    if !exists {
        return Err(Fault::not_found());
    }
    let (body, now) = (body_of(call)?, call.core.now());
    let comment = call.core.write(|world| {
        let found = world.comments.get_mut(&id).ok_or_else(Fault::not_found)?;
        found.body = body;
        found.updated_at = now;
        Ok::<_, Fault>(found.clone())
    })?;
    Ok(Reply::ok(call.shape(|shapes| shapes.comment(repository, &comment))))
}
