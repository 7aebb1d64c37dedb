//! From a template to the SQL of one dialect.
//!
//! | in a template | SQLite | PostgreSQL |
//! |---|---|---|
//! | `{now}` | ms as INTEGER | `timestamptz` cut to ms |
//! | `{now_ms}` | ms as INTEGER | ms as bigint |
//! | `{ms:column}` | the column | ms as bigint |
//! | `{at:$3}` | the parameter | `timestamptz` from ms |
//! | `{each:$2}` | rows `j.value` of a JSON array | the same |
//! | `{ids:$2}` | a subselect of the ids in a JSON array of `{"id": ...}` | the same |
//! | `{uuid:expr}`, `{int:expr}`, `{time:expr}` | a typed value from JSON text | the same |
//! | `{json_int:column field}` | a number in a column of JSON text | the same |
//! | `{for_update}`, `{for_no_key_update}`, `{for_share}` | nothing (the transaction is IMMEDIATE) | the row lock |
//! | any other name | the predicate of that name | the same |

use crate::predicates;

/// Which SQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// SQLite.
    Sqlite,
    /// PostgreSQL.
    Postgres,
}

/// Renders templates for one store.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sql {
    dialect: Dialect,
    #[cfg(feature = "test-clock")]
    test_clock: bool,
    #[cfg(feature = "mutants")]
    mutant: Option<&'static crate::mutants::Mutant>,
    /// This machine's clock from before the transaction, for mutants that bind a time.
    #[cfg(feature = "mutants")]
    bound_ms: i64,
}

impl Sql {
    /// A renderer with the real clock.
    pub(crate) const fn new(dialect: Dialect) -> Self {
        Self {
            dialect,
            #[cfg(feature = "test-clock")]
            test_clock: false,
            #[cfg(feature = "mutants")]
            mutant: None,
            #[cfg(feature = "mutants")]
            bound_ms: 0,
        }
    }

    /// The same with the settable clock of tests.
    #[cfg(feature = "test-clock")]
    pub(crate) const fn with_test_clock(self, on: bool) -> Self {
        Self { test_clock: on, ..self }
    }

    /// The same with one guard altered.
    #[cfg(feature = "mutants")]
    pub(crate) const fn with_mutant(self, mutant: Option<&'static crate::mutants::Mutant>) -> Self {
        Self { mutant, ..self }
    }

    /// The same, for a transaction before which this machine's clock said so.
    #[cfg(feature = "mutants")]
    pub(crate) const fn bound_at(self, bound_ms: i64) -> Self {
        Self { bound_ms, ..self }
    }

    /// BEGIN and the like, which hold no placeholders.
    #[cfg(feature = "mutants")]
    pub(crate) fn plain(self, text: &'static str) -> String {
        self.mutant.map_or_else(|| text.to_owned(), |mutant| mutant.within(text).into_owned())
    }

    /// The SQL of a template. A placeholder that nobody knows stays and makes the statement fail.
    pub(crate) fn render(self, template: &str) -> String {
        #[cfg(feature = "mutants")]
        let altered = self.mutant.map(|mutant| mutant.within(template));
        #[cfg(feature = "mutants")]
        let template = altered.as_deref().unwrap_or(template);
        let mut out = String::with_capacity(template.len() * 2);
        self.expand(template, &mut out);
        out
    }

    fn expand(self, template: &str, out: &mut String) {
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('{') {
            out.push_str(before);
            let Some((inner, behind)) = after.split_once('}') else {
                out.push('{');
                rest = after;
                continue;
            };
            let (name, argument) = inner.split_once(':').unwrap_or((inner, ""));
            self.piece(name, argument, out);
            rest = behind;
        }
        out.push_str(rest);
    }

