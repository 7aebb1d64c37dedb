//! One mutant against one law, in a world and on a thread of their own.
#![allow(clippy::print_stdout, reason = "a person who waits sees how far it is")]

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::time::Duration;

use lockstep_store::mutants::Mutant;
use lockstep_store::{OpenOptions, Synchronous};

use super::entry::{Entry, Fate};
use crate::world::{self, Kind, Law, OPENED, World};
use crate::{edges, expiry, feed, owners, publishing, races, states, table, waits};

/// A law that takes longer hangs: on a mutant that is no assertion.
const PATIENCE: Duration = Duration::from_secs(40);
/// Mutants at work at once: most of a law is waiting for the disk or the server.
const HANDS: usize = 3;
/// The rooms whose laws a mutant meets.
const ROOMS: &[(&str, &[(&str, Law)])] = &[
    ("table", table::LAWS),
    ("edges", edges::LAWS),
    ("waits", waits::LAWS),
    ("owners", owners::LAWS),
    ("expiry", expiry::LAWS),
    ("races", races::LAWS),
    ("publishing", publishing::LAWS),
    ("feed", feed::LAWS),
    ("states", states::LAWS),
];
/// The rooms that a listed survivor must pass besides its law.
const STRICT: &[&str] = &["table", "edges", "waits", "owners", "expiry", "races"];

/// How a law ended on a mutant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum End {
    /// It holds.
    Holds,
    /// An assertion about rows or answers failed.
    Asserted(String),
    /// The database or the store failed: that proves nothing.
    Failed(String),
}

#[derive(Debug)]
pub(super) struct Verdict {
    pub(super) entry: &'static Entry,
    /// The law that killed it, or the one named.
    pub(super) law: String,
    pub(super) end: End,
    /// Whether every alteration acted.
    pub(super) acted: bool,
}

impl Verdict {
    pub(super) fn as_listed(&self) -> bool {
        match (self.entry.fate, &self.end) {
            (Fate::Killed, End::Asserted(_)) => self.acted && self.law == self.entry.law,
            (Fate::Equivalent(_), End::Holds) => self.acted,
            _ => false,
        }
    }

    pub(super) fn line(&self) -> String {
        let acted = if self.acted { "" } else { " (did not act)" };
        let (end, text) = match &self.end {
            End::Holds => ("SURVIVES", ""),
            End::Asserted(text) => ("killed", text.as_str()),
            End::Failed(text) => ("ERROR", text.as_str()),
        };
        let text: String = text.chars().take(160).map(|c| if c == '\n' { ' ' } else { c }).collect();
        format!("{end}{acted}: {} [{}] {text}", self.entry.name, self.law)
    }
}

/// A law by `room::law`.
pub(super) fn law(name: &str) -> Option<Law> {
    let (room, law) = name.split_once("::")?;
    let (_, laws) = ROOMS.iter().find(|(known, _)| *known == room)?;
    laws.iter().find_map(|(known, function)| (*known == law).then_some(*function))
}

/// All of these, some at a time, in the order given.
pub(super) fn all(kind: Kind, entries: &[&'static Entry]) -> Vec<Verdict> {
    let left = Mutex::new(entries.iter().copied().enumerate());
    let done = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..HANDS {
            scope.spawn(|| {
                loop {
                    let Some((index, entry)) = left.lock().unwrap().next() else { return };
                    let verdict = try_one(kind, entry);
                    println!("{kind:?} {}", verdict.line());
                    done.lock().unwrap().push((index, verdict));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap();
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, verdict)| verdict).collect()
}

/// Version of the database.
pub(super) fn engine(kind: Kind) -> String {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let engine = std::sync::Arc::new(Mutex::new(String::new()));
    let told = engine.clone();
    runtime.block_on(world::run(kind, |w| {
        Box::pin(async move {
            *told.lock().unwrap() = w.store.info().await.unwrap().engine;
        })
    }));
    engine.lock().unwrap().clone()
}

/// The law named first; when it holds, the other strict ones: who else would notice?
fn try_one(kind: Kind, entry: &'static Entry) -> Verdict {
    let mutant = Mutant::kept(entry.alters);
    let verdict = |name: String, end| Verdict { entry, law: name, end, acted: mutant.acted() };
    let first = law(entry.law).map_or(End::Holds, |law| meet(kind, entry, mutant, law));
    if first != End::Holds || super::variable("LOCKSTEP_MUTANTS").is_none() {
        return verdict(entry.law.to_owned(), first);
    }
    for (room, laws) in ROOMS.iter().filter(|(room, _)| STRICT.contains(room)) {
        for (name, law) in *laws {
            let name = format!("{room}::{name}");
            let end = if name == entry.law { End::Holds } else { meet(kind, entry, mutant, *law) };
            if end != End::Holds {
                return verdict(name, end);
            }
        }
    }
    verdict(entry.law.to_owned(), first)
}

/// On a thread of its own, so that a panic ends nothing else.
fn meet(kind: Kind, entry: &'static Entry, mutant: &'static Mutant, law: Law) -> End {
    let meeting = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let options =
            OpenOptions { mutant: Some(mutant), sqlite_synchronous: Synchronous::Normal, ..world::options() };
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let trial = world::run_with(kind, options, |w| Box::pin(disarmed(w, entry.disarmed, law)));
            runtime.block_on(async { tokio::time::timeout(PATIENCE, trial).await })
        }));
        runtime.shutdown_background();
        clean_up();
        match outcome {
            Ok(Ok(())) => End::Holds,
            Ok(Err(_elapsed)) => End::Failed("it hangs".into()),
            Err(panic) => judged(panic.as_ref()),
        }
    };
    let thread = std::thread::Builder::new().name(entry.name.to_owned()).spawn(meeting).unwrap();
    thread.join().unwrap_or_else(|_| End::Failed("its thread broke".into()))
}

async fn disarmed(w: &mut World, guards: &'static [&'static str], law: Law) {
    for guard in guards {
        let sql = match (guard.strip_prefix("index "), w.kind) {
            (Some(index), _) => format!("DROP INDEX {index}"),
            (None, Kind::Sqlite) => format!("DROP TRIGGER {guard}"),
            (None, Kind::Postgres) => {
                format!("DROP TRIGGER {guard} ON {}", guard.split('_').next().unwrap_or_default())
            }
        };
        w.raw(&sql).await.unwrap();
    }
    law(w).await;
}

/// The database of a law that broke before its end.
fn clean_up() {
    let Some(name) = OPENED.take() else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let server = world::server();
    let drop = world::admin(&server, format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"));
    // A leftover database costs a little space until the server goes.
    let _dropped = runtime.block_on(drop);
}

/// An assertion, or an error that came as a panic.
fn judged(panic: &(dyn Any + Send)) -> End {
    const ERRORS: &[&str] =
        &["on an `Err` value", "on a `None` value", "Failed(", "Busy", "Unusable(", "Corrupt", "JoinError"];
    let text = match (panic.downcast_ref::<String>(), panic.downcast_ref::<&str>()) {
        (Some(text), _) => text.clone(),
        (None, Some(text)) => (*text).to_owned(),
        (None, None) => String::new(),
    };
    if ERRORS.iter().any(|error| text.contains(error)) { End::Failed(text) } else { End::Asserted(text) }
}
