//! Every guard is missed when it is gone (docs/LEASES.md, "What proves it: mutants").
//!
//! A mutant is a store with one named predicate or one statement altered. The law that the list names must die of it, by
//! an assertion: an error of the database proves only that the statement broke. The gravest run with the ordinary tests;
//! `cargo xtask mutants` sets `LOCKSTEP_MUTANTS` and runs all of them (`all`, or names divided by `;`).

mod claim;
mod ends;
mod entry;
mod ground;
mod holder;
mod people;
mod report;
mod trial;

use entry::{Entry, On};
use report::Report;
use trial::Verdict;

use crate::world::Kind;

fn list(kind: Kind) -> impl Iterator<Item = &'static Entry> {
    [claim::LIST, holder::LIST, ends::LIST, people::LIST, ground::LIST].into_iter().flatten().filter(
        move |entry| {
            matches!(
                (entry.on, kind),
                (On::Both, _) | (On::Sqlite, Kind::Sqlite) | (On::Postgres, Kind::Postgres)
            )
        },
    )
}

#[expect(
    clippy::disallowed_methods,
    reason = "the runner of the mutants says here which to run and where to write"
)]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Those asked for, else the gravest.
fn chosen(kind: Kind) -> Vec<&'static Entry> {
    match variable("LOCKSTEP_MUTANTS").as_deref() {
        None => list(kind).filter(|entry| entry.grave).collect(),
        Some("all") => list(kind).collect(),
        Some(names) => {
            let names: Vec<_> = names.split(';').map(str::trim).collect();
            list(kind).filter(|entry| names.contains(&entry.name)).collect()
        }
    }
}

fn run(kind: Kind) {
    // One server for all threads, kept until the last is done.
    let _server = (kind == Kind::Postgres).then(crate::world::server);
    let begun = std::time::Instant::now();
    let verdicts = trial::all(kind, &chosen(kind));
    let report = Report::new(kind, begun.elapsed(), verdicts);
    if let Some(folder) = variable("LOCKSTEP_MUTANTS_REPORT") {
        report.write(folder.as_ref());
    }
    let wrong: Vec<_> =
        report.verdicts.iter().filter(|verdict| !verdict.as_listed()).map(Verdict::line).collect();
    assert!(wrong.is_empty(), "not as the list says:\n{}", wrong.join("\n"));
}

#[test]
fn the_laws_miss_every_guard_that_sqlite_loses() {
    run(Kind::Sqlite);
}

#[test]
fn the_laws_miss_every_guard_that_postgres_loses() {
    run(Kind::Postgres);
}

#[test]
fn at_least_sixty_mutants_per_dialect_have_names_of_their_own_and_laws_that_exist() {
    for kind in [Kind::Sqlite, Kind::Postgres] {
        let entries: Vec<_> = list(kind).collect();
        assert!(entries.len() >= 60, "{kind:?}: {}", entries.len());
        let mut names: Vec<_> = entries.iter().map(|entry| entry.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), entries.len(), "{kind:?}: a name twice");
        for entry in entries {
            assert!(trial::law(entry.law).is_some(), "{}: no law {}", entry.name, entry.law);
        }
    }
}
