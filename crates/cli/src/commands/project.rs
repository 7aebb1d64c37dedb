//! `lockstep project`.

use lockstep_api::wire::{ApiError, NewProjectInput, ProjectRow, ProjectView};
use lockstep_api::{App, projects, recipients, roster, sources};
use lockstep_domain::lease::LeaseState;
use serde_json::json;

use super::{Ended, confirm, connection, recipients as rows, source};
use crate::args::{NewProject, Strategy};
use crate::output::{Done, Output};
use crate::table::{counted, table};
use crate::times;

pub(super) async fn add(app: &App, arguments: NewProject) -> Ended {
    let source = sources::named(app, &arguments.source).await?;
    let through = match &arguments.connection {
        Some(name) => Some(connection(app, Some(name)).await?.id),
        None => None,
    };
    let (distribution, adopt) = match (arguments.adopt, arguments.build) {
        (Some(repo), _) => (repo, true),
        (None, Some(repo)) => (repo, false),
        (None, None) => {
            return Err(ApiError::bad_input("No distribution was named.").hinted("Give --adopt or --build."));
        }
    };
    let input = NewProjectInput {
        name: arguments.name.clone(),
        source: source.id,
        branches: arguments.branches,
        strategy: match arguments.strategy {
            Strategy::Squash => "squash".to_owned(),
            Strategy::Whole => "whole".to_owned(),
        },
        distribution,
        adopt,
        deadline: arguments.deadline.as_deref().map(deadline).transpose()?,
        connection: through,
    };
    let made = projects::create(app, input).await?;
    let view = projects::get(app, &made.project).await?;
    let text = format!(
        "Made project {:?}: {} is handed out through {}.",
        view.row.name,
        view.row.source,
        view.distribution.as_deref().unwrap_or("no distribution")
    );
    Ok(Done::new(text, json!({ "project": made.project, "run": made.run, "view": view })))
}

#[expect(clippy::cast_precision_loss, reason = "milliseconds of a real date")]
fn deadline(text: &str) -> Result<f64, ApiError> {
    roster::deadline(text.trim())
        .map(|at| at.0 as f64)
        .map_err(|why| ApiError::bad_input(format!("The deadline {why}.")))
}

pub(super) async fn list(app: &App) -> Ended {
    let all = projects::list(app).await?;
    if all.is_empty() {
        return Ok(Done::new("There is no project. lockstep project add makes one.", all));
    }
    let rows: Vec<_> = all.iter().map(row).collect();
    let header =
        ["project", "source", "ahead", "lease", "recipients", "owed", "failed", "open", "last synced"];
    Ok(Done::new(table(header, &rows), all))
}

fn row(project: &ProjectRow) -> [String; 9] {
    [
        project.name.clone(),
        project.source.clone(),
        source::ahead(&project.ahead),
        match project.lease.state {
            LeaseState::Free => "free".to_owned(),
            state => format!("{state} ({} on {})", project.lease.person, project.lease.host),
        },
        project.recipients.to_string(),
        project.owed.to_string(),
        project.counts.failed.to_string(),
        project.pulls.open.to_string(),
        times::shown(project.last_synced),
    ]
}

pub(super) async fn show(app: &App, name: &str) -> Ended {
    let id = projects::named(app, name).await?;
    let view = projects::get(app, &id).await?;
    let recipients = recipients::list(app, &id).await?;
    let text = format!("{}\n\n{}", head(&view), rows::list_text(&recipients));
    Ok(Done::new(text, json!({ "project": view, "recipients": recipients })))
}

pub(super) async fn archive(app: &App, name: &str, archived: bool) -> Ended {
    let id = projects::named(app, name).await?;
    projects::archive(app, &id, archived).await?;
    let view = projects::get(app, &id).await?;
    let text = match archived {
        true => format!("Archived {:?}. Nothing is sent to its recipients now.", view.row.name),
        false => format!("Took {:?} out of the archive.", view.row.name),
    };
    Ok(Done::new(text, json!({ "project": id, "state": view.row.state })))
}

pub(super) async fn delete(app: &App, name: &str, yes: bool, output: &Output) -> Ended {
    let id = projects::named(app, name).await?;
    let row = projects::get(app, &id).await?.row;
    let recipients = counted(row.recipients, "recipient", "recipients");
    let question = format!("Delete {:?} with its {recipients}? Nothing is deleted on GitHub.", row.name);
    confirm(output, yes, &question, "delete it")?;
    projects::delete(app, &id).await?;
    let text = format!("Deleted {:?}. Its repositories and its history stay.", row.name);
    Ok(Done::new(text, json!({ "project": id, "deleted": true })))
}

fn head(view: &ProjectView) -> String {
    let row = &view.row;
    let pending: u32 =
        view.pending.iter().map(|branch| u32::try_from(branch.commits.len()).unwrap_or(0)).sum();
    let mut lines = vec![
        format!("{} ({}, {})", row.name, row.state, row.strategy),
        format!("  source        {}", row.source),
        format!("  distribution  {}", view.distribution.as_deref().unwrap_or("none")),
        format!("  ahead         {}", source::ahead(&row.ahead)),
        format!("  lease         {}", row.lease.sentence),
        format!("  owed          {} of {}", row.owed, counted(row.recipients, "recipient", "recipients")),
        format!("  last synced   {}", times::shown(row.last_synced)),
    ];
    if pending > 0 {
        lines.push(String::new());
        for branch in &view.pending {
            for commit in &branch.commits {
                lines.push(format!(
                    "  {} {} {} ({})",
                    branch.branch, commit.short, commit.subject, commit.author
                ));
            }
        }
    }
    if let Some(run) = &view.row.resumable {
        lines.push(format!(
            "\nA run was interrupted: lockstep sync {:?} --resume {} takes it up.",
            row.name, run.id
        ));
    }
    lines.join("\n")
}
