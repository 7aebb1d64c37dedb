//! The practice forge against a real git client and a plain HTTP client.
#![expect(clippy::unwrap_used, reason = "tests")]

mod apps;
mod demo;
mod graphql;
mod program;
mod pulls;
mod rest;
mod site;
mod support;
mod transport;
