-- The first schema. Times are timestamptz cut to milliseconds; object ids are text.
-- An older program may not open a newer schema (it is refused with the version that migrated).

CREATE TABLE meta (
    one BIGINT NOT NULL PRIMARY KEY CHECK (one = 1),
    database_id UUID NOT NULL,
    app_version TEXT NOT NULL,
    schema_name TEXT NOT NULL,
    moved_to TEXT,
    created_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE connections (
    id UUID NOT NULL PRIMARY KEY,
    name TEXT NOT NULL CHECK (name <> ''),
    base_url TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('token', 'app')),
    app_id BIGINT,
    installation_id BIGINT,
    login TEXT NOT NULL,
    state TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    deleted_at TIMESTAMPTZ,
    CHECK ((app_id IS NULL) = (installation_id IS NULL))
);
CREATE UNIQUE INDEX connections_name ON connections (name) WHERE deleted_at IS NULL;

CREATE TABLE sources (
    id UUID NOT NULL PRIMARY KEY,
    connection_id UUID NOT NULL REFERENCES connections (id),
    repo_id BIGINT NOT NULL,
    node_id TEXT NOT NULL,
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    checked_at TIMESTAMPTZ,
    trouble TEXT,
    deleted_at TIMESTAMPTZ,
    created_at TIMESTAMPTZ NOT NULL
);
CREATE UNIQUE INDEX sources_repo ON sources (connection_id, repo_id) WHERE deleted_at IS NULL;

CREATE TABLE source_heads (
    source_id UUID NOT NULL REFERENCES sources (id),
    branch TEXT NOT NULL,
    oid TEXT CHECK (oid IS NULL OR length(oid) = 40),
    seen_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (source_id, branch)
);

CREATE TABLE projects (
    id UUID NOT NULL PRIMARY KEY,
    name TEXT NOT NULL CHECK (name <> ''),
    source_id UUID NOT NULL REFERENCES sources (id),
    strategy TEXT NOT NULL CHECK (strategy IN ('squash', 'whole')),
    state TEXT NOT NULL CHECK (state IN ('draft', 'published', 'archived')),
    deadline TIMESTAMPTZ,
    note TEXT NOT NULL,
    dist_connection_id UUID REFERENCES connections (id),
    dist_repo_id BIGINT,
    dist_node_id TEXT,
    dist_owner TEXT,
    dist_name TEXT,
    deleted_at TIMESTAMPTZ,
    created_at TIMESTAMPTZ NOT NULL,
    CHECK ((dist_repo_id IS NULL) = (dist_connection_id IS NULL))
);
CREATE UNIQUE INDEX projects_name ON projects (name) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX projects_distribution ON projects (dist_connection_id, dist_repo_id)
    WHERE deleted_at IS NULL AND dist_repo_id IS NOT NULL;
CREATE INDEX projects_source ON projects (source_id);

CREATE TABLE project_branches (
    project_id UUID NOT NULL REFERENCES projects (id),
    position BIGINT NOT NULL CHECK (position BETWEEN 0 AND 9),
    branch TEXT NOT NULL,
    source_branch TEXT NOT NULL,
    handed_out TEXT CHECK (handed_out IS NULL OR length(handed_out) = 40),
    dist_head TEXT CHECK (dist_head IS NULL OR length(dist_head) = 40),
    update_number BIGINT NOT NULL DEFAULT 0 CHECK (update_number >= 0),
    fingerprint TEXT,
    ahead_kind TEXT NOT NULL DEFAULT 'not_checked',
    ahead_count BIGINT,
    PRIMARY KEY (project_id, branch),
    UNIQUE (project_id, position)
);

CREATE TABLE recipients (
    id UUID NOT NULL PRIMARY KEY,
    project_id UUID NOT NULL REFERENCES projects (id),
    connection_id UUID NOT NULL REFERENCES connections (id),
    repo_id BIGINT NOT NULL,
    node_id TEXT NOT NULL,
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    label TEXT NOT NULL,
    deadline TIMESTAMPTZ,
    locked BOOLEAN NOT NULL DEFAULT FALSE,
    state TEXT NOT NULL CHECK (state IN ('live', 'pending', 'archived', 'gone', 'moved')),
    mapping TEXT NOT NULL DEFAULT '[]',
    created_at TIMESTAMPTZ NOT NULL,
    UNIQUE (project_id, connection_id, repo_id)
);

