//! The source stays the staff's: nothing that Lockstep writes where a recipient can read it names the source
//! (docs/SYNC.md). Only under `squash`; under `whole` the commit ids are the source's by nature.
//!
//! Found are: `owner/name`, the numeric id, any commit id (full, or seven and more digits as a word), e-mails of
//! authors, names of authors, and a bare owner or name. A bare word does not count where it is in the open anyway: in
//! the recipient's own owner and name, in a handed-out path, in the project's title, or in our own fixed wording.

use lockstep_domain::code::Code;
use lockstep_domain::ids::RepoId;
use lockstep_domain::names::{Oid, RepoSlug};

use crate::error::EngineError;

/// Numeric ids shorter than this are ordinary numbers ("update 7", "and 362 more"); GitHub's have more digits.
const ID_DIGITS: usize = 5;
/// Shorter names of people are ordinary syllables.
const NAME_CHARS: usize = 3;
/// Shortest abbreviation of a commit id that counts.
const SHORT_SHA: usize = 7;

/// What must not be named.
#[derive(Debug, Clone)]
pub struct Source {
    /// `owner/name`.
    pub slug: RepoSlug,
    /// Numeric id.
    pub id: RepoId,
    /// All commits.
    pub commits: Vec<Oid>,
    /// Names and e-mails of authors and committers.
    pub people: Vec<(String, String)>,
}

/// What kind of trace was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trace {
    /// `owner/name`, also within an address.
    Slug,
    /// Numeric id.
    Id,
    /// A commit id.
    Commit,
    /// An author's e-mail.
    Email,
    /// An author's name.
    Person,
    /// Owner or name alone.
    Word,
}

impl Trace {
    /// In words for staff.
    const fn words(self) -> &'static str {
        match self {
            Self::Slug => "its owner and name",
            Self::Id => "its numeric id",
            Self::Commit => "one of its commit ids",
            Self::Email => "an author's e-mail",
            Self::Person => "an author's name",
            Self::Word => "its owner or its name",
        }
    }
}

/// Looks for traces of one source in texts.
#[derive(Debug, Clone)]
pub struct Finder {
    slug: String,
    id: String,
    commits: Vec<String>,
    emails: Vec<String>,
    bare: Vec<(Trace, String)>,
}

impl Finder {
    /// A finder for `source`. `open` is what is in the open anyway: handed-out paths, the project's title, the fixed
    /// wording.
    #[must_use]
    pub fn new(source: &Source, open: &str) -> Self {
        let open = open.to_lowercase();
        let mut commits: Vec<String> = source.commits.iter().map(ToString::to_string).collect();
        commits.sort_unstable();
        let lower = |text: &str| text.trim().to_lowercase();
        let mut emails: Vec<String> = source.people.iter().map(|(_, email)| lower(email)).collect();
        emails.retain(|email| email.contains('@'));
        let names = source.people.iter().map(|(name, _)| (Trace::Person, lower(name)));
        let own = [&source.slug.owner, &source.slug.name].map(|word| (Trace::Word, lower(word)));
        let mut bare: Vec<_> =
            names.filter(|(_, name)| name.chars().count() >= NAME_CHARS).chain(own).collect();
        bare.retain(|(_, word)| !word.is_empty() && !open.contains(word.as_str()));
        emails.sort_unstable();
        emails.dedup();
        bare.sort_by(|a, b| a.1.cmp(&b.1));
        bare.dedup();
        Self {
            slug: source.slug.to_string().to_lowercase(),
            id: source.id.to_string(),
            commits,
            emails,
            bare,
        }
    }

    /// The first trace in `text`, as `recipient` would read it (`None`: as anybody would).
    #[must_use]
    pub fn find(&self, text: &str, recipient: Option<&RepoSlug>) -> Option<Trace> {
        let text = text.to_lowercase();
        if bounded(&text, &self.slug, slug_char) {
            return Some(Trace::Slug);
        }
        if self.id.len() >= ID_DIGITS && bounded(&text, &self.id, char::is_alphanumeric) {
            return Some(Trace::Id);
        }
        if self.names_a_commit(&text) {
            return Some(Trace::Commit);
        }
        if self.emails.iter().any(|email| bounded(&text, email, char::is_alphanumeric)) {
            return Some(Trace::Email);
        }
        let own = recipient.map(|slug| slug.to_string().to_lowercase()).unwrap_or_default();
        self.bare
            .iter()
            .filter(|(_, word)| !own.contains(word.as_str()))
            .find(|(_, word)| bounded(&text, word, char::is_alphanumeric))
            .map(|(trace, _)| *trace)
    }

