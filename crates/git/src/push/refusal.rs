//! Why a server refused, by the stable part of its words (docs/OUTSIDE.md).

use lockstep_domain::outcome::Reason;

use super::Verdict;
use crate::answers::{cut, said};

/// A `!` line: its summary is `[kind] (reason)`.
pub(super) fn of_ref(name: &str, summary: &str, err: &str) -> Verdict {
    let reason = summary.split_once(" (").map_or(summary, |(_, rest)| rest.strip_suffix(')').unwrap_or(rest));
    let has = |text: &str| reason.contains(text);
    if summary.starts_with("[remote failure]") || reason == "failure" || has("nternal server error") {
        return Verdict::Unclear(cut(reason));
    }
    if has("unpacker error") {
        return Verdict::Unclear(cut(reason));
    }
    if summary.starts_with("[rejected]") {
        return Verdict::Raced(cut(reason));
    }
    if has("workflow") && (has("refusing to allow") || has("permission") || has("scope")) {
        return Verdict::Refused(Reason::NeedsWorkflowsPermission, cut(reason));
    }
    const RULES: [&str; 8] =
        ["declined", "rule", "protected", "prohibited", "denying", "refus", "not allowed", "hidden ref"];
    if RULES.iter().any(|text| has(text)) {
        return Verdict::Refused(Reason::BlockedByRule, cause(name, reason, err));
    }
    Verdict::Raced(cut(reason))
}

/// A 403 on the whole repository.
pub(super) fn of_access(why: &str) -> Reason {
    let lower = why.to_lowercase();
    let has = |text: &str| lower.contains(text);
    if has("archived") {
        Reason::Archived
    } else if has("permission to") || has("write access") || has("saml") || has("not granted") {
        Reason::PermissionMissing
    } else {
        Reason::NotAccessible
    }
}

/// The rule in plain words.
fn cause(name: &str, reason: &str, err: &str) -> String {
    for (mark, kind) in [("GH013", "repository rule"), ("GH006", "protected branch")] {
        let rules = details(mark, name, err);
        if !rules.is_empty() {
            return cut(&format!("{kind}: {}", rules.join("; ")));
        }
    }
    let words: Vec<_> = said(err).filter_map(|line| line.strip_prefix("error:")).map(str::trim).collect();
    if words.is_empty() { cut(reason) } else { cut(&format!("{reason}: {}", words.join("; "))) }
}

/// The `- …` lines below the error line that names this ref, up to the next error.
fn details<'a>(mark: &str, name: &str, err: &'a str) -> Vec<&'a str> {
    said(err)
        .skip_while(|line| !(line.contains(mark) && line.trim_end_matches('.').ends_with(name)))
        .skip(1)
        .take_while(|line| !line.starts_with("error:"))
        .filter_map(|line| line.strip_prefix("- "))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_door_says_which_one() {
        for (why, reason) in [
            ("This repository was archived so it is read-only.", Reason::Archived),
            ("Permission to o/r.git denied to my-app[bot].", Reason::PermissionMissing),
            ("Write access to repository not granted.", Reason::PermissionMissing),
            ("Your account is suspended.", Reason::NotAccessible),
        ] {
            assert_eq!(of_access(why), reason, "{why}");
        }
    }
}
