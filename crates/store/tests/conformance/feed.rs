//! The feed and the audit: facts in order, no cursor passed over (house law 4 and 8).

use std::collections::HashSet;

use lockstep_domain::clock::Millis;
use lockstep_domain::outcome::{Outcome, RunStatus};
use lockstep_store::CancelResult;

use crate::publishing::done;
use crate::world::{T0, World, actor, ending};

crate::laws! {
    every_edge_of_a_lease_and_a_run_is_fed,
    a_cursor_never_passes_a_row_that_commits_later,
    a_refused_change_feeds_nothing,
    a_change_wakes_a_waiting_reader,
    a_change_of_another_process_wakes_a_waiting_reader,
    a_wait_ends_without_news,
    the_audit_tells_who_did_what_newest_first,
    the_audit_refuses_to_change,
}

async fn topics(w: &World, cursor: i64) -> Vec<String> {
    w.store.feed_after(cursor, 100).await.unwrap().into_iter().map(|row| row.topic).collect()
}

async fn every_edge_of_a_lease_and_a_run_is_fed(w: &mut World) {
    let course = w.course().await;
    let id = w.recipients(&course, 1).await[0];
    let line = w.store.lease_line().await.unwrap();
    let mut cursor = w.store.feed_head().await.unwrap();
    let mut new = async || {
        let seen = topics(w, cursor).await;
        cursor = w.store.feed_head().await.unwrap();
        seen
    };
    let guard = w.claim(course.project, "ada").await;
    assert_eq!(new().await, ["run", "lease"]);
    line.renew(&guard, None).await.unwrap();
    assert!(new().await.is_empty(), "heartbeats are no news");
    w.store.items_done(&guard, &[done(id, Outcome::Opened)]).await.unwrap();
    assert_eq!(new().await, ["item"]);
    assert_eq!(
        w.store.ask_cancel(course.project, guard.fence(), &actor(), "").await.unwrap(),
        CancelResult::Asked
    );
    assert_eq!(new().await, ["lease"]);
    w.store.finish(&guard, &ending(RunStatus::Cancelled), None).await.unwrap();
    assert_eq!(new().await, ["run", "lease"]);
    let guard = w.claim(course.project, "ada").await;
    new().await;
    assert!(line.release(&guard, &ending(RunStatus::Failed)).await.unwrap());
    assert_eq!(new().await, ["run", "lease"]);
    let guard = w.claim(course.project, "ada").await;
    new().await;
    w.at(T0 + 1_000_000).await;
    w.store.reclaim(course.project, guard.fence(), &actor()).await.unwrap();
    assert_eq!(new().await, ["run", "lease"]);
    line.close().await;
}

async fn a_cursor_never_passes_a_row_that_commits_later(w: &mut World) {
    let course = w.course().await;
    let other = w.another().await;
    let start = w.store.feed_head().await.unwrap();
    let notes = |store: std::sync::Arc<dyn lockstep_store::Store>, name: &'static str| {
        let project = course.project;
        async move {
            for n in 0..25 {
                let note = format!("{name} {n}");
                store.project_edit(project, None, Some(&note), &actor()).await.unwrap();
            }
        }
    };
    let follow = async {
        let (mut cursor, mut seen) = (start, Vec::new());
        while seen.len() < 50 {
            w.store.feed_wait(cursor, 30_000).await.unwrap();
            for row in w.store.feed_after(cursor, 7).await.unwrap() {
                assert!(row.seq > cursor);
                cursor = row.seq;
                seen.push(row.seq);
            }
        }
        seen
    };
    let ((), (), seen) = tokio::join!(notes(w.store.clone(), "one"), notes(other.clone(), "two"), follow);
    assert_eq!(seen.iter().collect::<HashSet<_>>().len(), 50, "each row once");
    assert_eq!(w.store.feed_after(start, 100).await.unwrap().len(), 50, "and none was passed over");
    other.close().await;
}

async fn a_refused_change_feeds_nothing(w: &mut World) {
    let course = w.course().await;
    w.claim(course.project, "ada").await;
    let head = w.store.feed_head().await.unwrap();
    w.store.project_delete(course.project, &actor()).await.unwrap_err();
    w.store.claim(&w.request(course.project, "bob")).await.unwrap();
    assert_eq!(w.store.feed_head().await.unwrap(), head);
}

async fn a_change_wakes_a_waiting_reader(w: &mut World) {
    let course = w.course().await;
    let head = w.store.feed_head().await.unwrap();
    let me = actor();
    let (waited, edited) = tokio::join!(
        w.store.feed_wait(head, 600_000),
        w.store.project_edit(course.project, None, Some("x"), &me)
    );
    waited.unwrap();
    edited.unwrap();
    let row = w.store.feed_after(head, 9).await.unwrap().remove(0);
    assert_eq!((row.topic.as_str(), row.project, row.at), ("project", Some(course.project), Millis(T0)));
    assert_eq!(row.key, course.project.to_string());
    w.store.feed_wait(head, 600_000).await.unwrap();
}

async fn a_change_of_another_process_wakes_a_waiting_reader(w: &mut World) {
    let course = w.course().await;
    let other = w.another().await;
    let head = w.store.feed_head().await.unwrap();
    let request = w.request(course.project, "bob");
    let (waited, claimed) = tokio::join!(w.store.feed_wait(head, 600_000), other.claim(&request));
    waited.unwrap();
    claimed.unwrap();
    assert!(w.store.feed_head().await.unwrap() > head);
    other.close().await;
}

async fn a_wait_ends_without_news(w: &mut World) {
    let head = w.store.feed_head().await.unwrap();
    w.store.feed_wait(head, 1).await.unwrap();
    assert_eq!(w.store.feed_head().await.unwrap(), head);
}

async fn the_audit_tells_who_did_what_newest_first(w: &mut World) {
    let course = w.course().await;
    let guard = w.claim(course.project, "ada").await;
    w.store.finish(&guard, &ending(RunStatus::Succeeded), None).await.unwrap();
    let rows = w.store.audit(Some(course.project), 10).await.unwrap();
    let events: Vec<_> = rows.iter().map(|row| row.event.as_str()).collect();
    assert_eq!(events, ["run.finished", "lease.claimed", "project.created"]);
    assert!(rows.windows(2).all(|pair| pair[0].seq > pair[1].seq));
    assert_eq!(
        (rows[1].actor.as_str(), rows[1].machine.as_str(), rows[1].at),
        ("ada", "ada@desk", Millis(T0))
    );
    let all = w.store.audit(None, 2).await.unwrap();
    assert_eq!(all.len(), 2);
    for row in w.dump(&["audit", "feed", "runs"]).await {
        let token = guard.token().expose().iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        assert!(!row.to_lowercase().contains(&token), "the token appears in no export: {row}");
    }
}

async fn the_audit_refuses_to_change(w: &mut World) {
    w.course().await;
    let before = w.dump(&["audit"]).await;
    assert!(!before.is_empty());
    for sql in ["UPDATE audit SET detail = '{}'", "DELETE FROM audit WHERE seq > 0"] {
        assert!(w.raw(sql).await.is_err(), "{sql}");
    }
    if w.kind == crate::world::Kind::Postgres {
        assert!(w.raw("TRUNCATE audit").await.is_err());
        assert!(w.raw("TRUNCATE leases").await.is_err());
    }
    assert_eq!(w.dump(&["audit"]).await, before);
}
