//! Sources.

use lockstep_domain::code::Code;
use serde::Serialize;
use specta::Type;

use super::{AheadView, TimeMs};

/// One source.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct SourceView {
    /// Its id.
    pub id: String,
    /// `owner/name`.
    pub name: String,
    /// Its page.
    pub url: String,
    /// Name of the connection.
    pub connection: String,
    /// Heads.
    pub heads: Vec<SourceHeadView>,
    /// Last look.
    pub checked_at: Option<TimeMs>,
    /// What was wrong.
    pub trouble: Option<Code>,
    /// Projects that hand it out, with their ahead.
    pub projects: Vec<SourceProject>,
}

/// One head of a source.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct SourceHeadView {
    /// Branch.
    pub branch: String,
    /// Head; none: the branch is gone.
    pub oid: Option<String>,
    /// Seen at.
    #[specta(type = super::Told)]
    pub seen_at: TimeMs,
}

/// A project below its source.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct SourceProject {
    /// Project id.
    pub id: String,
    /// Name.
    pub name: String,
    /// Ahead per branch.
    pub ahead: Vec<AheadView>,
}
