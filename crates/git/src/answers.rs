//! The only place that reads git's words. Match on the stable part, never on the whole sentence.

use std::path::Path;

use lockstep_domain::ports::GitError;

use crate::runner::Answer;

/// Longest text of git's or a server's that goes into an error.
const TEXT_CHARS: usize = 300;

/// Takes tokens and local paths out of git's words before anybody sees them.
#[derive(Debug)]
pub(crate) struct Redactor {
    paths: Vec<String>,
}

impl Redactor {
    /// Hides this folder, under its absolute name and its real one.
    pub(crate) fn hiding(folder: &Path) -> Self {
        let real = folder.canonicalize().ok();
        let mut paths: Vec<_> = [std::path::absolute(folder).ok(), real]
            .into_iter()
            .flatten()
            .map(|path| path.to_string_lossy().into_owned())
            .filter(|path| path.len() > 1)
            .collect();
        paths.sort_by_key(|path| std::cmp::Reverse(path.len()));
        paths.dedup();
        Self { paths }
    }

    pub(crate) fn clean(&self, raw: &[u8], token: Option<&str>) -> String {
        let mut text = String::from_utf8_lossy(raw).into_owned();
        if let Some(token) = token.filter(|token| !token.is_empty()) {
            text = text.replace(token, "<hidden>");
        }
        for path in &self.paths {
            text = text.replace(path, "<data>");
        }
        text
    }
}

/// What the other side said: its lines without the `remote:` mark.
pub(crate) fn said(err: &str) -> impl Iterator<Item = &str> {
    err.lines().filter_map(|line| line.trim().strip_prefix("remote:")).map(str::trim)
}

/// What git itself said.
fn own(err: &str) -> impl Iterator<Item = &str> {
    err.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("remote:"))
}

/// At most 300 characters, without control characters.
pub(crate) fn cut(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(TEXT_CHARS).collect()
}

/// A fault of a command that spoke to nobody.
pub(crate) fn local_fault(command: &str, answer: &Answer) -> GitError {
    disk_fault(&answer.err)
        .or_else(|| missing_object(&answer.err))
        .unwrap_or_else(|| unexpected(command, answer))
}

/// A fault of a command that spoke to a remote.
pub(crate) fn remote_fault(command: &str, answer: &Answer) -> GitError {
    let err = answer.err.as_str();
    let has = |text: &str| err.contains(text);
    if let Some(fault) = disk_fault(err) {
        return fault;
    }
    if has("Repository not found") || (has("fatal: repository '") && has("not found")) {
        return GitError::NotFound;
    }
    if ["Authentication failed", "could not read Username", "could not read Password", "error: 401"]
        .iter()
        .any(|text| has(text))
    {
        return GitError::BadCredentials;
    }
    if has("returned error: 403") {
        let why = said(err).find(|line| !line.is_empty()).unwrap_or("access was refused (403)");
        return GitError::Refused(cut(why));
    }
    if has("couldn't find remote ref") || has("not our ref") {
        return GitError::MissingObject("a branch moved or went away while it was read".into());
    }
    if has("does not support --atomic") {
        return GitError::Unexpected("the server does not take atomic pushes".into());
    }
    if let Some(why) = trouble(err) {
        return GitError::Unavailable(why);
    }
    missing_object(err).unwrap_or_else(|| unexpected(command, answer))
}

/// The local disk: full, read only, not ours.
fn disk_fault(err: &str) -> Option<GitError> {
    const DISK: [(&str, &str); 10] = [
        ("File too large", "a file may not become that large here"),
        (".lock': File exists", "a dead process left a lock, which the next start removes"),
        ("No space left on device", "the disk is full"),
        ("Disk quota exceeded", "the disk quota is used up"),
        ("Read-only file system", "it is read only"),
        ("Permission denied", "a permission is missing"),
        ("insufficient permission for adding an object", "a permission is missing"),
        ("Too many open files", "too many files are open"),
        ("Input/output error", "the disk fails"),
        ("not a git repository", "it is damaged or was removed"),
    ];
    let found =
        |text: &str| own(err).any(|line| !line.contains("remote unpack failed") && line.contains(text));
    DISK.iter().find(|(text, _)| found(text)).map(|(_, why)| GitError::StoreUnusable((*why).to_owned()))
}