-- One row per project, made with it. No index on a column that changes; the run is named without a foreign key because
-- the claim writes this row before the run is born.
CREATE TABLE leases (
    project_id UUID NOT NULL PRIMARY KEY REFERENCES projects (id),
    owner_token BYTEA CHECK (owner_token IS NULL OR octet_length(owner_token) = 16),
    fence BIGINT NOT NULL DEFAULT 0 CHECK (fence >= 0),
    run_id UUID,
    window_ms BIGINT NOT NULL DEFAULT 180000 CHECK (window_ms BETWEEN 300 AND 900000),
    claimed_at TIMESTAMPTZ,
    heartbeat_at TIMESTAMPTZ,
    cancel_at TIMESTAMPTZ,
    cancel_by TEXT,
    cancel_reason TEXT,
    cancel_fence BIGINT,
    progress TEXT CHECK (progress IS NULL OR octet_length(progress) <= 2048),
    progress_at TIMESTAMPTZ,
    person TEXT,
    os_user TEXT,
    host TEXT,
    pid BIGINT,
    process_start BIGINT,
    app_version TEXT,
    boot_id TEXT,
    last_status TEXT,
    last_fence BIGINT,
    last_at TIMESTAMPTZ
);

CREATE TABLE runs (
    id UUID NOT NULL PRIMARY KEY,
    project_id UUID NOT NULL REFERENCES projects (id),
    fence BIGINT NOT NULL CHECK (fence > 0),
    kind TEXT NOT NULL,
    holder TEXT NOT NULL,
    selection TEXT NOT NULL,
    started_at TIMESTAMPTZ NOT NULL,
    ended_at TIMESTAMPTZ,
    status TEXT NOT NULL
        CHECK (status IN ('running', 'succeeded', 'incomplete', 'failed', 'cancelled', 'interrupted')),
    error_code TEXT,
    error_text TEXT,
    counts TEXT NOT NULL,
    spent TEXT NOT NULL,
    resumes UUID REFERENCES runs (id),
    UNIQUE (project_id, fence)
);
CREATE UNIQUE INDEX runs_one_running ON runs (project_id) WHERE status = 'running';
CREATE INDEX runs_started ON runs (started_at);

CREATE TABLE items (
    run_id UUID NOT NULL REFERENCES runs (id),
    recipient_id UUID NOT NULL REFERENCES recipients (id),
    branch TEXT NOT NULL,
    step TEXT NOT NULL CHECK (step IN ('planned', 'recorded', 'pushed', 'announced', 'done')),
    expected_old TEXT,
    new_oid TEXT,
    pull_number BIGINT,
    outcome TEXT,
    reason TEXT,
    cause TEXT NOT NULL DEFAULT '',
    request_id TEXT,
    at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (run_id, recipient_id, branch),
    CHECK ((step = 'done') = (outcome IS NOT NULL))
);
CREATE INDEX items_recipient ON items (recipient_id);

CREATE TABLE last_outcomes (
    recipient_id UUID NOT NULL REFERENCES recipients (id),
    branch TEXT NOT NULL,
    outcome TEXT NOT NULL,
    reason TEXT,
    cause TEXT NOT NULL,
    run_id UUID NOT NULL REFERENCES runs (id),
    at TIMESTAMPTZ NOT NULL,
    delivered TEXT,
    conflicts BIGINT,
    PRIMARY KEY (recipient_id, branch)
);
CREATE INDEX last_outcomes_run ON last_outcomes (run_id);

CREATE TABLE pull_requests (
    recipient_id UUID NOT NULL REFERENCES recipients (id),
    branch TEXT NOT NULL,
    number BIGINT NOT NULL,
    author TEXT NOT NULL,
    base TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'merged', 'closed')),
    opened_at TIMESTAMPTZ NOT NULL,
    merged_at TIMESTAMPTZ,
    closed_at TIMESTAMPTZ,
    head TEXT,
    merge_commit TEXT,
    mergeable TEXT NOT NULL,
    announced TEXT,
    updated_at TIMESTAMPTZ NOT NULL,
    url TEXT NOT NULL,
    PRIMARY KEY (recipient_id, branch)
);

-- Heads that Lockstep is about to push: of a recipient, or of the distribution (no recipient).
CREATE TABLE own_commits (
    project_id UUID NOT NULL REFERENCES projects (id),
    recipient_id UUID REFERENCES recipients (id),
    branch TEXT NOT NULL,
    sha TEXT NOT NULL CHECK (length(sha) = 40),
    run_id UUID NOT NULL REFERENCES runs (id),
    recorded_at TIMESTAMPTZ NOT NULL
);
CREATE UNIQUE INDEX own_commits_recipient ON own_commits (recipient_id, sha) WHERE recipient_id IS NOT NULL;
CREATE UNIQUE INDEX own_commits_distribution ON own_commits (project_id, sha) WHERE recipient_id IS NULL;
CREATE INDEX own_commits_run ON own_commits (run_id);

