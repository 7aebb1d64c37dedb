//! One mutant of the list.

use lockstep_store::mutants::Alter;
pub(super) use lockstep_store::mutants::Alter::{AtEnd, Named, Within};

/// Which databases it concerns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum On {
    Both,
    Sqlite,
    Postgres,
}

/// What must become of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// The law named dies of it, by an assertion.
    Killed,
    /// No law can tell it from the original: why.
    Equivalent(&'static str),
}

#[derive(Debug)]
pub(super) struct Entry {
    pub(super) name: &'static str,
    pub(super) on: On,
    /// What it alters, for people.
    pub(super) what: &'static str,
    /// `room::law` of this suite.
    pub(super) law: &'static str,
    pub(super) alters: &'static [Alter],
    /// Second lines of defence taken away first (triggers, unique indexes), so that the statement's own guard is judged
    /// and not an error of theirs.
    pub(super) disarmed: &'static [&'static str],
    pub(super) fate: Fate,
    /// Among the gravest: runs with the ordinary tests.
    pub(super) grave: bool,
}

const fn entry(
    on: On,
    name: &'static str,
    what: &'static str,
    law: &'static str,
    alters: &'static [Alter],
) -> Entry {
    Entry { name, on, what, law, alters, disarmed: &[], fate: Fate::Killed, grave: false }
}

/// In both dialects.
pub(super) const fn both(
    name: &'static str,
    what: &'static str,
    law: &'static str,
    alters: &'static [Alter],
) -> Entry {
    entry(On::Both, name, what, law, alters)
}

/// PostgreSQL only: SQLite has no such thing.
pub(super) const fn postgres(
    name: &'static str,
    what: &'static str,
    law: &'static str,
    alters: &'static [Alter],
) -> Entry {
    entry(On::Postgres, name, what, law, alters)
}

/// SQLite only.
pub(super) const fn sqlite(
    name: &'static str,
    what: &'static str,
    law: &'static str,
    alters: &'static [Alter],
) -> Entry {
    entry(On::Sqlite, name, what, law, alters)
}

impl Entry {
    pub(super) const fn disarmed(self, guards: &'static [&'static str]) -> Self {
        Self { disarmed: guards, ..self }
    }

    pub(super) const fn grave(self) -> Self {
        Self { grave: true, ..self }
    }

    pub(super) const fn survives(self, why: &'static str) -> Self {
        Self { fate: Fate::Equivalent(why), ..self }
    }
}
