//! Codes of refusals and failures. A code exists only when something acts on it: a host, the window or a script.

use crate::codes;

codes! {
    /// What a request can be refused or end with (docs/SYNC.md).
    pub enum Code {
        /// The project does not exist or was deleted.
        ProjectMissing = "project_missing",
        /// The source does not exist or was retired.
        SourceMissing = "source_missing",
        /// One local transaction cannot cover all run tables.
        StoreSplit = "store_split",
        /// The project is archived.
        ProjectArchived = "project_archived",
        /// No distribution was built or adopted.
        DistributionMissing = "distribution_missing",
        /// The App is not installed any more.
        AppNotInstalled = "app_not_installed",
        /// The installation is suspended.
        InstallationSuspended = "installation_suspended",
        /// Somebody else holds the lease.
        SyncInProgress = "sync_in_progress",
        /// The source repository is gone or out of reach.
        SourceGone = "source_gone",
        /// A handed-out branch of the source is gone.
        SourceBranchGone = "source_branch_gone",
        /// The source's branch was rewritten (`whole` only).
        SourceRewritten = "source_rewritten",
        /// A bound was exceeded; the text names it, the value and the limit.
        SourceBounds = "source_bounds",
        /// Something about to be written would name the source.
        WouldRevealSource = "would_reveal_source",
        /// The distribution is not private.
        DistributionPublic = "distribution_public",
        /// Another database drives this distribution.
        DistributionOwned = "distribution_owned",
        /// Someone else wrote to the distribution.
        DistributionChanged = "distribution_changed",
        /// The distribution could not be written.
        DistributionFailed = "distribution_failed",
        /// The local git store cannot be used (disk full, permissions).
        StoreUnusable = "store_unusable",
        /// Collecting failed for another reason.
        CollectFailed = "collect_failed",
        /// The publication was rolled back whole.
        PublicationFailed = "publication_failed",
        /// The lease was lost.
        LeaseLost = "lease_lost",
        /// A person cancelled.
        Cancelled = "cancelled",
        /// The host quit.
        Quit = "quit",
        /// The reclaim rule does not allow it now.
        NotReclaimable = "not_reclaimable",
        /// Already finished or replaced.
        AlreadyFinished = "already_finished",
        /// The credentials were refused.
        BadCredentials = "bad_credentials",
        /// A permission is missing.
        PermissionMissing = "permission_missing",
        /// The forge cannot be reached.
        ForgeUnreachable = "forge_unreachable",
        /// The forge answered something that is not GitHub.
        NotAForge = "not_a_forge",
        /// A rate limit holds.
        RateLimited = "rate_limited",
        /// A repository does not exist or cannot be seen.
        RepositoryNotFound = "repository_not_found",
        /// git is missing.
        GitMissing = "git_missing",
        /// git is older than 2.38.
        GitTooOld = "git_too_old",
        /// The database cannot be opened, read or written.
        DatabaseUnusable = "database_unusable",
        /// The database has a newer schema than this program.
        DatabaseNewer = "database_newer",
        /// The data folder cannot be read or written.
        DataFolderUnusable = "data_folder_unusable",
        /// The keychain or its stand-in cannot be used.
        SecretsUnusable = "secrets_unusable",
        /// Input was refused; the text names value and remedy.
        BadInput = "bad_input",
        /// A line of a roster was refused; nothing was imported.
        BadRoster = "bad_roster",
        /// Something with this name exists already.
        AlreadyExists = "already_exists",
        /// What was named does not exist.
        NotFound = "not_found",
        /// A bug in Lockstep.
        Bug = "bug",
    }
}
