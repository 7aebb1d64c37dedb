// The shape that tauri-specta writes for the command list. Generated from the Rust side; do not edit by hand.
/* eslint-disable */
import { invoke as __TAURI_INVOKE, Channel } from "@tauri-apps/api/core";
import * as __TAURI_EVENT from "@tauri-apps/api/event";

/** Commands */
export const commands = {
	appInfo: () => typedError<AppInfo, ApiError>(__TAURI_INVOKE("app_info")),
	appQuit: () => typedError<null, ApiError>(__TAURI_INVOKE("app_quit")),
	preferencesGet: () => typedError<Preferences, ApiError>(__TAURI_INVOKE("preferences_get")),
	preferencesSet: (input: PreferencesInput) => typedError<Preferences, ApiError>(__TAURI_INVOKE("preferences_set", { input })),
	connectionList: () => typedError<ConnectionView[], ApiError>(__TAURI_INVOKE("connection_list")),
	connectionAdd: (input: ConnectInput) => typedError<ConnectionView, ApiError>(__TAURI_INVOKE("connection_add", { input })),
	practiceStart: () => typedError<ConnectionView, ApiError>(__TAURI_INVOKE("practice_start")),
	practiceHint: () => typedError<PracticeHint | null, ApiError>(__TAURI_INVOKE("practice_hint")),
	repoSearch: (connection: string, ownerPattern: string) => typedError<RepoHit[], ApiError>(__TAURI_INVOKE("repo_search", { connection, ownerPattern })),
	branchList: (connection: string, repo: string) => typedError<string[], ApiError>(__TAURI_INVOKE("branch_list", { connection, repo })),
	sourceList: () => typedError<SourceView[], ApiError>(__TAURI_INVOKE("source_list")),
	sourceAdd: (connection: string, repo: string) => typedError<SourceView, ApiError>(__TAURI_INVOKE("source_add", { connection, repo })),
	sourceCheck: (source: string) => typedError<SourceView, ApiError>(__TAURI_INVOKE("source_check", { source })),
	sourceRetire: (source: string) => typedError<null, ApiError>(__TAURI_INVOKE("source_retire", { source })),
	projectList: () => typedError<ProjectRow[], ApiError>(__TAURI_INVOKE("project_list")),
	projectGet: (project: string) => typedError<ProjectView, ApiError>(__TAURI_INVOKE("project_get", { project })),
	projectCreate: (input: NewProjectInput) => typedError<ProjectCreated, ApiError>(__TAURI_INVOKE("project_create", { input })),
	projectArchive: (project: string, archived: boolean) => typedError<null, ApiError>(__TAURI_INVOKE("project_archive", { project, archived })),
	recipientList: (project: string) => typedError<RecipientRow[], ApiError>(__TAURI_INVOKE("recipient_list", { project })),
	recipientImport: (project: string, roster: RosterInput) => typedError<ImportedView, ApiError>(__TAURI_INVOKE("recipient_import", { project, roster })),
	recipientEdit: (project: string, edit: RecipientEdit) => typedError<null, ApiError>(__TAURI_INVOKE("recipient_edit", { project, edit })),
	syncStart: (input: SyncInput) => typedError<SyncStarted, ApiError>(__TAURI_INVOKE("sync_start", { input })),
	runCancel: (project: string, fence: string, reason: string) => typedError<null, ApiError>(__TAURI_INVOKE("run_cancel", { project, fence, reason })),
	runList: (project: string | null) => typedError<RunView[], ApiError>(__TAURI_INVOKE("run_list", { project })),
	runGet: (run: string) => typedError<RunView, ApiError>(__TAURI_INVOKE("run_get", { run })),
	leaseList: () => typedError<LeaseCard[], ApiError>(__TAURI_INVOKE("lease_list")),
	leaseReclaim: (project: string, fence: string) => typedError<null, ApiError>(__TAURI_INVOKE("lease_reclaim", { project, fence })),
	feedFollow: (channel: Channel<FeedBatch>) => typedError<null, ApiError>(__TAURI_INVOKE("feed_follow", { channel })),
	linkOpen: (url: string) => typedError<null, ApiError>(__TAURI_INVOKE("link_open", { url })),
};

/** Events */
export const events = {
	quitAsked: makeEvent<QuitAsked>("quit-asked"),
};

/* Types */
export type QuitAsked = {
	runs: number,
};

