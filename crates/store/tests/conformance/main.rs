//! The same laws for SQLite and PostgreSQL (docs/LEASES.md sections 3, 4, 6; docs/SYNC.md).
//!
//! PostgreSQL is the server named in `LOCKSTEP_TEST_POSTGRES`, else a private one of this process. Times are set to the
//! millisecond through the database's test clock; nothing here waits for time to pass.

#![allow(clippy::unwrap_used, reason = "a test fails loudly")]

mod fakes;
mod rows;
mod world;

mod edges;
mod expiry;
mod feed;
mod history;
mod migrations;
mod mutants;
mod opening;
mod owners;
mod pacing;
mod publishing;
mod races;
mod split;
mod staff;
mod states;
mod table;
mod waits;

/// Runs each case once per database, as `sqlite::name` and `postgres::name`.
macro_rules! laws {
    ($($case:ident,)+) => {
        /// The laws of this room by name, for whoever runs them against a store with one guard altered.
        #[allow(dead_code, reason = "not every room has laws that a mutant meets")]
        pub(crate) const LAWS: &[(&str, $crate::world::Law)] =
            &[$((stringify!($case), |world| Box::pin($case(world)))),+];

        mod sqlite {
            $(#[tokio::test]
            async fn $case() {
                $crate::world::run($crate::world::Kind::Sqlite, |world| Box::pin(super::$case(world))).await;
            })+
        }
        mod postgres {
            $(#[tokio::test]
            async fn $case() {
                $crate::world::run($crate::world::Kind::Postgres, |world| Box::pin(super::$case(world))).await;
            })+
        }
    };
}
use laws;
