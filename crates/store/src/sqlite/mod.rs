//! SQLite: one file on one machine, several processes.

#[path = "../both/mod.rs"]
mod both;
mod driver;
mod open;
mod place;
#[cfg(test)]
mod tests;

pub(crate) use open::open;
