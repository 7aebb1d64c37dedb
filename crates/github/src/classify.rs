//! Real answers to named errors (docs/OUTSIDE.md). Matches on the stable part of a message, never on the whole.

use lockstep_domain::clock::Millis;
use lockstep_domain::ports::ForgeError;
use serde::Deserialize;
use serde_json::Value;

use crate::wire::{Answer, Lost};

/// What the request was for: an unsuccessful answer means something else after each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Changes nothing.
    Read,
    /// May have changed something when the answer is lost.
    Write,
    /// Mints an installation token; changes nothing that matters.
    Mint,
}

/// What classification needs beside the answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) kind: Kind,
    /// What was asked for, for people: a repository name.
    pub(crate) what: &'a str,
    pub(crate) now: Millis,
    /// Wait after a secondary limit that names no time.
    pub(crate) secondary_ms: i64,
}

/// The body of an error, as far as it is read.
#[derive(Debug, Default, Deserialize)]
struct Said {
    #[serde(default)]
    message: String,
    #[serde(default)]
    errors: Vec<Value>,
    #[serde(default)]
    documentation_url: Option<String>,
}

impl Said {
    fn has(&self, part: &str) -> bool {
        let part = part.to_ascii_lowercase();
        self.texts().any(|text| text.to_ascii_lowercase().contains(&part))
    }

    /// The message and the messages of the single errors (which may be bare texts).
    fn texts(&self) -> impl Iterator<Item = &str> {
        let single =
            self.errors.iter().filter_map(|error| error.as_str().or_else(|| error["message"].as_str()));
        std::iter::once(self.message.as_str()).chain(single)
    }

    fn has_error(&self, key: &str, value: &str) -> bool {
        self.errors.iter().any(|error| error[key] == value)
    }

    fn invalid(&self, field: &str) -> bool {
        self.errors.iter().any(|error| error["field"] == field && error["code"] == "invalid")
    }

    /// The most telling text, for people.
    fn words(&self) -> String {
        let single: Vec<&str> = self.texts().skip(1).filter(|text| !text.is_empty()).collect();
        let fields: Vec<String> = self
            .errors
            .iter()
            .filter_map(|error| Some(format!("{} {}", error["field"].as_str()?, error["code"].as_str()?)))
            .collect();
        match (single.is_empty(), fields.is_empty()) {
            (false, _) => cut(&single.join("; ")),
            (true, false) => cut(&fields.join("; ")),
            (true, true) => cut(&self.message),
        }
    }
}

/// An unsuccessful answer, named by what the caller can do.
pub(crate) fn classify(context: Context<'_>, answer: &Answer) -> ForgeError {
    let said: Option<Said> = answer.json();
    let from_github = said.is_some() || answer.header("x-github-request-id").is_some();
    let said = said.unwrap_or_default();
    if let Some(limited) = limited(context, answer, &said) {
        return limited;
    }
    match answer.status {
        407 => ForgeError::Unavailable("the proxy asks for a user and a password".to_owned()),
        408 | 500..=599 => troubled(context.kind, answer, &said),
        400..=499 if !from_github => ForgeError::NotAForge(host_of(context)),
        300..=399 => ForgeError::Unavailable(format!("{} moved and could not be followed", context.what)),
        400..=499 if said.has("archived") && said.has("read-only") => ForgeError::Archived,
        401 => ForgeError::BadCredentials(credential_words(&said)),
        403 => forbidden(answer, &said),
        404 | 410 | 451 => missing(context, &said),
        409 if said.has("repository is empty") => ForgeError::Empty,
        422 => unprocessable(context.kind, &said),
        400..=499 => ForgeError::Validation(said.words()),
        _ => troubled(context.kind, answer, &said),
    }
}

/// No answer at all.
pub(crate) fn classify_lost(kind: Kind, lost: &Lost) -> ForgeError {
    match (kind, lost) {
        (Kind::Write, Lost::TimedOut | Lost::Broken(_)) => ForgeError::Unclear(lost.to_string()),
        _ => ForgeError::Unavailable(lost.to_string()),
    }
}

/// A success whose content is not what GitHub sends.
pub(crate) fn unreadable(context: Context<'_>, answer: &Answer) -> ForgeError {
    match context.kind {
        Kind::Write => ForgeError::Unclear("the answer could not be read".to_owned()),
        _ if answer.header("x-github-request-id").is_none() => ForgeError::NotAForge(host_of(context)),
        _ => ForgeError::Unavailable("the answer could not be read".to_owned()),
    }
}

fn host_of(context: Context<'_>) -> String {
    format!("what answered for {}", context.what)
}

