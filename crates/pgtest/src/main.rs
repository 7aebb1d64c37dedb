//! `lockstep-pgtest [--durable]`: a private PostgreSQL to play with. Prints one line, its URL and its process id, and
//! keeps the server until standard input closes.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the line is the program's answer")]

use std::io::Read as _;
use std::process::ExitCode;

use lockstep_pgtest::{Options, PgServer};

fn main() -> ExitCode {
    let durable = std::env::args().any(|argument| argument == "--durable");
    let server = match PgServer::start(Options { durable }) {
        Ok(server) => server,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    println!("{} {}", server.url("postgres"), server.pid());
    let mut until_closed = Vec::new();
    // An unreadable input is as good as a closed one.
    let _ended = std::io::stdin().read_to_end(&mut until_closed);
    ExitCode::SUCCESS
}
