//! `publications`: unique on (project, fence, kind). They make a double publication impossible and tell whether a
//! COMMIT whose answer was lost took effect.

use super::leases;
use super::on::On;
use crate::context::Owner;
use crate::contract::{Result, StoreError};

const PUT: &str = "INSERT INTO publications (project_id, fence, kind, run_id, at) \
    VALUES ($1, $2, $3, $4, {now}) ON CONFLICT (project_id, fence, kind) DO NOTHING";
const FIND: &str = "SELECT 1 AS found FROM publications WHERE project_id = $1 AND fence = $2 AND kind = $3";

/// Which part of a run was published.
#[derive(Debug, Clone, Copy)]
pub(super) enum Part {
    /// The distribution step.
    Distribution,
    /// The end.
    End,
}

impl Part {
    const fn text(self) -> &'static str {
        match self {
            Self::Distribution => "distribution",
            Self::End => "end",
        }
    }
}

/// Records it; a second time for the same fence is refused.
pub(super) async fn put(on: &mut On, owner: &Owner, part: Part) -> Result<()> {
    let args = args![owner.project.0, owner.fence.0, part.text(), owner.run.0];
    match on.exec(PUT, args).await? {
        1 => Ok(()),
        _ => Err(StoreError::AlreadyExists(format!(
            "the publication ({}) of fence {}",
            part.text(),
            owner.fence
        ))),
    }
}

/// Waits for whoever holds the lease row (perhaps our own unanswered COMMIT), then looks.
pub(super) async fn settle(on: &mut On, owner: &Owner, part: Part) -> Result<bool> {
    leases::wait(on, owner.project).await?;
    let args = args![owner.project.0, owner.fence.0, part.text()];
    Ok(on.row(FIND, args).await?.is_some())
}
