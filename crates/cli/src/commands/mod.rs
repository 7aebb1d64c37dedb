//! One file per noun; each command calls the same use cases as the window.

mod connect;
mod init;
mod lease;
mod project;
mod recipients;
mod runs;
mod source;
mod sync;
mod watch;

use lockstep_api::App;
use lockstep_api::wire::{ApiError, ConnectionView};
use lockstep_domain::code::Code;

use crate::args::{Command, Lease, Leases, Project, Recipients, Source};
use crate::output::{Done, Output};

type Ended = Result<Done, ApiError>;

/// Runs a command to its end.
pub(crate) async fn run(app: &App, command: Command, output: &Output) -> Ended {
    match command {
        Command::Init => init::init(app).await,
        Command::Connect(arguments) => connect::connect(app, arguments, output).await,
        Command::Source(Source::Add { repo, connection }) => {
            source::add(app, &repo, connection.as_deref()).await
        }
        Command::Source(Source::List) => source::list(app).await,
        Command::Source(Source::Retire { repo, yes }) => source::retire(app, &repo, yes, output).await,
        Command::Project(Project::Add(arguments)) => project::add(app, arguments).await,
        Command::Project(Project::List) => project::list(app).await,
        Command::Project(Project::Show { name }) => project::show(app, &name).await,
        Command::Project(Project::Archive { name }) => project::archive(app, &name, true).await,
        Command::Project(Project::Unarchive { name }) => project::archive(app, &name, false).await,
        Command::Project(Project::Delete { name, yes }) => project::delete(app, &name, yes, output).await,
        Command::Recipients(Recipients::Import(arguments)) => recipients::import(app, arguments).await,
        Command::Recipients(Recipients::List { project }) => recipients::list(app, &project).await,
        Command::Recipients(Recipients::Lock(chosen)) => recipients::lock(app, &chosen, true).await,
        Command::Recipients(Recipients::Unlock(chosen)) => recipients::lock(app, &chosen, false).await,
        Command::Sync(arguments) => sync::sync(app, arguments, output).await,
        Command::Leases(leases) => lease::leases(app, leases, output).await,
        Command::Reclaim { project, yes } => lease::reclaim(app, &project, yes, output).await,
        Command::Cancel { project, reason } => lease::cancel(app, &project, &reason).await,
        Command::Runs { project } => runs::list(app, project.as_deref()).await,
    }
}

/// What can be told while the database cannot be opened: that nobody knows who holds a lease.
pub(crate) fn without_database(command: &Command) -> Option<Done> {
    match command {
        Command::Leases(Leases { what: Some(Lease::Explain { project }), .. }) => {
            Some(lease::unknown(project))
        }
        _ => None,
    }
}

/// Asks whether to go on; a script says `--yes`.
fn confirm(output: &Output, yes: bool, question: &str, what: &str) -> Result<(), ApiError> {
    if yes {
        return Ok(());
    }
    if !output.can_ask() {
        return Err(ApiError::bad_input(format!("Nobody can be asked here. {question}"))
            .hinted(format!("Add --yes to {what} without a question.")));
    }
    if output.ask(question) {
        return Ok(());
    }
    Err(ApiError::new(Code::Cancelled, "Nothing was changed.").hinted(format!("Answer y to {what}.")))
}

/// The named connection, or the only one.
async fn connection(app: &App, name: Option<&str>) -> Result<ConnectionView, ApiError> {
    let mut all = lockstep_api::connections::list(app).await?;
    let names = all.iter().map(|connection| connection.name.clone()).collect::<Vec<_>>().join(", ");
    match name {
        Some(name) => {
            let found = all.into_iter().find(|connection| connection.name == name || connection.id == name);
            found.ok_or_else(|| {
                ApiError::new(Code::NotFound, format!("There is no connection {name:?}.")).hinted(
                    if names.is_empty() {
                        "lockstep connect makes one.".to_owned()
                    } else {
                        format!("There are: {names}.")
                    },
                )
            })
        }
        None if all.len() == 1 => Ok(all.remove(0)),
        None if all.is_empty() => Err(ApiError::bad_input("There is no connection yet.")
            .hinted("lockstep connect --token-stdin makes one.")),
        None => Err(ApiError::bad_input("There are several connections.")
            .hinted(format!("Name one with --connection: {names}."))),
    }
}
