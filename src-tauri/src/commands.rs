//! What the window may ask: unpack, call `api`, return. Nothing else happens here.

use lockstep_api::wire::{
    ApiError, AppInfo, ConnectInput, ConnectionView, FeedBatch, ImportedView, LeaseCard, LeaseHistory,
    NewProjectInput, PracticeHint, Preferences, PreferencesInput, ProjectCreated, ProjectRow, ProjectView,
    RecipientEdit, RecipientRow, RepoHit, RosterInput, RunView, SourceView, SyncInput, SyncStarted,
};
use lockstep_api::{
    connections, info, leases, links, practice, preferences, projects, recipients, repositories, runs,
    sources,
};
use tauri::State;
use tauri::ipc::Channel;

use crate::host::Host;
use crate::quit::Quitting;

/// What a command returns.
type Answer<T> = Result<T, ApiError>;

/// Version, person, database, git, credentials. Tells why the program could not start, when it could not.
#[tauri::command]
#[specta::specta]
pub(crate) async fn app_info(host: State<'_, Host>) -> Answer<AppInfo> {
    info::get(&host.app().await?).await
}

/// Quits: running items are finished, their leases given back, then the process ends. The answer to the event
/// `QuitAsked`; returns at once.
#[tauri::command]
#[specta::specta]
pub(crate) async fn app_quit(quitting: State<'_, Quitting>) -> Answer<()> {
    quitting.want();
    Ok(())
}

/// What the window remembers.
#[tauri::command]
#[specta::specta]
pub(crate) async fn preferences_get(host: State<'_, Host>) -> Answer<Preferences> {
    preferences::get(&host.app().await?).await
}

/// Changes what the window remembers.
#[tauri::command]
#[specta::specta]
pub(crate) async fn preferences_set(host: State<'_, Host>, input: PreferencesInput) -> Answer<Preferences> {
    preferences::set(&host.app().await?, input).await
}

/// All connections.
#[tauri::command]
#[specta::specta]
pub(crate) async fn connection_list(host: State<'_, Host>) -> Answer<Vec<ConnectionView>> {
    connections::list(&host.app().await?).await
}

/// Connects to a forge; tested there before anything is stored.
#[tauri::command]
#[specta::specta]
pub(crate) async fn connection_add(host: State<'_, Host>, input: ConnectInput) -> Answer<ConnectionView> {
    connections::add(&host.app().await?, input).await
}

/// Starts the practice course and connects to it.
#[tauri::command]
#[specta::specta]
pub(crate) async fn practice_start(host: State<'_, Host>) -> Answer<ConnectionView> {
    practice::start(&host.app().await?).await
}

/// What the running practice course offers.
#[tauri::command]
#[specta::specta]
pub(crate) async fn practice_hint(host: State<'_, Host>) -> Answer<Option<PracticeHint>> {
    practice::hint(&host.app().await?).await
}

/// Repositories that match `owner/pattern`.
#[tauri::command]
#[specta::specta]
pub(crate) async fn repo_search(
    host: State<'_, Host>,
    connection: String,
    owner_pattern: String,
) -> Answer<Vec<RepoHit>> {
    repositories::search(&host.app().await?, &connection, &owner_pattern).await
}

/// Branches of a repository, its default branch first.
#[tauri::command]
#[specta::specta]
pub(crate) async fn branch_list(
    host: State<'_, Host>,
    connection: String,
    repo: String,
) -> Answer<Vec<String>> {
    repositories::branches(&host.app().await?, &connection, &repo).await
}

/// All sources.
#[tauri::command]
#[specta::specta]
pub(crate) async fn source_list(host: State<'_, Host>) -> Answer<Vec<SourceView>> {
    sources::list(&host.app().await?).await
}

/// Registers a source.
#[tauri::command]
#[specta::specta]
pub(crate) async fn source_add(
    host: State<'_, Host>,
    connection: String,
    repo: String,
) -> Answer<SourceView> {
    sources::add(&host.app().await?, &connection, &repo).await
}

/// Looks at a source now.
#[tauri::command]
#[specta::specta]
pub(crate) async fn source_check(host: State<'_, Host>, source: String) -> Answer<SourceView> {
    sources::check(&host.app().await?, &source).await
}

/// Soft-deletes a source.
#[tauri::command]
#[specta::specta]
pub(crate) async fn source_retire(host: State<'_, Host>, source: String) -> Answer<()> {
    sources::retire(&host.app().await?, &source).await
}

