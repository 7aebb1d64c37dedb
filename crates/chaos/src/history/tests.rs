//! Bad histories, made by hand: each must be found, and the good one must pass.

use serde_json::json;

use super::{Audited, BranchState, Commented, ForgeWrite, History, Pull, RefMoved, complaints};
use crate::event::{Event, What};

const MS: i64 = 1_000_000;
const W: i64 = 2_000;

/// An event of process `pid` at `ms`.
fn at(pid: u32, ms: i64, what: What) -> Event {
    Event { pid, seq: u64::try_from(ms).unwrap(), at_ns: ms * MS, wall_ms: ms, what }
}

fn claimed(fence: i64, replaced: Option<i64>, begun_ms: i64) -> What {
    What::Claimed { fence, replaced, proven: false, window_ms: W, begun_ns: begun_ms * MS }
}

fn renewed(fence: i64, begun_ms: i64) -> What {
    What::Renewed { fence, held: Some(true), begun_ns: begun_ms * MS }
}

fn began(write: u64, kind: &str, fence: i64) -> What {
    What::WriteBegan { write, kind: kind.to_owned(), repo: "org/a".to_owned(), fence, lost: false }
}

fn lost(fence: i64) -> What {
    What::Told { fence, reason: "lost".to_owned() }
}

fn audited(event: &str, fence: i64) -> Audited {
    let branches = json!([{ "branch": "main", "dist_head": "d2", "update_number": 2 }]);
    let detail = json!({ "fence": fence, "branches": branches });
    Audited { event: event.to_owned(), fence: Some(fence), at_ms: 0, detail }
}

fn push(at_ms: i64, name: &str, old: Option<&str>, new: &str) -> ForgeWrite {
    let moved = RefMoved { name: name.to_owned(), old: old.map(str::to_owned), new: Some(new.to_owned()) };
    ForgeWrite { number: 0, at_ms, kind: "push".to_owned(), repo: "org/a".to_owned(), moved: vec![moved] }
}

/// Process 10 claims, pushes, is killed; 11 takes over after the window, publishes and ends.
fn good() -> History {
    History {
        window_ms: W,
        events: vec![
            at(10, 2, claimed(1, None, 1)),
            at(10, 602, renewed(1, 600)),
            at(10, 700, began(0, "push", 1)),
            at(10, 720, What::Killed),
            at(11, 900, What::Refused { fence: 1, held: true, begun_ns: 899 * MS }),
            at(11, 2_700, claimed(2, Some(1), 2_690)),
            at(11, 2_720, What::Published { fence: 2, stands: true, begun_ns: 2_710 * MS }),
            at(11, 2_730, began(0, "push", 2)),
            at(11, 2_750, What::WriteEnded { write: 0, sent: true }),
            at(11, 2_760, What::GaveBack { fence: 2, done: true }),
            at(11, 2_770, What::Exited { code: 0 }),
        ],
        audit: vec![
            audited("lease.claimed", 1),
            audited("lease.claimed", 2),
            audited("run.published", 2),
            audited("run.finished", 2),
        ],
        forge: vec![push(710, "refs/heads/sync/main", Some("d1"), "d2")],
        pulls: vec![Pull {
            repo: "org/a".to_owned(),
            number: 1,
            state: "open".to_owned(),
            head_ref: "sync/main".to_owned(),
            base_ref: "main".to_owned(),
            head: "d2".to_owned(),
        }],
        comments: vec![Commented { repo: "org/a".to_owned(), number: 1, head: "d2".to_owned() }],
        branches: vec![BranchState {
            branch: "main".to_owned(),
            dist_head: Some("d2".to_owned()),
            update_number: 2,
            at_forge: Some("d2".to_owned()),
        }],
        recipients: vec!["org/a".to_owned()],
        outcomes: 1,
        ..History::default()
    }
}

/// The laws that the good history breaks once it was changed.
fn broken(change: impl FnOnce(&mut History)) -> Vec<&'static str> {
    let mut history = good();
    change(&mut history);
    history.events.sort_by_key(|event| event.at_ns);
    let mut laws: Vec<_> = complaints(&history).into_iter().map(|complaint| complaint.law).collect();
    laws.dedup();
    laws
}

#[test]
fn a_lawful_history_has_no_complaint() {
    assert_eq!(complaints(&good()), Vec::new());
}

#[test]
fn a_stale_publication_is_found() {
    assert_eq!(broken(|h| h.audit.push(audited("run.published", 1))), ["I1"]);
    assert_eq!(broken(|h| h.audit.swap(1, 2)), ["I1"]);
}

#[test]
fn a_statement_of_a_replaced_owner_that_succeeds_is_found() {
    assert!(broken(|h| h.events.push(at(10, 2_800, renewed(1, 2_790)))).contains(&"I2"));
    assert_eq!(broken(|h| h.audit.insert(2, audited("lease.released", 1)))[0], "I2");
}

#[test]
fn a_renewal_after_the_expiry_is_found() {
    assert!(broken(|h| h.events.push(at(11, 9_000, renewed(2, 8_990)))).contains(&"I3"));
}

