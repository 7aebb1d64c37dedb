//! What people see of leases: the sentence, the history, and what a live one forbids.

use lockstep_api::{leases, projects, runs, sources};
use lockstep_domain::code::Code;
use lockstep_domain::lease::LeaseState;
use lockstep_domain::model::LeaseEvent;
use lockstep_domain::outcome::RunStatus;
use lockstep_domain::standing::LeaseReason;

use crate::desk::{Desk, PROJECT, everybody};

/// So slow that a run lives until it is asked to stop.
const SLOW_MS: u32 = 20_000;

#[tokio::test(flavor = "multi_thread")]
async fn a_live_lease_forbids_archiving_deleting_and_retiring_and_names_whom_to_ask() {
    let (desk, project) = Desk::ready(4, SLOW_MS).await;
    let app = &desk.app;
    let source = sources::list(app).await.unwrap().remove(0).id;
    let started = runs::start(app, everybody(&project)).await.unwrap();
    for refused in [
        projects::archive(app, &project, true).await.unwrap_err(),
        projects::delete(app, &project).await.unwrap_err(),
        sources::retire(app, &source).await.unwrap_err(),
    ] {
        assert_eq!(refused.code, Code::SyncInProgress);
        assert!(refused.retryable && refused.message.contains(PROJECT), "{refused:?}");
        assert!(refused.hint.contains("lockstep cancel"), "{refused:?}");
        let holder = refused.holder.unwrap();
        assert_eq!((holder.person.as_str(), holder.project_name.as_str()), ("ada", PROJECT));
        assert_eq!((&holder.project, &holder.fence), (&project, &started.fence), "what a cancel needs");
        assert!(holder.mine && holder.process_start.is_some());
    }
    runs::cancel(app, &project, &started.fence, "to archive it").await.unwrap();
    assert_eq!(runs::wait(app, &started.run).await.unwrap().status, RunStatus::Cancelled);
    projects::archive(app, &project, true).await.unwrap();
    projects::delete(app, &project).await.unwrap();
    sources::retire(app, &source).await.unwrap();
    assert!(projects::list(app).await.unwrap().is_empty());
    // The history outlives the project, under its name.
    let page = leases::history(app, None, None, 50).await.unwrap();
    assert!(page.rows.iter().all(|row| row.project_name == PROJECT), "{page:?}");
    let [ended, asked, ..] = &page.rows[..] else { panic!("{page:?}") };
    assert_eq!((ended.status, asked.event), (Some(RunStatus::Cancelled), LeaseEvent::CancelAsked));
    assert_eq!((asked.other_person.as_str(), asked.text.as_str()), ("ada", "to archive it"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lease_is_explained_in_one_sentence_and_the_same_fields() {
    let (desk, project) = Desk::ready(4, SLOW_MS).await;
    let app = &desk.app;
    let free = leases::explain(app, &project).await.unwrap();
    assert_eq!((free.state, free.reason, free.takeable), (LeaseState::Free, LeaseReason::Free, true));
    let started = runs::start(app, everybody(&project)).await.unwrap();
    let live = leases::explain(app, &project).await.unwrap();
    assert_eq!((live.state, live.reason, live.takeable), (LeaseState::Live, LeaseReason::Beating, false));
    assert!(live.left_ms.is_some_and(|left| left > 170_000) && live.beat_ms.is_some(), "{live:?}");
    assert!(live.sentence.starts_with("ada on ") && live.sentence.contains("cannot be taken"), "{live:?}");
    assert_eq!(live.lease.unwrap().fence, started.fence);
    runs::quit_all(app);
    assert_eq!(runs::wait(app, &started.run).await.unwrap().error, Some(Code::Quit));
    let after = leases::explain(app, &project).await.unwrap();
    assert!(after.sentence.contains("interrupted"), "{after:?}");
    let page = leases::history(app, Some(&project), None, 1).await.unwrap();
    assert_eq!((page.rows[0].event, page.rows[0].code), (LeaseEvent::Released, Some(Code::Quit)));
    let rest = leases::history(app, Some(&project), page.before.as_deref(), 50).await.unwrap();
    assert_eq!((rest.rows[0].event, rest.before), (LeaseEvent::Claimed, None));
    assert_eq!(leases::history(app, None, Some("soon"), 5).await.unwrap_err().code, Code::BadInput);
}
