//! Every operation of docs/LEASES.md section 4 in every owner state: what it answers, that a refused one changes no row
//! of any table, and that an allowed one writes nothing that is not its own.

use lockstep_domain::ids::{ConnectionId, ProjectId, RecipientId, SourceId};
use lockstep_domain::lease::{Fence, LeaseGuard, Progress};
use lockstep_domain::model::PullState;
use lockstep_domain::outcome::{Outcome, RunStatus};
use lockstep_store::{
    CancelResult, Claim, ItemRecord, LeaseLine, Publication, Reclaim, Renewal, Result, StoreError, Verdict,
};

use crate::publishing::{done, pull};
use crate::world::{Kind, T0, W, World, actor, branch, ending, oid, recipient, repo};

crate::laws! {
    a_claim_in_every_state,
    a_renewal_in_every_state,
    a_fence_check_in_every_state,
    progress_in_every_state,
    a_recorded_distribution_in_every_state,
    recorded_items_in_every_state,
    pushed_items_in_every_state,
    an_announced_item_in_every_state,
    done_items_in_every_state,
    verdicts_in_every_state,
    a_cancel_in_every_state,
    a_publication_in_every_state,
    a_finish_in_every_state,
    a_release_in_every_state,
    a_reclaim_in_every_state,
}

/// The state of a lease as its first owner (`own`) meets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Given back by its owner.
    Free,
    OwnLive,
    /// Older than W/3 + 10 s, not expired.
    OwnLate,
    OwnExpired,
    /// Further ahead than the window.
    OwnSkewed,
    /// Replaced, the successor at work.
    OthersLive,
    /// Replaced, the successor expired too.
    OthersExpired,
    /// Replaced, the successor finished.
    OthersDone,
    /// Held and live, in an archived project.
    Archived,
    /// Held and live, the project soft-deleted.
    Deleted,
    /// Held and live, the source retired.
    Retired,
    /// Held and live, the source's row deleted by hand.
    SourceGone,
    /// Project and lease row deleted by hand.
    Gone,
    /// A project that never was.
    Unknown,
}

use State::{
    Archived, Deleted, Free, Gone, OthersDone, OthersExpired, OthersLive, OwnExpired, OwnLate, OwnLive,
    OwnSkewed, Retired, SourceGone, Unknown,
};

const STATES: [State; 14] = [
    Free,
    OwnLive,
    OwnLate,
    OwnExpired,
    OwnSkewed,
    OthersLive,
    OthersExpired,
    OthersDone,
    Archived,
    Deleted,
    Retired,
    SourceGone,
    Unknown,
    Gone,
];

impl State {
    /// Token and fence are in the row.
    fn owned(self) -> bool {
        matches!(self, OwnLive | OwnLate | OwnExpired | OwnSkewed | Archived | Deleted | Retired | SourceGone)
    }

    /// ... and the heartbeat counts, and neither project nor source is deleted.
    fn owned_live(self) -> bool {
        matches!(self, OwnLive | OwnLate | Archived)
    }
}

/// A lease in a state.
struct Scene {
    state: State,
    project: ProjectId,
    guard: LeaseGuard,
    recipient: RecipientId,
}

/// A guard of a project that never was: nothing of the store can make one.
#[expect(clippy::disallowed_methods, reason = "a forged guard is what the law is about")]
fn forged(w: &World) -> LeaseGuard {
    let request = w.request(ProjectId(w.host.ids.uuid()), "ada");
    LeaseGuard::mint(request.project, request.run, Fence(1), request.token, request.window, request.sent)
}

async fn scene(w: &World, connection: ConnectionId, line: &dyn LeaseLine, state: State) -> Scene {
    w.at(T0).await;
    let n = STATES.iter().position(|known| *known == state).unwrap() as i64;
    let slug = format!("course/source-{n}");
    let source = w.store.source_insert(&repo(connection, 100 + n, &slug), &actor()).await.unwrap().id;
    let project = w.project(source, &format!("{state:?}")).await;
    w.store.recipients_import(project, &[recipient(connection, n)], &actor()).await.unwrap();
    let recipient = w.store.recipients(project).await.unwrap()[0].id;
    if state == Unknown {
        let guard = forged(w);
        return Scene { state, project: guard.project(), guard, recipient };
    }
    let guard = w.claim(project, "ada").await;
    // So that every step has an item to move.
    let record = ItemRecord { recipient, branch: branch("main"), expected_old: None, new: oid('a') };
    w.store.items_record(&guard, &[record]).await.unwrap();
    reach(w, line, state, &guard, source).await;
    Scene { state, project, guard, recipient }
}