    fn piece(self, name: &str, argument: &str, out: &mut String) {
        let sqlite = self.dialect == Dialect::Sqlite;
        #[cfg(feature = "mutants")]
        if let Some(text) = self.mutant.and_then(|mutant| mutant.named(name)) {
            return self.expand(text, out);
        }
        match name {
            "now" => out.push_str(self.now()),
            "now_ms" => out.push_str(self.now_ms()),
            "ms" | "at" if sqlite => out.push_str(argument),
            "ms" => push(out, &["floor(extract(epoch FROM ", argument, ") * 1000)::bigint"]),
            "at" => push(out, &["to_timestamp(", argument, "::bigint / 1000.0)"]),
            "each" if sqlite => push(out, &["json_each(", argument, ") AS j"]),
            "each" => push(out, &["json_array_elements(", argument, "::json) AS j(value)"]),
            "ids" if sqlite => {
                push(out, &["(SELECT unhex(j.value->>'id', '-') FROM json_each(", argument, ") AS j)"]);
            }
            "ids" => {
                let rows = "(SELECT (j.value->>'id')::uuid FROM json_array_elements(";
                push(out, &[rows, argument, "::json) AS j(value))"]);
            }
            "uuid" if sqlite => push(out, &["unhex(", argument, ", '-')"]),
            "uuid" => push(out, &["(", argument, ")::uuid"]),
            "int" | "time" if sqlite => push(out, &["CAST(", argument, " AS INTEGER)"]),
            "int" => push(out, &["(", argument, ")::bigint"]),
            "time" => push(out, &["to_timestamp((", argument, ")::bigint / 1000.0)"]),
            "json_int" => {
                let (column, field) = argument.split_once(' ').unwrap_or((argument, ""));
                if sqlite {
                    push(out, &["CAST(", column, "->>'", field, "' AS INTEGER)"]);
                } else {
                    push(out, &["(", column, "::json->>'", field, "')::bigint"]);
                }
            }
            "for_update" | "for_no_key_update" | "for_share" | "skip" if sqlite => {}
            "for_update" => out.push_str("FOR UPDATE"),
            "for_no_key_update" => out.push_str("FOR NO KEY UPDATE"),
            "for_share" => out.push_str("FOR SHARE"),
            "proves" => out.push_str(if sqlite { "TRUE" } else { "FALSE" }),
            #[cfg(feature = "mutants")]
            "bound" if !sqlite => push(out, &["to_timestamp(", &self.bound_ms.to_string(), " / 1000.0)"]),
            #[cfg(feature = "mutants")]
            "bound" | "bound_ms" => out.push_str(&self.bound_ms.to_string()),
            other => match predicates::find(other) {
                Some(text) => self.expand(text, out),
                None => push(out, &["{", other, "}"]),
            },
        }
    }

    fn now(self) -> &'static str {
        #[cfg(feature = "test-clock")]
        if self.test_clock {
            return match self.dialect {
                Dialect::Sqlite => {
                    "coalesce((SELECT at_ms FROM lockstep_test_clock), \
                     CAST(round(unixepoch('subsec') * 1000) AS INTEGER))"
                }
                Dialect::Postgres => "lockstep_test_now()",
            };
        }
        match self.dialect {
            Dialect::Sqlite => "CAST(round(unixepoch('subsec') * 1000) AS INTEGER)",
            Dialect::Postgres => "date_trunc('milliseconds', clock_timestamp())",
        }
    }

    fn now_ms(self) -> &'static str {
        #[cfg(feature = "test-clock")]
        if self.test_clock && self.dialect == Dialect::Postgres {
            return "floor(extract(epoch FROM lockstep_test_now()) * 1000)::bigint";
        }
        match self.dialect {
            Dialect::Sqlite => self.now(),
            Dialect::Postgres => "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint",
        }
    }
}

fn push(out: &mut String, parts: &[&str]) {
    parts.iter().for_each(|part| out.push_str(part));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_predicate_expands_to_the_end() {
        for dialect in [Dialect::Sqlite, Dialect::Postgres] {
            let sql =
                Sql::new(dialect).render("UPDATE leases SET heartbeat_at = {now} WHERE {owner} AND {live}");
            assert!(!sql.contains('{'), "{sql}");
            assert!(sql.contains("owner_token = $2 AND fence = $3"), "{sql}");
        }
    }

    #[test]
    fn the_released_sql_calls_plain_clocks() {
        let names = ["{now}", "{now_ms}", "{live}", "{stale}"];
        for sql in names.map(|name| Sql::new(Dialect::Postgres).render(name)) {
            assert!(sql.contains("clock_timestamp()") && !sql.contains("test"), "{sql}");
        }
        for sql in names.map(|name| Sql::new(Dialect::Sqlite).render(name)) {
            assert!(sql.contains("unixepoch('subsec')") && !sql.contains("test"), "{sql}");
        }
    }

    #[cfg(feature = "mutants")]
    #[test]
    fn a_mutant_alters_what_it_names_and_nothing_else() {
        use crate::mutants::{Alter, Mutant};
        let mutant = Mutant::kept(&[Alter::Named("live", "TRUE"), Alter::Within("UPDATE b", "{owner}", "x")]);
        let sound = Sql::new(Dialect::Sqlite);
        let altered = sound.with_mutant(Some(mutant));
        assert_eq!(
            altered.render("UPDATE a WHERE {owner_fence} AND {live}"),
            "UPDATE a WHERE fence = $3 AND TRUE"
        );
        assert!(!mutant.acted(), "the second did not act yet");
        assert_eq!(altered.render("UPDATE b WHERE {owner}"), "UPDATE b WHERE x");
        assert!(mutant.acted());
        assert_eq!(altered.render("{stale}"), sound.render("{stale}"));
        assert_eq!(altered.plain("BEGIN IMMEDIATE"), "BEGIN IMMEDIATE");
    }

    #[test]
    fn an_unknown_name_stays_and_fails_in_the_database() {
        assert_eq!(Sql::new(Dialect::Sqlite).render("a {nobody} b"), "a {nobody} b");
    }
}
