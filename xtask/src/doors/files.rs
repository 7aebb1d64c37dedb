//! Sizes and texts of the files that git knows, or would take.

use std::fs;

use crate::env;
use crate::failure::Failure;
use crate::house::House;
use crate::run::Run;

/// The house rule is about 400 lines of code; tests and imports may bring a file up to this.
const LINES: usize = 450;
const BINARY_BYTES: usize = 200_000;
/// Written by programs, not by people.
const GENERATED: [&str; 2] = ["ui/src/ipc/bindings.ts", ".gen.ts"];
const CODE: [&str; 3] = [".rs", ".ts", ".tsx"];
/// Invented people, for examples and tests of paths.
const INVENTED: [&str; 6] = ["ada", "grace", "me", "runner", "user", "you"];

/// Paths below the root, `/` as separator: tracked files, and new ones that are not ignored.
pub(crate) fn known_to_git(house: &House) -> Result<Vec<String>, Failure> {
    // A clone made by another account is fine for listing files.
    let trusted = format!("safe.directory={}", house.root().display());
    let listed = Run::new("git")
        .arguments(["-c", &trusted, "ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .folder(house.root())
        .answer("the checks need a git checkout: clone the repository instead of copying files")?;
    let mut files: Vec<String> =
        listed.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect();
    files.sort();
    files.dedup();
    Ok(files)
}

pub(crate) fn complaints(house: &House, files: &[String]) -> Vec<String> {
    let homes = homes();
    files
        .iter()
        .filter_map(|path| {
            // Deleted and not yet committed, or a link to nowhere: nothing to judge.
            let content = fs::read(house.root().join(path)).ok()?;
            Some(judge(path, &content, &homes))
        })
        .flatten()
        .collect()
}

fn judge(path: &str, content: &[u8], homes: &[String]) -> Vec<String> {
    let head = &content[..content.len().min(8_000)];
    if head.contains(&0) {
        let icon = path.split('/').any(|part| part == "icons");
        return (content.len() > BINARY_BYTES && !icon)
            .then(|| format!("{path} is binary and has {} bytes; {BINARY_BYTES} is the limit", content.len()))
            .into_iter()
            .collect();
    }
    let text = String::from_utf8_lossy(content);
    let mut complaints = Vec::new();
    let generated = GENERATED.iter().any(|name| path.ends_with(name));
    if CODE.iter().any(|ending| path.ends_with(ending)) && !generated {
        let lines = text.lines().count();
        if lines > LINES {
            complaints
                .push(format!("{path} has {lines} lines; split it by what changes together (limit {LINES})"));
        }
    }
    for (number, line) in text.lines().enumerate() {
        if let Some(home) = home_in(line, homes) {
            complaints.push(format!("{path}:{} names somebody's home folder (`{home}`)", number + 1));
        }
    }
    complaints
}

/// Home folders that belong to whoever works here.
fn homes() -> Vec<String> {
    // Put together so that this file does not hold what it looks for.
    let mut homes = vec![format!("/{}/", "root")];
    homes.extend(
        env::home().filter(|home| home.len() > 2).map(|home| format!("{}/", home.trim_end_matches('/'))),
    );
    homes.sort();
    homes.dedup();
    homes
}

fn home_in(line: &str, homes: &[String]) -> Option<String> {
    let starts_a_path = |at: usize| {
        !line[..at]
            .chars()
            .next_back()
            .is_some_and(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '}' | '>'))
    };
    for home in homes {
        if line.match_indices(home.as_str()).any(|(at, _)| starts_a_path(at)) {
            return Some(home.clone());
        }
    }
    for parent in [concat!("/ho", "me/"), concat!("/Use", "rs/")] {
        for (at, _) in line.match_indices(parent) {
            let rest = &line[at + parent.len()..];
            let name: String = rest
                .chars()
                .take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
                .collect();
            let inside = rest[name.len()..].starts_with('/');
            if starts_a_path(at) && inside && !name.is_empty() && !INVENTED.contains(&name.as_str()) {
                return Some(format!("{parent}{name}"));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_grew_too_long_is_named() {
        let long = "x\n".repeat(LINES + 1);
        assert_eq!(judge("crates/a/src/b.rs", long.as_bytes(), &[]).len(), 1);
        assert_eq!(judge("ui/src/ipc/bindings.ts", long.as_bytes(), &[]), Vec::<String>::new());
        assert_eq!(judge("docs/long.md", long.as_bytes(), &[]), Vec::<String>::new());
    }

    #[test]
    fn a_big_binary_is_named_unless_it_is_an_icon() {
        let big = vec![0_u8; BINARY_BYTES + 1];
        assert_eq!(judge("docs/film.gif", &big, &[]).len(), 1);
        assert_eq!(judge("src-tauri/icons/icon.png", &big, &[]), Vec::<String>::new());
        assert_eq!(judge("docs/small.png", &big[..10], &[]), Vec::<String>::new());
    }

    #[test]
    fn a_home_folder_in_a_text_is_named_with_its_line() {
        let somebody = format!("see\n/{}/carol/notes.txt", "home");
        assert!(judge("a.md", somebody.as_bytes(), &[])[0].starts_with("a.md:2 "));
        let mine = [format!("/{}/", "root")];
        let text = format!("target in /{}/x", "root");
        assert_eq!(judge("a.md", text.as_bytes(), &mine).len(), 1);
        for fine in
            [format!("/{}/ada/x", "home"), format!("repos/{}/x", "root"), format!("https://a.b/{}/c", "home")]
        {
            assert_eq!(judge("a.md", fine.as_bytes(), &mine), Vec::<String>::new(), "{fine}");
        }
    }
}