async fn reach(w: &World, line: &dyn LeaseLine, state: State, guard: &LeaseGuard, source: SourceId) {
    let project = guard.project();
    match state {
        OwnLive | Unknown => {}
        Free => assert!(line.release(guard, &ending(RunStatus::Failed)).await.unwrap()),
        OwnLate => w.at(T0 + W / 3 + 10_001).await,
        OwnExpired => w.at(T0 + W + 1).await,
        OwnSkewed => w.at(T0 - W - 1).await,
        OthersLive | OthersExpired | OthersDone => {
            w.at(T0 + W + 1).await;
            let next = w.claim(project, "bob").await;
            match state {
                OthersExpired => w.at(T0 + 2 * W + 2).await,
                OthersDone => w.store.finish(&next, &ending(RunStatus::Succeeded), None).await.unwrap(),
                _ => {}
            }
        }
        Archived => mark(w, "projects", "state = 'archived'", project.0).await,
        Deleted => mark(w, "projects", "deleted_at = created_at", project.0).await,
        Retired => mark(w, "sources", "deleted_at = created_at", source.0).await,
        SourceGone => by_hand(w, &[format!("sources WHERE id = {}", w.id(source.0))]).await,
        Gone => {
            let id = w.id(project.0);
            by_hand(w, &[format!("leases WHERE project_id = {id}"), format!("projects WHERE id = {id}")])
                .await;
        }
    }
}

/// What the store refuses to write while the lease is live.
pub(crate) async fn mark(w: &World, table: &str, set: &str, id: uuid::Uuid) {
    w.raw(&format!("UPDATE {table} SET {set} WHERE id = {}", w.id(id))).await.unwrap();
}

/// A row taken away past all guards, as somebody with a database shell can.
pub(crate) async fn by_hand(w: &World, rows: &[String]) {
    let deletes: String = rows.iter().map(|row| format!("DELETE FROM {row}; ")).collect();
    let (before, after) = match w.kind {
        Kind::Sqlite => {
            ("PRAGMA foreign_keys = OFF; DROP TRIGGER IF EXISTS leases_stay;", "PRAGMA foreign_keys = ON")
        }
        Kind::Postgres => {
            ("SET session_replication_role = replica;", "SET session_replication_role = DEFAULT")
        }
    };
    w.raw(&format!("{before} {deletes} {after}")).await.unwrap();
}

/// What an operation answered, in one word.
fn word(result: Result<()>) -> &'static str {
    match result {
        Ok(()) => "done",
        Err(StoreError::LeaseLost) => "lost",
        Err(other) => panic!("{other:?}"),
    }
}

fn held(renewal: &Renewal) -> &'static str {
    if *renewal == Renewal::Lost { "lost" } else { "held" }
}

fn yes(done: bool) -> &'static str {
    if done { "done" } else { "lost" }
}

/// Runs one operation in every state. `allowed` are the tables that it may write when it says anything but its refusal.
async fn every_state<E, A>(w: &World, expected: E, allowed: &[&str], act: A)
where
    E: Fn(State) -> &'static str,
    A: AsyncFn(&World, &dyn LeaseLine, &Scene) -> &'static str,
{
    const WRITES: &[&str] = &["done", "claimed", "asked", "reclaimed"];
    let course = w.course().await;
    let line = w.store.lease_line().await.unwrap();
    for state in STATES {
        let scene = scene(w, course.connection, line.as_ref(), state).await;
        let before = w.everything().await;
        let expected = expected(state);
        let answer = act(w, line.as_ref(), &scene).await;
        let after = w.everything().await;
        let touched = changed(&before, &after);
        if WRITES.contains(&expected) || (expected == "held" && !allowed.is_empty()) {
            assert!(!touched.is_empty(), "{state:?}: nothing was written");
            assert!(touched.iter().all(|table| allowed.contains(table)), "{state:?}: wrote {touched:?}");
        } else {
            assert_eq!(after, before, "{state:?}: a refused operation wrote {touched:?}");
        }
        assert_eq!(answer, expected, "{state:?}");
    }
    line.close().await;
}

fn changed<'a>(before: &'a [String], after: &'a [String]) -> Vec<&'a str> {
    let mut tables: Vec<_> = before
        .iter()
        .filter(|row| !after.contains(row))
        .chain(after.iter().filter(|row| !before.contains(row)))
        .filter_map(|row| row.split(' ').next())
        .collect();
    tables.sort_unstable();
    tables.dedup();
    tables
}

fn owned(state: State) -> &'static str {
    yes(state.owned())
}

fn owned_live(state: State) -> &'static str {
    yes(state.owned_live())
}

async fn a_claim_in_every_state(w: &mut World) {
    let expected = |state| match state {
        Free | OwnExpired | OwnSkewed | OthersExpired | OthersDone => "claimed",
        OwnLive | OwnLate | OthersLive | Archived => "in_progress",
        Deleted | Gone | Unknown => "project_missing",
        Retired | SourceGone => "source_missing",
    };
    every_state(w, expected, &["leases", "runs", "audit", "feed"], async |w, _line, scene| {
        match w.store.claim(&w.request(scene.project, "eve")).await.unwrap() {
            Claim::Claimed { guard, .. } => {
                let last = if matches!(scene.state, OthersExpired | OthersDone) { 3 } else { 2 };
                assert_eq!(guard.fence().0, last, "{:?}", scene.state);
                "claimed"
            }
            Claim::InProgress(_) => "in_progress",
            Claim::ProjectMissing => "project_missing",
            Claim::SourceMissing => "source_missing",
        }
    })
    .await;
}

