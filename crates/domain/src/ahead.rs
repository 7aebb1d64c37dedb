//! How far the source is ahead of what was handed out, per branch (docs/SYNC.md).

use crate::codes;
use crate::names::Oid;

/// Derived by ancestry from the handed-out sha and the newest seen source head; never from a set of shas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ahead {
    /// Nothing was handed out yet.
    NeverHandedOut,
    /// The source is where the recipients' update came from.
    Level,
    /// This many commits ahead.
    Ahead(u32),
    /// Ahead, but the number cannot be told (handed-out sha unknown or not comparable).
    AheadUnknown,
    /// The fresh head is not a descendant of the handed-out sha.
    Rewritten,
    /// The branch does not exist at the source any more.
    BranchGone,
    /// The source does not exist any more.
    SourceGone,
    /// Never looked at.
    NotChecked,
}

codes! {
    /// The kind of [`Ahead`], as stored and sent; the number travels beside it.
    pub enum AheadKind {
        /// See [`Ahead::NeverHandedOut`].
        NeverHandedOut = "never_handed_out",
        /// See [`Ahead::Level`].
        Level = "level",
        /// See [`Ahead::Ahead`].
        Ahead = "ahead",
        /// See [`Ahead::AheadUnknown`].
        AheadUnknown = "ahead_unknown",
        /// See [`Ahead::Rewritten`].
        Rewritten = "rewritten",
        /// See [`Ahead::BranchGone`].
        BranchGone = "branch_gone",
        /// See [`Ahead::SourceGone`].
        SourceGone = "source_gone",
        /// See [`Ahead::NotChecked`].
        NotChecked = "not_checked",
    }
}

impl Ahead {
    /// Kind and number, for storing.
    #[must_use]
    pub const fn parts(self) -> (AheadKind, Option<u32>) {
        match self {
            Self::NeverHandedOut => (AheadKind::NeverHandedOut, None),
            Self::Level => (AheadKind::Level, None),
            Self::Ahead(n) => (AheadKind::Ahead, Some(n)),
            Self::AheadUnknown => (AheadKind::AheadUnknown, None),
            Self::Rewritten => (AheadKind::Rewritten, None),
            Self::BranchGone => (AheadKind::BranchGone, None),
            Self::SourceGone => (AheadKind::SourceGone, None),
            Self::NotChecked => (AheadKind::NotChecked, None),
        }
    }

    /// Back from kind and number; `ahead` without a number is unknown.
    #[must_use]
    pub const fn from_parts(kind: AheadKind, number: Option<u32>) -> Self {
        match (kind, number) {
            (AheadKind::NeverHandedOut, _) => Self::NeverHandedOut,
            (AheadKind::Level, _) => Self::Level,
            (AheadKind::Ahead, Some(n)) => Self::Ahead(n),
            (AheadKind::Ahead, None) | (AheadKind::AheadUnknown, _) => Self::AheadUnknown,
            (AheadKind::Rewritten, _) => Self::Rewritten,
            (AheadKind::BranchGone, _) => Self::BranchGone,
            (AheadKind::SourceGone, _) => Self::SourceGone,
            (AheadKind::NotChecked, _) => Self::NotChecked,
        }
    }

    /// Whether a press has something new to hand out.
    #[must_use]
    pub const fn wants_a_press(self) -> bool {
        matches!(self, Self::NeverHandedOut | Self::Ahead(_) | Self::AheadUnknown | Self::Rewritten)
    }

    /// The rule itself, from facts about one branch. `ancestry` answers, when both heads are known and differ: is the
    /// handed-out sha an ancestor of the seen head, and how many commits lie between; `None` when not comparable.
    #[must_use]
    pub fn derive(
        handed_out: Option<Oid>,
        published: bool,
        seen: Option<Oid>,
        ancestry: Option<(bool, u32)>,
    ) -> Self {
        match (handed_out, seen) {
            (_, None) => Self::NotChecked,
            (None, Some(_)) if published => Self::AheadUnknown,
            (None, Some(_)) => Self::NeverHandedOut,
            (Some(old), Some(new)) if old == new => Self::Level,
            (Some(_), Some(_)) => match ancestry {
                Some((true, n)) => Self::Ahead(n),
                Some((false, _)) => Self::Rewritten,
                None => Self::AheadUnknown,
            },
        }
    }
}
