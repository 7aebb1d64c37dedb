//! Rosters as CSV: one bad line, and nothing is imported.

use std::collections::HashMap;

use chrono::{DateTime, Local, NaiveDate, NaiveDateTime, NaiveTime, TimeZone};
use csv::StringRecord;
use lockstep_domain::clock::Millis;
use lockstep_domain::code::Code;
use lockstep_domain::names::RepoSlug;
use lockstep_engine::Listed;

use crate::error::Result;
use crate::input;
use crate::wire::ApiError;

/// Far above any course, far below what hurts.
const MOST_BYTES: usize = 8 * 1024 * 1024;
/// Bad lines that are named at once.
const NAMED: usize = 5;

const HEADER: &str =
    "The first line names the columns: repository,label,deadline (label and deadline may be absent).";

/// Reads a roster with a header. Columns may stand in any order and be separated by comma, semicolon or tab.
///
/// # Errors
/// `bad_roster`, naming up to five bad lines by number, value and reason.
pub(crate) fn read(text: &str) -> Result<Vec<Listed>> {
    if text.len() > MOST_BYTES {
        return Err(bad(format!("The roster has {} bytes, more than {MOST_BYTES}.", text.len())));
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter(text))
        .trim(csv::Trim::All)
        .flexible(true)
        .from_reader(text.as_bytes());
    let columns = Columns::find(reader.headers().map_err(|error| unreadable(&error))?)?;
    let (mut listed, mut wrong) = (Vec::new(), Vec::new());
    let mut seen: HashMap<String, u64> = HashMap::new();
    for record in reader.records() {
        let record = record.map_err(|error| unreadable(&error))?;
        let line = record.position().map_or(0, csv::Position::line);
        if record.iter().all(str::is_empty) {
            continue;
        }
        match columns.line(&record) {
            Ok(one) => match seen.insert(one.slug.to_string().to_lowercase(), line) {
                Some(first) => wrong.push(format!("line {line}: {} stands on line {first} too", one.slug)),
                None => listed.push(one),
            },
            Err(why) => wrong.push(format!("line {line}: {why}")),
        }
    }
    if !wrong.is_empty() {
        let more = wrong.len().saturating_sub(NAMED);
        wrong.truncate(NAMED);
        let rest = if more > 0 { format!("; and {more} more") } else { String::new() };
        return Err(bad(format!(
            "{}{rest}.",
            crate::error::sentence(&wrong.join("; ")).trim_end_matches('.')
        )));
    }
    if listed.is_empty() {
        return Err(bad("The roster has no recipient below its first line.").hinted(HEADER));
    }
    Ok(listed)
}

fn bad(text: impl Into<String>) -> ApiError {
    ApiError::new(Code::BadRoster, text)
}

fn unreadable(error: &csv::Error) -> ApiError {
    let line = error.position().map_or(1, csv::Position::line);
    bad(format!("Line {line} is no CSV."))
}

/// The one of the three that stands most often in the first line.
fn delimiter(text: &str) -> u8 {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let often = |sign: &u8| first.bytes().filter(|byte| byte == sign).count();
    [b',', b';', b'\t'].into_iter().rev().max_by_key(often).unwrap_or(b',')
}

struct Columns {
    repository: usize,
    label: Option<usize>,
    deadline: Option<usize>,
}

impl Columns {
    fn find(header: &StringRecord) -> Result<Self> {
        let mut columns: HashMap<&'static str, usize> = HashMap::new();
        for (at, name) in header.iter().enumerate() {
            let known = match name.to_lowercase().as_str() {
                "repository" | "repo" => "repository",
                "label" | "name" | "team" | "student" => "label",
                "deadline" | "due" => "deadline",
                "" => continue,
                _ => {
                    return Err(bad(format!("Line 1: the column {name:?} is not known.")).hinted(HEADER));
                }
            };
            if columns.insert(known, at).is_some() {
                return Err(bad(format!("Line 1: the column {known} is there twice.")).hinted(HEADER));
            }
        }
        let repository = columns
            .get("repository")
            .copied()
            .ok_or_else(|| bad("Line 1: the column repository is missing.").hinted(HEADER))?;
        let of = |name| columns.get(name).copied();
        Ok(Self { repository, label: of("label"), deadline: of("deadline") })
    }

    fn line(&self, record: &StringRecord) -> std::result::Result<Listed, String> {
        let field = |at: Option<usize>| at.and_then(|at| record.get(at)).unwrap_or_default();
        let slug: RepoSlug = input::slug(field(Some(self.repository))).map_err(|error| {
            error.message.trim_end_matches(" Choose another name.").trim_end_matches('.').to_owned()
        })?;
        let label = field(self.label);
        if label.chars().count() > 200 || label.chars().any(char::is_control) {
            return Err("the label is longer than 200 characters or has a control character".to_owned());
        }
        let deadline = match field(self.deadline) {
            "" => None,
            text => Some(deadline(text)?),
        };
        Ok(Listed { slug, label: label.to_owned(), deadline })
    }
}

