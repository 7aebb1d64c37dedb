//! Mutants of what others do to a lease: cancel, reclaim, delete, look.

use super::entry::{Entry, Named, Within, both, postgres, sqlite};

const CANCEL: &str = "cancel_by = $3";
const RECLAIM: &str = "last_status = 'interrupted'";
const CANCELS: &str = "edges::a_cancel_needs_a_holder_of_exactly_that_fence";
const STAMPS: &str = "table::a_cancel_stamps_the_row_at_every_heartbeat";
const RECLAIMS: &str = "table::a_reclaim_frees_a_stale_row_and_no_live_one";
const GUARD: &str = "({stale} OR {named_dead})";

pub(super) const LIST: &[Entry] = &[
    both(
        "cancel ignores the fence",
        "{seen_fence} dropped",
        CANCELS,
        &[Within(CANCEL, "{seen_fence}", "$2 = $2")],
    )
    .grave(),
    both(
        "cancel hits a later fence",
        "fence = to fence >=",
        CANCELS,
        &[Within(CANCEL, "{seen_fence}", "fence >= $2")],
    ),
    both(
        "cancel hits an earlier fence",
        "fence = to fence <=",
        CANCELS,
        &[Within(CANCEL, "{seen_fence}", "fence <= $2")],
    ),
    both("cancel of a free lease", "{held} dropped", CANCELS, &[Within(CANCEL, "{held}", "TRUE")]),
    both(
        "the last cancel wins",
        "{no_cancel_yet} dropped",
        CANCELS,
        &[Within(CANCEL, "AND {no_cancel_yet}", "")],
    ),
    both(
        "cancel of every project",
        "project dropped",
        STAMPS,
        &[Within(CANCEL, "project_id = $1 AND", "$1 = $1 AND"), Named("no_cancel_yet", "TRUE")],
    ),
    both(
        "cancel names no fence",
        "cancel_fence not written",
        STAMPS,
        &[Within(CANCEL, "cancel_fence = fence", "cancel_fence = NULL")],
    ),
    both(
        "cancel names the next fence",
        "cancel_fence + 1",
        STAMPS,
        &[Within(CANCEL, "cancel_fence = fence", "cancel_fence = fence + 1")],
    ),
    both(
        "cancel has no reason",
        "cancel_reason not written",
        STAMPS,
        &[Within(CANCEL, "cancel_reason = $4", "cancel_reason = CASE WHEN $4 = '' THEN $4 END")],
    ),
    both(
        "cancel has no person",
        "cancel_by not written",
        STAMPS,
        &[Within(CANCEL, "cancel_by = $3", "cancel_by = CASE WHEN $3 = '' THEN $3 END")],
    ),
    both(
        "cancel asks for liveness",
        "{live} added",
        STAMPS,
        &[Within(CANCEL, "AND {held}", "AND {held} AND {live}")],
    ),
    both(
        "cancel ends the lease",
        "token cleared",
        STAMPS,
        &[Within(CANCEL, "SET cancel_at = {now}", "SET owner_token = NULL, cancel_at = {now}")],
    ),
    both("reclaim of a live lease", "guard dropped", RECLAIMS, &[Within(RECLAIM, GUARD, "TRUE")]).grave(),
    both("reclaim never", "{stale} dropped", RECLAIMS, &[Within(RECLAIM, GUARD, "{named_dead}")]),
    both(
        "reclaim leaves a missing heartbeat",
        "IS NULL dropped",
        RECLAIMS,
        &[Within(RECLAIM, "{stale}", "({too_old} OR {too_new})")],
    ),
    both(
        "reclaim leaves an old heartbeat",
        "{too_old} dropped",
        RECLAIMS,
        &[Within(RECLAIM, "{stale}", "(heartbeat_at IS NULL OR {too_new})")],
    ),
    both(
        "reclaim leaves a skewed heartbeat",
        "{too_new} dropped",
        RECLAIMS,
        &[Within(RECLAIM, "{stale}", "(heartbeat_at IS NULL OR {too_old})")],
    ),
    both(
        "reclaim is 1 ms early",
        "too old: < to <=",
        RECLAIMS,
        &[Within(
            RECLAIM,
            "{stale}",
            "(heartbeat_at IS NULL OR {ms:heartbeat_at} <= {now_ms} - window_ms OR {too_new})",
        )],
    )
    .grave(),
    both(
        "reclaim is 1 ms early on the other side",
        "too new: > to >=",
        RECLAIMS,
        &[Within(
            RECLAIM,
            "{stale}",
            "(heartbeat_at IS NULL OR {too_old} OR {ms:heartbeat_at} >= {now_ms} + window_ms)",
        )],
    ),
    both(
        "reclaim is 1 ms late",
        "too old: < to < - 1",
        RECLAIMS,
        &[Within(
            RECLAIM,
            "{stale}",
            "(heartbeat_at IS NULL OR {ms:heartbeat_at} < {now_ms} - window_ms - 1 OR {too_new})",
        )],
    ),
    both(
        "reclaim waits two windows",
        "window x 2",
        RECLAIMS,
        &[Within(
            RECLAIM,
            "{stale}",
            "(heartbeat_at IS NULL OR {ms:heartbeat_at} < {now_ms} - window_ms * 2 OR {too_new})",
        )],
    ),
    both(
        "reclaim judges by the default window",
        "180 s instead of the row's window",
        "table::the_window_of_the_row_judges_and_not_the_claimers",
        &[Within(
            RECLAIM,
            "{stale}",
            "({ms:heartbeat_at} < {now_ms} - 180000 OR {ms:heartbeat_at} > {now_ms} + 180000)",
        )],
    ),
    both(
        "reclaim ignores the fence",
        "{seen_fence} dropped",
        "owners::a_reclaim_with_an_old_fence_changes_nothing",
        &[Within(RECLAIM, "{seen_fence}", "$2 = $2")],
    )
    .grave(),
    both("reclaim of a free lease", "{held} dropped", CANCELS, &[Within(RECLAIM, "{held}", "TRUE")]),
    both(
        "reclaim of every project",
        "project dropped",
        RECLAIMS,
        &[Within(RECLAIM, "project_id = $1 AND", "$1 = $1 AND")],
    ),
    both(
        "reclaim keeps the token",
        "owner not cleared",
        RECLAIMS,
        &[Within(RECLAIM, "SET owner_token = NULL,", "SET owner_token = owner_token,")],
    ),
    both(
        "reclaim forgets the fence",
        "last_fence not written",
        RECLAIMS,
        &[Within(RECLAIM, "last_fence = fence,", "")],
    ),
    both(
        "reclaim forgets its time",
        "last_at not written",
        RECLAIMS,
        &[Within(RECLAIM, "last_at = {now}", "last_at = last_at")],
    ),
    both(
        "reclaim erases the heartbeat",
        "the old times are not kept",
        RECLAIMS,
        &[Within(RECLAIM, "last_fence = fence,", "last_fence = fence, heartbeat_at = NULL,")],
    ),
    both(
        "reclaim counts the fence on",
        "fence + 1 at the reclaim",
        RECLAIMS,
        &[Within(RECLAIM, "last_fence = fence,", "last_fence = fence, fence = fence + 1,")],
    ),
    sqlite(
        "reclaim ignores a proven death",
        "{named_dead} dropped",
        "expiry::a_process_proven_dead_needs_no_wait_on_one_machine",
        &[Within(RECLAIM, GUARD, "{stale}")],
    ),
    sqlite(
        "reclaim takes anybody as dead",
        "{named_dead} is true",
        RECLAIMS,
        &[Within(RECLAIM, "{named_dead}", "TRUE")],
    ),
    postgres(
        "a deletion does not wait for a claim",
        "FOR UPDATE dropped before a deletion",
        "races::a_deletion_waits_for_a_claim_in_flight_and_is_refused",
        &[Within("WHERE project_id IN {ids:$1}", "{for_update}", "")],
    )
    .grave(),
    both(
        "a view judges by this machine's clock",
        "db_now is bound",
        "table::the_clock_of_the_database_judges_and_not_this_machines",
        &[Within(
            "SELECT {lease_row} FROM leases WHERE project_id = $1",
            "{lease_row}",
            "project_id, ({held}) AS held, fence, run_id, window_ms, {ms:claimed_at} AS claimed_at, \
             {ms:heartbeat_at} AS heartbeat_at, {ms:cancel_at} AS cancel_at, cancel_by, cancel_reason, \
             cancel_fence, progress, {ms:progress_at} AS progress_at, person, os_user, host, pid, process_start, \
             app_version, boot_id, last_status, last_fence, {ms:last_at} AS last_at, {bound_ms} AS db_now",
        )],
    ),
];
