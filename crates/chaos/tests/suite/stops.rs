//! SIGSTOP beyond the window at every gate, somebody else takes over and finishes, then SIGCONT.

use lockstep_chaos::Gate;
use lockstep_chaos::scenario::{quiet, stop_at};
use lockstep_testkit::Database;

fn stopped_at(database: Database, gates: &[(Gate, u32)]) {
    let rig = super::rig(database);
    for (gate, nth) in gates {
        stop_at(&rig, *gate, *nth);
    }
    quiet(&rig);
}

const REQUEST: [(Gate, u32); 3] = [(Gate::BeforeClaim, 1), (Gate::AfterClaim, 1), (Gate::AfterCollect, 1)];
const DISTRIBUTION: [(Gate, u32); 3] =
    [(Gate::AfterDistributionRecord, 1), (Gate::AfterDistributionPush, 1), (Gate::InHeartbeat, 1)];
const PUBLICATION: [(Gate, u32); 3] =
    [(Gate::BeforeCommit, 1), (Gate::AfterCommit, 1), (Gate::BeforeCommit, 2)];
const PASS: [(Gate, u32); 3] = [(Gate::AfterRecord, 3), (Gate::AfterPush, 3), (Gate::AfterAnnounce, 3)];
const END: [(Gate, u32); 2] = [(Gate::BeforeFinish, 1), (Gate::AfterRelease, 1)];

/// One test per stretch and database.
macro_rules! stretches {
    ($($name:ident: $database:ident, $stretch:ident;)*) => {
        $(#[test]
        fn $name() {
            stopped_at(Database::$database, &$stretch);
        })*
    };
}

stretches! {
    a_press_stopped_in_its_request_loses_once_on_sqlite: Sqlite, REQUEST;
    a_press_stopped_in_its_request_loses_once_on_postgres: Postgres, REQUEST;
    a_press_stopped_around_the_distribution_loses_once_on_sqlite: Sqlite, DISTRIBUTION;
    a_press_stopped_around_the_distribution_loses_once_on_postgres: Postgres, DISTRIBUTION;
    a_press_stopped_around_its_publication_loses_once_on_sqlite: Sqlite, PUBLICATION;
    a_press_stopped_around_its_publication_loses_once_on_postgres: Postgres, PUBLICATION;
    a_press_stopped_in_its_pass_loses_once_on_sqlite: Sqlite, PASS;
    a_press_stopped_in_its_pass_loses_once_on_postgres: Postgres, PASS;
    a_press_stopped_at_its_end_loses_once_on_sqlite: Sqlite, END;
    a_press_stopped_at_its_end_loses_once_on_postgres: Postgres, END;
}
