//! kill -9 at every gate; another process presses again.

use lockstep_chaos::Gate;
use lockstep_chaos::scenario::{kill_at, quiet};
use lockstep_testkit::Database;

fn killed_at(database: Database, gates: &[(Gate, u32)]) {
    let rig = super::rig(database);
    for (gate, nth) in gates {
        kill_at(&rig, *gate, *nth);
    }
    quiet(&rig);
}

const REQUEST: [(Gate, u32); 5] = [
    (Gate::BeforeClaim, 1),
    (Gate::AfterClaim, 1),
    (Gate::AfterCollect, 1),
    (Gate::AfterDistributionRecord, 1),
    (Gate::AfterDistributionPush, 1),
];
const PUBLICATION: [(Gate, u32); 4] =
    [(Gate::InHeartbeat, 1), (Gate::BeforeCommit, 1), (Gate::AfterCommit, 1), (Gate::BeforeCommit, 2)];
const PASS: [(Gate, u32); 5] = [
    (Gate::AfterRecord, 3),
    (Gate::AfterPush, 3),
    (Gate::AfterAnnounce, 3),
    (Gate::BeforeFinish, 1),
    (Gate::AfterRelease, 1),
];

#[test]
fn a_press_killed_in_its_request_is_repaired_by_the_next_on_sqlite() {
    killed_at(Database::Sqlite, &REQUEST);
}

#[test]
fn a_press_killed_in_its_request_is_repaired_by_the_next_on_postgres() {
    killed_at(Database::Postgres, &REQUEST);
}

#[test]
fn a_press_killed_around_its_publication_is_repaired_by_the_next_on_sqlite() {
    killed_at(Database::Sqlite, &PUBLICATION);
}

#[test]
fn a_press_killed_around_its_publication_is_repaired_by_the_next_on_postgres() {
    killed_at(Database::Postgres, &PUBLICATION);
}

#[test]
fn a_press_killed_in_its_pass_is_repaired_by_the_next_on_sqlite() {
    killed_at(Database::Sqlite, &PASS);
}

#[test]
fn a_press_killed_in_its_pass_is_repaired_by_the_next_on_postgres() {
    killed_at(Database::Postgres, &PASS);
}