export type Code = "project_missing" | "source_missing" | "store_split" | "project_archived" | "distribution_missing" | "app_not_installed" | "installation_suspended" | "sync_in_progress" | "source_gone" | "source_branch_gone" | "source_rewritten" | "source_bounds" | "would_reveal_source" | "distribution_public" | "distribution_owned" | "distribution_changed" | "distribution_failed" | "store_unusable" | "collect_failed" | "publication_failed" | "lease_lost" | "cancelled" | "quit" | "not_reclaimable" | "already_finished" | "bad_credentials" | "permission_missing" | "forge_unreachable" | "not_a_forge" | "rate_limited" | "repository_not_found" | "git_missing" | "git_too_old" | "database_unusable" | "database_newer" | "data_folder_unusable" | "secrets_unusable" | "bad_input" | "bad_roster" | "already_exists" | "not_found" | "bug";

export type Outcome = "opened" | "updated" | "unchanged" | "up_to_date" | "handed_out" | "skipped" | "failed" | "waiting";

export type Reason = "gone" | "moved" | "pending" | "archived" | "locked" | "past_deadline" | "empty" | "deselected" | "declined" | "withdrawn" | "foreign_commits" | "branch_missing" | "no_common_history" | "needs_workflows_permission" | "blocked_by_rule" | "permission_missing" | "not_accessible" | "push_failed" | "github_unavailable" | "validation" | "unknown_outcome" | "undone_by_recipient";

export type ItemStep = "planned" | "recorded" | "pushed" | "announced" | "done";

export type RunStatus = "running" | "succeeded" | "incomplete" | "failed" | "cancelled" | "interrupted";

export type RunKind = "build" | "handout" | "sync" | "withdraw" | "resolve" | "restore" | "remind" | "edit";

export type AheadKind = "never_handed_out" | "level" | "ahead" | "ahead_unknown" | "rewritten" | "branch_gone" | "source_gone" | "not_checked";

export type LeaseState = "free" | "live" | "late" | "clock_ahead" | "reclaimable" | "unknown";

export type ConnectionKind = "token" | "app";

export type ConnectionState = "usable" | "suspended" | "not_installed" | "refused";

export type Strategy = "squash" | "whole";

export type ProjectState = "draft" | "published" | "archived";

export type PullState = "open" | "merged" | "closed";

export type Mergeable = "mergeable" | "conflicting" | "unknown";

export type RecipientState = "live" | "pending" | "archived" | "gone" | "moved";

export type Counts = {
	opened: number,
	updated: number,
	unchanged: number,
	up_to_date: number,
	handed_out: number,
	skipped: number,
	failed: number,
	waiting: number,
};

export type Spent = {
	graphql: number,
	rest: number,
	fetches: number,
	pushes: number,
};

export type Tag = { kind: "projects" } | { kind: "project"; id: string } | { kind: "recipients"; project: string } | { kind: "runs"; project: string } | { kind: "sources" } | { kind: "leases" } | { kind: "connections" };

export type RosterInput = { kind: "pattern"; pattern: string } | { kind: "csv"; text: string };

export type PressKind = "sync" | "owed" | "again" | "watch" | "resume" | "none";

export type ApiError = {
	code: Code,
	message: string,
	hint: string,
	retryable: boolean,
	refId: string | null,
	holder: LeaseCard | null,
	waitMs: number | null,
};

export type AppInfo = {
	version: string,
	person: string,
	osUser: string,
	host: string,
	database: DatabaseInfo,
	git: Probe,
	secrets: string,
	firstStart: boolean,
	practice: boolean,
};

export type Probe = {
	ok: string | null,
	problem: string | null,
};

export type DatabaseInfo = {
	kind: string,
	place: string,
	engine: string,
	latencyMs: number,
	now: number | null,
	skewMs: number,
};

export type ConnectionView = {
	id: string,
	name: string,
	baseUrl: string,
	kind: ConnectionKind,
	login: string,
	state: ConnectionState,
};

export type ConnectInput = {
	name: string,
	baseUrl: string,
	secret: string,
	appId: string | null,
	installationId: string | null,
};

export type AheadView = {
	branch: string,
	kind: AheadKind,
	number: number | null,
	handedOut: string | null,
	seen: string | null,
	distHead: string | null,
	updateNumber: number,
	seenAt: number | null,
};

export type ProjectRow = {
	id: string,
	name: string,
	source: string,
	state: ProjectState,
	strategy: Strategy,
	ahead: AheadView[],
	lease: LeaseCard,
	counts: Counts,
	recipients: number,
	owed: number,
	pulls: PullCounts,
	lastSynced: number | null,
	deadline: number | null,
};

export type PullCounts = {
	open: number,
	merged: number,
	closed: number,
};