CREATE TABLE inventory (
    project_id UUID NOT NULL,
    branch TEXT NOT NULL,
    path TEXT NOT NULL,
    first_at TIMESTAMPTZ,
    orphaned_at TIMESTAMPTZ,
    protected BOOLEAN NOT NULL DEFAULT FALSE,
    PRIMARY KEY (project_id, branch, path),
    FOREIGN KEY (project_id, branch) REFERENCES project_branches (project_id, branch)
);

CREATE TABLE publications (
    project_id UUID NOT NULL REFERENCES projects (id),
    fence BIGINT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('distribution', 'end')),
    run_id UUID NOT NULL REFERENCES runs (id),
    at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (project_id, fence, kind)
);

CREATE TABLE verdicts (
    recipient_id UUID NOT NULL REFERENCES recipients (id),
    branch TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (recipient_id, branch)
);

CREATE TABLE gates (
    identity TEXT NOT NULL PRIMARY KEY,
    reserved BIGINT NOT NULL DEFAULT 0,
    last_at TIMESTAMPTZ,
    blocked_until TIMESTAMPTZ,
    slow_permille BIGINT NOT NULL DEFAULT 1000 CHECK (slow_permille >= 1000),
    slow_at TIMESTAMPTZ
);

CREATE TABLE gate_slots (
    identity TEXT NOT NULL REFERENCES gates (identity),
    number BIGINT NOT NULL,
    at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (identity, number)
);

CREATE TABLE feed (
    seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at TIMESTAMPTZ NOT NULL,
    topic TEXT NOT NULL,
    project_id UUID,
    key TEXT NOT NULL
);

CREATE TABLE audit (
    seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at TIMESTAMPTZ NOT NULL,
    actor TEXT NOT NULL,
    machine TEXT NOT NULL,
    project_id UUID,
    event TEXT NOT NULL,
    detail TEXT NOT NULL
);
CREATE INDEX audit_project ON audit (project_id, seq);

CREATE FUNCTION lockstep_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'integrity_constraint_violation', MESSAGE = TG_ARGV[0];
END $$;

CREATE TRIGGER connections_base_url_is_fixed BEFORE UPDATE ON connections FOR EACH ROW
    WHEN (NEW.base_url <> OLD.base_url)
    EXECUTE FUNCTION lockstep_refuse('the base URL of a connection never changes');

CREATE TRIGGER projects_strategy_is_fixed BEFORE UPDATE ON projects FOR EACH ROW
    WHEN (NEW.strategy <> OLD.strategy OR NEW.source_id <> OLD.source_id)
    EXECUTE FUNCTION lockstep_refuse('source and strategy of a project never change');

CREATE TRIGGER leases_fence_only_grows BEFORE UPDATE ON leases FOR EACH ROW
    WHEN (NEW.fence < OLD.fence)
    EXECUTE FUNCTION lockstep_refuse('the fence of a lease never decreases');

CREATE TRIGGER leases_new_token_takes_a_fence BEFORE UPDATE ON leases FOR EACH ROW
    WHEN (NEW.owner_token IS NOT NULL AND NEW.owner_token IS DISTINCT FROM OLD.owner_token
        AND NEW.fence <> OLD.fence + 1)
    EXECUTE FUNCTION lockstep_refuse('a new owner of a lease takes the next fence');

CREATE TRIGGER leases_stay BEFORE DELETE ON leases FOR EACH ROW
    EXECUTE FUNCTION lockstep_refuse('a lease row stays: its fence is never reset');

CREATE TRIGGER leases_stay_together BEFORE TRUNCATE ON leases FOR EACH STATEMENT
    EXECUTE FUNCTION lockstep_refuse('a lease row stays: its fence is never reset');

CREATE TRIGGER audit_keeps_its_rows BEFORE UPDATE ON audit FOR EACH ROW
    EXECUTE FUNCTION lockstep_refuse('audit rows never change');

CREATE TRIGGER audit_loses_no_row BEFORE DELETE ON audit FOR EACH ROW
    EXECUTE FUNCTION lockstep_refuse('audit rows are never deleted');

CREATE TRIGGER audit_is_never_emptied BEFORE TRUNCATE ON audit FOR EACH STATEMENT
    EXECUTE FUNCTION lockstep_refuse('audit rows are never deleted');
