//! Mutants of what all statements stand on: the clock, the transaction, the row locks, audit, feed, notifications, and the
//! database's own guards.

use super::entry::{Entry, Named, Within, both, postgres, sqlite};

const CLOCK: &str = "table::the_clock_of_the_database_judges_and_not_this_machines";
const WAITED: &str = "waits::a_renewal_judges_by_the_clock_after_its_wait";
const REAL: &str = "waits::the_real_clock_is_read_after_the_wait";
const LANDS: &str = "waits::a_renewal_that_meets_another_writer_lands_after_it";
const WHOLE: &str = "publishing::a_failed_publication_is_rolled_back_whole_and_its_retry_publishes";
const AUDITED: &str = "edges::each_edge_of_a_lease_is_audited_once_in_order";
const FED: &str = "feed::every_edge_of_a_lease_and_a_run_is_fed";
const HEARD: &str = "edges::an_edge_is_told_to_other_machines_and_a_heartbeat_is_not";
const GUARDED: &str = "edges::a_lease_without_triggers_would_not_guard_its_fence";
const RENEW: &str = "RETURNING window_ms AS left_ms";
const BEGIN: &str = "BEGIN I";

pub(super) const LIST: &[Entry] = &[
    both("liveness by a bound time", "{now_ms} bound before the transaction", WAITED, &[Named("now_ms", "{bound_ms}")]).grave(),
    both("liveness by this machine's clock", "{now_ms} of the client", CLOCK, &[Named("now_ms", "{bound_ms}")]),
    both("heartbeats by this machine's clock", "{now} of the client", CLOCK, &[Named("now", "{bound}")]).grave(),
    both("a renewal by this machine's clock", "{now} of the client in renew", CLOCK,
        &[Within(RENEW, "SET heartbeat_at = {now}", "SET heartbeat_at = {bound}")]),
    postgres("now() for clock_timestamp()", "the clock is frozen at BEGIN", REAL,
        &[Named("now", "date_trunc('milliseconds', now())"), Named("now_ms", "floor(extract(epoch FROM now()) * 1000)::bigint")]).grave(),
    sqlite("IMMEDIATE to DEFERRED", "BEGIN DEFERRED", LANDS, &[Within(BEGIN, "BEGIN IMMEDIATE", "BEGIN DEFERRED")]).grave(),
    sqlite("IMMEDIATE to EXCLUSIVE", "BEGIN EXCLUSIVE", LANDS, &[Within(BEGIN, "BEGIN IMMEDIATE", "BEGIN EXCLUSIVE")])
        .survives("In WAL mode EXCLUSIVE is the same as IMMEDIATE."),
    postgres("REPEATABLE READ", "isolation of writing transactions", LANDS,
        &[Within(BEGIN, "READ COMMITTED", "REPEATABLE READ")]).grave(),
    postgres("SERIALIZABLE", "isolation of writing transactions", LANDS, &[Within(BEGIN, "READ COMMITTED", "SERIALIZABLE")]),
    postgres("the database's default isolation", "level not said", LANDS,
        &[Within(BEGIN, "ISOLATION LEVEL READ COMMITTED READ WRITE", "READ WRITE")])
        .survives("Every direct connection also sets its own default to READ COMMITTED when it is made; only a pooler in \
            between, which these tests do not have, leaves BEGIN alone with it."),
    sqlite("no transaction", "BEGIN, COMMIT and ROLLBACK dropped", WHOLE,
        &[Within(BEGIN, "BEGIN IMMEDIATE", "SELECT 1"), Within("COMMIT", "COMMIT", "SELECT 1"), Within("ROLLBACK", "ROLLBACK", "SELECT 1")]).grave(),
    postgres("no transaction", "BEGIN, COMMIT and ROLLBACK dropped", WHOLE,
        &[Within(BEGIN, "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;", ""), Within(BEGIN, "SET LOCAL", "SET"),
          Within("COMMIT", "COMMIT", "SELECT 1"), Within("ROLLBACK", "ROLLBACK", "SELECT 1")]).grave(),
    both("a failure commits", "ROLLBACK to COMMIT", WHOLE, &[Within("ROLLBACK", "ROLLBACK", "COMMIT")]).grave(),
    both("a claim is not audited", "audit row dropped", AUDITED, &[Within("INSERT INTO audit", "VALUES ({now}, $1, $2, $3, $4, $5)",
        "SELECT {now}, $1, $2, $3, $4, $5 WHERE $4 <> 'lease.claimed'")]).grave(),
    both("a publication is not audited", "audit row dropped", AUDITED, &[Within("INSERT INTO audit", "VALUES ({now}, $1, $2, $3, $4, $5)",
        "SELECT {now}, $1, $2, $3, $4, $5 WHERE $4 <> 'run.published'")]),
    both("a cancel is not audited", "audit row dropped", AUDITED, &[Within("INSERT INTO audit", "VALUES ({now}, $1, $2, $3, $4, $5)",
        "SELECT {now}, $1, $2, $3, $4, $5 WHERE $4 <> 'lease.cancel_asked'")]),
    both("a finish is not audited", "audit row dropped", AUDITED, &[Within("INSERT INTO audit", "VALUES ({now}, $1, $2, $3, $4, $5)",
        "SELECT {now}, $1, $2, $3, $4, $5 WHERE $4 <> 'run.finished'")]),
    both("a release is not audited", "audit row dropped", AUDITED, &[Within("INSERT INTO audit", "VALUES ({now}, $1, $2, $3, $4, $5)",
        "SELECT {now}, $1, $2, $3, $4, $5 WHERE $4 <> 'lease.released'")]),
    both("a reclaim is not audited", "audit row dropped", AUDITED, &[Within("INSERT INTO audit", "VALUES ({now}, $1, $2, $3, $4, $5)",
        "SELECT {now}, $1, $2, $3, $4, $5 WHERE $4 <> 'lease.reclaimed'")]),
    both("a loss is not audited", "audit row dropped", "owners::a_loser_may_write_one_audit_row_that_names_its_fence",
        &[Within("INSERT INTO audit", "VALUES ({now}, $1, $2, $3, $4, $5)",
            "SELECT {now}, $1, $2, $3, $4, $5 WHERE $4 <> 'lease.lost'")]),
    both("a lease is not fed", "feed rows of leases dropped", FED,
        &[Within("INSERT INTO feed", "FROM {each:$1}", "FROM {each:$1} WHERE j.value->>'topic' <> 'lease'")]).grave(),
    both("a run is not fed", "feed rows of runs dropped", FED,
        &[Within("INSERT INTO feed", "FROM {each:$1}", "FROM {each:$1} WHERE j.value->>'topic' <> 'run'")]),
    both("an item is not fed", "feed rows of items dropped", FED,
        &[Within("INSERT INTO feed", "FROM {each:$1}", "FROM {each:$1} WHERE j.value->>'topic' <> 'item'")]),
    postgres("the feed takes no lock", "order of the feed until COMMIT dropped", "waits::feed_rows_become_visible_in_their_order",
        &[Within("pg_advisory_xact_lock", "pg_advisory_xact_lock(5498687660842304848)", "1")]).grave(),
    postgres("nothing is notified", "NOTIFY dropped", HEARD, &[Within("pg_notify", "SELECT pg_notify('lockstep_leases', $1)", "SELECT $1")]),
    postgres("heartbeats are notified", "NOTIFY on every renewal", HEARD,
        &[Within(RENEW, "RETURNING window_ms AS left_ms", "RETURNING window_ms + length(pg_notify('lockstep_leases', project_id::text)::text) * 0 AS left_ms")]),
    both("the fence may decrease", "trigger dropped", GUARDED, &[]).disarmed(&["leases_fence_only_grows"]),
    both("a new token without a new fence", "trigger dropped", GUARDED, &[]).disarmed(&["leases_new_token_takes_a_fence"]).grave(),
    both("a lease row may go", "trigger dropped", GUARDED, &[]).disarmed(&["leases_stay"]),
    both("audit rows may change", "trigger dropped", GUARDED, &[]).disarmed(&["audit_keeps_its_rows"]),
    both("audit rows may go", "trigger dropped", GUARDED, &[]).disarmed(&["audit_loses_no_row"]),
    both("two runs may run", "unique index dropped", GUARDED, &[]).disarmed(&["index runs_one_running"]),
];
