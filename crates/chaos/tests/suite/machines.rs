//! One machine, SQLite: a holder that is proven dead costs no window at all. The window is the product's, so that only
//! the proof can have let the next one in.

use lockstep_chaos::history::History;
use lockstep_chaos::rig::PROJECT;
use lockstep_chaos::{Control, Gate, Rig, RigOptions, What};
use lockstep_testkit::Database;

fn patient() -> Rig {
    Rig::ready(RigOptions { window_ms: 180_000, ..super::options(Database::Sqlite) })
}

fn at_gate(control: Control) -> Control {
    Control { gate: Some(Gate::AfterPush), nth: 2, ..control }
}

/// The last claim replaced a holder that it had proven dead.
fn assert_proven(rig: &Rig) {
    let claims = rig.claims();
    let proven = matches!(claims.last().expect("a claim").what, What::Claimed { proven: true, .. });
    assert!(proven, "{claims:?}");
}

fn judged(rig: &Rig) {
    let history = History { false_machine: true, ..rig.history() };
    history.assert_lawful();
}

#[test]
fn after_a_reboot_a_reclaim_is_allowed_at_once() {
    let rig = patient();
    rig.advance();
    let orders = |boot: &str| Control { boot_id: boot.to_owned(), ..Control::default() };
    let mut pressing = rig.start(at_gate(orders("the boot before")), &["sync", PROJECT]);
    pressing.stands_at(Gate::AfterPush).expect("it comes there");
    // It stands and exists: only the boot proves it dead.
    pressing.halt_outside_of_writes();
    let same = rig.start(orders("the boot before"), &["reclaim", PROJECT, "--yes"]).ended();
    assert_eq!(same.code, Some(4), "on the same boot it lives: {same:?}");
    let reclaimed = rig.start(orders("this boot"), &["reclaim", PROJECT, "--yes"]).ended();
    reclaimed.assert_success();
    pressing.kill();
    rig.start(orders("this boot"), &["sync", PROJECT]).ended().assert_success();
    judged(&rig);
}

#[test]
fn a_holder_whose_number_another_process_has_now_is_proven_dead_at_once() {
    let rig = patient();
    rig.advance();
    let orders = Control { boot_id: "this boot".to_owned(), ..Control::default() };
    let older = Control { older_by: 1, ..orders.clone() };
    let mut pressing = rig.start(at_gate(older), &["sync", PROJECT]);
    pressing.stands_at(Gate::AfterPush).expect("it comes there");
    // A process with that number exists: only its start differs.
    pressing.halt_outside_of_writes();
    rig.start(orders, &["sync", PROJECT]).ended().assert_success();
    assert_proven(&rig);
    pressing.kill();
    judged(&rig);
}

#[test]
fn a_crashed_holder_is_proven_dead_at_once_and_a_living_one_never() {
    let rig = patient();
    rig.advance();
    let orders = Control { boot_id: "this boot".to_owned(), ..Control::default() };
    let mut pressing = rig.start(at_gate(orders.clone()), &["sync", PROJECT]);
    pressing.stands_at(Gate::AfterPush).expect("it comes there");
    pressing.halt_outside_of_writes();
    let refused = rig.start(orders.clone(), &["sync", PROJECT]).ended();
    assert_eq!(refused.code, Some(3), "a stopped process lives: {refused:?}");
    pressing.kill();
    rig.start(orders, &["sync", PROJECT]).ended().assert_success();
    assert_proven(&rig);
    rig.history().assert_lawful();
}
