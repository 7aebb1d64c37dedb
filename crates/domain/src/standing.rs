//! Whether a lease can be taken, why, and when: docs/LEASES.md section 3 as data. Each host has its own words for it.

use crate::codes;
use crate::lease::{LeaseState, LeaseView};

codes! {
    /// Why a lease can or cannot be taken.
    pub enum LeaseReason {
        /// Nobody holds it: the next press gets it.
        Free = "free",
        /// The heartbeat is young.
        Beating = "beating",
        /// The heartbeat is late, and still counts.
        BeatLate = "beat_late",
        /// The heartbeat lies in the future, within the window: its clock or the database's was set.
        BeatAhead = "beat_ahead",
        /// Held, and no heartbeat was ever written.
        NeverBeat = "never_beat",
        /// The heartbeat is older than the window.
        TooOld = "too_old",
        /// The heartbeat lies further in the future than the window.
        TooFarAhead = "too_far_ahead",
        /// This machine was started anew since the claim.
        OtherBoot = "other_boot",
        /// The holder's process does not exist any more on this machine.
        ProcessGone = "process_gone",
        /// The database does not answer: nothing can be told or taken.
        Unreachable = "unreachable",
    }
}

/// How a lease stands; all times by the database's clock, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// The state for people.
    pub state: LeaseState,
    /// Why it can or cannot be taken.
    pub reason: LeaseReason,
    /// Until another may take it, if no heartbeat comes; 0: now; `None`: that cannot be told.
    pub left_ms: Option<i64>,
    /// Age of the last heartbeat; negative: it lies in the future.
    pub beat_ms: Option<i64>,
    /// How long it has been held.
    pub held_ms: Option<i64>,
    /// Age of the read that this tells of; 0 for a fresh one, `None` when there never was one.
    pub read_ms: Option<i64>,
}

impl Standing {
    /// Whether another may take it now.
    #[must_use]
    pub fn takeable(&self) -> bool {
        self.left_ms == Some(0)
    }
}

/// Of a lease that was just read on a machine whose boot is `boot_id` (empty where no dependable one exists).
#[must_use]
pub fn standing(view: &LeaseView, boot_id: &str) -> Standing {
    let state = view.state();
    let beat_ms = view.heartbeat_at.filter(|_| view.held).map(|beat| view.db_now.since(beat));
    let reason = match (state, beat_ms) {
        (LeaseState::Free, _) => LeaseReason::Free,
        (LeaseState::Unknown, _) => LeaseReason::Unreachable,
        (LeaseState::Live, _) => LeaseReason::Beating,
        (LeaseState::Late, _) => LeaseReason::BeatLate,
        (LeaseState::ClockAhead, _) => LeaseReason::BeatAhead,
        (LeaseState::Reclaimable, _) if view.proven_dead => death(view, boot_id),
        (LeaseState::Reclaimable, None) => LeaseReason::NeverBeat,
        (LeaseState::Reclaimable, Some(age)) if age < 0 => LeaseReason::TooFarAhead,
        (LeaseState::Reclaimable, Some(_)) => LeaseReason::TooOld,
    };
    Standing {
        state,
        reason,
        left_ms: Some(view.left_ms()),
        beat_ms,
        held_ms: view.claimed_at.filter(|_| view.held).map(|claimed| view.db_now.since(claimed).max(0)),
        read_ms: Some(0),
    }
}

/// Of a lease that cannot be read now; `last` is what was read `read_ms` ago.
#[must_use]
pub fn unreachable(last: Option<(&LeaseView, i64)>) -> Standing {
    let held = last.filter(|(view, _)| view.held);
    let since = |at| held.map(|(view, age)| view.db_now.plus(age).since(at));
    Standing {
        state: LeaseState::Unknown,
        reason: LeaseReason::Unreachable,
        left_ms: None,
        beat_ms: held.and_then(|(view, _)| view.heartbeat_at).and_then(since),
        held_ms: held.and_then(|(view, _)| view.claimed_at).and_then(since),
        read_ms: last.map(|(_, age)| age),
    }
}

