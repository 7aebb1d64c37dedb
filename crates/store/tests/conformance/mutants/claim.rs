//! Mutants of the claim and of the runs that it begins and ends.

use super::entry::{Entry, Named, Within, both, postgres, sqlite};

/// The one conditional update.
const CLAIM: &str = "SET owner_token = $2";
const GUARD: &str = "({free} OR {stale} OR {named_dead})";
const TABLE: &str = "table::a_claim_takes_all_of_a_stale_row_and_nothing_of_a_live_one";
const FREE: &str = "edges::a_lease_given_back_is_claimed_at_once";
const WINDOW: &str = "table::the_window_of_the_row_judges_and_not_the_claimers";
const MISSING: &str = "states::a_claim_in_every_state";
const DELETED: &str = "edges::a_claimable_lease_of_something_deleted_is_not_claimed";
const IN_TRANSACTION: &str = "The holder was read in the same IMMEDIATE transaction: the row cannot have changed \
    between. The comparison is a second line for a transaction that is not.";

pub(super) const LIST: &[Entry] = &[
    both("claim takes a live lease", "guard dropped", TABLE, &[Within(CLAIM, GUARD, "TRUE")]).grave(),
    both("claim leaves a free lease", "{free} dropped", FREE, &[Within(CLAIM, GUARD, "({stale} OR {named_dead})")]),
    both("claim leaves a stale lease", "{stale} dropped", TABLE, &[Within(CLAIM, GUARD, "({free} OR {named_dead})")]),
    both("claim leaves a missing heartbeat", "IS NULL dropped", TABLE,
        &[Within(CLAIM, "{stale}", "({too_old} OR {too_new})")]),
    both("claim leaves an old heartbeat", "{too_old} dropped", TABLE,
        &[Within(CLAIM, "{stale}", "(heartbeat_at IS NULL OR {too_new})")]),
    both("claim leaves a skewed heartbeat", "{too_new} dropped", TABLE,
        &[Within(CLAIM, "{stale}", "(heartbeat_at IS NULL OR {too_old})")]),
    both("claim is 1 ms early", "too old: < to <=", TABLE,
        &[Within(CLAIM, "{stale}", "(heartbeat_at IS NULL OR {ms:heartbeat_at} <= {now_ms} - window_ms OR {too_new})")]).grave(),
    both("claim is 1 ms early on the other side", "too new: > to >=", TABLE,
        &[Within(CLAIM, "{stale}", "(heartbeat_at IS NULL OR {too_old} OR {ms:heartbeat_at} >= {now_ms} + window_ms)")]),
    both("claim is 1 ms late", "too old: < to < - 1", TABLE,
        &[Within(CLAIM, "{stale}", "(heartbeat_at IS NULL OR {ms:heartbeat_at} < {now_ms} - window_ms - 1 OR {too_new})")]),
    both("claim is 1 ms late on the other side", "too new: > to > + 1", TABLE,
        &[Within(CLAIM, "{stale}", "(heartbeat_at IS NULL OR {too_old} OR {ms:heartbeat_at} > {now_ms} + window_ms + 1)")]),
    both("claim flips the comparison", "too old: < to >", TABLE,
        &[Within(CLAIM, "{stale}", "(heartbeat_at IS NULL OR {ms:heartbeat_at} > {now_ms} - window_ms)")]),
    both("claim waits two windows", "window x 2 in {stale}", TABLE,
        &[Within(CLAIM, "{stale}", "(heartbeat_at IS NULL OR {ms:heartbeat_at} < {now_ms} - window_ms * 2 \
            OR {ms:heartbeat_at} > {now_ms} + window_ms * 2)")]),
    both("claim judges by its own window", "the claimer's window in {stale}", WINDOW,
        &[Within(CLAIM, "{stale}", "(heartbeat_at IS NULL OR {ms:heartbeat_at} < {now_ms} - $8 \
            OR {ms:heartbeat_at} > {now_ms} + $8)")]),
    both("claim takes every project's lease", "project dropped", TABLE,
        &[Within(CLAIM, "project_id = $1 AND", "$1 = $1 AND")])
        .disarmed(&["leases_new_token_takes_a_fence"]).grave(),
    both("claim ignores a deletion", "project and source not tested", DELETED, &[Named("project_alive", "TRUE")]).grave(),
    both("claim ignores a deleted project", "deleted_at of the project dropped", DELETED,
        &[Named("project_alive", "EXISTS (SELECT 1 FROM projects p JOIN sources s ON s.id = p.source_id \
            WHERE p.id = leases.project_id AND s.deleted_at IS NULL)")]),
    both("claim ignores a retired source", "deleted_at of the source dropped", DELETED,
        &[Named("project_alive", "EXISTS (SELECT 1 FROM projects p JOIN sources s ON s.id = p.source_id \
            WHERE p.id = leases.project_id AND p.deleted_at IS NULL)")]),
    both("claim ignores a missing source", "join with the source dropped", DELETED,
        &[Named("project_alive", "EXISTS (SELECT 1 FROM projects p \
            WHERE p.id = leases.project_id AND p.deleted_at IS NULL)")]),
    both("claim tests the deletion only afterwards", "{project_alive} dropped from the update", MISSING,
        &[Within(CLAIM, "AND {project_alive}", "")])
        .survives("The same transaction tests project and source again under the row's lock and rolls back: the update's \
            own test only saves the work."),
    postgres("claim tests the deletion only before", "the look under the lock dropped",
        "races::a_claim_does_not_slip_past_a_deletion_in_flight",
        &[Within("SELECT 1 AS alive FROM leases", "AND {project_alive}", "")]).grave(),
    sqlite("claim tests the deletion only before", "the look under the lock dropped", MISSING,
        &[Within("SELECT 1 AS alive FROM leases", "AND {project_alive}", "")]),
    both("claim gives the fence again", "fence + 0", TABLE,
        &[Named("next_fence", "fence + 0"), Within("INSERT INTO runs", "SELECT $1, project_id, fence",
            "SELECT $1, project_id, (SELECT coalesce(max(r.fence), 0) + 1 FROM runs r WHERE r.project_id = $2)")])
        .disarmed(&["leases_new_token_takes_a_fence"]).grave(),
    both("claim skips a fence", "fence + 2", TABLE, &[Named("next_fence", "fence + 2")])
        .disarmed(&["leases_new_token_takes_a_fence"]),
    both("claim keeps the old token", "token not replaced", TABLE,
        &[Within(CLAIM, "owner_token = $2,", "owner_token = coalesce(owner_token, $2),")]),
    both("claim keeps the old run", "run not written", TABLE,
        &[Within(CLAIM, "run_id = $3", "run_id = coalesce(run_id, $3)"),
          Within("INSERT INTO runs", "AND run_id = $1", "AND $1 = $1")]),
    both("claim keeps the old window", "window not written", TABLE, &[Within(CLAIM, "window_ms = $8,", "window_ms = window_ms + $8 - $8,")]),
    both("claim doubles its window", "window x 2", TABLE, &[Within(CLAIM, "window_ms = $8,", "window_ms = $8 * 2,")]),
    both("claim keeps the old heartbeat", "heartbeat not written", TABLE,
        &[Within(CLAIM, "heartbeat_at = {now}, cancel", "heartbeat_at = coalesce(heartbeat_at, {now}), cancel")]),
    both("claim keeps its old time", "claimed_at not written", TABLE,
        &[Within(CLAIM, "claimed_at = {now},", "claimed_at = coalesce(claimed_at, {now}),")]),
    both("claim keeps the cancel's time", "cancel_at not cleared", TABLE, &[Within(CLAIM, "cancel_at = NULL,", "")]),
    both("claim keeps the cancel's fence", "cancel_fence not cleared", TABLE, &[Within(CLAIM, "cancel_fence = NULL,", "")]),
    both("claim keeps the cancel's person", "cancel_by not cleared", TABLE, &[Within(CLAIM, "cancel_by = NULL,", "")]),
    both("claim keeps the cancel's reason", "cancel_reason not cleared", TABLE, &[Within(CLAIM, "cancel_reason = NULL,", "")]),
    both("claim keeps the whole cancel", "the predecessor's cancel hits the successor",
        "owners::the_first_cancel_wins_and_never_hits_a_successor",
        &[Within(CLAIM, "cancel_at = NULL, cancel_by = NULL, cancel_reason = NULL,", ""),
          Within(CLAIM, "cancel_fence = NULL,", "cancel_fence = cancel_fence + 1,")]),
    both("claim keeps progress", "progress not cleared", TABLE, &[Within(CLAIM, "progress = NULL,", "")]),
    both("claim keeps the time of progress", "progress_at not cleared", TABLE, &[Within(CLAIM, "progress_at = NULL,", "")]),
    both("claim keeps the old person", "person not written", TABLE, &[Within(CLAIM, "person = $9,", "person = coalesce(person, $9),")]),
    both("claim keeps the old process", "pid not written", TABLE, &[Within(CLAIM, "pid = $12,", "pid = coalesce(pid, $12),")]),
    both("claim keeps the old process start", "process_start not written", TABLE,
        &[Within(CLAIM, "process_start = $13,", "process_start = coalesce(process_start, $13),")]),
    sqlite("claim ignores a proven death", "{named_dead} dropped", "expiry::a_process_proven_dead_needs_no_wait_on_one_machine",
        &[Within(CLAIM, GUARD, "({free} OR {stale})")]),
    sqlite("claim takes anybody as dead", "{named_dead} is true", TABLE, &[Named("named_dead", "TRUE")]),
    sqlite("a death names no fence", "fence of the dead dropped", TABLE,
        &[Named("named_dead", "($4 = $4 AND pid = $5 AND process_start = $6 AND boot_id = $7 AND {held})")])
        .survives(IN_TRANSACTION),
    sqlite("a death names no process", "pid of the dead dropped", TABLE,
        &[Named("named_dead", "(fence = $4 AND $5 = $5 AND process_start = $6 AND boot_id = $7 AND {held})")])
        .survives(IN_TRANSACTION),
    sqlite("a death names no boot", "boot of the dead dropped", TABLE,
        &[Named("named_dead", "(fence = $4 AND pid = $5 AND process_start = $6 AND $7 = $7 AND {held})")])
        .survives(IN_TRANSACTION),
    postgres("a death counts on a shared server", "{proves} is true", TABLE, &[Named("proves", "TRUE")])
        .survives("The PostgreSQL driver never names a dead holder: it binds a fence of -1, which no row has."),
    both("a claim finds somebody else's token", "token dropped from the look after a lost answer",
        "edges::a_claim_repeated_with_its_token_finds_itself_and_nobody_else_does",
        &[Within("SELECT fence FROM leases WHERE project_id = $1 AND {owner_token}", "AND {owner_token}",
            "AND coalesce(owner_token, $2) IS NOT NULL")]).grave(),
    both("a claim forgets its lost answer", "the look after a lost answer finds nothing",
        "edges::a_claim_repeated_with_its_token_finds_itself_and_nobody_else_does",
        &[Within("SELECT fence FROM leases WHERE project_id = $1 AND {owner_token}", "AND {owner_token}",
            "AND {owner_token} AND FALSE")]),
    both("the predecessor's run stays running", "interrupt dropped", TABLE,
        &[Within("SET status = 'interrupted'", "AND {running}", "AND {running} AND FALSE")])
        .disarmed(&["index runs_one_running"]).grave(),
    both("every old run is interrupted", "{running} dropped from the interrupt", TABLE,
        &[Within("SET status = 'interrupted'", "AND {running}", "")]),
    both("every project's run is interrupted", "project dropped from the interrupt", TABLE,
        &[Within("SET status = 'interrupted'", "project_id = $1 AND", "$1 = $1 AND")]),
    both("an interrupted run has no end", "ended_at not written by the interrupt",
        "owners::a_new_run_is_born_with_the_fence_and_what_was_asked",
        &[Within("SET status = 'interrupted'", "ended_at = coalesce(ended_at, {now}),", "")]),
    both("a run is born ended", "status of a new run", TABLE, &[Within("INSERT INTO runs", "'running'", "'succeeded'")]),
    both("a run shows as running without a holder", "{held} dropped from the derived status",
        "edges::a_run_shows_as_running_only_while_its_fence_is_held_and_live",
        &[Named("run_lives", "EXISTS (SELECT 1 FROM leases WHERE leases.project_id = runs.project_id \
            AND leases.fence = runs.fence AND {live})")]),
    both("a run shows as running after its window", "{live} dropped from the derived status",
        "edges::a_run_shows_as_running_only_while_its_fence_is_held_and_live",
        &[Named("run_lives", "EXISTS (SELECT 1 FROM leases WHERE leases.project_id = runs.project_id \
            AND leases.fence = runs.fence AND {held})")]),
    both("a run shows as running under another fence", "fence dropped from the derived status",
        "edges::a_run_shows_as_running_only_while_its_fence_is_held_and_live",
        &[Named("run_lives", "EXISTS (SELECT 1 FROM leases WHERE leases.project_id = runs.project_id AND {held} AND {live})")]),
];
