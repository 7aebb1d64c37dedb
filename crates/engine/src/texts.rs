//! Every text that a recipient can read, in one place. English. None may name the source: see `privacy`.
//!
//! Example of a title: `Project update 7 (ab12cd3)`; under `whole`, where the shas are the source's: `Project update 7`.

use std::fmt::Write as _;

use lockstep_domain::model::Strategy;
use lockstep_domain::names::{BranchName, Oid};
use lockstep_domain::ports::PathChange;

/// Message of every commit on the distribution under `squash`.
pub const COMMIT_MESSAGE: &str = "Project update\n";
/// Most characters of a body; GitHub allows 65,536.
pub const BODY_LIMIT: usize = 58_000;
/// Most files listed.
pub const FILES_LISTED: usize = 50;
/// Most characters of the staff's note that are carried.
const NOTE_LIMIT: usize = 8_000;
/// Most characters of one path.
const PATH_LIMIT: usize = 250;

/// What a pull request tells.
#[derive(Debug, Clone, Copy)]
pub struct Update<'a> {
    /// Decides whether a short sha is shown.
    pub strategy: Strategy,
    /// Update number.
    pub number: u32,
    /// Head of the distribution.
    pub head: Oid,
    /// The handed-out branch.
    pub branch: &'a BranchName,
    /// Its name in the recipient.
    pub base: &'a BranchName,
    /// Files that the update changes.
    pub files: &'a [PathChange],
    /// Staff's note.
    pub note: &'a str,
    /// The closed pull request that this one follows.
    pub follows: Option<i64>,
}

/// The hidden marker by which an announcement of this head is found again.
#[must_use]
pub fn marker(head: Oid) -> String {
    format!("<!-- lockstep:{head} -->")
}

/// The hidden marker of the comment that closes a pull request with nothing left to say.
#[must_use]
pub fn closing_marker(head: Oid) -> String {
    format!("<!-- lockstep:closed:{head} -->")
}

/// Title of a pull request; written once, at opening.
#[must_use]
pub fn title(update: &Update<'_>) -> String {
    match update.strategy {
        Strategy::Squash => format!("Project update {} ({})", update.number, update.head.short()),
        Strategy::Whole => format!("Project update {}", update.number),
    }
}

/// Body of a pull request.
#[must_use]
pub fn body(update: &Update<'_>) -> String {
    let base = code(update.base.as_str());
    let sync = code(&update.branch.sync());
    let mut out = format!("This brings project update {} to your branch {base}.\n", update.number);
    if let Some(number) = update.follows {
        // Writing to a text cannot fail.
        let _ok = write!(out, "\nIt follows #{number}, which was closed without merging.\n");
    }
    out.push_str(&note(update.note));
    out.push_str(&files(update.files));
    let _ok = write!(
        out,
        "\n### How to take it\n\n\
         Press **Merge pull request** (a merge commit keeps later updates free of conflicts). Nothing else in your \
         repository was touched: only the branch {sync} was written.\n\
         \n### If GitHub reports conflicts\n\n\
         Your own work stays yours. Press **Resolve conflicts**, or in a clone:\n\n\
         ```\n\
         git fetch origin\n\
         git switch {base_name}\n\
         git merge origin/{sync_name}\n\
         ```\n\n\
         Edit the files that git names so that they say what you want, then `git add` them, `git commit` and \
         `git push`. Commits that you make on {sync} yourself are kept as well.\n",
        base_name = update.base,
        sync_name = update.branch.sync(),
    );
    let _ok = write!(out, "\n{}\n", marker(update.head));
    debug_assert!(out.chars().count() < BODY_LIMIT, "a body is bounded by its parts");
    out
}

/// The one comment when the head of an open pull request moved.
#[must_use]
pub fn comment(update: &Update<'_>) -> String {
    let which = match update.strategy {
        Strategy::Squash => format!("Project update {} ({})", update.number, update.head.short()),
        Strategy::Whole => format!("Project update {}", update.number),
    };
    format!(
        "{which} was added to this pull request.\n{}{}\n{}\n",
        note(update.note),
        files(update.files),
        marker(update.head)
    )
}

/// The comment before a pull request is closed because nothing differs any more.
#[must_use]
pub fn closing_comment(base: &BranchName, head: Oid) -> String {
    format!(
        "Your branch {} already holds everything that this pull request would bring, so it is closed.\n\n{}\n",
        code(base.as_str()),
        closing_marker(head)
    )
}

/// The wording without anything variable: words in it cannot reveal anything.
#[must_use]
pub fn wording(branch: &BranchName, head: Oid) -> String {
    let update = |strategy| Update {
        strategy,
        number: 1,
        head,
        branch,
        base: branch,
        files: &[],
        note: "",
        follows: Some(1),
    };
    let parts = [
        COMMIT_MESSAGE.to_owned(),
        title(&update(Strategy::Squash)),
        body(&update(Strategy::Squash)),
        comment(&update(Strategy::Squash)),
        closing_comment(branch, head),
        format!("{FILES_HEADING} {FILES_MORE} {NOTE_HEADING} added changed removed renamed"),
    ];
    parts.join("\n")
}