fn death(view: &LeaseView, boot_id: &str) -> LeaseReason {
    let boot = view.holder.as_ref().map_or("", |holder| &holder.boot_id);
    if boot == boot_id { LeaseReason::ProcessGone } else { LeaseReason::OtherBoot }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Millis;
    use crate::lease::{Fence, Holder};

    const W: i64 = 180_000;
    const NOW: i64 = 1_000_000;

    fn view(heartbeat: Option<i64>) -> LeaseView {
        let holder = Holder {
            person: "Ada".to_owned(),
            os_user: "ada".to_owned(),
            host: "lab-desk-07".to_owned(),
            pid: 7,
            process_start: 1,
            started_at: None,
            app_version: "0.1.0".to_owned(),
            boot_id: "monday".to_owned(),
        };
        LeaseView {
            project: "0190c0de-0000-7000-8000-000000000001".parse().unwrap(),
            held: true,
            fence: Fence(7),
            run: None,
            window_ms: W,
            claimed_at: Some(Millis(NOW - 400_000)),
            heartbeat_at: heartbeat.map(Millis),
            holder: Some(holder),
            cancel: None,
            progress: None,
            last: None,
            db_now: Millis(NOW),
            proven_dead: false,
        }
    }

    #[test]
    fn every_heartbeat_has_one_state_one_reason_and_the_exact_time_left() {
        use LeaseReason as R;
        use LeaseState as S;
        for (heartbeat, state, reason, left) in [
            (None, S::Reclaimable, R::NeverBeat, 0),
            (Some(NOW - W - 1), S::Reclaimable, R::TooOld, 0),
            (Some(NOW - W), S::Late, R::BeatLate, 1),
            (Some(NOW - W / 3 - 10_001), S::Late, R::BeatLate, W * 2 / 3 - 10_000),
            (Some(NOW - W / 3 - 10_000), S::Live, R::Beating, W * 2 / 3 - 9_999),
            (Some(NOW), S::Live, R::Beating, W + 1),
            (Some(NOW + 1), S::ClockAhead, R::BeatAhead, W + 2),
            (Some(NOW + W), S::ClockAhead, R::BeatAhead, 2 * W + 1),
            (Some(NOW + W + 1), S::Reclaimable, R::TooFarAhead, 0),
        ] {
            let found = standing(&view(heartbeat), "monday");
            assert_eq!(
                (found.state, found.reason, found.left_ms),
                (state, reason, Some(left)),
                "{heartbeat:?}"
            );
            assert_eq!(found.takeable(), left == 0);
            assert_eq!(found.beat_ms, heartbeat.map(|beat| NOW - beat));
            assert_eq!((found.held_ms, found.read_ms), (Some(400_000), Some(0)));
        }
    }

    #[test]
    fn what_is_left_is_the_first_instant_at_which_another_may_take_it() {
        for heartbeat in [NOW - W, NOW - 1, NOW, NOW + W] {
            let before = view(Some(heartbeat));
            let left = standing(&before, "monday").left_ms.unwrap();
            let at = |ms| standing(&LeaseView { db_now: Millis(NOW).plus(ms), ..before.clone() }, "monday");
            assert!(at(left).takeable() && !at(left - 1).takeable(), "{heartbeat}");
        }
    }

    #[test]
    fn a_free_lease_tells_nothing_of_its_last_holder() {
        let found = standing(&LeaseView { held: false, ..view(Some(NOW - 5)) }, "monday");
        assert_eq!(
            (found.state, found.reason, found.takeable()),
            (LeaseState::Free, LeaseReason::Free, true)
        );
        assert_eq!((found.beat_ms, found.held_ms), (None, None));
    }

    #[test]
    fn a_proven_death_says_by_what_it_is_proven() {
        let dead = LeaseView { proven_dead: true, ..view(Some(NOW)) };
        let gone = standing(&dead, "monday");
        assert_eq!((gone.state, gone.reason), (LeaseState::Reclaimable, LeaseReason::ProcessGone));
        assert!(gone.takeable());
        assert_eq!(standing(&dead, "tuesday").reason, LeaseReason::OtherBoot);
    }

    #[test]
    fn what_cannot_be_read_is_unknown_with_the_age_of_the_last_read_and_takes_nothing() {
        let last = view(Some(NOW - 5_000));
        let found = unreachable(Some((&last, 30_000)));
        assert_eq!((found.state, found.reason), (LeaseState::Unknown, LeaseReason::Unreachable));
        assert_eq!((found.left_ms, found.takeable()), (None, false));
        assert_eq!(
            (found.beat_ms, found.held_ms, found.read_ms),
            (Some(35_000), Some(430_000), Some(30_000))
        );
        let never = unreachable(None);
        assert_eq!((never.beat_ms, never.held_ms, never.read_ms), (None, None, None));
        let free = LeaseView { held: false, ..last };
        assert_eq!(unreachable(Some((&free, 9))).beat_ms, None);
    }
}
