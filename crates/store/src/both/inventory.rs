//! `inventory`: what the distribution's tree cannot say: first handed out, orphaned (never deleted), protected.

use serde_json::json;

use super::on::On;
use super::row::json_text;
use crate::context::Owner;
use crate::contract::{PublishedBranch, Result};

/// New paths, or paths that came back.
const ADD: &str = "INSERT INTO inventory (project_id, branch, path, first_at) \
    SELECT $1, $2, j.value->>'path', {now} FROM {each:$3} WHERE TRUE \
    ON CONFLICT (project_id, branch, path) DO UPDATE SET orphaned_at = NULL";
/// Paths that the source dropped; one that was never recorded has no known beginning.
const ORPHAN: &str = "INSERT INTO inventory (project_id, branch, path, orphaned_at) \
    SELECT $1, $2, j.value->>'path', {now} FROM {each:$3} WHERE TRUE \
    ON CONFLICT (project_id, branch, path) DO UPDATE \
    SET orphaned_at = coalesce(inventory.orphaned_at, excluded.orphaned_at)";

pub(super) async fn publish(on: &mut On, owner: &Owner, branch: &PublishedBranch) -> Result<()> {
    for (statement, paths) in [(ADD, &branch.added), (ORPHAN, &branch.removed)] {
        if paths.is_empty() {
            continue;
        }
        let rows: Vec<_> = paths.iter().map(|path| json!({ "path": path })).collect();
        on.exec(statement, args![owner.project.0, branch.branch.as_str(), json_text(&rows)?]).await?;
    }
    Ok(())
}