fn limited(context: Context<'_>, answer: &Answer, said: &Said) -> Option<ForgeError> {
    let retry_after = answer.header("retry-after").and_then(|text| text.trim().parse::<i64>().ok());
    let secondary = |wait: Option<i64>| ForgeError::RateLimited {
        until: context.now.plus(wait.map_or(context.secondary_ms, |s| s.clamp(1, 86_400) * 1000)),
        secondary: true,
    };
    let abused = said.has_error("code", "abuse") || said.has("submitted too quickly");
    if answer.status == 422 && abused {
        return Some(secondary(retry_after));
    }
    if !matches!(answer.status, 403 | 429) {
        return None;
    }
    let docs = said.documentation_url.as_deref().unwrap_or_default();
    let named =
        ["secondary rate limit", "blocked from content creation", "abuse detection", "submitted too quickly"];
    if abused || named.iter().any(|part| said.has(part)) || docs.contains("secondary-rate-limits") {
        return Some(secondary(retry_after));
    }
    if said.has("api rate limit exceeded") || answer.header("x-ratelimit-remaining") == Some("0") {
        let reset = answer.header("x-ratelimit-reset").and_then(|text| text.trim().parse::<i64>().ok());
        let until = match (retry_after, reset) {
            (Some(seconds), _) => context.now.plus(seconds.clamp(1, 86_400) * 1000),
            // A reset in the past means that the clocks differ: not at once again.
            (None, Some(reset)) => Millis(reset.saturating_mul(1000)).max(context.now.plus(5_000)),
            (None, None) => context.now.plus(context.secondary_ms),
        };
        return Some(ForgeError::RateLimited { until, secondary: false });
    }
    (answer.status == 429 || retry_after.is_some()).then(|| secondary(retry_after))
}

fn credential_words(said: &Said) -> String {
    if said.has("'exp'") || said.has("'iat'") || said.has("expiration time") {
        return "the clock of this machine differs from GitHub's: set it right".to_owned();
    }
    if said.has("json web token could not be decoded") {
        return "the App id and the private key do not belong together".to_owned();
    }
    cut(&said.message)
}

fn forbidden(answer: &Answer, said: &Said) -> ForgeError {
    if said.has("suspended") {
        return ForgeError::Suspended;
    }
    let sso = answer.header("x-github-sso");
    if sso.is_some() || said.has("saml") {
        let page = sso.and_then(|text| text.split("url=").nth(1)).map(|url| format!(" at {url}"));
        let page = page.unwrap_or_default();
        let words = format!("the organisation demands single sign-on, authorise this token for it{page}");
        return ForgeError::BadCredentials(words);
    }
    let refused = ["forbids access via", "ip allow list", "ip address is not permitted"];
    if refused.iter().any(|part| said.has(part)) {
        return ForgeError::BadCredentials(cut(&said.message));
    }
    match answer.header("x-accepted-github-permissions").map(str::trim).filter(|text| !text.is_empty()) {
        Some(needed) => ForgeError::PermissionMissing(cut(needed)),
        None => ForgeError::PermissionMissing(format!("({})", said.words())),
    }
}

fn missing(context: Context<'_>, said: &Said) -> ForgeError {
    match context.kind {
        _ if said.has("integration not found") => {
            ForgeError::BadCredentials("there is no App with this id".to_owned())
        }
        Kind::Mint => ForgeError::NotInstalled,
        _ if said.has("no common ancestor") => ForgeError::Validation(said.words()),
        _ => ForgeError::NotFound(context.what.to_owned()),
    }
}

fn unprocessable(kind: Kind, said: &Said) -> ForgeError {
    if kind == Kind::Mint {
        return ForgeError::PermissionMissing(format!("({})", said.words()));
    }
    if said.has("no commits between") || said.invalid("head") {
        return ForgeError::NotYet(said.words());
    }
    if said.has("a pull request already exists") || said.has("name already exists") {
        return ForgeError::AlreadyExists;
    }
    ForgeError::Validation(said.words())
}

fn troubled(kind: Kind, answer: &Answer, said: &Said) -> ForgeError {
    let words = if said.message.is_empty() {
        format!("status {}", answer.status)
    } else {
        format!("status {}: {}", answer.status, cut(&said.message))
    };
    match kind {
        Kind::Write => ForgeError::Unclear(words),
        Kind::Read | Kind::Mint => ForgeError::Unavailable(words),
    }
}

/// At most 300 characters, in one line.
pub(crate) fn cut(text: &str) -> String {
    let mut line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = line.char_indices().nth(300) {
        line.truncate(end);
        line.push('…');
    }
    line
}

#[cfg(test)]
#[path = "classify_tests.rs"]
mod tests;
