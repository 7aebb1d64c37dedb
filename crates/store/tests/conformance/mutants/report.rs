//! What came of the mutants, for people and for `cargo xtask mutants`.

use std::path::Path;
use std::time::Duration;

use serde_json::json;

use super::entry::Fate;
use super::trial::{self, End, Verdict};
use crate::world::Kind;

pub(super) struct Report {
    kind: &'static str,
    engine: String,
    seconds: f64,
    pub(super) verdicts: Vec<Verdict>,
}

impl Report {
    pub(super) fn new(kind: Kind, took: Duration, verdicts: Vec<Verdict>) -> Self {
        let kind_name = if kind == Kind::Sqlite { "sqlite" } else { "postgres" };
        Self { kind: kind_name, engine: trial::engine(kind), seconds: took.as_secs_f64(), verdicts }
    }

    /// `FOLDER/sqlite.json` or `FOLDER/postgres.json`.
    pub(super) fn write(&self, folder: &Path) {
        let rows: Vec<_> = self
            .verdicts
            .iter()
            .map(|verdict| {
                let entry = verdict.entry;
                let (end, text) = match &verdict.end {
                    End::Holds => ("survives", ""),
                    End::Asserted(text) => ("killed", text.as_str()),
                    End::Failed(text) => ("error", text.as_str()),
                };
                let why = match entry.fate {
                    Fate::Killed => None,
                    Fate::Equivalent(why) => Some(why),
                };
                json!({
                    "name": entry.name,
                    "what": entry.what,
                    "law": verdict.law,
                    "end": end,
                    "text": text.chars().take(400).collect::<String>(),
                    "listed_survivor": why,
                    "as_listed": verdict.as_listed(),
                })
            })
            .collect();
        let report = json!({ "engine": self.engine, "seconds": self.seconds, "verdicts": rows });
        let text = serde_json::to_string_pretty(&report).unwrap();
        std::fs::write(folder.join(format!("{}.json", self.kind)), text).unwrap();
    }
}
