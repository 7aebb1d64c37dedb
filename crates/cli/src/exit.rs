//! Exit codes: a script may rely on them.

use std::process::ExitCode;

use lockstep_domain::code::Code;
use lockstep_domain::outcome::RunStatus;

/// A stable exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Exit(pub(crate) u8);

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.0)
    }
}

pub(crate) const DONE: Exit = Exit(0);
pub(crate) const INCOMPLETE: Exit = Exit(1);
pub(crate) const BAD_INPUT: Exit = Exit(2);
pub(crate) const IN_PROGRESS: Exit = Exit(3);
pub(crate) const REFUSED: Exit = Exit(4);
pub(crate) const DATABASE: Exit = Exit(5);
pub(crate) const FORGE: Exit = Exit(6);
pub(crate) const CANCELLED: Exit = Exit(7);
pub(crate) const LEASE_LOST: Exit = Exit(8);
pub(crate) const BUG: Exit = Exit(70);

/// The exit code of an error.
pub(crate) const fn of(code: Code) -> Exit {
    match code {
        Code::BadInput
        | Code::BadRoster
        | Code::AlreadyExists
        | Code::NotFound
        | Code::RepositoryNotFound
        | Code::GitMissing
        | Code::GitTooOld
        | Code::DataFolderUnusable => BAD_INPUT,
        Code::SyncInProgress => IN_PROGRESS,
        Code::ProjectMissing
        | Code::SourceMissing
        | Code::ProjectArchived
        | Code::DistributionMissing
        | Code::SourceGone
        | Code::SourceBranchGone
        | Code::SourceRewritten
        | Code::SourceBounds
        | Code::WouldRevealSource
        | Code::DistributionPublic
        | Code::DistributionOwned
        | Code::DistributionChanged
        | Code::DistributionFailed
        | Code::StoreUnusable
        | Code::CollectFailed
        | Code::NotReclaimable
        | Code::AlreadyFinished => REFUSED,
        Code::StoreSplit | Code::DatabaseUnusable | Code::DatabaseNewer | Code::PublicationFailed => DATABASE,
        Code::AppNotInstalled
        | Code::InstallationSuspended
        | Code::BadCredentials
        | Code::PermissionMissing
        | Code::ForgeUnreachable
        | Code::NotAForge
        | Code::RateLimited
        | Code::SecretsUnusable => FORGE,
        Code::Cancelled => CANCELLED,
        Code::Quit => INCOMPLETE,
        Code::LeaseLost => LEASE_LOST,
        Code::Bug => BUG,
    }
}

/// The exit code of a run that ended.
pub(crate) fn of_run(status: RunStatus, error: Option<Code>) -> Exit {
    match (status, error) {
        (RunStatus::Succeeded, _) => DONE,
        (RunStatus::Cancelled, Some(Code::ProjectArchived | Code::ProjectMissing | Code::SourceMissing)) => {
            REFUSED
        }
        (RunStatus::Cancelled, _) => CANCELLED,
        (RunStatus::Incomplete | RunStatus::Running, _) => INCOMPLETE,
        (RunStatus::Failed | RunStatus::Interrupted, Some(code)) => of(code),
        (RunStatus::Failed, None) => REFUSED,
        (RunStatus::Interrupted, None) => INCOMPLETE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_codes_are_those_of_the_manual() {
        for (code, exit) in [
            (Code::BadRoster, 2),
            (Code::SyncInProgress, 3),
            (Code::ProjectArchived, 4),
            (Code::DatabaseNewer, 5),
            (Code::BadCredentials, 6),
            (Code::Cancelled, 7),
            (Code::LeaseLost, 8),
            (Code::Bug, 70),
        ] {
            assert_eq!(of(code).0, exit, "{code}");
        }
        assert_eq!(of_run(RunStatus::Succeeded, None), DONE);
        assert_eq!(of_run(RunStatus::Incomplete, None), INCOMPLETE);
        assert_eq!(of_run(RunStatus::Interrupted, Some(Code::Quit)), INCOMPLETE);
        assert_eq!(of_run(RunStatus::Interrupted, Some(Code::LeaseLost)), LEASE_LOST);
        assert_eq!(of_run(RunStatus::Failed, Some(Code::DistributionPublic)), REFUSED);
        assert_eq!(of_run(RunStatus::Cancelled, Some(Code::Cancelled)), CANCELLED);
    }
}
