//! A cancel from another process reaches the holder whatever its work is doing. The rule says two seconds; how fast it
//! was is measured by `cargo xtask chaos`, here the order counts: told while the work stands.

use lockstep_chaos::Gate;
use lockstep_chaos::scenario::{cancel_at, quiet};
use lockstep_testkit::Database;

/// Five times the rule: a machine may be busy.
const BOUND_MS: i64 = 10_000;

fn told_while_the_work_stands(database: Database) {
    let rig = super::rig(database);
    for gate in [Gate::AfterRecord, Gate::AfterPush] {
        let took = cancel_at(&rig, gate, 1);
        assert!(took.cancel_ms.is_some_and(|ms| ms < BOUND_MS), "{took:?}");
    }
    quiet(&rig);
}

#[test]
fn a_cancel_is_seen_while_the_work_stands_on_sqlite() {
    told_while_the_work_stands(Database::Sqlite);
}

#[test]
fn a_cancel_is_seen_while_the_work_stands_on_postgres() {
    told_while_the_work_stands(Database::Postgres);
}
