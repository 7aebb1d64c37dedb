//! The lease's arithmetic at its edges (docs/LEASES.md sections 3 and 5): a mutant of it is a press that writes too late or a
//! lease that people read wrong.

#![allow(clippy::unwrap_used, reason = "a test fails loudly")]

use lockstep_domain::clock::{BootMillis, Millis};
use lockstep_domain::ids::{ProjectId, RunId};
use lockstep_domain::lease::{Fence, Holder, LeaseGuard, LeaseState, LeaseView, OwnerToken, Window, is_live};
use lockstep_domain::stop::StopReason;
use uuid::Uuid;

const NOW: i64 = 1_800_000_000_000;
const W: i64 = 180_000;

fn view(heartbeat_at: Option<i64>, proven_dead: bool) -> LeaseView {
    LeaseView {
        project: ProjectId(Uuid::nil()),
        held: true,
        fence: Fence(7),
        run: None,
        window_ms: W,
        claimed_at: Some(Millis(NOW)),
        heartbeat_at: heartbeat_at.map(Millis),
        holder: None::<Holder>,
        cancel: None,
        progress: None,
        last: None,
        db_now: Millis(NOW),
        proven_dead,
    }
}

#[expect(clippy::disallowed_methods, reason = "the arithmetic of a guard is what the law is about")]
fn guard(sent: i64) -> LeaseGuard {
    LeaseGuard::mint(
        ProjectId(Uuid::from_u128(1)),
        RunId(Uuid::from_u128(2)),
        Fence(7),
        OwnerToken::new([9; 16]),
        Window::DEFAULT,
        BootMillis(sent),
    )
}

#[test]
fn a_heartbeat_counts_up_to_the_last_millisecond_on_both_sides() {
    for (heartbeat, live) in [
        (Some(NOW - W - 1), false),
        (Some(NOW - W), true),
        (Some(NOW), true),
        (Some(NOW + W), true),
        (Some(NOW + W + 1), false),
        (None, false),
    ] {
        assert_eq!(is_live(heartbeat.map(Millis), Millis(NOW), W), live, "{heartbeat:?}");
    }
}

#[test]
fn the_state_for_people_turns_at_its_boundaries() {
    for (heartbeat, state) in [
        (Some(NOW + W + 1), LeaseState::Reclaimable),
        (Some(NOW + W), LeaseState::ClockAhead),
        (Some(NOW + 1), LeaseState::ClockAhead),
        (Some(NOW), LeaseState::Live),
        (Some(NOW - W / 3 - 10_000), LeaseState::Live),
        (Some(NOW - W / 3 - 10_001), LeaseState::Late),
        (Some(NOW - W), LeaseState::Late),
        (Some(NOW - W - 1), LeaseState::Reclaimable),
        (None, LeaseState::Reclaimable),
    ] {
        assert_eq!(view(heartbeat, false).state(), state, "{heartbeat:?}");
    }
    assert_eq!(view(Some(NOW), true).state(), LeaseState::Reclaimable, "its process is gone");
    let free = LeaseView { held: false, ..view(Some(NOW), true) };
    assert_eq!(free.state(), LeaseState::Free);
}

#[test]
fn what_is_left_ends_with_the_first_millisecond_in_which_another_may_claim() {
    for (heartbeat, left) in [
        (Some(NOW + W), 2 * W + 1),
        (Some(NOW), W + 1),
        (Some(NOW - W / 3 - 10_001), W - W / 3 - 10_000),
        (Some(NOW - W), 1),
        (Some(NOW - W - 1), 0),
        (Some(NOW + W + 1), 0),
        (None, 0),
    ] {
        assert_eq!(view(heartbeat, false).left_ms(), left, "{heartbeat:?}");
    }
    assert_eq!(view(Some(NOW), true).left_ms(), 0);
    assert_eq!(LeaseView { held: false, ..view(Some(NOW), false) }.left_ms(), 0);
}

#[test]
fn a_window_has_its_bounds_and_its_parts() {
    for (ms, min, allowed) in [
        (179_999, Window::MIN_MS, false),
        (180_000, Window::MIN_MS, true),
        (900_000, Window::MIN_MS, true),
        (900_001, Window::MIN_MS, false),
        (299, 0, false),
        (300, 0, true),
        (999, 1_000, false),
        (1_000, 1_000, true),
    ] {
        assert_eq!(Window::new(ms, min).is_ok(), allowed, "{ms} of at least {min}");
    }
    let refused = Window::new(5, 1_000).unwrap_err().to_string();
    assert_eq!(refused, "a lease window of 5 ms is not allowed: choose 1000 to 900000 ms");
    let parts = |ms| {
        let w = Window::new(ms, 300).unwrap();
        (w.ms(), w.heartbeat_ms(), w.retry_ms(), w.call_timeout_ms(), w.publication_ms())
    };
    assert_eq!(parts(180_000), (180_000, 60_000, 5_000, 22_500, 10_000));
    assert_eq!(parts(900_000), (900_000, 300_000, 5_000, 112_500, 10_000));
    assert_eq!(parts(3_600), (3_600, 1_200, 100, 450, 200));
    assert_eq!((Window::DEFAULT.ms(), Window::MIN_MS, Window::MAX_MS), (180_000, 180_000, 900_000));
}

#[test]
fn a_guard_stops_by_the_moment_its_last_renewal_was_sent() {
    let guard = guard(1_000);
    let at = |ms: i64| BootMillis(1_000 + ms);
    for (age, left, start) in [
        (0, 165_000, true),
        (119_999, 45_001, true),
        (120_000, 45_000, false),
        (164_999, 1, false),
        (165_000, 0, false),
        (999_999, 0, false),
    ] {
        assert_eq!((guard.left_ms(at(age)), guard.may_start(at(age))), (left, start), "{age}");
    }
    // 30 s and W/12 must be left, and more.
    for (age, write) in [(0, true), (119_999, true), (120_000, false), (165_000, false)] {
        assert_eq!(guard.may_write(at(age), 30_000), write, "{age}");
    }
    // A timeout longer than half a window counts as half a window.
    assert!(guard.may_write(at(59_999), 900_000) && !guard.may_write(at(60_000), 900_000));
    guard.note_renewal(BootMillis(61_000));
    assert_eq!(guard.left_ms(at(60_000)), 165_000);
    guard.note_renewal(BootMillis(2_000));
    assert_eq!(guard.left_ms(at(60_000)), 165_000, "an older renewal takes nothing back");
    assert!(guard.stop().stop(StopReason::LeaseLost));
    assert!(!guard.may_start(at(60_000)) && !guard.may_write(at(60_000), 0));
}

#[test]
fn a_guard_is_what_was_claimed() {
    let guard = guard(0);
    assert_eq!((guard.project().0, guard.run().0), (Uuid::from_u128(1), Uuid::from_u128(2)));
    assert_eq!(
        (guard.fence(), guard.window(), guard.token().expose()),
        (Fence(7), Window::DEFAULT, &[9; 16])
    );
    assert_eq!(guard.fence().to_string(), "7");
    assert!(!format!("{guard:?}").contains('9'), "the token shows nowhere: {guard:?}");
}
