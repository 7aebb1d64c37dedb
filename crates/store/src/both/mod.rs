//! Written once, compiled for both databases: this folder is a module of `sqlite` and of `postgres`, each with its own
//! `driver` beside it. One file per table, and one per act that spans tables.

use super::driver;

mod lane;
mod on;
mod row;

// tables
mod audit;
mod connections;
mod feed;
mod gates;
mod inventory;
mod items;
mod last_outcomes;
mod leases;
mod meta;
mod own_commits;
mod project_branches;
mod projects;
mod publications;
mod pulls;
mod recipients;
mod runs;
mod sources;
mod verdicts;

// acts over several tables
mod claim;
mod finish;
mod history;
mod import;
mod passing;
mod publish;
mod reclaim;

mod database;
mod line;

pub(super) use database::Database;
pub(super) use lane::Lane;
pub(super) use line::Line;
pub(super) use meta::{Upkeep, check_whole, stamp, upkeep};
pub(super) use on::{On, put};
pub(super) use row::{get, json_text};
