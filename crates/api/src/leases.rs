//! Leases: the board, and taking one back from a holder that is gone.

use lockstep_domain::clock::Millis;
use lockstep_domain::code::Code;
use lockstep_domain::lease::{Holder, LeaseState, LeaseView, Progress};
use lockstep_store::Reclaim;

use crate::app::App;
use crate::error::Result;
use crate::input;
use crate::wire::{ApiError, LeaseCard, ProgressView};
use crate::words::{duration, ms, small};

/// All leases of the database, by project name.
///
/// # Errors
/// The database's trouble.
pub async fn list(app: &App) -> Result<Vec<LeaseCard>> {
    let projects = app.store().projects().await?;
    let leases = app.store().leases().await?;
    let ours = app.holder();
    let mut cards: Vec<LeaseCard> = leases
        .iter()
        .filter_map(|view| {
            let project = projects.iter().find(|project| project.id == view.project)?;
            Some(card(view, &project.name, &ours))
        })
        .collect();
    cards.sort_by(|a, b| a.project_name.cmp(&b.project_name));
    Ok(cards)
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
            let name = app.store().project(project).await?.map_or_else(String::new, |project| project.name);
            let card = card(&view, &name, &app.holder());
            Err(ApiError::new(Code::NotReclaimable, card.sentence.clone()).held_by(card).retryable())
        }
    }
}

pub(crate) fn already_finished() -> ApiError {
    ApiError::new(Code::AlreadyFinished, "That run has finished already, or somebody else has taken over.")
}

/// The card of a lease without its project's name and without knowing who asks.
pub(crate) fn bare_card(view: &LeaseView) -> LeaseCard {
    let nobody = Holder {
        person: String::new(),
        os_user: String::new(),
        host: String::new(),
        pid: 0,
        process_start: 0,
        app_version: String::new(),
        boot_id: String::new(),
    };
    card(view, "", &nobody)
}

/// The card of a lease, as `ours` sees it.
pub(crate) fn card(view: &LeaseView, project_name: &str, ours: &Holder) -> LeaseCard {
    let holder = view.holder.as_ref().filter(|_| view.held);
    let text = |pick: fn(&Holder) -> &str| holder.map_or_else(String::new, |holder| pick(holder).to_owned());
    LeaseCard {
        project: view.project.to_string(),
        project_name: project_name.to_owned(),
        state: view.state(),
        fence: view.fence.to_string(),
        person: text(|holder| &holder.person),
        os_user: text(|holder| &holder.os_user),
        host: text(|holder| &holder.host),
        pid: holder.map_or(0, |holder| holder.pid),
        app_version: text(|holder| &holder.app_version),
        mine: holder.is_some_and(|holder| same_process(holder, ours)),
        since: view.claimed_at.filter(|_| view.held).map(ms),
        heartbeat_at: view.heartbeat_at.filter(|_| view.held).map(ms),
        window_ms: small(view.window_ms),
        now: ms(view.db_now),
        left_ms: small(view.left_ms()),
        proven_dead: view.proven_dead,
        sentence: sentence(view),
        run: view.run.filter(|_| view.held).map(|run| run.to_string()),
        progress: live_progress(view),
        cancel_by: view.cancel.as_ref().map(|cancel| match cancel.reason.trim() {
            "" => cancel.by.clone(),
            reason => format!("{}: {reason}", cancel.by),
        }),
    }
}

pub(crate) fn same_process(holder: &Holder, ours: &Holder) -> bool {
    holder.pid == ours.pid
        && holder.process_start == ours.process_start
        && holder.host == ours.host
        && holder.boot_id == ours.boot_id
}

/// The progress of a held lease, with an end time told from what is done so far.
pub(crate) fn live_progress(view: &LeaseView) -> Option<ProgressView> {
    let (progress, at) = view.progress.as_ref().filter(|_| view.held)?;
    Some(ProgressView {
        step: progress.step.clone(),
        done: progress.done,
        planned: progress.planned,
        failed: progress.failed,
        current: progress.current.clone(),
        waiting_until: progress.waiting_until.filter(|until| *until > view.db_now.0).map(|at| ms(Millis(at))),
        ends_at: view.claimed_at.and_then(|start| ends_at(progress, start, *at)).map(ms),
    })
}

/// What is left at the pace so far, after the end of a wait. Not told before three items are done.
fn ends_at(progress: &Progress, start: Millis, at: Millis) -> Option<Millis> {
    if progress.step != "pass" || progress.done < 3 || progress.planned < progress.done {
        return None;
    }
    let left = i64::from(progress.planned - progress.done);
    let each = at.since(start).max(0) / i64::from(progress.done);
    let from = progress.waiting_until.map_or(at.0, |until| until.max(at.0));
    Some(Millis(from).plus(each.saturating_mul(left)))
}

