//! The laws (docs/LEASES-MODEL.md) and the flaws that each break one.

use std::fmt;

/// An invariant. The names are used by the model, the property test and the chaos checker alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Law {
    /// A publication stands only when its worker owned the live lease of an undeleted project.
    NoStalePublication,
    /// A non-owner's statement changes nothing.
    NonOwnerChangesNothing,
    /// An expired lease is never renewed.
    ExpiredIsNotRenewed,
    /// The live lease of a living process is never taken, as long as the clock is honest.
    LiveIsNotTaken,
    /// Fences strictly grow; at most one publication of each kind per fence.
    FencesGrow,
    /// Published data is exactly one worker's batch, all or nothing.
    OneBatch,
    /// A loser hears of it exactly once, and before any later write to the outside.
    LossIsToldOnce,
    /// A lease that nobody renews can be claimed within W plus one poll (2 W after a step back of up to W).
    ClaimableInTime,
    /// A cancel hits only its fence.
    CancelHitsItsFence,
    /// No lease is born on a deleted project or a retired source.
    NothingDeletedIsClaimed,
}

impl Law {
    /// Every law.
    pub const ALL: [Self; 10] = [
        Self::NoStalePublication,
        Self::NonOwnerChangesNothing,
        Self::ExpiredIsNotRenewed,
        Self::LiveIsNotTaken,
        Self::FencesGrow,
        Self::OneBatch,
        Self::LossIsToldOnce,
        Self::ClaimableInTime,
        Self::CancelHitsItsFence,
        Self::NothingDeletedIsClaimed,
    ];

    /// Its name for people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoStalePublication => "I1 no stale publication",
            Self::NonOwnerChangesNothing => "I2 a non-owner's statement changes nothing",
            Self::ExpiredIsNotRenewed => "I3 an expired lease is never renewed",
            Self::LiveIsNotTaken => "I4 the live lease of a living process is never taken",
            Self::FencesGrow => "I5 fences strictly grow, one publication of each kind per fence",
            Self::OneBatch => "I6 published data is exactly one worker's batch",
            Self::LossIsToldOnce => "I7 a loss is told once, before any later write to the outside",
            Self::ClaimableInTime => "I8 claimable within W plus one poll, 2 W after a step back",
            Self::CancelHitsItsFence => "I9 a cancel hits only its fence",
            Self::NothingDeletedIsClaimed => "nothing deleted is claimed",
        }
    }

    pub(crate) const fn bit(self) -> u16 {
        1 << self as u16
    }
}

macro_rules! flaws {
    ($($(#[$doc:meta])+ $flaw:ident = $name:literal breaks $law:ident,)+) => {
        /// A guard that is missing or wrong. Each must be found out by the law that it breaks.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Flaw { $($(#[$doc])+ $flaw,)+ }

        impl Flaw {
            /// Every flaw.
            pub const ALL: &[Self] = &[$(Self::$flaw,)+];

            /// Its name at the command line and in reports.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$flaw => $name,)+ }
            }

            /// The law that it breaks.
            #[must_use]
            pub const fn breaks(self) -> Law {
                match self { $(Self::$flaw => Law::$law,)+ }
            }
        }
    };
}

flaws! {
    /// The claim takes a row whatever its heartbeat says.
    ClaimWithoutExpiry = "claim-without-expiry" breaks LiveIsNotTaken,
    /// The claim takes only a free row: a dead holder holds for ever.
    ClaimOnlyWhenFree = "claim-only-when-free" breaks ClaimableInTime,
    /// The claim leaves the fence as it is.
    NoFenceBump = "no-fence-bump" breaks FencesGrow,
    /// The claim does not look at project and source again once it has the row.
    ClaimDoesNotLookAgain = "claim-does-not-look-again" breaks NothingDeletedIsClaimed,
    /// The claim leaves a predecessor's cancel, and the holder reads it without its fence.
    CancelOutlivesItsFence = "cancel-outlives-its-fence" breaks CancelHitsItsFence,
    /// The renewal names neither token nor fence.
    RenewWithoutToken = "renew-without-token" breaks NonOwnerChangesNothing,
    /// The renewal names the fence alone, and a failover loses the last commit.
    RenewFenceOnly = "renew-fence-only" breaks NonOwnerChangesNothing,
    /// The renewal does not test the heartbeat.
    RenewWithoutLiveness = "renew-without-liveness" breaks ExpiredIsNotRenewed,
    /// The renewal tests the heartbeat before it waits for the row's lock.
    RenewJudgesBeforeTheLock = "renew-judges-before-the-lock" breaks ExpiredIsNotRenewed,
    /// The release names neither token nor fence.
    ReleaseWithoutToken = "release-without-token" breaks NonOwnerChangesNothing,
    /// The release names the fence alone, and a failover loses the last commit.
    ReleaseFenceOnly = "release-fence-only" breaks NonOwnerChangesNothing,
    /// The progress names neither token nor fence.
    ProgressWithoutToken = "progress-without-token" breaks NonOwnerChangesNothing,
    /// The progress names the fence alone, and a failover loses the last commit.
    ProgressFenceOnly = "progress-fence-only" breaks NonOwnerChangesNothing,
    /// A row of the run is written without locking the lease row by token and fence.
    ItemWithoutToken = "item-without-token" breaks NonOwnerChangesNothing,
    /// The publication names neither token nor fence.
    PublishWithoutToken = "publish-without-token" breaks NoStalePublication,
    /// The publication tests the row without locking it.
    PublishWithoutRowLock = "publish-without-row-lock" breaks NoStalePublication,
    /// The publication does not test whether project and source still exist.
    PublishOnADeletedProject = "publish-on-a-deleted-project" breaks NoStalePublication,
    /// The publication's writes commit one by one.
    PublishInTwoTransactions = "publish-in-two-transactions" breaks OneBatch,
    /// Nothing makes a publication unique.
    PublishTwice = "publish-twice" breaks FencesGrow,
    /// The finish does not test the heartbeat.
    FinishWithoutLiveness = "finish-without-liveness" breaks NoStalePublication,
    /// Every guard names the fence alone, and a failover loses the last commit.
    FenceOnly = "fence-only" breaks NoStalePublication,
    /// The reclaim takes a row whatever its heartbeat says.
    ReclaimWithoutExpiry = "reclaim-without-expiry" breaks LiveIsNotTaken,
    /// The cancel stamps whoever holds the row.
    CancelWithoutFence = "cancel-without-fence" breaks CancelHitsItsFence,
    /// The holder counts its deadline from the renewal's answer instead of its sending.
    DeadlineFromTheAnswer = "deadline-from-the-answer" breaks LossIsToldOnce,
    /// The holder writes to the outside without looking at its deadline.
    WriteWithoutDeadline = "write-without-deadline" breaks LossIsToldOnce,
    /// The holder is told of its loss by everybody who notices.
    LossToldByEverybody = "loss-told-by-everybody" breaks LossIsToldOnce,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Which guards stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rules(Option<Flaw>);

impl Rules {
    /// As docs/LEASES.md says.
    pub const RIGHT: Self = Self(None);

    /// The same with one flaw.
    #[must_use]
    pub const fn with(flaw: Flaw) -> Self {
        Self(Some(flaw))
    }

    pub(crate) fn has(self, flaw: Flaw) -> bool {
        self.0 == Some(flaw)
    }
}
