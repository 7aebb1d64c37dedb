//! `lockstep leases`, `reclaim`, `cancel`.

use lockstep_api::wire::{LeaseCard, LeaseEventView};
use lockstep_api::{App, leases, projects, runs};
use lockstep_domain::lease::LeaseState;
use lockstep_domain::model::LeaseEvent;
use serde_json::json;

use super::{Ended, confirm, watch};
use crate::args::{Lease, Leases};
use crate::output::{Done, Output};
use crate::table::table;
use crate::times;

pub(super) async fn leases(app: &App, arguments: Leases, output: &Output) -> Ended {
    match arguments.what {
        Some(Lease::Explain { project }) => explain(app, &project).await,
        Some(Lease::History { project, limit, before }) => {
            history(app, project.as_deref(), before.as_deref(), limit).await
        }
        None => {
            let id = match &arguments.project {
                Some(name) => Some(projects::named(app, name).await?),
                None => None,
            };
            if arguments.watch { watch::watch(app, id.as_deref(), output).await } else { list(app, id).await }
        }
    }
}

async fn list(app: &App, id: Option<String>) -> Ended {
    let mut all = leases::list(app).await?;
    all.retain(|card| id.as_ref().is_none_or(|id| card.project == *id));
    if all.is_empty() {
        return Ok(Done::new("There is no project, so there is no lease.", all));
    }
    let held = all.iter().filter(|card| card.state != LeaseState::Free);
    let sentences: Vec<_> = held.map(|card| format!("{}: {}", card.project_name, card.sentence)).collect();
    let text = board(&all, 0.0);
    let text = if sentences.is_empty() { text } else { format!("{text}\n\n{}", sentences.join("\n")) };
    Ok(Done::new(text, all))
}

/// The table of these leases, `later` milliseconds after they were read.
pub(super) fn board(cards: &[LeaseCard], later: f64) -> String {
    let rows: Vec<_> = cards.iter().map(|card| row(card, later)).collect();
    table(["project", "state", "holder", "process", "since", "heartbeat", "work", "fence"], &rows)
}

fn row(card: &LeaseCard, later: f64) -> [String; 8] {
    let held = card.since.is_some() || card.heartbeat_at.is_some();
    let or_dash = |text: String| if held { text } else { "-".to_owned() };
    [
        card.project_name.clone(),
        state(card),
        or_dash(format!("{} on {}", card.person, card.host)),
        or_dash(format!("{} ({})", card.pid, card.app_version)),
        times::shown(card.since),
        or_dash(heartbeat(card, later)),
        work(card),
        card.fence.clone(),
    ]
}

/// `live`, `reclaimable (too_old)`.
pub(super) fn state(card: &LeaseCard) -> String {
    match card.state {
        LeaseState::Reclaimable => format!("{} ({})", card.state, card.reason),
        state => state.to_string(),
    }
}

/// `12.0 s ago`, by the database's clock.
pub(super) fn heartbeat(card: &LeaseCard, later: f64) -> String {
    let Some(at) = card.heartbeat_at else { return "never".to_owned() };
    let age = card.now + later - at;
    if age < 0.0 { format!("{} ahead", times::span(-age)) } else { format!("{} ago", times::span(age)) }
}

/// `87 of 212, pass`; who asked it to stop.
pub(super) fn work(card: &LeaseCard) -> String {
    let Some(progress) = &card.progress else { return "-".to_owned() };
    let count = match progress.planned {
        0 => progress.step.clone(),
        planned => format!("{} of {planned}, {}", progress.done, progress.step),
    };
    match &card.cancel_by {
        Some(by) => format!("{count}; asked to stop by {by}"),
        None => count,
    }
}

async fn explain(app: &App, project: &str) -> Ended {
    let id = projects::named(app, project).await?;
    let told = leases::explain(app, &id).await?;
    let known = told.state != LeaseState::Unknown;
    let done = Done::new(told.sentence.clone(), told);
    Ok(if known { done } else { done.ending(crate::exit::DATABASE) })
}

/// While the database cannot be opened.
pub(super) fn unknown(project: &str) -> Done {
    let told = leases::unknown(project);
    Done::new(told.sentence.clone(), told)
}

async fn history(app: &App, project: Option<&str>, before: Option<&str>, limit: u32) -> Ended {
    let id = match project {
        Some(name) => Some(projects::named(app, name).await?),
        None => None,
    };
    let page = leases::history(app, id.as_deref(), before, limit).await?;
    if page.rows.is_empty() {
        return Ok(Done::new("Nothing has happened to a lease yet.", page));
    }
    let rows: Vec<_> = page.rows.iter().map(event).collect();
    let mut text = table(["when", "project", "event", "fence", "who", "what"], &rows);
    if let Some(before) = &page.before {
        text.push_str(&format!("\n\nOlder ones: lockstep leases history --before {before}"));
    }
    Ok(Done::new(text, page))
}

fn event(event: &LeaseEventView) -> [String; 6] {
    [
        times::shown(Some(event.at)),
        event.project_name.clone(),
        event.event.to_string().replace('_', " "),
        event.fence.clone(),
        format!("{} ({})", event.person, event.machine),
        what(event),
    ]
}

/// What there is to say besides who and when.
fn what(event: &LeaseEventView) -> String {
    let other = format!("{} on {}", event.other_person, event.other_host);
    let beat = event.beat_ms.map(|age| {
        let how = if age < 0.0 { "ahead" } else { "old" };
        format!("heartbeat {} {how}", times::span(age.abs()))
    });
    let beat = beat.unwrap_or_default();
    match event.event {
        LeaseEvent::Claimed => {
            let kind = event.kind.map_or_else(String::new, |kind| kind.to_string());
            if event.other_person.is_empty() { kind } else { format!("{kind}, in place of {other}") }
        }
        LeaseEvent::RenewedLate => beat,
        LeaseEvent::Lost => event.text.clone(),
        LeaseEvent::Reclaimed if event.proven_dead => format!("from {other}, process gone"),
        LeaseEvent::Reclaimed => format!("from {other}, {beat}"),
        LeaseEvent::CancelAsked if event.text.is_empty() => format!("asked {other}"),
        LeaseEvent::CancelAsked => format!("asked {other}: {}", event.text),
        LeaseEvent::Released | LeaseEvent::Finished => {
            let status = event.status.map_or_else(String::new, |status| status.to_string());
            event.code.map_or_else(|| status.clone(), |code| format!("{status} ({code})"))
        }
    }
}

pub(super) async fn reclaim(app: &App, project: &str, yes: bool, output: &Output) -> Ended {
    let id = projects::named(app, project).await?;
    let card = leases::current(app, &id).await?;
    // A refusal needs no question.
    if card.state == LeaseState::Reclaimable {
        let question = format!("{} Take the lease of {:?} back?", card.sentence, card.project_name);
        confirm(output, yes, &question, "take it back")?;
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
