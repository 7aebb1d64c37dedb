//! Laws of the git room, held against real git over real smart HTTP.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod bounds;
mod build;
mod decide;
mod foreign;
mod histories;
mod push;
mod push_race;
mod quarantine;
mod questions;
mod secrecy;
mod several;
mod support;
