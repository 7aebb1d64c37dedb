//! `lockstep runs`.

use std::collections::HashMap;

use lockstep_api::{App, projects, runs};

use super::{Ended, sync};
use crate::output::Done;
use crate::table::table;
use crate::times;

pub(super) async fn list(app: &App, project: Option<&str>) -> Ended {
    let id = match project {
        Some(name) => Some(projects::named(app, name).await?),
        None => None,
    };
    let all = runs::list(app, id.as_deref()).await?;
    if all.is_empty() {
        return Ok(Done::new("There was no run yet.", all));
    }
    let names: HashMap<_, _> =
        projects::list(app).await?.into_iter().map(|project| (project.id, project.name)).collect();
    let rows: Vec<_> = all
        .iter()
        .map(|run| {
            [
                run.id.clone(),
                names.get(&run.project).cloned().unwrap_or_else(|| "(deleted)".to_owned()),
                run.kind.to_string(),
                run.error.map_or_else(|| run.status.to_string(), |code| format!("{} ({code})", run.status)),
                format!("{} on {}", run.person, run.host),
                times::shown(Some(run.started_at)),
                sync::counts(run),
            ]
        })
        .collect();
    Ok(Done::new(table(["run", "project", "kind", "status", "who", "started", "outcomes"], &rows), all))
}
