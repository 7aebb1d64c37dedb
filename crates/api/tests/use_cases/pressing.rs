//! Pressing, cancelling, quitting, resuming, reclaiming.

use lockstep_api::wire::{PressKind, SelectionKind, SyncInput};
use lockstep_api::{leases, projects, recipients, runs};
use lockstep_domain::code::Code;
use lockstep_domain::lease::LeaseState;
use lockstep_domain::outcome::RunStatus;

use crate::desk::{Desk, everybody};

/// Waits until the forge has seen this many pull requests.
async fn opened(desk: &Desk, count: usize) {
    while desk.pulls() < count {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_press_delivers_once_and_the_next_one_has_nothing_to_send() {
    let (desk, project) = Desk::ready(5, 0).await;
    let started = runs::start(&desk.app, everybody(&project)).await.unwrap();
    let run = runs::wait(&desk.app, &started.run).await.unwrap();
    assert_eq!((run.status, run.counts.opened, run.mine), (RunStatus::Succeeded, 5, true));
    assert_eq!(desk.app.live_runs(), 0);
    let view = projects::get(&desk.app, &project).await.unwrap();
    assert_eq!((view.press.kind, view.row.owed), (PressKind::Again, 0));
    assert_eq!((view.row.counts.opened, view.row.pulls.open), (5, 5));
    let rows = recipients::list(&desk.app, &project).await.unwrap();
    assert!(
        rows.iter().all(|row| !row.owed && row.branches[0].pull.as_ref().is_some_and(|pull| !pull.behind))
    );
    let again = runs::start(&desk.app, everybody(&project)).await.unwrap();
    let run = runs::wait(&desk.app, &again.run).await.unwrap();
    assert_eq!((run.counts.unchanged, run.spent.pushes, desk.pulls()), (5, 0, 5));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_press_on_a_held_project_names_the_holder_and_a_reclaim_says_when() {
    let (desk, project) = Desk::ready(20, 100).await;
    let started = runs::start(&desk.app, everybody(&project)).await.unwrap();
    let refused = runs::start(&desk.app, everybody(&project)).await.unwrap_err();
    assert_eq!(refused.code, Code::SyncInProgress);
    let holder = refused.holder.unwrap();
    assert_eq!((holder.person.as_str(), holder.mine, holder.project_name.as_str()), ("ada", true, "Lab 4"));
    assert_eq!(projects::get(&desk.app, &project).await.unwrap().press.kind, PressKind::Watch);
    let refused = leases::reclaim(&desk.app, &project, &started.fence).await.unwrap_err();
    assert_eq!(refused.code, Code::NotReclaimable);
    assert!(
        refused.wait_ms.is_some_and(|left| left > 100_000) && refused.message.contains("ada"),
        "{refused:?}"
    );
    let card = leases::current(&desk.app, &project).await.unwrap();
    assert_eq!((card.state, card.fence.as_str()), (LeaseState::Live, started.fence.as_str()));
    runs::cancel(&desk.app, &project, &started.fence, " wrong\nbranch ").await.unwrap();
    let run = runs::wait(&desk.app, &started.run).await.unwrap();
    assert_eq!(run.status, RunStatus::Cancelled);
    assert!(desk.pulls() < 20);
    let late = runs::cancel(&desk.app, &project, &started.fence, "").await.unwrap_err();
    assert_eq!(late.code, Code::AlreadyFinished);
    assert_eq!(
        leases::reclaim(&desk.app, &project, &started.fence).await.unwrap_err().code,
        Code::AlreadyFinished
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn quitting_finishes_what_runs_gives_the_lease_back_and_another_start_resumes() {
    let (desk, project) = Desk::ready(12, 60).await;
    let started = runs::start(&desk.app, everybody(&project)).await.unwrap();
    opened(&desk, 3).await;
    desk.app.shutdown().await;
    let before = desk.pulls();
    assert!((3..12).contains(&before), "{before}");
    let app = desk.another().await;
    let view = projects::get(&app, &project).await.unwrap();
    assert_eq!((view.row.lease.state, view.press.kind), (LeaseState::Free, PressKind::Resume));
    let interrupted = view.row.resumable.unwrap();
    assert_eq!((interrupted.id.as_str(), interrupted.error), (started.run.as_str(), Some(Code::Quit)));
    let reference = interrupted.ref_id.unwrap();
    assert!(interrupted.retryable && interrupted.id.ends_with(&reference), "{reference}");
    let listed = projects::list(&app).await.unwrap().remove(0);
    assert_eq!(
        (listed.press, listed.resumable.map(|run| run.id)),
        (PressKind::Resume, Some(started.run.clone()))
    );
    let resume = SyncInput { resumes: Some(interrupted.id), ..everybody(&project) };
    let run = runs::start(&app, resume).await.unwrap();
    let run = runs::wait(&app, &run.run).await.unwrap();
    assert_eq!((run.resumes.as_deref(), run.selection), (Some(started.run.as_str()), SelectionKind::All));
    assert_eq!((run.ref_id.as_deref(), run.retryable), (None, false));
    assert_eq!((run.status, desk.pulls()), (RunStatus::Succeeded, 12), "{run:?}");
    assert_eq!(projects::get(&app, &project).await.unwrap().row.owed, 0);
    app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_chosen_recipients_get_the_update_and_the_rest_stays_owed() {
    let (desk, project) = Desk::ready(4, 0).await;
    let rows = recipients::list(&desk.app, &project).await.unwrap();
    let these = |recipients| SyncInput { selection: "these".into(), recipients, ..everybody(&project) };
    assert_eq!(runs::start(&desk.app, these(vec![])).await.unwrap_err().code, Code::BadInput);
    let started = runs::start(&desk.app, these(vec![rows[0].id.clone()])).await.unwrap();
    let run = runs::wait(&desk.app, &started.run).await.unwrap();
    assert_eq!((run.selection, run.chosen), (SelectionKind::These, 1));
    let view = projects::get(&desk.app, &project).await.unwrap();
    assert_eq!(
        (desk.pulls(), view.row.owed, view.press.kind, view.press.recipients),
        (1, 3, PressKind::Owed, 3)
    );
    let wrong = SyncInput { selection: "some".into(), ..everybody(&project) };
    assert!(runs::start(&desk.app, wrong).await.unwrap_err().message.contains("some"));
}
