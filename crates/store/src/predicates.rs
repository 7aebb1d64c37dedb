//! Named predicates: every guard of every statement has its name here, and nowhere else its text.
//!
//! A statement names them in braces, as in `WHERE project_id = $1 AND {owner} AND {live}`. The numbers of parameters
//! are part of a predicate's contract: `$1` is the project, `$2` the token, `$3` the fence wherever `{owner}` stands.

/// Name and text; the text may name other placeholders.
pub(crate) type Predicate = (&'static str, &'static str);

/// The lease (docs/LEASES.md sections 3 and 4).
pub(crate) const LEASES: &[Predicate] = &[
    ("free", "owner_token IS NULL"),
    ("held", "owner_token IS NOT NULL"),
    ("owner_token", "owner_token = $2"),
    ("owner_fence", "fence = $3"),
    ("owner", "{owner_token} AND {owner_fence}"),
    ("seen_fence", "fence = $2"),
    ("not_too_old", "{ms:heartbeat_at} >= {now_ms} - window_ms"),
    ("not_too_new", "{ms:heartbeat_at} <= {now_ms} + window_ms"),
    ("live", "({not_too_old} AND {not_too_new})"),
    ("too_old", "{ms:heartbeat_at} < {now_ms} - window_ms"),
    ("too_new", "{ms:heartbeat_at} > {now_ms} + window_ms"),
    ("stale", "(heartbeat_at IS NULL OR {too_old} OR {too_new})"),
    // Exactly the holder that was proven dead; a fence of -1 names nobody. `{proves}` is false on a shared server.
    (
        "named_dead",
        "({proves} AND fence = $4 AND pid = $5 AND process_start = $6 AND boot_id = $7 AND {held})",
    ),
    (
        "project_alive",
        "EXISTS (SELECT 1 FROM projects p JOIN sources s ON s.id = p.source_id \
         WHERE p.id = leases.project_id AND p.deleted_at IS NULL AND s.deleted_at IS NULL)",
    ),
    ("no_cancel_yet", "cancel_at IS NULL"),
    ("next_fence", "fence + 1"),
];

/// Runs: is the run's lease still held by its fence and alive.
pub(crate) const RUNS: &[Predicate] = &[
    ("running", "status = 'running'"),
    (
        "run_lives",
        "EXISTS (SELECT 1 FROM leases WHERE leases.project_id = runs.project_id \
         AND leases.fence = runs.fence AND {held} AND {live})",
    ),
];

/// Pull requests: order of what is told about one.
pub(crate) const PULLS: &[Predicate] = &[
    ("newer_number", "excluded.number > pull_requests.number"),
    (
        "newer_state",
        "(excluded.number = pull_requests.number AND excluded.updated_at >= pull_requests.updated_at \
         AND (pull_requests.state <> 'merged' OR excluded.state = 'merged'))",
    ),
];

/// Rows that are not soft-deleted.
pub(crate) const ROWS: &[Predicate] = &[
    ("undeleted", "deleted_at IS NULL"),
    (
        "lease_events",
        "event IN ('lease.claimed', 'lease.renewed_late', 'lease.lost', 'lease.reclaimed', \
         'lease.cancel_asked', 'lease.released', 'run.finished')",
    ),
];

/// Lists of columns, each written once.
pub(crate) const LISTS: &[Predicate] = &[
    (
        "lease_row",
        "project_id, ({held}) AS held, fence, run_id, window_ms, {ms:claimed_at} AS claimed_at, \
         {ms:heartbeat_at} AS heartbeat_at, {ms:cancel_at} AS cancel_at, cancel_by, cancel_reason, \
         cancel_fence, progress, {ms:progress_at} AS progress_at, person, os_user, host, pid, process_start, \
         app_version, boot_id, \
         (SELECT {json_int:r.holder started_at} FROM runs r WHERE r.id = leases.run_id) AS started_at, \
         last_status, last_fence, {ms:last_at} AS last_at, {now_ms} AS db_now",
    ),
    (
        "project_row",
        "id, name, source_id, strategy, state, {ms:deadline} AS deadline, note, dist_connection_id, \
         dist_repo_id, dist_node_id, dist_owner, dist_name, {ms:deleted_at} AS deleted_at, \
         {ms:created_at} AS created_at",
    ),
    (
        "source_row",
        "id, connection_id, repo_id, node_id, owner, name, {ms:checked_at} AS checked_at, trouble, \
         {ms:deleted_at} AS deleted_at, {ms:created_at} AS created_at",
    ),
    (
        "connection_row",
        "id, name, base_url, kind, app_id, installation_id, login, state, {ms:created_at} AS created_at",
    ),
    (
        "recipient_row",
        "r.id, r.project_id, r.connection_id, r.repo_id, r.node_id, r.owner, r.name, r.label, \
         {ms:r.deadline} AS deadline, r.locked, r.state, r.mapping",
    ),
    (
        "run_row",
        "id, project_id, fence, kind, holder, selection, {ms:started_at} AS started_at, \
         {ms:ended_at} AS ended_at, CASE WHEN {running} AND NOT {run_lives} THEN 'interrupted' ELSE status END \
         AS status, error_code, error_text, counts, spent, resumes",
    ),
    (
        "outcome_row",
        "o.recipient_id, o.branch, o.outcome, o.reason, o.cause, o.run_id, {ms:o.at} AS at, o.delivered, \
         o.conflicts",
    ),
    (
        "pull_row",
        "p.recipient_id, p.branch, p.number, p.author, p.base, p.state, {ms:p.opened_at} AS opened_at, \
         {ms:p.merged_at} AS merged_at, {ms:p.closed_at} AS closed_at, p.head, p.merge_commit, p.mergeable, \
         p.announced, {ms:p.updated_at} AS updated_at, p.url",
    ),
    ("audit_row", "seq, {ms:at} AS at, actor, machine, project_id, event, detail"),
];

/// The text of a predicate or list.
pub(crate) fn find(name: &str) -> Option<&'static str> {
    [LEASES, RUNS, PULLS, ROWS, LISTS]
        .into_iter()
        .flatten()
        .find_map(|(known, text)| (*known == name).then_some(*text))
}
