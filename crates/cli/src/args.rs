//! The command line.

use std::path::PathBuf;

use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};

/// Hands one source repository out to many, in step.
#[derive(Debug, Parser)]
#[command(name = "lockstep", version, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    /// Folder of everything Lockstep keeps on this machine [env: LOCKSTEP_DATA_DIR]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// One JSON document on standard output, errors as JSON on standard error
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 done, 1 incomplete, 2 usage or bad input, 3 in progress elsewhere, 4 refused by \
a rule, 5 database, 6 forge or credentials, 7 cancelled, 8 lease lost, 70 fault of Lockstep.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make the data folder and the database, and say what was found
    Init,
    /// Connect to GitHub or GitHub Enterprise Server
    Connect(Connect),
    /// Sources: repositories that are handed out
    #[command(subcommand)]
    Source(Source),
    /// Projects: a source, its distribution and its recipients
    #[command(subcommand)]
    Project(Project),
    /// Recipients: repositories that get the updates
    #[command(subcommand)]
    Recipients(Recipients),
    /// Press Sync and wait for its end
    Sync(Sync),
    /// Who holds which lease, and what happened to it
    Leases(Leases),
    /// Take a lease back from a holder that is gone
    Reclaim {
        /// Project
        project: String,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
    /// Ask the holder of a project's lease to stop at its next safe point
    Cancel {
        /// Project
        project: String,
        /// Why, in your words
        #[arg(long, default_value = "")]
        reason: String,
    },
    /// What runs did, newest first
    Runs {
        /// Only of this project
        project: Option<String>,
    },
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("proof").args(["token_stdin", "key_file"]))]
pub(crate) struct Connect {
    /// Name of the connection; default: host and login
    #[arg(long, default_value = "")]
    pub(crate) name: String,
    /// REST address; default: github.com
    #[arg(long, default_value = "", value_name = "URL")]
    pub(crate) base_url: String,
    /// Read the token from standard input; without it LOCKSTEP_TOKEN is used
    #[arg(long)]
    pub(crate) token_stdin: bool,
    /// App id, for a GitHub App
    #[arg(long, requires = "key_file", value_name = "NUMBER")]
    pub(crate) app_id: Option<String>,
    /// Installation id, for a GitHub App
    #[arg(long, requires = "key_file", value_name = "NUMBER")]
    pub(crate) installation_id: Option<String>,
    /// File with the App's private key (PEM)
    #[arg(long, requires = "app_id", requires = "installation_id", value_name = "FILE")]
    pub(crate) key_file: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Source {
    /// Register a repository as a source
    Add {
        /// Repository
        #[arg(value_name = "OWNER/NAME")]
        repo: String,
        /// Connection that reads it; may be left out when there is one
        #[arg(long, value_name = "NAME")]
        connection: Option<String>,
    },
    /// All sources and the projects that hand them out
    List,
    /// Retire a source: its projects can be synced no more, nothing is deleted on GitHub
    Retire {
        /// Repository
        #[arg(value_name = "OWNER/NAME")]
        repo: String,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Leases {
    /// Only of this project
    #[arg(long, value_name = "NAME")]
    pub(crate) project: Option<String>,
    /// Keep showing them as they change, until Ctrl-C; a line for each change when not on a terminal
    #[arg(long)]
    pub(crate) watch: bool,
    #[command(subcommand)]
    pub(crate) what: Option<Lease>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Lease {
    /// One sentence: who holds it, since when, on what it works, why it can or cannot be taken and when
    Explain {
        /// Project
        project: String,
    },
    /// Claims, late and lost renewals, reclaims, cancels and releases, newest first
    History {
        /// Only of this project
        project: Option<String>,
        /// Most events to show, 1 to 500
        #[arg(long, default_value_t = 50, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=500))]
        limit: u32,
        /// Only what is older than this position, as the last page gave it
        #[arg(long, value_name = "POSITION")]
        before: Option<String>,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Strategy {
    /// One commit per sync, the source's history hidden
    Squash,
    /// The source's own commits
    Whole,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Project {
    /// Make a project and build or adopt its distribution
    Add(NewProject),
    /// All projects
    List,
    /// One project and its recipients
    Show {
        /// Project
        name: String,
    },
    /// Archive a project: nothing is sent to its recipients while it is archived
    Archive {
        /// Project
        name: String,
    },
    /// Take a project out of the archive
    Unarchive {
        /// Project
        name: String,
    },
    /// Delete a project here; nothing is deleted on GitHub
    Delete {
        /// Project
        name: String,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("distribution").args(["adopt", "build"]).required(true))]
pub(crate) struct NewProject {
    /// Name of the project
    #[arg(long)]
    pub(crate) name: String,
    /// Registered source
    #[arg(long, value_name = "OWNER/NAME")]
    pub(crate) source: String,
    /// Branch to hand out; the first is the recipients' default
    #[arg(long = "branch", value_name = "BRANCH", required = true)]
    pub(crate) branches: Vec<String>,
    /// How the distribution's commits come about; fixed for life
    #[arg(long, value_enum)]
    pub(crate) strategy: Strategy,
    /// Take this private repository as the distribution
    #[arg(long, value_name = "OWNER/NAME")]
    pub(crate) adopt: Option<String>,
    /// Build a new private repository of this name as the distribution
    #[arg(long, value_name = "OWNER/NAME")]
    pub(crate) build: Option<String>,
    /// Connection that writes; default: that of the source
    #[arg(long, value_name = "NAME")]
    pub(crate) connection: Option<String>,
    /// Deadline, as in "2026-12-04 23:59"
    #[arg(long, value_name = "TIME")]
    pub(crate) deadline: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Recipients {
    /// Import recipients, all or nothing; known ones are updated, nothing is removed
    Import(Import),
    /// All recipients of a project
    List {
        /// Project
        #[arg(long, value_name = "NAME")]
        project: String,
    },
    /// Lock recipients: a sync passes them over
    Lock(Chosen),
    /// Unlock recipients
    Unlock(Chosen),
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("roster").args(["csv", "pattern"]).required(true))]
pub(crate) struct Import {
    /// Project
    #[arg(long, value_name = "NAME")]
    pub(crate) project: String,
    /// CSV file with the header repository,label,deadline; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
    /// All repositories of an owner whose name matches, as in 'org/lab4-*'; without an owner: the distribution's
    #[arg(long, value_name = "OWNER/PATTERN")]
    pub(crate) pattern: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Chosen {
    /// Project
    #[arg(long, value_name = "NAME")]
    pub(crate) project: String,
    /// Recipients
    #[arg(required = true, value_name = "OWNER/NAME")]
    pub(crate) repos: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Sync {
    /// Project
    pub(crate) project: String,
    /// Only what is owed
    #[arg(long, conflicts_with_all = ["resume", "only"])]
    pub(crate) owed: bool,
    /// Take up an interrupted run: its id, or `last`
    #[arg(long, value_name = "RUN", conflicts_with = "only")]
    pub(crate) resume: Option<String>,
    /// Only these recipients
    #[arg(long, value_name = "OWNER/NAME")]
    pub(crate) only: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        <Cli as clap::CommandFactory>::command().debug_assert();
    }

    #[test]
    fn no_option_takes_a_token_or_a_password() {
        fn names(command: &clap::Command, into: &mut Vec<String>) {
            for argument in command.get_arguments().filter(|argument| argument.get_action().takes_values()) {
                into.push(argument.get_id().to_string());
            }
            command.get_subcommands().for_each(|below| names(below, into));
        }
        let mut all = Vec::new();
        names(&<Cli as clap::CommandFactory>::command(), &mut all);
        assert!(all.iter().all(|name| !name.contains("token") && !name.contains("password")), "{all:?}");
    }
}