export type LeaseCard = {
	project: string,
	projectName: string,
	state: LeaseState,
	fence: string,
	person: string,
	osUser: string,
	host: string,
	pid: number,
	appVersion: string,
	mine: boolean,
	since: number | null,
	heartbeatAt: number | null,
	windowMs: number,
	now: number | null,
	leftMs: number,
	provenDead: boolean,
	sentence: string,
	run: string | null,
	progress: ProgressView | null,
	cancelBy: string | null,
};

export type ProgressView = {
	step: string,
	done: number,
	planned: number,
	failed: number,
	current: string,
	waitingUntil: number | null,
	endsAt: number | null,
};

export type ProjectView = {
	row: ProjectRow,
	distribution: string | null,
	distributionUrl: string | null,
	sourceUrl: string,
	sourceId: string,
	sourceCheckedAt: number | null,
	sourceTrouble: Code | null,
	pending: PendingBranch[],
	note: string,
	press: PressForecast,
	run: RunView | null,
	resumable: RunView | null,
};

export type PendingBranch = {
	branch: string,
	commits: CommitView[],
	netFiles: number | null,
};

export type CommitView = {
	short: string,
	subject: string,
	author: string,
	at: number | null,
};

export type PressForecast = {
	kind: PressKind,
	commits: number | null,
	recipients: number,
	requests: number,
	seconds: number,
};

export type RecipientRow = {
	id: string,
	repo: string,
	url: string,
	label: string,
	state: RecipientState,
	deadline: number | null,
	ownDeadline: boolean,
	pastDeadline: boolean,
	locked: boolean,
	owed: boolean,
	outcome: Outcome | null,
	branches: RecipientBranchRow[],
	lastAt: number | null,
};

export type RecipientBranchRow = {
	branch: string,
	outcome: Outcome | null,
	reason: Reason | null,
	cause: string,
	conflicts: number | null,
	step: ItemStep | null,
	pull: PullView | null,
};

export type PullView = {
	number: number,
	state: PullState,
	mergeable: Mergeable,
	url: string,
	openedAt: number | null,
	behind: boolean,
};

export type RunView = {
	id: string,
	project: string,
	kind: RunKind,
	status: RunStatus,
	fence: string,
	person: string,
	host: string,
	mine: boolean,
	startedAt: number | null,
	endedAt: number | null,
	counts: Counts,
	spent: Spent,
	error: Code | null,
	errorText: string,
	progress: ProgressView | null,
};

export type SourceView = {
	id: string,
	name: string,
	url: string,
	connection: string,
	heads: SourceHeadView[],
	checkedAt: number | null,
	trouble: Code | null,
	projects: SourceProject[],
};

export type SourceHeadView = {
	branch: string,
	oid: string | null,
	seenAt: number | null,
};

export type SourceProject = {
	id: string,
	name: string,
	ahead: AheadView[],
};

export type RepoHit = {
	name: string,
	private: boolean,
	archived: boolean,
};

export type NewProjectInput = {
	name: string,
	source: string,
	branches: string[],
	strategy: string,
	distribution: string,
	adopt: boolean,
	deadline: number | null,
	connection?: string | null,
};

export type ImportedView = {
	added: number,
	updated: number,
	unchanged: number,
};

export type SyncInput = {
	project: string,
	selection: string,
	recipients: string[],
	resumes: string | null,
};

export type SyncStarted = {
	run: string,
	fence: string,
};

export type RecipientEdit = {
	recipients: string[],
	locked: boolean | null,
	deadline: number | null,
	clearDeadline: boolean,
};

export type FeedBatch = {
	cursor: string,
	now: number | null,
	online: boolean,
	stale: Tag[],
	rows: ChangedRow[],
	leases: LeaseCard[],
	runs: RunView[],
};

export type ChangedRow = {
	project: string,
	row: RecipientRow,
};

export type Preferences = {
	theme: string,
	person: string,
	language: string,
};

export type PreferencesInput = {
	theme: string | null,
	person: string | null,
	language: string | null,
};

export type PracticeHint = {
	connection: string,
	source: string,
	distribution: string,
	pattern: string,
	project: string,
};

export type ProjectCreated = {
	project: string,
	run: string,
};

/* Tauri Specta runtime */
async function typedError<T, E>(result: Promise<T>): Promise<{ status: "ok"; data: T } | { status: "error"; error: E }> {
	try {
		return { status: "ok", data: await result };
	} catch (e) {
		if (e instanceof Error) throw e;
		return { status: "error", error: e as any };
	}
}

function makeEvent<TListen>(name: string) {
	return {
		listen: (cb: __TAURI_EVENT.EventCallback<TListen>) => __TAURI_EVENT.listen(name, cb),
	};
}
