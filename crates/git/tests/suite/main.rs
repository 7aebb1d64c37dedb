//! Laws of the git room, held against real git over real smart HTTP.

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