/// All projects.
#[tauri::command]
#[specta::specta]
pub(crate) async fn project_list(host: State<'_, Host>) -> Answer<Vec<ProjectRow>> {
    projects::list(&host.app().await?).await
}

/// A project's page.
#[tauri::command]
#[specta::specta]
pub(crate) async fn project_get(host: State<'_, Host>, project: String) -> Answer<ProjectView> {
    projects::get(&host.app().await?, &project).await
}

/// Makes a project with its distribution.
#[tauri::command]
#[specta::specta]
pub(crate) async fn project_create(host: State<'_, Host>, input: NewProjectInput) -> Answer<ProjectCreated> {
    projects::create(&host.app().await?, input).await
}

/// Archives a project, or takes it out of the archive.
#[tauri::command]
#[specta::specta]
pub(crate) async fn project_archive(host: State<'_, Host>, project: String, archived: bool) -> Answer<()> {
    projects::archive(&host.app().await?, &project, archived).await
}

/// Deletes a project here; nothing is deleted at the forge.
#[tauri::command]
#[specta::specta]
pub(crate) async fn project_delete(host: State<'_, Host>, project: String) -> Answer<()> {
    projects::delete(&host.app().await?, &project).await
}

/// A project's recipients.
#[tauri::command]
#[specta::specta]
pub(crate) async fn recipient_list(host: State<'_, Host>, project: String) -> Answer<Vec<RecipientRow>> {
    recipients::list(&host.app().await?, &project).await
}

/// Imports recipients, all or nothing.
#[tauri::command]
#[specta::specta]
pub(crate) async fn recipient_import(
    host: State<'_, Host>,
    project: String,
    roster: RosterInput,
) -> Answer<ImportedView> {
    recipients::import(&host.app().await?, &project, roster).await
}

/// Locks, unlocks, sets or removes own deadlines.
#[tauri::command]
#[specta::specta]
pub(crate) async fn recipient_edit(
    host: State<'_, Host>,
    project: String,
    edit: RecipientEdit,
) -> Answer<()> {
    recipients::edit(&host.app().await?, &project, edit).await
}

/// Presses Sync.
#[tauri::command]
#[specta::specta]
pub(crate) async fn sync_start(host: State<'_, Host>, input: SyncInput) -> Answer<SyncStarted> {
    runs::start(&host.app().await?, input).await
}

/// Asks a live run to stop at its next safe point.
#[tauri::command]
#[specta::specta]
pub(crate) async fn run_cancel(
    host: State<'_, Host>,
    project: String,
    fence: String,
    reason: String,
) -> Answer<()> {
    runs::cancel(&host.app().await?, &project, &fence, &reason).await
}

/// Runs of a project, or of all.
#[tauri::command]
#[specta::specta]
pub(crate) async fn run_list(host: State<'_, Host>, project: Option<String>) -> Answer<Vec<RunView>> {
    runs::list(&host.app().await?, project.as_deref()).await
}

/// One run.
#[tauri::command]
#[specta::specta]
pub(crate) async fn run_get(host: State<'_, Host>, run: String) -> Answer<RunView> {
    runs::get(&host.app().await?, &run).await
}

/// All leases of the database.
#[tauri::command]
#[specta::specta]
pub(crate) async fn lease_list(host: State<'_, Host>) -> Answer<Vec<LeaseCard>> {
    leases::list(&host.app().await?).await
}

/// Ends a lease whose heartbeat proves that its holder is gone.
#[tauri::command]
#[specta::specta]
pub(crate) async fn lease_reclaim(host: State<'_, Host>, project: String, fence: String) -> Answer<()> {
    leases::reclaim(&host.app().await?, &project, &fence).await
}

/// What happened to one lease or to all, newest first, page by page.
#[tauri::command]
#[specta::specta]
pub(crate) async fn lease_history(
    host: State<'_, Host>,
    project: Option<String>,
    before: Option<String>,
    limit: u32,
) -> Answer<LeaseHistory> {
    leases::history(&host.app().await?, project.as_deref(), before.as_deref(), limit).await
}

/// Follows the feed into a channel until the page goes or follows anew.
#[tauri::command]
#[specta::specta]
pub(crate) async fn feed_follow(host: State<'_, Host>, channel: Channel<FeedBatch>) -> Answer<()> {
    host.follow(host.app().await?, channel);
    Ok(())
}

/// Opens a page of a connected forge in the person's browser.
#[tauri::command]
#[specta::specta]
pub(crate) async fn link_open(host: State<'_, Host>, url: String) -> Answer<()> {
    crate::browser::open(&links::checked(&host.app().await?, &url).await?)
}