const FILES_HEADING: &str = "Files";
const FILES_MORE: &str = "more";
const NOTE_HEADING: &str = "Note from the staff";

fn note(note: &str) -> String {
    let note = note.trim();
    if note.is_empty() {
        return String::new();
    }
    let cut: String = note.chars().take(NOTE_LIMIT).collect();
    let dots = if cut.len() < note.len() { " …" } else { "" };
    // A marker of ours in a note would be mistaken for an announcement.
    let cut = cut.replace("<!--", "&lt;!--");
    format!("\n### {NOTE_HEADING}\n\n{cut}{dots}\n")
}

fn files(files: &[PathChange]) -> String {
    if files.is_empty() {
        return String::new();
    }
    let mut out = format!("\n### {FILES_HEADING}\n\n");
    for change in files.iter().take(FILES_LISTED) {
        let what = match change.status {
            'A' => "added",
            'D' => "removed",
            'R' => "renamed",
            _ => "changed",
        };
        let _ok = writeln!(out, "- {} {what}", code(&change.path));
    }
    let more = files.len().saturating_sub(FILES_LISTED);
    if more > 0 {
        let _ok = writeln!(out, "- and {more} {FILES_MORE}");
    }
    out
}

/// A Markdown code span around a name: nothing in it is interpreted, and control characters become visible.
#[must_use]
pub fn code(name: &str) -> String {
    let visible = name.chars().flat_map(|c| {
        let hidden = c.is_control() || is_direction(c);
        if hidden { c.escape_default().collect() } else { vec![c] }
    });
    let mut clean: String = visible.clone().take(PATH_LIMIT).collect();
    if visible.count() > PATH_LIMIT {
        clean.push('…');
    }
    let longest = clean.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    let pad =
        if clean.starts_with('`') || clean.ends_with('`') || clean.trim().is_empty() { " " } else { "" };
    format!("{fence}{pad}{clean}{pad}{fence}")
}

/// Characters that turn the direction of a line and so can disguise a name.
const fn is_direction(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head() -> Oid {
        "ab12cd3f00000000000000000000000000000aff".parse().unwrap()
    }

    fn changes(count: usize) -> Vec<PathChange> {
        (0..count)
            .map(|n| PathChange { status: 'M', path: format!("lab{n}/`x`|*.md"), lossy: false })
            .collect()
    }

    fn update<'a>(branch: &'a BranchName, files: &'a [PathChange], note: &'a str) -> Update<'a> {
        Update {
            strategy: Strategy::Squash,
            number: 7,
            head: head(),
            branch,
            base: branch,
            files,
            note,
            follows: None,
        }
    }

    #[test]
    fn a_title_shows_the_distributions_short_sha_only_under_squash() {
        let branch: BranchName = "main".parse().unwrap();
        let squash = update(&branch, &[], "");
        assert_eq!(title(&squash), "Project update 7 (ab12cd3)");
        assert_eq!(title(&Update { strategy: Strategy::Whole, ..squash }), "Project update 7");
    }

    #[test]
    fn a_body_stays_within_the_limit_whatever_it_is_given() {
        let branch: BranchName = "main".parse().unwrap();
        let long = "`".repeat(PATH_LIMIT * 3);
        let files: Vec<_> = (0..412)
            .map(|_| PathChange { status: 'A', path: format!("{long}\u{202e}\u{1}"), lossy: false })
            .collect();
        let note = "<!--".repeat(100_000);
        let text = body(&update(&branch, &files, &note));
        assert!(text.chars().count() < BODY_LIMIT, "{}", text.chars().count());
        assert!(text.contains("- and 362 more"));
        assert!(text.ends_with(&format!("{}\n", marker(head()))));
    }

    #[test]
    fn a_path_cannot_break_out_of_its_code_span() {
        assert_eq!(code("a`b"), "``a`b``");
        assert_eq!(code("`a"), "`` `a ``");
        assert_eq!(code("a\nb"), "`a\\nb`");
        assert_eq!(code("``x```"), "```` ``x``` ````");
        let branch: BranchName = "main".parse().unwrap();
        let files = changes(1);
        assert!(body(&update(&branch, &files, "")).contains("- ``lab0/`x`|*.md`` changed"));
    }

    #[test]
    fn a_note_cannot_pretend_an_announcement() {
        let branch: BranchName = "main".parse().unwrap();
        let fake = marker(head());
        let text = comment(&update(&branch, &[], &fake));
        assert_eq!(text.matches(&fake).count(), 1);
    }

    #[test]
    fn a_new_pull_request_links_the_closed_one() {
        let branch: BranchName = "main".parse().unwrap();
        let text = body(&Update { follows: Some(12), ..update(&branch, &[], "") });
        assert!(text.contains("It follows #12"));
    }
}
