//! The places where a press can be stopped.

use serde::{Deserialize, Serialize};

/// A named place in the press (docs/LEASES.md section 4 and 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gate {
    /// Right before the database is opened.
    BeforeOpen,
    /// Before the claim is sent.
    BeforeClaim,
    /// The claim stands; the heartbeat has not begun.
    AfterClaim,
    /// In the heartbeat's thread, before a renewal is sent.
    InHeartbeat,
    /// Everything is collected and built, nothing recorded.
    AfterCollect,
    /// The distribution's heads are recorded, not pushed.
    AfterDistributionRecord,
    /// The distribution is pushed, not published.
    AfterDistributionPush,
    /// The publication (first time) or the finish (second time) is written, not committed.
    BeforeCommit,
    /// The publication is committed.
    AfterCommit,
    /// A recipient's new head is recorded, not pushed.
    AfterRecord,
    /// A recipient's sync branch is pushed, that is not recorded.
    AfterPush,
    /// A pull request is opened or commented, that is not recorded.
    AfterAnnounce,
    /// The pass is over; the finish has not begun.
    BeforeFinish,
    /// The lease is given back.
    AfterRelease,
}

impl Gate {
    /// Every place of a press, in its order.
    pub const OF_PRESS: [Self; 13] = [
        Self::BeforeClaim,
        Self::AfterClaim,
        Self::InHeartbeat,
        Self::AfterCollect,
        Self::AfterDistributionRecord,
        Self::AfterDistributionPush,
        Self::BeforeCommit,
        Self::AfterCommit,
        Self::AfterRecord,
        Self::AfterPush,
        Self::AfterAnnounce,
        Self::BeforeFinish,
        Self::AfterRelease,
    ];

    /// Whether the press holds the lease here.
    #[must_use]
    pub const fn holds(self) -> bool {
        !matches!(self, Self::BeforeOpen | Self::BeforeClaim | Self::AfterRelease)
    }

    /// As the log names it.
    #[must_use]
    pub fn name(self) -> String {
        serde_json::to_value(self)
            .ok()
            .and_then(|value| value.as_str().map(str::to_owned))
            .unwrap_or_default()
    }
}
