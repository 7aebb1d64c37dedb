//! Mutants of what an owner does: renew, fence check, progress, item writes, publish.

use super::entry::{Entry, Named, Within, both, postgres};

/// The first statement of every run-owned write.
const LOCK: &str = "SELECT person, os_user, host";
const RENEW: &str = "RETURNING window_ms AS left_ms";
const CHECK: &str = "+ window_ms - {now_ms} AS left_ms";
const PROGRESS: &str = "UPDATE leases SET progress = $4";
const RENEWS: &str = "table::a_renewal_moves_the_heartbeat_of_a_live_row_alone";
const TOLD: &str = "table::a_renewal_with_progress_writes_both_or_neither";
const CHECKS: &str = "table::a_fence_check_judges_by_the_same_table_and_writes_nothing";
const PROGRESSES: &str = "table::progress_lands_at_every_heartbeat_and_moves_none";
const NO_TOKEN: &str = "edges::a_fence_without_its_token_owns_nothing";
const NO_FENCE: &str = "edges::a_token_without_its_fence_owns_nothing";
const WIDE: &str = "table::the_window_of_the_row_judges_and_not_the_claimers";
/// A parameter that stays bound and decides nothing.
const ANY_TOKEN: &str = "{held} AND coalesce($2, owner_token) IS NOT NULL AND {owner_fence}";
const ANY_FENCE: &str = "{owner_token} AND $3 = $3";

