//! Leases: the board, its history, and taking one back from a holder that is gone.

mod card;
mod history;
mod words;

use lockstep_domain::code::Code;
use lockstep_domain::lease::LeaseView;
use lockstep_domain::standing::{Standing, standing, unreachable};
use lockstep_store::{Reclaim, StoreError};

use crate::app::App;
use crate::error::Result;
use crate::input;
use crate::wire::{ApiError, LeaseCard, LeaseExplained};
use crate::words::{ms, small};

pub(crate) use card::{bare_card, card, live_progress, same_process};
pub use history::history;

/// All leases of the database, by project name.
///
/// # Errors
/// The database's trouble.
pub async fn list(app: &App) -> Result<Vec<LeaseCard>> {
    let projects = app.store().projects().await?;
    let names: std::collections::HashMap<_, _> =
        projects.iter().map(|project| (project.id, project.name.as_str())).collect();
    let leases = app.store().leases().await?;
    let ours = app.holder();
    let mut cards: Vec<LeaseCard> = leases
        .iter()
        .filter_map(|view| names.get(&view.project).map(|name| card(view, name, &ours)))
        .collect();
    cards.sort_by(|a, b| a.project_name.cmp(&b.project_name));
    Ok(cards)
}

/// One sentence on a lease, and the same as fields: who holds it, since when, when it was heard, on what it works, why
/// it can or cannot be taken and when. A database that stopped answering is `unknown` and no error.
///
/// # Errors
/// `project_missing`; another trouble of the database.
pub async fn explain(app: &App, project: &str) -> Result<LeaseExplained> {
    let project = crate::projects::one(app, input::project(project)?).await?;
    let ours = app.holder();
    match app.store().lease(project.id).await {
        Ok(Some(view)) => {
            let found = standing(&view, &ours.boot_id);
            let sentence = words::sentence(&view, &found);
            Ok(explained(&project.name, &found, sentence, Some(card(&view, &project.name, &ours))))
        }
        Ok(None) => Err(ApiError::new(Code::ProjectMissing, "The project was deleted meanwhile.")),
        Err(StoreError::Unusable(_) | StoreError::Busy) => Ok(unknown(&project.name)),
        Err(error) => Err(error.into()),
    }
}

/// The same while the database does not answer and nothing was read before.
#[must_use]
pub fn unknown(project_name: &str) -> LeaseExplained {
    let found = unreachable(None);
    explained(project_name, &found, words::unknown(None, &found), None)
}

/// What is left of a card when the database stopped answering `read_ms` ago: the last known holder, nothing to do.
#[must_use]
pub fn gone_stale(card: &LeaseCard, read_ms: u32) -> LeaseCard {
    let found = unreachable(None);
    let held = card.since.map(|_| (card.person.as_str(), card.host.as_str()));
    let found = Standing { read_ms: Some(read_ms.into()), ..found };
    LeaseCard {
        state: found.state,
        reason: found.reason,
        left_ms: 0,
        sentence: words::unknown(held, &found),
        ..card.clone()
    }
}

fn explained(name: &str, found: &Standing, sentence: String, lease: Option<LeaseCard>) -> LeaseExplained {
    let time = |value: Option<i64>| value.map(|value| ms(lockstep_domain::clock::Millis(value)));
    LeaseExplained {
        sentence,
        project_name: name.to_owned(),
        state: found.state,
        reason: found.reason,
        takeable: found.takeable(),
        left_ms: found.left_ms.map(small),
        beat_ms: time(found.beat_ms),
        held_ms: time(found.held_ms),
        read_ms: time(found.read_ms),
        lease,
    }
}

/// Ends a lease whose heartbeat proves that its holder is gone; its run becomes `interrupted`.
///
/// # Errors
/// `not_reclaimable` with the holder and the milliseconds left; `already_finished` when that fence is not held any
/// more.
pub async fn reclaim(app: &App, project: &str, fence: &str) -> Result<()> {
    let (project, fence) = (input::project(project)?, input::fence(fence)?);
    match app.store().reclaim(project, fence, &app.actor()).await? {
        Reclaim::Reclaimed => Ok(()),
        Reclaim::AlreadyFinished => Err(already_finished()),
        Reclaim::Refused(view) => {
            let card = named(app, &view).await;
            Err(ApiError::new(Code::NotReclaimable, card.sentence.clone()).held_by(card).retryable())
        }
    }
}

/// The card of a lease with its project's name, for an error; without the name when it cannot be read.
pub(crate) async fn named(app: &App, view: &LeaseView) -> LeaseCard {
    let project = app.store().project(view.project).await.ok().flatten();
    card(view, project.as_ref().map_or("", |project| &project.name), &app.holder())
}

/// A live lease in the way of archiving, deleting or retiring: who holds it, and that a cancel is what helps. Any other
/// error of the store stays what it is.
pub(crate) async fn in_the_way(app: &App, error: StoreError, wanted: &str) -> ApiError {
    let StoreError::Held(view) = error else { return error.into() };
    let card = named(app, &view).await;
    let message = format!(
        "{} on {} is syncing {:?}, so {wanted}. Nothing was changed.",
        card.person, card.host, card.project_name
    );
    let hint = format!(
        "Wait for its end, or ask it to stop: lockstep cancel {:?}. Then do the same again.",
        card.project_name
    );
    ApiError::new(Code::SyncInProgress, message).hinted(hint).held_by(card).retryable()
}

pub(crate) fn already_finished() -> ApiError {
    ApiError::new(Code::AlreadyFinished, "That run has finished already, or somebody else has taken over.")
}

/// The lease as it is now, for a host that acts on "the current one".
///
/// # Errors
/// `already_finished` when nobody holds it; `project_missing`.
pub async fn current(app: &App, project: &str) -> Result<LeaseCard> {
    let project = crate::projects::one(app, input::project(project)?).await?;
    let view = app.store().lease(project.id).await?.filter(|view| view.held);
    view.map(|view| card(&view, &project.name, &app.holder())).ok_or_else(|| {
        ApiError::new(Code::AlreadyFinished, format!("Nobody is syncing {:?} now.", project.name))
            .hinted("There is nothing to stop or to take back; the next press gets the lease.")
    })
}
