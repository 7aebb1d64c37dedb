-- The first schema. Times are milliseconds since the Unix epoch, UTC; ids are 16-byte UUIDs; object ids are text.
-- An older program may not open a newer schema (it is refused with the version that migrated).

CREATE TABLE meta (
    one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    database_id BLOB NOT NULL CHECK (length(database_id) = 16),
    app_version TEXT NOT NULL,
    schema_name TEXT NOT NULL,
    moved_to TEXT,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE connections (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    name TEXT NOT NULL CHECK (name <> ''),
    base_url TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('token', 'app')),
    app_id INTEGER,
    installation_id INTEGER,
    login TEXT NOT NULL,
    state TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    deleted_at INTEGER,
    CHECK ((app_id IS NULL) = (installation_id IS NULL))
) STRICT;
CREATE UNIQUE INDEX connections_name ON connections (name) WHERE deleted_at IS NULL;

CREATE TRIGGER connections_base_url_is_fixed BEFORE UPDATE OF base_url ON connections
WHEN NEW.base_url <> OLD.base_url
BEGIN SELECT RAISE(ABORT, 'the base URL of a connection never changes'); END;

CREATE TABLE sources (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    connection_id BLOB NOT NULL REFERENCES connections (id),
    repo_id INTEGER NOT NULL,
    node_id TEXT NOT NULL,
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    checked_at INTEGER,
    trouble TEXT,
    deleted_at INTEGER,
    created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX sources_repo ON sources (connection_id, repo_id) WHERE deleted_at IS NULL;

CREATE TABLE source_heads (
    source_id BLOB NOT NULL REFERENCES sources (id),
    branch TEXT NOT NULL,
    oid TEXT CHECK (oid IS NULL OR length(oid) = 40),
    seen_at INTEGER NOT NULL,
    PRIMARY KEY (source_id, branch)
) STRICT, WITHOUT ROWID;

CREATE TABLE projects (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    name TEXT NOT NULL CHECK (name <> ''),
    source_id BLOB NOT NULL REFERENCES sources (id),
    strategy TEXT NOT NULL CHECK (strategy IN ('squash', 'whole')),
    state TEXT NOT NULL CHECK (state IN ('draft', 'published', 'archived')),
    deadline INTEGER,
    note TEXT NOT NULL,
    dist_connection_id BLOB REFERENCES connections (id),
    dist_repo_id INTEGER,
    dist_node_id TEXT,
    dist_owner TEXT,
    dist_name TEXT,
    deleted_at INTEGER,
    created_at INTEGER NOT NULL,
    CHECK ((dist_repo_id IS NULL) = (dist_connection_id IS NULL))
) STRICT;
CREATE UNIQUE INDEX projects_name ON projects (name) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX projects_distribution ON projects (dist_connection_id, dist_repo_id)
    WHERE deleted_at IS NULL AND dist_repo_id IS NOT NULL;
CREATE INDEX projects_source ON projects (source_id);

CREATE TRIGGER projects_strategy_is_fixed BEFORE UPDATE OF strategy, source_id ON projects
WHEN NEW.strategy <> OLD.strategy OR NEW.source_id <> OLD.source_id
BEGIN SELECT RAISE(ABORT, 'source and strategy of a project never change'); END;

CREATE TABLE project_branches (
    project_id BLOB NOT NULL REFERENCES projects (id),
    position INTEGER NOT NULL CHECK (position BETWEEN 0 AND 9),
    branch TEXT NOT NULL,
    source_branch TEXT NOT NULL,
    handed_out TEXT CHECK (handed_out IS NULL OR length(handed_out) = 40),
    dist_head TEXT CHECK (dist_head IS NULL OR length(dist_head) = 40),
    update_number INTEGER NOT NULL DEFAULT 0 CHECK (update_number >= 0),
    fingerprint TEXT,
    ahead_kind TEXT NOT NULL DEFAULT 'not_checked',
    ahead_count INTEGER,
    PRIMARY KEY (project_id, branch),
    UNIQUE (project_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE recipients (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    project_id BLOB NOT NULL REFERENCES projects (id),
    connection_id BLOB NOT NULL REFERENCES connections (id),
    repo_id INTEGER NOT NULL,
    node_id TEXT NOT NULL,
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    label TEXT NOT NULL,
    deadline INTEGER,
    locked INTEGER NOT NULL DEFAULT 0 CHECK (locked IN (0, 1)),
    state TEXT NOT NULL CHECK (state IN ('live', 'pending', 'archived', 'gone', 'moved')),
    mapping TEXT NOT NULL DEFAULT '[]',
    created_at INTEGER NOT NULL,
    UNIQUE (project_id, connection_id, repo_id)
) STRICT;

-- One row per project, made with it. No index on a column that changes; the run is named without a foreign key because
-- the claim writes this row before the run is born.
CREATE TABLE leases (
    project_id BLOB NOT NULL PRIMARY KEY REFERENCES projects (id),
    owner_token BLOB CHECK (owner_token IS NULL OR length(owner_token) = 16),
    fence INTEGER NOT NULL DEFAULT 0 CHECK (fence >= 0),
    run_id BLOB,
    window_ms INTEGER NOT NULL DEFAULT 180000 CHECK (window_ms BETWEEN 300 AND 900000),
    claimed_at INTEGER,
    heartbeat_at INTEGER,
    cancel_at INTEGER,
    cancel_by TEXT,
    cancel_reason TEXT,
    cancel_fence INTEGER,
    progress TEXT CHECK (progress IS NULL OR length(CAST(progress AS BLOB)) <= 2048),
    progress_at INTEGER,
    person TEXT,
    os_user TEXT,
    host TEXT,
    pid INTEGER,
    process_start INTEGER,
    app_version TEXT,
    boot_id TEXT,
    last_status TEXT,
    last_fence INTEGER,
    last_at INTEGER
) STRICT;

CREATE TRIGGER leases_fence_only_grows BEFORE UPDATE ON leases
WHEN NEW.fence < OLD.fence
BEGIN SELECT RAISE(ABORT, 'the fence of a lease never decreases'); END;

CREATE TRIGGER leases_new_token_takes_a_fence BEFORE UPDATE ON leases
WHEN NEW.owner_token IS NOT NULL AND NEW.owner_token IS NOT OLD.owner_token AND NEW.fence <> OLD.fence + 1
BEGIN SELECT RAISE(ABORT, 'a new owner of a lease takes the next fence'); END;

CREATE TRIGGER leases_stay BEFORE DELETE ON leases
BEGIN SELECT RAISE(ABORT, 'a lease row stays: its fence is never reset'); END;

CREATE TABLE runs (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    project_id BLOB NOT NULL REFERENCES projects (id),
    fence INTEGER NOT NULL CHECK (fence > 0),
    kind TEXT NOT NULL,
    holder TEXT NOT NULL,
    selection TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    status TEXT NOT NULL
        CHECK (status IN ('running', 'succeeded', 'incomplete', 'failed', 'cancelled', 'interrupted')),
    error_code TEXT,
    error_text TEXT,
    counts TEXT NOT NULL,
    spent TEXT NOT NULL,
    resumes BLOB REFERENCES runs (id),
    UNIQUE (project_id, fence)
) STRICT;
CREATE UNIQUE INDEX runs_one_running ON runs (project_id) WHERE status = 'running';
CREATE INDEX runs_started ON runs (started_at);

CREATE TABLE items (
    run_id BLOB NOT NULL REFERENCES runs (id),
    recipient_id BLOB NOT NULL REFERENCES recipients (id),
    branch TEXT NOT NULL,
    step TEXT NOT NULL CHECK (step IN ('planned', 'recorded', 'pushed', 'announced', 'done')),
    expected_old TEXT,
    new_oid TEXT,
    pull_number INTEGER,
    outcome TEXT,
    reason TEXT,
    cause TEXT NOT NULL DEFAULT '',
    request_id TEXT,
    at INTEGER NOT NULL,
    PRIMARY KEY (run_id, recipient_id, branch),
    CHECK ((step = 'done') = (outcome IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX items_recipient ON items (recipient_id);

CREATE TABLE last_outcomes (
    recipient_id BLOB NOT NULL REFERENCES recipients (id),
    branch TEXT NOT NULL,
    outcome TEXT NOT NULL,
    reason TEXT,
    cause TEXT NOT NULL,
    run_id BLOB NOT NULL REFERENCES runs (id),
    at INTEGER NOT NULL,
    delivered TEXT,
    conflicts INTEGER,
    PRIMARY KEY (recipient_id, branch)
) STRICT, WITHOUT ROWID;
CREATE INDEX last_outcomes_run ON last_outcomes (run_id);

CREATE TABLE pull_requests (
    recipient_id BLOB NOT NULL REFERENCES recipients (id),
    branch TEXT NOT NULL,
    number INTEGER NOT NULL,
    author TEXT NOT NULL,
    base TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'merged', 'closed')),
    opened_at INTEGER NOT NULL,
    merged_at INTEGER,
    closed_at INTEGER,
    head TEXT,
    merge_commit TEXT,
    mergeable TEXT NOT NULL,
    announced TEXT,
    updated_at INTEGER NOT NULL,
    url TEXT NOT NULL,
    PRIMARY KEY (recipient_id, branch)
) STRICT, WITHOUT ROWID;

-- Heads that Lockstep is about to push: of a recipient, or of the distribution (no recipient).
CREATE TABLE own_commits (
    project_id BLOB NOT NULL REFERENCES projects (id),
    recipient_id BLOB REFERENCES recipients (id),
    branch TEXT NOT NULL,
    sha TEXT NOT NULL CHECK (length(sha) = 40),
    run_id BLOB NOT NULL REFERENCES runs (id),
    recorded_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX own_commits_recipient ON own_commits (recipient_id, sha) WHERE recipient_id IS NOT NULL;
CREATE UNIQUE INDEX own_commits_distribution ON own_commits (project_id, sha) WHERE recipient_id IS NULL;
CREATE INDEX own_commits_run ON own_commits (run_id);

CREATE TABLE inventory (
    project_id BLOB NOT NULL,
    branch TEXT NOT NULL,
    path TEXT NOT NULL,
    first_at INTEGER,
    orphaned_at INTEGER,
    protected INTEGER NOT NULL DEFAULT 0 CHECK (protected IN (0, 1)),
    PRIMARY KEY (project_id, branch, path),
    FOREIGN KEY (project_id, branch) REFERENCES project_branches (project_id, branch)
) STRICT, WITHOUT ROWID;

CREATE TABLE publications (
    project_id BLOB NOT NULL REFERENCES projects (id),
    fence INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('distribution', 'end')),
    run_id BLOB NOT NULL REFERENCES runs (id),
    at INTEGER NOT NULL,
    PRIMARY KEY (project_id, fence, kind)
) STRICT, WITHOUT ROWID;

CREATE TABLE verdicts (
    recipient_id BLOB NOT NULL REFERENCES recipients (id),
    branch TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (recipient_id, branch)
) STRICT, WITHOUT ROWID;

CREATE TABLE gates (
    identity TEXT NOT NULL PRIMARY KEY,
    reserved INTEGER NOT NULL DEFAULT 0,
    last_at INTEGER,
    blocked_until INTEGER,
    slow_permille INTEGER NOT NULL DEFAULT 1000 CHECK (slow_permille >= 1000),
    slow_at INTEGER
) STRICT;

CREATE TABLE gate_slots (
    identity TEXT NOT NULL REFERENCES gates (identity),
    number INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (identity, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE feed (
    seq INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    topic TEXT NOT NULL,
    project_id BLOB,
    key TEXT NOT NULL
) STRICT;

CREATE TABLE audit (
    seq INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    machine TEXT NOT NULL,
    project_id BLOB,
    event TEXT NOT NULL,
    detail TEXT NOT NULL
) STRICT;
CREATE INDEX audit_project ON audit (project_id, seq);

CREATE TRIGGER audit_keeps_its_rows BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'audit rows never change'); END;

CREATE TRIGGER audit_loses_no_row BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'audit rows are never deleted'); END;
