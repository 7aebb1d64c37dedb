//! `lockstep leases`, `reclaim`, `cancel`.

use lockstep_api::wire::{ApiError, LeaseCard};
use lockstep_api::{App, leases, projects, runs};
use lockstep_domain::code::Code;
use lockstep_domain::lease::LeaseState;
use serde_json::json;

use super::Ended;
use crate::output::{Done, Output};
use crate::table::table;
use crate::times;

pub(super) async fn list(app: &App, project: Option<&str>) -> Ended {
    let id = match project {
        Some(name) => Some(projects::named(app, name).await?),
        None => None,
    };
    let mut all = leases::list(app).await?;
    all.retain(|card| id.as_ref().is_none_or(|id| card.project == *id));
    if all.is_empty() {
        return Ok(Done::new("There is no project, so there is no lease.", all));
    }
    let rows: Vec<_> = all.iter().map(row).collect();
    let text = table(["project", "state", "holder", "process", "since", "heartbeat", "fence"], &rows);
    let held = all.iter().filter(|card| card.state != LeaseState::Free);
    let sentences: Vec<_> = held.map(|card| format!("{}: {}", card.project_name, card.sentence)).collect();
    let text = if sentences.is_empty() { text } else { format!("{text}\n\n{}", sentences.join("\n")) };
    Ok(Done::new(text, all))
}

fn row(card: &LeaseCard) -> [String; 7] {
    let held = card.state != LeaseState::Free;
    let or_dash = |text: String| if held { text } else { "-".to_owned() };
    let age = card
        .heartbeat_at
        .map_or_else(|| "never".to_owned(), |at| format!("{} ago", times::span(card.now - at)));
    [
        card.project_name.clone(),
        card.state.to_string(),
        or_dash(format!("{} on {}", card.person, card.host)),
        or_dash(format!("{} ({})", card.pid, card.app_version)),
        times::shown(card.since),
        or_dash(age),
        card.fence.clone(),
    ]
}

pub(super) async fn reclaim(app: &App, project: &str, yes: bool, output: &Output) -> Ended {
    let id = projects::named(app, project).await?;
    let card = leases::current(app, &id).await?;
    // A refusal needs no question.
    if card.state == LeaseState::Reclaimable && !yes {
        let question = format!("{} Take the lease of {:?} back?", card.sentence, card.project_name);
        if !output.can_ask() {
            return Err(ApiError::bad_input(format!("Nobody can be asked here. {}", card.sentence))
                .hinted("Add --yes to take it back without a question."));
        }
        if !output.ask(&question) {
            return Err(
                ApiError::new(Code::Cancelled, "Nothing was changed.").hinted("Answer y to take it back.")
            );
        }
    }
    leases::reclaim(app, &id, &card.fence).await?;
    let text = format!(
        "Took the lease of {:?} back from {} on {}; its run counts as interrupted.",
        card.project_name, card.person, card.host
    );
    Ok(Done::new(text, json!({ "project": id, "fence": card.fence, "from": card })))
}

pub(super) async fn cancel(app: &App, project: &str, reason: &str) -> Ended {
    let id = projects::named(app, project).await?;
    let card = leases::current(app, &id).await?;
    runs::cancel(app, &id, &card.fence, reason).await?;
    let text =
        format!("Asked {} on {} to stop; the run ends at its next safe point.", card.person, card.host);
    Ok(Done::new(text, json!({ "project": id, "fence": card.fence, "holder": card })))
}
