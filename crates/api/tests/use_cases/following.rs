//! The feed that a window follows.

use std::time::Duration;

use lockstep_api::wire::{FeedBatch, Tag};
use lockstep_api::{feed, runs};
use lockstep_domain::lease::LeaseState;
use lockstep_domain::outcome::{Outcome, RunStatus};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::Instant;

use crate::desk::{Desk, everybody};

/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// Follows the feed; each batch comes with the moment it was sent.
fn follow(app: &lockstep_api::App) -> UnboundedReceiver<(Instant, FeedBatch)> {
    let (send, receive) = unbounded_channel();
    let app = app.clone();
    tokio::spawn(async move { feed::follow(&app, |batch| send.send((Instant::now(), batch)).is_ok()).await });
    receive
}

async fn next(feed: &mut UnboundedReceiver<(Instant, FeedBatch)>) -> (Instant, FeedBatch) {
    tokio::time::timeout(PATIENCE, feed.recv()).await.expect("a batch in time").unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn another_process_sees_a_press_from_its_claim_to_its_end() {
    let (desk, project) = Desk::ready(8, 60).await;
    let watcher = desk.another().await;
    let mut feed = follow(&watcher);
    let (_, first) = next(&mut feed).await;
    assert!(first.online && first.cursor.parse::<i64>().unwrap() > 0);
    assert_eq!(first.leases.len(), 1);
    let started = runs::start(&desk.app, everybody(&project)).await.unwrap();
    let mut batches = Vec::new();
    loop {
        let (at, batch) = next(&mut feed).await;
        let over = batch.runs.iter().any(|run| run.id == started.run && run.status == RunStatus::Succeeded);
        batches.push((at, batch));
        if over {
            break;
        }
    }
    let all = || batches.iter().map(|(_, batch)| batch);
    assert!(all().flat_map(|batch| &batch.leases).any(|card| card.state == LeaseState::Live));
    let delivered: std::collections::BTreeSet<_> = all()
        .flat_map(|batch| &batch.rows)
        .filter(|changed| changed.row.outcome == Some(Outcome::Opened) && changed.project == project)
        .map(|changed| changed.row.repo.clone())
        .collect();
    assert_eq!(delivered.len(), 8, "every row arrived ready to show");
    assert!(all().any(|batch| batch.stale.contains(&Tag::Runs { project: project.clone() })));
    let done: Vec<u32> =
        all().flat_map(|batch| &batch.runs).filter_map(|run| run.progress.as_ref()).map(|p| p.done).collect();
    assert!(done.is_sorted(), "counters never go backwards: {done:?}");
    let cursors: Vec<i64> = all().map(|batch| batch.cursor.parse().unwrap()).collect();
    assert!(cursors.is_sorted(), "{cursors:?}");
    for pair in batches.windows(2) {
        let gap = pair[1].0 - pair[0].0;
        assert!(gap >= Duration::from_millis(200), "at most four a second: {gap:?}");
    }
    let text = serde_json::to_string(&all().collect::<Vec<_>>()).unwrap();
    assert!(!text.contains(&desk.course.token), "no credential crosses");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_stops_answering_is_told_once_with_the_last_state() {
    let (desk, _project) = Desk::ready(1, 0).await;
    let watcher = desk.another().await;
    let mut feed = follow(&watcher);
    let (_, first) = next(&mut feed).await;
    assert!(first.online);
    watcher.shutdown().await;
    let mut told = 0;
    while told == 0 {
        let (_, batch) = next(&mut feed).await;
        if !batch.online {
            assert_eq!(batch.cursor, first.cursor);
            assert!(batch.now >= first.now && batch.leases.is_empty());
            told += 1;
        }
    }
    assert!(feed.try_recv().is_err(), "once");
}
