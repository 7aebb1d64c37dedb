//! `lockstep source`.

use lockstep_api::wire::{AheadView, SourceView};
use lockstep_api::{App, sources};
use lockstep_domain::ahead::AheadKind;

use super::{Ended, confirm, connection};
use crate::output::{Done, Output};
use crate::table::{counted, table};
use crate::times;

pub(super) async fn add(app: &App, repo: &str, through: Option<&str>) -> Ended {
    let connection = connection(app, through).await?;
    let source = sources::add(app, &connection.id, repo).await?;
    let branches = u32::try_from(source.heads.len()).unwrap_or(u32::MAX);
    let text = format!("Registered {} with {}.", source.name, counted(branches, "branch", "branches"));
    Ok(Done::new(text, source))
}

pub(super) async fn list(app: &App) -> Ended {
    let all = sources::list(app).await?;
    if all.is_empty() {
        return Ok(Done::new("No source is registered. lockstep source add OWNER/NAME registers one.", all));
    }
    let rows: Vec<_> = all.iter().map(row).collect();
    Ok(Done::new(table(["source", "branches", "checked", "state", "projects"], &rows), all))
}

pub(super) async fn retire(app: &App, repo: &str, yes: bool, output: &Output) -> Ended {
    let source = sources::named(app, repo).await?;
    let names: Vec<_> = source.projects.iter().map(|project| project.name.as_str()).collect();
    let stops = match names.len() {
        0 => "No project hands it out.".to_owned(),
        _ => format!("No sync of {} is possible afterwards.", names.join(", ")),
    };
    confirm(output, yes, &format!("{stops} Retire {}?", source.name), "retire it")?;
    sources::retire(app, &source.id).await?;
    Ok(Done::new(format!("Retired {}. {stops}", source.name), source))
}

fn row(source: &SourceView) -> [String; 5] {
    let heads = source.heads.iter().filter(|head| head.oid.is_some()).map(|head| head.branch.as_str());
    let projects =
        source.projects.iter().map(|project| format!("{} ({})", project.name, ahead(&project.ahead)));
    [
        source.name.clone(),
        heads.collect::<Vec<_>>().join(" "),
        times::shown(source.checked_at),
        source.trouble.map_or_else(|| "ok".to_owned(), |code| code.to_string()),
        projects.collect::<Vec<_>>().join(", "),
    ]
}

/// `main +3, dev rewritten`.
pub(super) fn ahead(branches: &[AheadView]) -> String {
    let one = |view: &AheadView| {
        let word = match (view.kind, view.number) {
            (AheadKind::Ahead, Some(number)) => format!("+{number}"),
            (AheadKind::Level, _) => "level".to_owned(),
            (kind, _) => kind.as_str().replace('_', " "),
        };
        format!("{} {word}", view.branch)
    };
    branches.iter().map(one).collect::<Vec<_>>().join(", ")
}