    /// Refuses a text that would name the source.
    ///
    /// # Errors
    /// `would_reveal_source`, naming the place and what was found there.
    pub fn check(&self, place: &str, text: &str, recipient: Option<&RepoSlug>) -> Result<(), EngineError> {
        match self.find(text, recipient) {
            None => Ok(()),
            Some(trace) => Err(EngineError::new(
                Code::WouldRevealSource,
                format!(
                    "Recipients would learn of the source: {place} holds {}. Nothing was written. Change {place}, \
                     then press again.",
                    trace.words()
                ),
            )),
        }
    }

    fn names_a_commit(&self, text: &str) -> bool {
        text.split(|c: char| !c.is_alphanumeric()).any(|word| {
            let hex = (SHORT_SHA..=40).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_hexdigit());
            let at = self.commits.partition_point(|commit| commit.as_str() < word);
            hex && self.commits.get(at).is_some_and(|commit| commit.starts_with(word))
        })
    }
}

/// Characters that continue an `owner/name`.
fn slug_char(c: char) -> bool {
    c.is_alphanumeric() || c == '-' || c == '_'
}

/// Whether `needle` occurs in `text` without `continues` characters on either side.
fn bounded(text: &str, needle: &str, continues: impl Fn(char) -> bool) -> bool {
    text.match_indices(needle).any(|(at, found)| {
        let before = text.get(..at).and_then(|t| t.chars().next_back());
        let after = text.get(at + found.len()..).and_then(|t| t.chars().next());
        !before.is_some_and(&continues) && !after.is_some_and(&continues)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHA: &str = "82ed421f00000000000000000000000000000aff";

    fn finder(open: &str) -> Finder {
        let source = Source {
            slug: "course-2026/algo-labs".parse().unwrap(),
            id: RepoId(515_436_299),
            commits: vec![SHA.parse().unwrap(), "0000000000000000000000000000000000000001".parse().unwrap()],
            people: vec![
                ("Ada Byron".to_owned(), "ada@school.example".to_owned()),
                ("Jo".to_owned(), "jo".to_owned()),
            ],
        };
        Finder::new(&source, open)
    }

    fn recipient() -> RepoSlug {
        "course-2026/algo-labs-ada".parse().unwrap()
    }

    #[test]
    fn a_slug_is_found_also_in_an_address_and_not_in_a_longer_name() {
        let finder = finder("");
        for text in [
            "see course-2026/algo-labs",
            "https://github.com/Course-2026/Algo-Labs.git",
            "git@github.com:course-2026/algo-labs.",
            "(course-2026/algo-labs)#3",
        ] {
            assert_eq!(finder.find(text, Some(&recipient())), Some(Trace::Slug), "{text}");
        }
        assert_eq!(finder.find("course-2026/algo-labs-ada", Some(&recipient())), None);
    }

    #[test]
    fn a_commit_id_counts_from_seven_digits_as_a_word() {
        let finder = finder("");
        assert_eq!(finder.find("at 82ed421.", None), Some(Trace::Commit));
        assert_eq!(finder.find(&format!("<!-- lockstep:{SHA} -->"), None), Some(Trace::Commit));
        assert_eq!(finder.find("at 82ED421F0000", None), Some(Trace::Commit));
        for text in ["at 82ed42", "x82ed421", "82ed422", &format!("{SHA}0")] {
            assert_eq!(finder.find(text, None), None, "{text}");
        }
    }

    #[test]
    fn the_numeric_id_counts_as_a_word() {
        assert_eq!(finder("").find("repository 515436299!", None), Some(Trace::Id));
        assert_eq!(finder("").find("5154362990", None), None);
    }

    #[test]
    fn people_are_found_by_name_and_e_mail() {
        assert_eq!(finder("").find("ask ada byron", None), Some(Trace::Person));
        assert_eq!(finder("").find("<ADA@school.example>", None), Some(Trace::Email));
        assert_eq!(finder("").find("Jo said", None), None, "too short to be a name");
    }

    #[test]
    fn a_bare_word_counts_only_where_it_is_not_in_the_open() {
        assert_eq!(finder("").find("the algo-labs repository", None), Some(Trace::Word));
        assert_eq!(finder("").find("the algo-labs repository", Some(&recipient())), None);
        assert_eq!(finder("docs/algo-labs.md").find("`docs/algo-labs.md` changed", None), None);
        let elsewhere: RepoSlug = "ada/labs".parse().unwrap();
        assert_eq!(finder("").find("from course-2026", Some(&elsewhere)), Some(Trace::Word));
    }

    #[test]
    fn a_refusal_names_the_place_and_not_the_trace() {
        let error = finder("").check("the staff's note", "see course-2026/algo-labs", None).unwrap_err();
        assert_eq!(error.code, Code::WouldRevealSource);
        assert!(error.text.contains("the staff's note") && !error.text.contains("algo-labs"));
    }
}
