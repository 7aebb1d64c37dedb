//! `lockstep connect`. The token comes on standard input or in the environment, never on the command line.

use std::io::{IsTerminal as _, Read as _};

use console::Term;
use lockstep_api::wire::{ApiError, ConnectInput};
use lockstep_api::{App, connections};
use secrecy::ExposeSecret as _;

use super::Ended;
use crate::args::Connect;
use crate::output::{Done, Output};

/// Far above any token or key.
const MOST_BYTES: u64 = 64 * 1024;

pub(super) async fn connect(app: &App, arguments: Connect, output: &Output) -> Ended {
    let secret = secret(app, &arguments, output)?;
    let input = ConnectInput {
        name: arguments.name,
        base_url: arguments.base_url,
        secret,
        app_id: arguments.app_id,
        installation_id: arguments.installation_id,
    };
    let connection = connections::add(app, input).await?;
    let text = format!(
        "Connected to {} as {}; the connection is named {:?}.",
        connection.base_url, connection.login, connection.name
    );
    Ok(Done::new(text, connection))
}

fn secret(app: &App, arguments: &Connect, output: &Output) -> Result<String, ApiError> {
    if let Some(file) = &arguments.key_file {
        return std::fs::read_to_string(file).map_err(|error| {
            ApiError::bad_input(format!("The key file cannot be read ({}).", error.kind()))
                .hinted("Name the PEM file that GitHub made for the App.")
        });
    }
    if arguments.token_stdin {
        return if std::io::stdin().is_terminal() { typed(output) } else { piped() };
    }
    match &app.config().token {
        Some(token) => Ok(token.expose_secret().to_owned()),
        None => Err(ApiError::bad_input("No credential was given.").hinted(
            "Give a token on standard input (--token-stdin), or in LOCKSTEP_TOKEN, or an App with --app-id, \
             --installation-id and --key-file.",
        )),
    }
}

fn piped() -> Result<String, ApiError> {
    let mut text = String::new();
    std::io::stdin().take(MOST_BYTES).read_to_string(&mut text).map_err(|_unreadable| {
        ApiError::bad_input("Standard input is not text.").hinted("Give the token alone, as one line.")
    })?;
    Ok(text)
}

/// One line from the terminal, which does not show it.
fn typed(output: &Output) -> Result<String, ApiError> {
    // The one of the two that was not sent elsewhere: without either there is no way to switch the echo off.
    let terminal = [Term::stderr(), Term::stdout()].into_iter().find(Term::is_term);
    let terminal = terminal.ok_or_else(|| {
        ApiError::bad_input("This terminal would show the token while it is typed.")
            .hinted("Give the token through a pipe, or in LOCKSTEP_TOKEN.")
    })?;
    if output.can_ask() {
        output.note("Paste the token and press Enter. It is not shown.");
    }
    terminal.read_secure_line().map_err(|error| {
        ApiError::bad_input(format!("The token cannot be read from the terminal ({}).", error.kind()))
            .hinted("Give the token through a pipe, or in LOCKSTEP_TOKEN.")
    })
}