pub(super) const LIST: &[Entry] = &[
    both("renew without liveness", "{live} dropped", RENEWS, &[Within(RENEW, "AND {live}", "")]).grave(),
    both(
        "renew ignores an old heartbeat",
        "{not_too_old} dropped",
        RENEWS,
        &[Within(RENEW, "{live}", "{not_too_new}")],
    ),
    both(
        "renew ignores a skewed heartbeat",
        "{not_too_new} dropped",
        RENEWS,
        &[Within(RENEW, "{live}", "{not_too_old}")],
    ),
    both(
        "renew is 1 ms short",
        ">= to >",
        RENEWS,
        &[Within(RENEW, "{live}", "({ms:heartbeat_at} > {now_ms} - window_ms AND {not_too_new})")],
    ),
    both(
        "renew is 1 ms short on the other side",
        "<= to <",
        RENEWS,
        &[Within(RENEW, "{live}", "({not_too_old} AND {ms:heartbeat_at} < {now_ms} + window_ms)")],
    ),
    both(
        "renew is 1 ms long",
        ">= to >= - 1",
        RENEWS,
        &[Within(RENEW, "{live}", "({ms:heartbeat_at} >= {now_ms} - window_ms - 1 AND {not_too_new})")],
    ),
    both(
        "renew lasts two windows",
        "window x 2",
        RENEWS,
        &[Within(
            RENEW,
            "{live}",
            "({ms:heartbeat_at} >= {now_ms} - window_ms * 2 AND {ms:heartbeat_at} <= {now_ms} + window_ms * 2)",
        )],
    ),
    both(
        "renew judges by the default window",
        "180 s instead of the row's window",
        WIDE,
        &[Within(
            RENEW,
            "{live}",
            "({ms:heartbeat_at} >= {now_ms} - 180000 AND {ms:heartbeat_at} <= {now_ms} + 180000)",
        )],
    ),
    both(
        "renew without token",
        "token dropped from lock and renewal",
        NO_TOKEN,
        &[Within(LOCK, "{owner}", ANY_TOKEN), Within(RENEW, "{owner}", ANY_TOKEN)],
    )
    .grave(),
    both(
        "renew without fence",
        "fence dropped from lock and renewal",
        NO_FENCE,
        &[Within(LOCK, "{owner}", ANY_FENCE), Within(RENEW, "{owner}", ANY_FENCE)],
    ),
    both(
        "renew repeats no owner",
        "{owner} only in the lock",
        RENEWS,
        &[Within(RENEW, "{owner}", "{held} AND coalesce($2, owner_token) IS NOT NULL AND $3 = $3")],
    )
    .survives(
        "The statement before locked this very row by token and fence in the same transaction; nobody can \
            change it between. The repetition is a second line.",
    ),
    both(
        "renew ignores a deletion",
        "{project_alive} dropped",
        "states::a_renewal_in_every_state",
        &[Within(RENEW, "AND {project_alive}", "")],
    )
    .grave(),
    both(
        "renew writes nothing",
        "heartbeat not written",
        RENEWS,
        &[Within(RENEW, "SET heartbeat_at = {now},", "SET heartbeat_at = heartbeat_at,")],
    ),
    both(
        "renew of every project",
        "project dropped",
        RENEWS,
        &[Within(RENEW, "project_id = $1 AND", "$1 = $1 AND")],
    ),
    both(
        "renew drops old progress",
        "coalesce dropped",
        RENEWS,
        &[Within(RENEW, "coalesce($4, progress)", "$4")],
    ),
    both(
        "renew dates no progress",
        "progress_at not written",
        TOLD,
        &[Within(RENEW, "ELSE {now} END", "ELSE progress_at END")],
    ),
    both(
        "renew dates old progress anew",
        "progress_at always written",
        RENEWS,
        &[Within(RENEW, "THEN progress_at ELSE", "THEN {now} ELSE")],
    ),
    both(
        "renew keeps progress back",
        "progress not written",
        TOLD,
        &[Within(RENEW, "coalesce($4, progress)", "coalesce(progress, $4)")],
    ),
    both(
        "the fence check ignores expiry",
        "{live} dropped",
        "expiry::a_fence_check_judges_like_a_renewal",
        &[Within(CHECK, "AND {live}", "")],
    )
    .grave(),
    both(
        "the fence check ignores an old heartbeat",
        "{not_too_old} dropped",
        CHECKS,
        &[Within(CHECK, "{live}", "{not_too_new}")],
    ),
    both(
        "the fence check ignores a skewed heartbeat",
        "{not_too_new} dropped",
        CHECKS,
        &[Within(CHECK, "{live}", "{not_too_old}")],
    ),
    both("the fence check without token", "token dropped", NO_TOKEN, &[Within(CHECK, "{owner}", ANY_TOKEN)]),
    both("the fence check without fence", "fence dropped", NO_FENCE, &[Within(CHECK, "{owner}", ANY_FENCE)]),
    both(
        "the fence check promises a window too much",
        "what is left, + window",
        CHECKS,
        &[Within(CHECK, "+ window_ms - {now_ms} AS", "+ window_ms * 2 - {now_ms} AS")],
    ),
    both("progress without token", "token dropped", NO_TOKEN, &[Within(PROGRESS, "{owner}", ANY_TOKEN)])
        .grave(),
    both("progress without fence", "fence dropped", NO_FENCE, &[Within(PROGRESS, "{owner}", ANY_FENCE)]),
    both(
        "progress extends the lease",
        "writes the heartbeat",
        PROGRESSES,
        &[Within(PROGRESS, "progress_at = {now}", "progress_at = {now}, heartbeat_at = {now}")],
    ),
    both(
        "progress has no time",
        "progress_at not written",
        PROGRESSES,
        &[Within(PROGRESS, ", progress_at = {now}", "")],
    ),
    both(
        "progress keeps the first word",
        "progress not written",
        PROGRESSES,
        &[Within(PROGRESS, "SET progress = $4", "SET progress = coalesce(progress, $4)")],
    ),
    both(
        "progress of every project",
        "project dropped",
        PROGRESSES,
        &[Within(PROGRESS, "project_id = $1 AND", "$1 = $1 AND")],
    ),
    both(
        "item write without the lock by token and fence",
        "{owner} dropped from the lock",
        "owners::a_loser_leaves_the_successors_rows_byte_identical",
        &[Within(LOCK, "{owner}", "coalesce($2, owner_token) IS NOT DISTINCT FROM $2 AND $3 = $3")],
    )
    .grave(),
    both(
        "item write without token",
        "token dropped from the lock",
        NO_TOKEN,
        &[Within(LOCK, "{owner}", ANY_TOKEN)],
    ),
    both(
        "item write without fence",
        "fence dropped from the lock",
        NO_FENCE,
        &[Within(LOCK, "{owner}", ANY_FENCE)],
    ),
    postgres(
        "item write without row lock",
        "FOR UPDATE dropped from the lock",
        "waits::a_write_in_flight_holds_off_the_next_claim",
        &[Within(LOCK, "{for_update}", "")],
    )
    .grave(),
    postgres(
        "item write with a weak row lock",
        "FOR UPDATE to FOR KEY SHARE",
        "waits::a_write_in_flight_holds_off_the_next_claim",
        &[Within(LOCK, "{for_update}", "FOR KEY SHARE")],
    ),
    postgres(
        "renew without row lock",
        "FOR UPDATE dropped before the clock is read",
        "waits::a_renewal_judges_by_the_clock_after_its_wait",
        &[Within(LOCK, "{for_update}", "")],
    )
    .grave(),
    postgres(
        "no row lock anywhere",
        "every FOR UPDATE dropped",
        "races::a_renewal_that_waited_past_the_expiry_is_lost",
        &[Named("for_update", "")],
    ),
    both(
        "publish without liveness",
        "{live} dropped from its renewal",
        "table::a_publication_renews_a_live_row_and_no_other",
        &[Within(RENEW, "AND {live}", "")],
    )
    .grave(),
    both(
        "publish ignores a deletion",
        "{project_alive} dropped from its renewal",
        "states::a_publication_in_every_state",
        &[Within(RENEW, "AND {project_alive}", "")],
    ),
    both(
        "publish without token",
        "token dropped",
        "owners::a_loser_leaves_the_successors_rows_byte_identical",
        &[
            Within(LOCK, "{owner}", "coalesce($2, owner_token) IS NOT DISTINCT FROM $2 AND $3 = $3"),
            Within(RENEW, "{owner}", "{held} AND coalesce($2, owner_token) IS NOT NULL AND $3 = $3"),
        ],
    ),
    both(
        "publish twice",
        "publication rows not unique",
        "publishing::a_fence_publishes_each_part_once",
        &[Within("INSERT INTO publications", "DO NOTHING", "DO UPDATE SET at = excluded.at")],
    )
    .grave(),
    both(
        "publish hands nothing out",
        "branches not written",
        "publishing::a_publication_writes_all_of_its_step_and_keeps_the_lease",
        &[Within(
            "UPDATE project_branches SET handed_out",
            "dist_head = $4,",
            "dist_head = coalesce(dist_head, CASE WHEN $4 = '' THEN $4 END),",
        )],
    ),
    both(
        "publish plans nothing",
        "items of the step not written",
        "publishing::a_publication_writes_all_of_its_step_and_keeps_the_lease",
        &[Within("INSERT INTO items (run_id, recipient_id, branch, step, at)", "'planned'", "'pushed'")],
    ),
];
