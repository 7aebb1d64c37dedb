//! What people read of a lease's life: every event, newest first, page by page.

use lockstep_domain::clock::Millis;
use lockstep_domain::code::Code;
use lockstep_domain::model::{LeaseEntry, LeaseEvent};
use lockstep_domain::outcome::{RunKind, RunStatus};
use lockstep_store::{Ending, Publication, Renewal};

use crate::world::{T0, W, World, actor, ending};

/// The oldest age at which a heartbeat is in time.
const IN_TIME: i64 = W / 3 + 10_000;

crate::laws! {
    every_event_of_a_lease_is_told_newest_first_with_its_fence,
    a_renewal_is_told_as_late_exactly_when_the_lease_was_late,
    a_page_of_the_history_goes_on_where_the_last_one_ended,
    the_start_of_the_holders_process_is_read_with_its_lease,
}

async fn newest(w: &World) -> Vec<LeaseEntry> {
    w.store.lease_history(None, None, 50).await.unwrap()
}

async fn every_event_of_a_lease_is_told_newest_first_with_its_fence(w: &mut World) {
    let course = w.course().await;
    let line = w.store.lease_line().await.unwrap();
    let ada = w.claim(course.project, "ada").await;
    w.store.ask_cancel(course.project, ada.fence(), &actor(), "wrong file").await.unwrap();
    w.at(T0 + IN_TIME + 1).await;
    assert!(matches!(line.renew(&ada, None).await.unwrap(), Renewal::Held { .. }));
    w.at(T0 + IN_TIME + 1 + W + 1).await;
    w.store.reclaim(course.project, ada.fence(), &actor()).await.unwrap();
    w.store.audit_loss(&ada, "replaced").await.unwrap();
    let bob = w.claim(course.project, "bob").await;
    let quit = Ending { error: Some((Code::Quit, "Closed.".into())), ..ending(RunStatus::Interrupted) };
    assert!(line.release(&bob, &quit).await.unwrap());
    let eve = w.claim(course.project, "eve").await;
    w.store.finish(&eve, &ending(RunStatus::Succeeded), None).await.unwrap();
    let told = newest(w).await;
    let short: Vec<_> = told.iter().map(|e| (e.event, e.fence.0, e.person.as_str())).collect();
    assert_eq!(
        short,
        [
            (LeaseEvent::Finished, 3, "eve"),
            (LeaseEvent::Claimed, 3, "eve"),
            (LeaseEvent::Released, 2, "bob"),
            (LeaseEvent::Claimed, 2, "bob"),
            (LeaseEvent::Lost, 1, "ada"),
            (LeaseEvent::Reclaimed, 1, "Ada"),
            (LeaseEvent::RenewedLate, 1, "ada"),
            (LeaseEvent::CancelAsked, 1, "Ada"),
            (LeaseEvent::Claimed, 1, "ada"),
        ]
    );
    assert!(told.iter().all(|entry| entry.project == course.project && entry.run.is_some()), "{told:?}");
    let who = Some(("ada".to_owned(), "desk".to_owned()));
    let [finished, claimed, released, _, lost, reclaimed, late, cancel, _] = &told[..] else { panic!() };
    assert_eq!((finished.status, claimed.kind), (Some(RunStatus::Succeeded), Some(RunKind::Sync)));
    assert_eq!((released.status, released.code), (Some(RunStatus::Interrupted), Some(Code::Quit)));
    assert_eq!((lost.text.as_str(), lost.run), ("replaced", Some(ada.run())));
    assert_eq!((&reclaimed.other, reclaimed.beat_ms, reclaimed.proven_dead), (&who, Some(W + 1), false));
    assert_eq!((late.beat_ms, late.at), (Some(IN_TIME + 1), Millis(T0 + IN_TIME + 1)));
    assert_eq!((&cancel.other, cancel.text.as_str()), (&who, "wrong file"));
    assert_eq!((claimed.machine.as_str(), &claimed.other), ("eve@desk", &None));
    line.close().await;
}

async fn a_renewal_is_told_as_late_exactly_when_the_lease_was_late(w: &mut World) {
    let course = w.course().await;
    let line = w.store.lease_line().await.unwrap();
    let guard = w.claim(course.project, "ada").await;
    let late =
        async |w: &World| newest(w).await.iter().filter(|e| e.event == LeaseEvent::RenewedLate).count();
    let mut now = T0;
    for (gap, expected) in [(IN_TIME, 0), (IN_TIME + 1, 1), (-W, 1), (W, 2)] {
        now += gap;
        w.at(now).await;
        assert!(matches!(line.renew(&guard, None).await.unwrap(), Renewal::Held { .. }), "{gap}");
        assert_eq!(late(w).await, expected, "{gap}");
    }
    // A publication renews as well.
    w.at(now + W).await;
    w.store.publish(&guard, &Publication::default()).await.unwrap();
    assert_eq!(late(w).await, 3);
    // What is refused is not told as a renewal.
    w.at(now + 2 * W + 1).await;
    assert_eq!(line.renew(&guard, None).await.unwrap(), Renewal::Lost);
    assert_eq!(late(w).await, 3);
    line.close().await;
}

async fn a_page_of_the_history_goes_on_where_the_last_one_ended(w: &mut World) {
    let course = w.course().await;
    let other = w.project(course.source, "Compilers").await;
    let line = w.store.lease_line().await.unwrap();
    for project in [course.project, other, course.project] {
        let guard = w.claim(project, "ada").await;
        line.release(&guard, &ending(RunStatus::Cancelled)).await.unwrap();
    }
    let all = newest(w).await;
    assert_eq!(all.len(), 6);
    let mut paged: Vec<LeaseEntry> = Vec::new();
    while paged.len() < 6 {
        let before = paged.last().map(|entry| entry.seq);
        let page = w.store.lease_history(None, before, 4).await.unwrap();
        assert!(!page.is_empty() && page.len() <= 4);
        paged.extend(page);
    }
    assert_eq!(paged, all);
    assert!(w.store.lease_history(None, Some(all[5].seq), 4).await.unwrap().is_empty());
    let of_one = w.store.lease_history(Some(other), None, 50).await.unwrap();
    assert_eq!(of_one.len(), 2);
    assert!(of_one.iter().all(|entry| entry.project == other));
    line.close().await;
}

async fn the_start_of_the_holders_process_is_read_with_its_lease(w: &mut World) {
    let course = w.course().await;
    let request = w.request(course.project, "ada");
    w.store.claim(&request).await.unwrap();
    let held = w.lease(course.project).await.holder.unwrap();
    assert_eq!(held.started_at, Some(1_700_000_000_000));
    // A run that an older program was born with says nothing.
    let old = "UPDATE runs SET holder = '{\"person\":\"ada\",\"os_user\":\"ada\",\"host\":\"desk\",\"pid\":100,\
               \"process_start\":1,\"app_version\":\"0.9\",\"boot_id\":\"boot-1\"}'";
    w.raw(old).await.unwrap();
    assert_eq!(w.lease(course.project).await.holder.unwrap().started_at, None);
    assert_eq!(w.store.run(request.run).await.unwrap().unwrap().holder.started_at, None);
}