async fn a_renewal_in_every_state(w: &mut World) {
    let expected = |state: State| if state.owned_live() { "held" } else { "lost" };
    every_state(w, expected, &["leases", "audit", "feed"], async |w, line, scene| {
        // A heartbeat that moves, so that it shows.
        let now = w.store.info().await.unwrap().now;
        w.at(now.0 + i64::from(scene.state.owned_live())).await;
        held(&line.renew(&scene.guard, None).await.unwrap())
    })
    .await;
}

async fn a_fence_check_in_every_state(w: &mut World) {
    // Token, fence and heartbeat only: it authorises nothing by itself.
    let expected = |state| match state {
        Deleted | Retired | SourceGone => "held",
        state => {
            if state.owned_live() {
                "held"
            } else {
                "lost"
            }
        }
    };
    every_state(w, expected, &[], async |_w, line, scene| {
        held(&line.fence_check(&scene.guard).await.unwrap())
    })
    .await;
}

async fn progress_in_every_state(w: &mut World) {
    every_state(w, owned, &["leases"], async |_w, line, scene| {
        let progress = Progress { done: 1, ..Progress::default() };
        yes(line.progress(&scene.guard, &progress).await.unwrap())
    })
    .await;
}

async fn a_recorded_distribution_in_every_state(w: &mut World) {
    every_state(w, owned, &["own_commits"], async |w, _line, scene| {
        word(w.store.record_distribution(&scene.guard, &[(branch("main"), oid('d'))]).await)
    })
    .await;
}

async fn recorded_items_in_every_state(w: &mut World) {
    every_state(w, owned, &["items", "own_commits"], async |w, _line, scene| {
        let recipient = scene.recipient;
        let record = ItemRecord { recipient, branch: branch("main"), expected_old: None, new: oid('b') };
        word(w.store.items_record(&scene.guard, &[record]).await)
    })
    .await;
}

async fn pushed_items_in_every_state(w: &mut World) {
    every_state(w, owned, &["items"], async |w, _line, scene| {
        word(w.store.items_pushed(&scene.guard, &[(scene.recipient, branch("main"))]).await)
    })
    .await;
}

async fn an_announced_item_in_every_state(w: &mut World) {
    every_state(w, owned, &["items", "pull_requests", "feed"], async |w, _line, scene| {
        word(w.store.item_announced(&scene.guard, &pull(scene.recipient, 7, PullState::Open, T0)).await)
    })
    .await;
}

async fn done_items_in_every_state(w: &mut World) {
    let tables = ["items", "last_outcomes", "pull_requests", "recipients", "feed"];
    every_state(w, owned, &tables, async |w, _line, scene| {
        word(w.store.items_done(&scene.guard, &[done(scene.recipient, Outcome::Opened)]).await)
    })
    .await;
}

async fn verdicts_in_every_state(w: &mut World) {
    every_state(w, owned, &["verdicts"], async |w, _line, scene| {
        let recipient = scene.recipient;
        let verdict = Verdict { recipient, branch: branch("main"), key: "k".into(), value: "{}".into() };
        word(w.store.verdicts_put(&scene.guard, &[verdict]).await)
    })
    .await;
}

async fn a_cancel_in_every_state(w: &mut World) {
    let expected = |state: State| if state.owned() { "asked" } else { "not_running" };
    every_state(w, expected, &["leases", "audit", "feed"], async |w, _line, scene| {
        match w.store.ask_cancel(scene.project, scene.guard.fence(), &actor(), "stop").await.unwrap() {
            CancelResult::Asked => "asked",
            CancelResult::AlreadyAsked(_) => "already_asked",
            CancelResult::NotRunning => "not_running",
        }
    })
    .await;
}

async fn a_publication_in_every_state(w: &mut World) {
    let tables = ["leases", "publications", "audit", "feed"];
    every_state(w, owned_live, &tables, async |w, _line, scene| {
        word(w.store.publish(&scene.guard, &Publication::default()).await)
    })
    .await;
}

async fn a_finish_in_every_state(w: &mut World) {
    let tables = ["leases", "runs", "publications", "audit", "feed"];
    every_state(w, owned_live, &tables, async |w, _line, scene| {
        word(w.store.finish(&scene.guard, &ending(RunStatus::Succeeded), None).await)
    })
    .await;
}

async fn a_release_in_every_state(w: &mut World) {
    every_state(w, owned, &["leases", "runs", "audit", "feed"], async |_w, line, scene| {
        yes(line.release(&scene.guard, &ending(RunStatus::Failed)).await.unwrap())
    })
    .await;
}

async fn a_reclaim_in_every_state(w: &mut World) {
    let expected = |state: State| match state {
        OwnExpired | OwnSkewed => "reclaimed",
        state if state.owned() => "refused",
        _ => "already_finished",
    };
    every_state(w, expected, &["leases", "runs", "audit", "feed"], async |w, _line, scene| {
        match w.store.reclaim(scene.project, scene.guard.fence(), &actor()).await.unwrap() {
            Reclaim::Reclaimed => "reclaimed",
            Reclaim::Refused(_) => "refused",
            Reclaim::AlreadyFinished => "already_finished",
        }
    })
    .await;
}