#[test]
fn a_live_lease_that_was_taken_is_found() {
    assert!(broken(|h| h.events.push(at(10, 1_502, renewed(1, 1_500)))).contains(&"I4"));
    let proven = |h: &mut History| {
        h.events.retain(|event| event.what != What::Killed);
        h.events[4].what =
            What::Claimed { fence: 2, replaced: Some(1), proven: true, window_ms: W, begun_ns: 2_690 * MS };
    };
    assert_eq!(broken(proven), ["I4"]);
}

#[test]
fn fences_that_do_not_grow_and_a_second_publication_are_found() {
    assert_eq!(broken(|h| h.audit.swap(0, 1))[0], "I5");
    assert_eq!(broken(|h| h.audit.insert(3, audited("run.published", 2))), ["I5"]);
    assert!(broken(|h| h.events.push(at(12, 3_000, claimed(1, None, 2_990)))).contains(&"I5"));
}

#[test]
fn published_data_of_two_runs_is_found() {
    assert_eq!(broken(|h| h.branches[0].update_number = 1), ["I6"]);
}

#[test]
fn a_loser_that_writes_on_is_found() {
    let late = |h: &mut History| {
        h.events.push(at(10, 705, lost(1)));
        h.events.push(at(10, 706, began(1, "open", 1)));
    };
    assert_eq!(broken(late), ["I7"]);
    let held_back = |h: &mut History| {
        late(h);
        h.events.push(at(10, 707, What::WriteEnded { write: 1, sent: false }));
    };
    assert_eq!(broken(held_back), Vec::<&str>::new());
    let foreign = ForgeWrite { repo: "org/b".to_owned(), ..push(5_000, "refs/heads/x", None, "z") };
    assert_eq!(broken(|h| h.forge.push(foreign)), ["I7"]);
}

#[test]
fn a_loss_that_is_told_twice_or_not_audited_is_found() {
    assert_eq!(broken(|h| h.events.extend([at(10, 701, lost(1)), at(10, 702, lost(1))])), ["I7"]);
    assert_eq!(broken(|h| h.events.push(at(13, 3_000, What::Exited { code: 8 }))), ["I7"]);
    assert_eq!(broken(|h| h.audit.extend([audited("lease.lost", 1), audited("lease.lost", 1)])), ["I7"]);
    assert_eq!(broken(|h| h.audit.push(audited("lease.lost", 2))), ["I7"]);
}

#[test]
fn a_dead_lease_that_stays_in_the_way_is_found() {
    let refused = What::Refused { fence: 1, held: true, begun_ns: 2_990 * MS };
    assert_eq!(broken(|h| h.events.insert(5, at(12, 3_000, refused))), ["I8"]);
}

#[test]
fn a_cancel_that_hits_another_fence_is_found() {
    let told = || at(11, 2_740, What::Told { fence: 2, reason: "cancelled".to_owned() });
    let asked = |fence| at(12, 2_735, What::AskedCancel { fence, stamped: true });
    assert_eq!(broken(|h| h.events.extend([asked(1), told()])), ["I9"]);
    assert_eq!(broken(|h| h.events.extend([asked(2), told()])), Vec::<&str>::new());
}

#[test]
fn refs_that_move_back_or_from_elsewhere_are_found() {
    let sync = "refs/heads/sync/main";
    assert_eq!(broken(|h| h.forge.push(push(2_740, sync, Some("d1"), "d3"))), ["refs"]);
    let back = |h: &mut History| {
        h.forge.push(push(2_740, sync, Some("d2"), "d3"));
        h.forge.push(push(2_741, sync, Some("d3"), "d2"));
    };
    assert_eq!(broken(back), ["refs"]);
    let older = |h: &mut History| {
        h.forge.insert(0, push(705, "refs/heads/main", Some("d0"), "d1"));
        h.forge.insert(1, push(706, "refs/heads/main", Some("d1"), "d2"));
        h.forge.push(push(2_740, sync, Some("d2"), "d1"));
    };
    assert_eq!(broken(older), ["refs"]);
}

#[test]
fn a_second_pull_request_and_a_second_comment_are_found() {
    assert_eq!(broken(|h| h.pulls.push(h.pulls[0].clone())), ["pulls"]);
    assert_eq!(broken(|h| h.pulls.clear()), ["pulls"]);
    assert_eq!(broken(|h| h.comments.push(h.comments[0].clone())), ["comments"]);
}

#[test]
fn a_world_that_is_not_at_rest_is_found() {
    assert_eq!(broken(|h| h.lease_held = true), ["rest"]);
    assert_eq!(broken(|h| h.failed = 1), ["rest"]);
    assert_eq!(broken(|h| h.open_items = 1), ["rest"]);
    assert_eq!(broken(|h| h.outcomes = 0), ["rest"]);
    assert_eq!(broken(|h| h.branches[0].at_forge = Some("d3".to_owned())), ["pulls", "rest"]);
}
