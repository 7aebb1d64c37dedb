//! What comes in, checked once at the door.

use lockstep_domain::clock::Millis;
use lockstep_domain::ids::{ConnectionId, ProjectId, RecipientId, RunId, SourceId};
use lockstep_domain::lease::Fence;
use lockstep_domain::model::Strategy;
use lockstep_domain::names::{BranchName, RepoSlug};

use crate::error::Result;
use crate::wire::{ApiError, TimeMs};
use crate::words;

macro_rules! ids {
    ($($name:ident -> $id:ident, $what:literal;)+) => {$(
        #[doc = concat!("The id of ", $what, ".")]
        pub(crate) fn $name(text: &str) -> Result<$id> {
            text.parse().map_err(|_not_an_id| {
                ApiError::bad_input(format!("{text:?} is no id of {}.", $what))
            })
        }
    )+};
}

ids! {
    connection -> ConnectionId, "a connection";
    source -> SourceId, "a source";
    project -> ProjectId, "a project";
    recipient -> RecipientId, "a recipient";
    run -> RunId, "a run";
}

pub(crate) fn fence(text: &str) -> Result<Fence> {
    let number = text.parse().map_err(|_no_number| ApiError::bad_input(format!("{text:?} is no fence.")))?;
    Ok(Fence(number))
}

/// `owner/name`; a whole address of the repository's page is understood too.
pub(crate) fn slug(text: &str) -> Result<RepoSlug> {
    let text = text.trim().trim_end_matches('/').trim_end_matches(".git");
    let bare = match text.split_once("://") {
        Some((_, rest)) => rest.split_once('/').map_or(rest, |(_, path)| path),
        None => text,
    };
    Ok(bare.parse()?)
}

pub(crate) fn strategy(text: &str) -> Result<Strategy> {
    text.parse()
        .map_err(|_unknown| ApiError::bad_input(format!("{text:?} is no strategy. Choose squash or whole.")))
}

/// A name for people.
pub(crate) fn name(what: &str, text: &str) -> Result<String> {
    let name = text.trim();
    let length = name.chars().count();
    if length == 0 {
        return Err(ApiError::bad_input(format!("The name of {what} is empty. Give it one.")));
    }
    if length > 100 || name.chars().any(char::is_control) {
        return Err(ApiError::bad_input(format!(
            "The name of {what} has {length} characters or a control character. Give it at most 100 plain ones."
        )));
    }
    Ok(name.to_owned())
}

/// 1 to 10 handed-out branches, each once.
pub(crate) fn branches(texts: &[String]) -> Result<Vec<BranchName>> {
    if texts.is_empty() || texts.len() > 10 {
        return Err(ApiError::bad_input(format!(
            "{} branches were chosen. A project hands out 1 to 10.",
            texts.len()
        )));
    }
    let mut names: Vec<BranchName> = Vec::with_capacity(texts.len());
    for text in texts {
        let name: BranchName = text.trim().parse()?;
        if names.contains(&name) {
            return Err(ApiError::bad_input(format!(
                "The branch {name} was chosen twice. Choose each once."
            )));
        }
        names.push(name);
    }
    Ok(names)
}

pub(crate) fn deadline(at: Option<TimeMs>) -> Result<Option<Millis>> {
    at.map(|at| words::instant(at).ok_or_else(|| ApiError::bad_input(format!("{at} is no date."))))
        .transpose()
}

/// `owner/pattern` with `*` in the pattern.
pub(crate) fn pattern(text: &str) -> Result<(String, String)> {
    let wrong =
        |why: &str| ApiError::bad_input(format!("{text:?} is no pattern: {why}. Write it as owner/lab4-*."));
    let (owner, pattern) = text.trim().split_once('/').ok_or_else(|| wrong("the owner is missing"))?;
    if owner.is_empty() || owner.contains('*') {
        return Err(wrong("one owner must be named"));
    }
    if pattern.is_empty() || pattern.contains('/') {
        return Err(wrong("the name is missing"));
    }
    // Checks the characters: a star stands for letters.
    format!("{owner}/{}", pattern.replace('*', "x")).parse::<RepoSlug>()?;
    Ok((owner.to_owned(), pattern.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pages_address_is_understood_as_a_repository() {
        for text in [
            "o/n",
            " o/n ",
            "https://github.com/o/n",
            "https://github.com/o/n.git",
            "http://127.0.0.1:1/o/n/",
        ] {
            assert_eq!(slug(text).unwrap().to_string(), "o/n", "{text}");
        }
        assert!(slug("n").is_err());
    }

    #[test]
    fn a_pattern_needs_one_owner_and_a_name() {
        assert_eq!(pattern("org/lab4-*").unwrap(), ("org".to_owned(), "lab4-*".to_owned()));
        for bad in ["lab4-*", "*/lab4", "org/", "org/a/b", "org/a b*", "/x"] {
            assert!(pattern(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn branches_are_1_to_10_and_each_once() {
        let of = |names: &[&str]| branches(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        assert!(of(&["main", "dev"]).is_ok());
        assert!(of(&[]).is_err());
        assert!(of(&["main", "main"]).unwrap_err().message.contains("twice"));
        assert!(of(&["sync/main"]).unwrap_err().message.contains("sync/main"));
        assert!(of(&["b"; 11]).unwrap_err().message.contains("11"));
    }

    #[test]
    fn a_name_is_neither_empty_nor_a_novel() {
        assert_eq!(name("the project", " Lab 4 ").unwrap(), "Lab 4");
        assert!(name("the project", "  ").is_err());
        assert!(name("the project", &"x".repeat(101)).unwrap_err().message.contains("101"));
    }
}
