//! Projects and what a press would do.

use lockstep_domain::ahead::AheadKind;
use lockstep_domain::code::Code;
use lockstep_domain::model::{Counts, ProjectState, Strategy};
use serde::{Deserialize, Serialize};
use specta::Type;

use super::{LeaseCard, RunView, TimeMs};

/// How far one branch is ahead.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct AheadView {
    /// The branch.
    pub branch: String,
    /// Kind.
    pub kind: AheadKind,
    /// Number, for `ahead`.
    pub number: Option<u32>,
    /// Source sha handed out.
    pub handed_out: Option<String>,
    /// Newest seen source head.
    pub seen: Option<String>,
    /// Head of the distribution.
    pub dist_head: Option<String>,
    /// Update number.
    pub update_number: u32,
    /// When the head was seen.
    pub seen_at: Option<TimeMs>,
}

/// One project in the list.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ProjectRow {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The source's name.
    pub source: String,
    /// Draft, published, archived.
    pub state: ProjectState,
    /// Strategy.
    pub strategy: Strategy,
    /// Ahead per branch.
    pub ahead: Vec<AheadView>,
    /// Its lease.
    pub lease: LeaseCard,
    /// Last outcomes, per recipient.
    pub counts: Counts,
    /// Recipients.
    pub recipients: u32,
    /// Owed recipients.
    pub owed: u32,
    /// Open, merged and closed pull requests.
    pub pulls: PullCounts,
    /// When a recipient last got an outcome.
    pub last_synced: Option<TimeMs>,
    /// Deadline.
    pub deadline: Option<TimeMs>,
    /// What the primary button would do; the page tells it in numbers.
    pub press: PressKind,
    /// The newest run, when it was interrupted and can be resumed.
    pub resumable: Option<RunView>,
}

/// Pull requests by state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct PullCounts {
    /// Open.
    pub open: u32,
    /// Merged.
    pub merged: u32,
    /// Closed unmerged.
    pub closed: u32,
}

/// A project's page.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ProjectView {
    /// The row of the list.
    pub row: ProjectRow,
    /// Id of the connection that reaches its recipients; none when its source is not in this database any more.
    pub connection: Option<String>,
    /// Name of the distribution, once there is one.
    pub distribution: Option<String>,
    /// Its page at the forge.
    pub distribution_url: Option<String>,
    /// The source's page at the forge (staff only).
    pub source_url: String,
    /// Source id.
    pub source_id: String,
    /// When the source was last looked at.
    pub source_checked_at: Option<TimeMs>,
    /// What was wrong at the last look.
    pub source_trouble: Option<Code>,
    /// Commits behind the number, newest first, at most 20 per branch.
    pub pending: Vec<PendingBranch>,
    /// Staff's note.
    pub note: String,
    /// What the primary button would do.
    pub press: PressForecast,
    /// The live or last run.
    pub run: Option<RunView>,
}

/// Commits that a press would hand out; staff only.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct PendingBranch {
    /// The branch.
    pub branch: String,
    /// Newest first, at most 20.
    pub commits: Vec<CommitView>,
    /// Number of files that differ in the end.
    pub net_files: Option<u32>,
}

/// A commit of the source; staff only.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct CommitView {
    /// Seven digits.
    pub short: String,
    /// First line.
    pub subject: String,
    /// Author.
    pub author: String,
    /// When.
    #[specta(type = super::Told)]
    pub at: TimeMs,
}

/// What a press would do, in numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct PressForecast {
    /// `sync` (something new), `owed` (only what is owed), `again` (nothing to send), `watch` (someone is live),
    /// `resume` (an interrupted run), `none` (not possible: draft without distribution, archived).
    pub kind: PressKind,
    /// Commits ahead over all branches, when known.
    pub commits: Option<u32>,
    /// Recipients it would send to.
    pub recipients: u32,
    /// Requests it needs.
    pub requests: u32,
    /// Seconds until the end at the known pace.
    pub seconds: u32,
}

/// See [`PressForecast::kind`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum PressKind {
    /// Something new to hand out.
    Sync,
    /// Only what is owed.
    Owed,
    /// Nothing to send.
    Again,
    /// Someone's run is live.
    Watch,
    /// An interrupted run.
    Resume,
    /// Not possible.
    None,
}

/// To make a project.
#[derive(Debug, Clone, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct NewProjectInput {
    /// Unique name.
    pub name: String,
    /// Source id.
    pub source: String,
    /// Handed-out branches, ordered.
    pub branches: Vec<String>,
    /// `squash` or `whole`.
    pub strategy: String,
    /// Adopt this private repository (`owner/name`), or build a new one of that name.
    pub distribution: String,
    /// Whether to adopt (else build).
    pub adopt: bool,
    /// Connection that writes the distribution and the recipients; absent: that of the source.
    #[serde(default)]
    pub connection: Option<String>,
    /// Deadline.
    pub deadline: Option<TimeMs>,
}

/// A project that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ProjectCreated {
    /// Project id.
    pub project: String,
    /// Its build run.
    pub run: String,
}