/// A deadline as people write it, in this machine's time zone unless it names one. A day alone ends with that day.
///
/// # Errors
/// Half a sentence that names the value and the remedy.
pub fn deadline(text: &str) -> std::result::Result<Millis, String> {
    if let Ok(exact) = DateTime::parse_from_rfc3339(text) {
        return Ok(Millis(exact.timestamp_millis()));
    }
    let naive = naive(text).ok_or_else(|| {
        format!("{text:?} is no date that can be understood: write 2026-12-04 23:59, or 2026-12-04T23:59:00Z")
    })?;
    // A time that a clock change makes twice is the earlier one; one that it skips does not exist.
    Local
        .from_local_datetime(&naive)
        .earliest()
        .map(|local| Millis(local.timestamp_millis()))
        .ok_or_else(|| format!("{text:?} does not exist: the clocks are changed at that moment"))
}

/// Day and month are never guessed: `04/12/2026` is refused, `04.12.2026` is the fourth of December.
fn naive(text: &str) -> Option<NaiveDateTime> {
    const TIMES: [&str; 6] = [
        "%Y-%m-%d %H:%M:%S",
        "%Y-%m-%d %H:%M",
        "%Y-%m-%dT%H:%M:%S",
        "%Y-%m-%dT%H:%M",
        "%d.%m.%Y %H:%M",
        "%Y/%m/%d %H:%M",
    ];
    const DAYS: [&str; 3] = ["%Y-%m-%d", "%d.%m.%Y", "%Y/%m/%d"];
    let end = NaiveTime::from_hms_opt(23, 59, 59)?;
    TIMES.iter().find_map(|format| NaiveDateTime::parse_from_str(text, format).ok()).or_else(|| {
        DAYS.iter()
            .find_map(|format| NaiveDate::parse_from_str(text, format).ok())
            .map(|day| day.and_time(end))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_roster_with_all_columns_is_read_in_any_order_and_separator() {
        for text in [
            "repository,label,deadline\norg/a,Ada,2026-12-04T23:59:00Z\n",
            "\u{feff}Deadline;Repository;Label\r\n2026-12-04T23:59:00Z;org/a;Ada\r\n\r\n",
            "repo\tdue\tteam\norg/a\t2026-12-04T23:59:00Z\tAda",
        ] {
            let listed = read(text).unwrap();
            assert_eq!(listed.len(), 1);
            assert_eq!(listed[0].slug.to_string(), "org/a");
            assert_eq!(listed[0].label, "Ada");
            assert_eq!(listed[0].deadline, Some(Millis(1_796_428_740_000)));
        }
    }

    #[test]
    fn label_and_deadline_may_be_absent() {
        let listed = read("repository\norg/a\nhttps://github.com/org/b\n").unwrap();
        assert_eq!(listed.iter().map(|l| l.slug.to_string()).collect::<Vec<_>>(), ["org/a", "org/b"]);
        assert!(listed.iter().all(|one| one.deadline.is_none() && one.label.is_empty()));
    }

    #[test]
    fn every_bad_line_is_named_by_number_and_nothing_is_read() {
        let error = read("repository,deadline\norg/a,\nnonsense,\norg/b,04/12/2026\nORG/A,\n").unwrap_err();
        assert_eq!(error.code, Code::BadRoster);
        for part in [
            "Line 3",
            "nonsense",
            "owner/name",
            "line 4",
            "04/12/2026",
            "2026-12-04 23:59",
            "line 5",
            "line 2",
        ] {
            assert!(error.message.contains(part), "{part}: {}", error.message);
        }
    }

    #[test]
    fn many_bad_lines_are_counted() {
        let text = format!("repository\n{}", "bad\n".repeat(9));
        let message = read(&text).unwrap_err().message;
        assert!(
            message.contains("line 6") && message.contains("4 more") && !message.contains("line 7"),
            "{message}"
        );
    }

    #[test]
    fn an_empty_roster_and_a_missing_header_are_refused() {
        for text in ["", "\n\n", "repository,label\n", "repository\n\n , \n"] {
            assert_eq!(read(text).unwrap_err().code, Code::BadRoster, "{text:?}");
        }
        let error = read("org/a,Ada\n").unwrap_err();
        assert!(
            error.message.contains("Line 1") && error.hint.contains("repository,label,deadline"),
            "{error:?}"
        );
        assert!(read("label\nAda\n").unwrap_err().message.contains("missing"));
        assert!(read("repo,repository\na/b,a/b\n").unwrap_err().message.contains("twice"));
    }

    #[test]
    fn a_deadline_is_understood_in_several_forms_and_never_guessed() {
        let same: Vec<_> = [
            "2026-12-04 23:59",
            "2026-12-04T23:59",
            "04.12.2026 23:59",
            "2026/12/04 23:59",
            "2026-12-04 23:59:00",
        ]
        .into_iter()
        .map(|text| deadline(text).unwrap())
        .collect();
        assert!(same.windows(2).all(|pair| pair[0] == pair[1]));
        assert_eq!(deadline("2026-12-04").unwrap(), same[0].plus(59_000));
        for bad in ["04/12/2026", "12/31/2026 10:00", "tomorrow", "2026-02-30", "2026-12-04 25:00"] {
            assert!(deadline(bad).unwrap_err().contains(bad), "{bad}");
        }
    }
}
