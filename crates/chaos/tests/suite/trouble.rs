//! A machine in trouble: no time for the work, a wall clock that is off.

use lockstep_chaos::rig::PROJECT;
use lockstep_chaos::scenario::press_through;
use lockstep_chaos::{Control, Rig, RigOptions, What};
use lockstep_testkit::Database;

/// Long enough that three heartbeats fall into the famine, whatever else the machine does.
const FAMINE_MS: u64 = 9_000;

fn starved(database: Database) {
    let rig = Rig::ready(RigOptions { window_ms: 6_000, ..super::options(database) });
    rig.advance();
    let orders = Control { starve_ms: FAMINE_MS, ..Control::default() };
    let mut pressing = rig.start(orders, &["sync", PROJECT]);
    let claimed = pressing.sees(|what| matches!(what, What::Claimed { .. })).expect("a claim");
    let end = claimed.at_ns + FAMINE_MS.cast_signed() * 1_000_000;
    let ended = pressing.ended();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let renewed = |event: &&lockstep_chaos::Event| {
        event.pid == ended.pid
            && event.at_ns < end
            && matches!(event.what, What::Renewed { held: Some(true), .. })
    };
    let events = rig.events();
    assert!(events.iter().filter(renewed).count() >= 2, "the heart beats on: {events:?}");
    rig.history().assert_lawful();
}

#[test]
fn a_starved_runtime_keeps_its_lease_on_sqlite() {
    starved(Database::Sqlite);
}

#[test]
fn a_starved_runtime_keeps_its_lease_on_postgres() {
    starved(Database::Postgres);
}

/// An offset between this process and its operating system: the database's clock stays right, as on a server, and it
/// alone judges.
fn a_wrong_clock_does_no_harm(database: Database) {
    let rig = super::rig(database);
    for off_ms in [-86_400_000, 86_400_000] {
        rig.advance();
        let orders = Control { clock_off_ms: off_ms, ..Control::default() };
        rig.start(orders, &["sync", PROJECT]).ended().assert_success();
        press_through(&rig);
        rig.history().assert_lawful();
    }
}

#[test]
fn a_machine_whose_clock_is_a_day_off_does_no_harm_on_sqlite() {
    a_wrong_clock_does_no_harm(Database::Sqlite);
}

#[test]
fn a_machine_whose_clock_is_a_day_off_does_no_harm_on_postgres() {
    a_wrong_clock_does_no_harm(Database::Postgres);
}
