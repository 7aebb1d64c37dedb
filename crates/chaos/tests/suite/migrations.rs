//! Many processes meet one database that is not up to date.

use lockstep_chaos::rig::Pressing;
use lockstep_chaos::{Control, Gate, Rig};
use lockstep_testkit::Database;

fn eight_at_once(database: Database) {
    let rig = Rig::bare(super::options(database));
    let orders = Control { gate: Some(Gate::BeforeOpen), nth: 1, ..Control::default() };
    let mut all: Vec<Pressing<'_>> = (0..8).map(|_| rig.start(orders.clone(), &["init"])).collect();
    for one in &mut all {
        one.stands_at(Gate::BeforeOpen).expect("it comes there");
    }
    all.iter_mut().for_each(|one| one.say("go"));
    for one in all {
        one.ended().assert_success();
    }
    // Whole afterwards: everything that is set up needs every table.
    rig.succeeds(&["leases"]);
    rig.succeeds(&["project", "list"]);
}

#[test]
fn eight_processes_bring_one_fresh_database_up_together_on_sqlite() {
    eight_at_once(Database::Sqlite);
}

#[test]
fn eight_processes_bring_one_fresh_database_up_together_on_postgres() {
    eight_at_once(Database::Postgres);
}

#[test]
fn an_older_program_refuses_a_newer_database_and_leaves_it_alone() {
    let rig = super::rig(Database::Postgres);
    rig.psql(
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
         VALUES (999999, 'of a later program', true, '\\x00', 0)",
    );
    rig.psql("UPDATE meta SET app_version = '99.0.0' WHERE one = 1");
    let claims = rig.claims().len();
    let ended = rig.press();
    assert_eq!(ended.code, Some(5), "{ended:?}");
    let error = ended.json();
    assert_eq!(error["code"], "database_newer", "{error}");
    assert!(
        error["message"].as_str().is_some_and(|text| text.contains("99.0.0")),
        "names the version: {error}"
    );
    assert!(rig.forge.journal().entries().is_empty(), "nothing was asked of the forge");
    assert_eq!(rig.claims().len(), claims, "nothing was claimed");
}
