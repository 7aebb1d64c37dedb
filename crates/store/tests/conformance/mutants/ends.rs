//! Mutants of how an owner ends: finish, release, and what the run keeps of it.

use super::entry::{AtEnd, Entry, Within, both};

/// The first statement of every run-owned write.
const LOCK: &str = "SELECT person, os_user, host";
const FINISHES: &str = "table::a_finish_frees_a_live_row_and_no_other";
const RELEASES: &str = "table::a_release_frees_the_row_at_every_heartbeat";
const NO_TOKEN: &str = "edges::a_fence_without_its_token_owns_nothing";
const NO_FENCE: &str = "edges::a_token_without_its_fence_owns_nothing";
/// Of finish and release, which begin alike.
const CLEAR: &str = "SET owner_token = NULL, last_status = $4";
const LIVE_FINISH: &str = "{owner} AND {live} AND {project_alive}";
/// A parameter that stays bound and decides nothing.
const ANY_TOKEN: &str = "{held} AND coalesce($2, owner_token) IS NOT NULL AND {owner_fence}";
const ANY_FENCE: &str = "{owner_token} AND $3 = $3";

pub(super) const LIST: &[Entry] = &[
    both("finish without liveness", "{live} dropped", FINISHES, &[Within(LIVE_FINISH, "AND {live}", "")])
        .grave(),
    both(
        "finish ignores an old heartbeat",
        "{not_too_old} dropped",
        FINISHES,
        &[Within(LIVE_FINISH, "{live}", "{not_too_new}")],
    ),
    both(
        "finish ignores a skewed heartbeat",
        "{not_too_new} dropped",
        FINISHES,
        &[Within(LIVE_FINISH, "{live}", "{not_too_old}")],
    ),
    both(
        "finish is 1 ms short",
        ">= to >",
        FINISHES,
        &[Within(LIVE_FINISH, "{live}", "({ms:heartbeat_at} > {now_ms} - window_ms AND {not_too_new})")],
    ),
    both(
        "finish is 1 ms long",
        ">= to >= - 1",
        FINISHES,
        &[Within(LIVE_FINISH, "{live}", "({ms:heartbeat_at} >= {now_ms} - window_ms - 1 AND {not_too_new})")],
    ),
    both(
        "finish ignores a deletion",
        "{project_alive} dropped",
        "states::a_finish_in_every_state",
        &[Within(CLEAR, "AND {live} AND {project_alive}", "AND {live}")],
    ),
    both(
        "finish of every project",
        "project dropped",
        FINISHES,
        &[Within(CLEAR, "project_id = $1 AND {owner} AND {live}", "$1 = $1 AND {owner} AND {live}")],
    ),
    both(
        "finish keeps the token",
        "owner not cleared by finish",
        FINISHES,
        &[Within("{live} AND {project_alive}", "SET owner_token = NULL,", "SET owner_token = owner_token,")],
    )
    .grave(),
    both(
        "finish and release keep the token",
        "owner not cleared",
        RELEASES,
        &[Within(CLEAR, "SET owner_token = NULL,", "SET owner_token = owner_token,")],
    ),
    both(
        "finish and release forget their fence",
        "last_fence not written",
        RELEASES,
        &[Within(CLEAR, "last_fence = fence,", "")],
    ),
    both(
        "finish and release forget their outcome",
        "last_status not written",
        RELEASES,
        &[Within(CLEAR, "last_status = $4", "last_status = coalesce(last_status, $4)")],
    ),
    both(
        "finish and release forget their time",
        "last_at not written",
        RELEASES,
        &[Within(CLEAR, "last_at = {now}", "last_at = coalesce(last_at, {now})")],
    ),
    both(
        "finish and release count the fence on",
        "fence + 1 at the end",
        RELEASES,
        &[Within(CLEAR, "last_fence = fence,", "last_fence = fence, fence = fence + 1,")],
    ),
    both(
        "release asks for liveness",
        "{live} added",
        RELEASES,
        &[AtEnd(CLEAR, "{owner}", "{owner} AND {live}")],
    ),
    both(
        "release without token",
        "token dropped from lock and release",
        NO_TOKEN,
        &[Within(LOCK, "{owner}", ANY_TOKEN), AtEnd(CLEAR, "{owner}", ANY_TOKEN)],
    )
    .grave(),
    both(
        "release without fence",
        "fence dropped from lock and release",
        NO_FENCE,
        &[Within(LOCK, "{owner}", ANY_FENCE), AtEnd(CLEAR, "{owner}", ANY_FENCE)],
    ),
    both(
        "release of every project",
        "project dropped",
        RELEASES,
        &[AtEnd(CLEAR, "project_id = $1 AND {owner}", "$1 = $1 AND {owner}")],
    ),
    both(
        "the end of a run is mapped again",
        "another status than the computed one",
        RELEASES,
        &[Within(
            "UPDATE runs SET status = $3",
            "status = $3",
            "status = CASE WHEN $3 = 'cancelled' THEN 'failed' ELSE $3 END",
        )],
    ),
    both(
        "the end of a run is not written",
        "run left running",
        RELEASES,
        &[Within("UPDATE runs SET status = $3", "AND {running}", "AND {running} AND FALSE")],
    ),
    both(
        "the end of a run has no time",
        "ended_at not written",
        "publishing::a_finish_ends_the_run_once_and_frees_the_lease",
        &[Within("UPDATE runs SET status = $3", "ended_at = coalesce(ended_at, {now}),", "")],
    ),
];
