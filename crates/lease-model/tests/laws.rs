//! The right rules keep every law in every state; every flaw is found out by the law that it breaks.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a test fails loudly and tells its figures")]

use lockstep_lease_model::{Config, Flaw, RIGHT, explore, find, flawed};

/// A right configuration: every state explored, every law kept, nothing kept by an empty world.
fn keeps_every_law(name: &str) {
    let config: Config = find(name).unwrap();
    let report = explore(config, None, 2);
    println!("{}", report.figures());
    if let Some(found) = &report.found {
        panic!("{}\n{}", report.figures(), found.readable());
    }
    assert_eq!(report.unmet, Vec::<&str>::new(), "{name} never meets this");
}

#[test]
fn every_law_holds_while_the_clock_steps_and_workers_crash() {
    keeps_every_law("clock");
}

#[test]
fn every_law_holds_among_three_workers() {
    keeps_every_law("three-workers");
}

#[test]
fn every_law_holds_while_staff_delete_and_retire() {
    keeps_every_law("deletion");
}

#[test]
fn every_law_holds_through_a_failover_that_loses_the_last_commit() {
    keeps_every_law("failover");
}

#[test]
fn every_law_holds_while_people_reclaim_and_cancel() {
    keeps_every_law("people");
}

#[test]
fn every_law_holds_where_a_dead_holder_is_proven_dead() {
    keeps_every_law("proven-dead");
}

#[test]
fn every_right_configuration_has_its_test() {
    let text = include_str!("laws.rs");
    for config in RIGHT {
        assert!(text.contains(&format!("keeps_every_law(\"{}\")", config.name)), "{}", config.name);
    }
}

/// One test per flaw: the counterexample breaks the law that the flaw names, and is no accident of a broken setting.
macro_rules! found_out {
    ($($flaw:ident: $law:ident,)+) => {
        $(#[test]
        fn $law() {
            let flaw = Flaw::$flaw;
            let report = explore(flawed(flaw), Some(flaw.breaks()), 1);
            println!("{}", report.figures());
            let Some(found) = report.found else { panic!("{flaw} breaks nothing: {}", report.figures()) };
            assert_eq!(found.law, flaw.breaks());
            println!("{}", found.readable());
        })+

        #[test]
        fn every_flaw_has_its_test() {
            let named = [$(Flaw::$flaw,)+];
            assert_eq!(named.as_slice(), Flaw::ALL);
        }
    };
}

found_out! {
    ClaimWithoutExpiry: a_claim_without_expiry_takes_a_live_lease,
    ClaimOnlyWhenFree: a_claim_that_waits_for_a_free_row_waits_for_ever,
    NoFenceBump: a_claim_that_keeps_the_fence_mints_it_twice,
    ClaimDoesNotLookAgain: a_claim_that_does_not_look_again_slips_past_a_deletion,
    CancelOutlivesItsFence: a_cancel_that_outlives_its_fence_hits_a_successor,
    RenewWithoutToken: a_renewal_without_token_renews_anothers_lease,
    RenewFenceOnly: a_renewal_by_fence_alone_renews_anothers_lease_after_a_failover,
    RenewWithoutLiveness: a_renewal_without_liveness_revives_an_expired_lease,
    RenewJudgesBeforeTheLock: a_renewal_that_judges_before_its_lock_revives_an_expired_lease,
    ReleaseWithoutToken: a_release_without_token_frees_anothers_lease,
    ReleaseFenceOnly: a_release_by_fence_alone_frees_anothers_lease_after_a_failover,
    ProgressWithoutToken: progress_without_token_overwrites_anothers,
    ProgressFenceOnly: progress_by_fence_alone_overwrites_anothers_after_a_failover,
    ItemWithoutToken: an_item_without_token_is_written_by_a_loser,
    PublishWithoutToken: a_publication_without_token_is_stale,
    PublishWithoutRowLock: a_publication_without_the_row_lock_is_stale,
    PublishOnADeletedProject: a_publication_that_does_not_look_reaches_a_deleted_project,
    PublishInTwoTransactions: a_publication_in_two_transactions_is_seen_half,
    PublishTwice: a_publication_that_nothing_makes_unique_happens_twice,
    FinishWithoutLiveness: a_finish_without_liveness_publishes_after_its_time,
    FenceOnly: a_fence_alone_lets_a_stale_publication_through_after_a_failover,
    ReclaimWithoutExpiry: a_reclaim_without_expiry_ends_a_live_lease,
    CancelWithoutFence: a_cancel_without_fence_hits_a_successor,
    DeadlineFromTheAnswer: a_deadline_counted_from_the_answer_lets_a_loser_write_outside,
    WriteWithoutDeadline: a_write_without_deadline_is_a_losers,
    LossToldByEverybody: a_loss_told_by_everybody_is_told_twice,
}