/// Network or server trouble, in half a sentence.
fn trouble(err: &str) -> Option<String> {
    // What the server said comes first: a repository may be called SSL.
    const TROUBLE: [(&str, &str); 17] = [
        ("returned error: 429", "it is overloaded (429)"),
        ("returned error: 5", "it has trouble (5xx)"),
        ("Could not resolve", "its name could not be resolved"),
        ("Failed to connect", "no connection"),
        ("Couldn't connect", "no connection"),
        ("Operation too slow", "it took too long"),
        ("Operation timed out", "it took too long"),
        ("Connection timed out", "it took too long"),
        ("SSL certificate", "its certificate is not trusted"),
        ("certificate verif", "its certificate is not trusted"),
        ("SSL_", "the secure connection failed"),
        ("RPC failed", "the answer was cut off"),
        ("early EOF", "the answer was cut off"),
        ("hung up unexpectedly", "the answer was cut off"),
        ("unexpected disconnect", "the answer was cut off"),
        ("Recv failure", "the connection was cut"),
        ("unable to access", "the request failed"),
    ];
    TROUBLE.iter().find(|(text, _)| err.contains(text)).map(|(_, why)| (*why).to_owned())
}

fn missing_object(err: &str) -> Option<GitError> {
    const MISSING: [&str; 10] = [
        "not a valid object",
        "Not a valid object",
        "Not a valid commit name",
        "bad object",
        "bad revision",
        "unable to read",
        "could not read",
        "could not fetch",
        "does not match any",
        "invalid object",
    ];
    let line = own(err).find(|line| MISSING.iter().any(|text| line.contains(text)))?;
    Some(GitError::MissingObject(cut(line.trim_start_matches("fatal: ").trim_start_matches("error: "))))
}

fn unexpected(command: &str, answer: &Answer) -> GitError {
    let code = answer.code.map_or_else(|| "a signal".to_owned(), |code| format!("exit code {code}"));
    let why = own(&answer.err)
        .find(|line| line.starts_with("fatal:") || line.starts_with("error:"))
        .unwrap_or("no reason given");
    GitError::Unexpected(cut(&format!("{command} ended with {code}: {why}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(err: &str) -> Answer {
        Answer { code: Some(128), out: Vec::new(), err: err.to_owned() }
    }

    #[test]
    fn every_known_answer_of_a_server_has_its_own_error() {
        let kind = |err: &str| remote_fault("fetch", &answer(err));
        let url = "fatal: unable to access 'https://x/o/r.git/': ";
        for (err, expected) in [
            (
                "remote: Repository not found.\nfatal: repository 'https://x/o/r.git/' not found",
                GitError::NotFound,
            ),
            ("fatal: Authentication failed for 'https://x/o/r.git/'", GitError::BadCredentials),
            (
                "fatal: could not read Username for 'https://x': terminal prompts disabled",
                GitError::BadCredentials,
            ),
            (
                &format!(
                    "remote: This repository was archived so it is read-only.\n{url}The requested URL returned error: 403"
                ),
                GitError::Refused("This repository was archived so it is read-only.".into()),
            ),
            (
                &format!("{url}The requested URL returned error: 503"),
                GitError::Unavailable("it has trouble (5xx)".into()),
            ),
            (
                &format!("{url}The requested URL returned error: 429"),
                GitError::Unavailable("it is overloaded (429)".into()),
            ),
            (
                &format!("{url}Could not resolve host: x"),
                GitError::Unavailable("its name could not be resolved".into()),
            ),
            (
                "error: RPC failed; curl 52 Empty reply from server\nfatal: early EOF",
                GitError::Unavailable("the answer was cut off".into()),
            ),
            (
                "fatal: write error: No space left on device",
                GitError::StoreUnusable("the disk is full".into()),
            ),
        ] {
            assert_eq!(kind(err), expected, "{err}");
        }
        assert!(matches!(kind("fatal: something new"), GitError::Unexpected(_)));
        let theirs = "remote: fatal: No space left on device\nfatal: the remote end hung up unexpectedly";
        assert!(matches!(kind(theirs), GitError::Unavailable(_)), "their disk is not ours");
    }

    #[test]
    fn neither_token_nor_local_path_stays_in_a_text() {
        let folder = tempfile::tempdir().unwrap();
        let redactor = Redactor::hiding(folder.path());
        let raw = format!("fatal: {}/git/store.git: ghs_abc", folder.path().display());
        assert_eq!(redactor.clean(raw.as_bytes(), Some("ghs_abc")), "fatal: <data>/git/store.git: <hidden>");
    }
}