/// Who holds it, since when, why it can or cannot be taken, and when.
fn sentence(view: &LeaseView) -> String {
    let Some(holder) = view.holder.as_ref().filter(|_| view.held) else {
        return "Nobody is syncing; the next press gets the lease.".to_owned();
    };
    let who = format!("{} on {}", holder.person, holder.host);
    let since = view
        .claimed_at
        .map_or_else(String::new, |claimed| format!(" since {} ago", duration(view.db_now.since(claimed))));
    let age = view.heartbeat_at.map(|heartbeat| view.db_now.since(heartbeat));
    match view.state() {
        LeaseState::Reclaimable if view.proven_dead => {
            format!("The process of {who} has ended. The lease can be taken over now.")
        }
        LeaseState::Reclaimable => match age {
            Some(age) if age < 0 => format!(
                "The heartbeat of {who} lies {} ahead of the database's clock, more than its window of {}. The \
                 lease can be taken over now.",
                duration(-age),
                duration(view.window_ms)
            ),
            Some(age) => format!(
                "The last heartbeat of {who} is {} old, longer than its window of {}. The lease can be taken over \
                 now.",
                duration(age),
                duration(view.window_ms)
            ),
            None => format!("{who} never sent a heartbeat. The lease can be taken over now."),
        },
        state => {
            let beat = match age {
                Some(age) if age < 0 => format!("its clock is {} ahead", duration(-age)),
                Some(age) if state == LeaseState::Late => {
                    format!("the last heartbeat is late, {} ago", duration(age))
                }
                Some(age) => format!("last heartbeat {} ago", duration(age)),
                None => "no heartbeat yet".to_owned(),
            };
            format!(
                "{who} holds it{since}, {beat}. It can be taken over when no heartbeat comes for another {}.",
                duration(view.left_ms())
            )
        }
    }
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

#[cfg(test)]
mod tests {
    use lockstep_domain::lease::Fence;

    use super::*;

    fn holder() -> Holder {
        Holder {
            person: "Ada".to_owned(),
            os_user: "ada".to_owned(),
            host: "lab-desk-07".to_owned(),
            pid: 7,
            process_start: 1,
            app_version: "0.1.0".to_owned(),
            boot_id: "b".to_owned(),
        }
    }

    fn view(heartbeat: i64) -> LeaseView {
        LeaseView {
            project: "0190c0de-0000-7000-8000-000000000001".parse().unwrap(),
            held: true,
            fence: Fence(i64::MAX),
            run: None,
            window_ms: 180_000,
            claimed_at: Some(Millis(400_000)),
            heartbeat_at: Some(Millis(heartbeat)),
            holder: Some(holder()),
            cancel: None,
            progress: None,
            last: None,
            db_now: Millis(1_000_000),
            proven_dead: false,
        }
    }

    #[test]
    fn the_sentence_says_who_since_when_and_when_it_can_be_taken() {
        let live = card(&view(992_000), "Lab 4", &holder());
        assert!(live.mine);
        assert_eq!(
            live.sentence,
            "Ada on lab-desk-07 holds it since 10 min ago, last heartbeat 8 s ago. It can be taken over when no \
             heartbeat comes for another 2 min 52 s."
        );
        let stale = card(&view(700_000), "Lab 4", &holder()).sentence;
        assert!(stale.contains("5 min old") && stale.contains("3 min") && stale.contains("now"), "{stale}");
        let ahead = card(&view(1_300_000), "Lab 4", &holder()).sentence;
        assert!(ahead.contains("ahead of the database's clock"), "{ahead}");
        let dead = card(&LeaseView { proven_dead: true, ..view(999_000) }, "Lab 4", &holder()).sentence;
        assert!(dead.contains("has ended"), "{dead}");
        let free = card(&LeaseView { held: false, ..view(0) }, "Lab 4", &holder());
        assert!(free.sentence.contains("Nobody") && free.person.is_empty() && !free.mine);
    }

    #[test]
    fn a_fence_beyond_what_a_number_holds_crosses_as_text() {
        assert_eq!(card(&view(0), "", &holder()).fence, "9223372036854775807");
    }

    #[test]
    fn an_end_is_told_from_the_pace_and_the_wait() {
        let progress = Progress { step: "pass".into(), done: 10, planned: 30, ..Progress::default() };
        assert_eq!(ends_at(&progress, Millis(0), Millis(10_000)), Some(Millis(30_000)));
        let waiting = Progress { waiting_until: Some(60_000), ..progress.clone() };
        assert_eq!(ends_at(&waiting, Millis(0), Millis(10_000)), Some(Millis(80_000)));
        assert_eq!(ends_at(&Progress { done: 2, ..progress }, Millis(0), Millis(10_000)), None);
    }
}
