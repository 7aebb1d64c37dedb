//! docs/LEASES-MODEL.md names every step of the model, and nothing that does not exist.

#![allow(clippy::unwrap_used, reason = "a test fails loudly")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The table's rows, each split into its cells.
fn table() -> Vec<Vec<String>> {
    let page = read("docs/LEASES-MODEL.md");
    let rows = page.lines().skip_while(|line| !line.starts_with("| step |")).skip(2);
    rows.take_while(|line| line.starts_with('|'))
        .map(|line| line.split('|').map(|cell| cell.trim().to_owned()).collect())
        .collect()
}

/// What stands between backticks.
fn spans(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

fn defines(text: &str, name: &str) -> bool {
    let function = format!("fn {name}");
    let has = |start: &str| {
        text.match_indices(start).any(|(at, _)| {
            !text[at + start.len()..].starts_with(|next: char| next.is_alphanumeric() || next == '_')
        })
    };
    has(&function) || has(&format!("const {name}"))
}

#[test]
fn every_function_and_statement_of_the_table_exists() {
    let mut seen = 0;
    for span in table().iter().flatten().flat_map(|cell| spans(cell)) {
        let Some((path, name)) = span.split_once('#') else { continue };
        let text = read(&format!("crates/{path}"));
        assert!(defines(&text, name), "crates/{path} has no function or constant {name}: correct the page");
        seen += 1;
    }
    assert!(seen > 40, "the table was not found, only {seen} names");
}

#[test]
fn every_predicate_of_the_table_exists_and_every_predicate_of_the_lease_is_in_it() {
    let predicates = read("crates/store/src/predicates.rs");
    let placeholders = read("crates/store/src/sql.rs");
    let table = table();
    let named: BTreeSet<&str> = table
        .iter()
        .flatten()
        .flat_map(|cell| spans(cell))
        .filter_map(|span| span.strip_prefix('{')?.strip_suffix('}'))
        .collect();
    for name in &named {
        let known =
            predicates.contains(&format!("\"{name}\",")) || placeholders.contains(&format!("\"{name}\" "));
        assert!(known, "there is no predicate {{{name}}}: correct the page");
    }
    let (_, lease) = predicates.split_once("LEASES: &[Predicate] = &[").unwrap();
    let (lease, _) = lease.split_once("];").unwrap();
    let known = lease.split('(').filter_map(|part| part.trim_start().strip_prefix('"')?.split_once("\","));
    for (name, _) in known {
        assert!(named.contains(name), "the page does not name the predicate {{{name}}}");
    }
}

#[test]
fn every_step_of_the_model_is_in_the_table() {
    let table = table();
    let named: BTreeSet<&str> = table.iter().flat_map(|row| spans(&row[1])).collect();
    let source = read("crates/lease-model/src/system/action.rs");
    let (_, body) = source.split_once("pub enum Action {").unwrap();
    let (body, _) = body.split_once("\n}").unwrap();
    let steps: BTreeSet<&str> = body
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with(|first: char| first.is_ascii_uppercase()))
        .map(|line| line.trim_end_matches(',').split('(').next().unwrap_or_default())
        .collect();
    assert_eq!(steps, named);
}
