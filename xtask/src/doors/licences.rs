//! Licences of everything that is compiled in, against the one list in `deny.toml`.

use std::fs;

use super::metadata::{Metadata, Package};
use super::spdx;
use crate::failure::Failure;
use crate::house::House;

/// Crates whose manifest only points at a licence file: (crate, what the file says).
const READ_BY_HAND: [(&str, &str); 1] = [("jsonpath-rust", "MIT")];

/// What `deny.toml` allows.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Allowed {
    everywhere: Vec<String>,
    /// (crate, licence), each with its reason written there.
    exceptions: Vec<(String, String)>,
}

impl Allowed {
    pub(crate) fn read(house: &House) -> Result<Self, Failure> {
        let path = house.root().join("deny.toml");
        let text = fs::read_to_string(&path).map_err(Failure::io("reading deny.toml"))?;
        let allowed = Self::parse(&text);
        if allowed.everywhere.is_empty() {
            return Err(Failure::new(
                "deny.toml allows no licence, or its shape was not understood",
                "write `allow = [\"MIT\", ...]` in the section [licenses]",
            ));
        }
        Ok(allowed)
    }

    /// Reads the two things that the check needs and no more: `allow` of `[licenses]`, and `[[licenses.exceptions]]`.
    fn parse(text: &str) -> Self {
        let mut allowed = Self::default();
        let mut section = String::new();
        let mut exempt = String::new();
        let mut in_list = false;
        for line in text.lines().map(without_comment) {
            if line.starts_with('[') && !in_list {
                section = line.trim_matches(['[', ']']).to_owned();
                continue;
            }
            let is_exception = section == "licenses.exceptions";
            if is_exception && line.starts_with("crate") {
                exempt = strings(line).next().unwrap_or_default();
            }
            if section != "licenses" && !is_exception {
                continue;
            }
            in_list |= line.strip_prefix("allow").is_some_and(|rest| rest.trim_start().starts_with('='));
            if in_list {
                for licence in strings(line) {
                    if is_exception {
                        allowed.exceptions.push((exempt.clone(), licence));
                    } else {
                        allowed.everywhere.push(licence);
                    }
                }
                in_list = !line.ends_with(']');
            }
        }
        allowed
    }

    fn allows(&self, package: &str, licence: &str) -> bool {
        self.everywhere.iter().any(|allowed| allowed == licence)
            || self.exceptions.iter().any(|(exempt, allowed)| exempt == package && allowed == licence)
    }
}

fn without_comment(line: &str) -> &str {
    // No licence name and no crate name holds a hash sign; a reason may, and reasons are not read here.
    line.split_once('#').map_or(line, |(code, _)| code).trim()
}

/// The quoted strings of a line.
fn strings(line: &str) -> impl Iterator<Item = String> {
    line.split('"').skip(1).step_by(2).map(str::to_owned)
}

pub(crate) fn complaints(metadata: &Metadata, allowed: &Allowed) -> Vec<String> {
    metadata
        .packages
        .iter()
        .filter(|package| !metadata.is_member(package))
        .filter_map(|package| complaint(package, allowed))
        .collect()
}

fn complaint(package: &Package, allowed: &Allowed) -> Option<String> {
    let by_hand = || READ_BY_HAND.iter().find(|(name, _)| *name == package.name).map(|(_, licence)| *licence);
    let Some(expression) = package.license.as_deref().or_else(by_hand) else {
        return Some(format!(
            "{} {} names no licence: read its licence file and add it to READ_BY_HAND in xtask/src/doors/licences.rs",
            package.name, package.version
        ));
    };
    let verdict = spdx::satisfied(expression, &|licence| allowed.allows(&package.name, licence));
    match verdict {
        Ok(true) => None,
        Ok(false) => Some(format!(
            "{} {} is under `{expression}`, which deny.toml does not allow",
            package.name, package.version
        )),
        Err(why) => Some(format!(
            "{} {} has an unreadable licence `{expression}`: {why}",
            package.name, package.version
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DENY: &str = r#"
[licenses]
confidence-threshold = 0.9
allow = [
  "MIT", # the usual
  "Apache-2.0 WITH LLVM-exception",
]

[[licenses.exceptions]]
crate = "special"
allow = ["MIT-0"]
reason = "attribution waived"

[bans]
allow = ["not-a-licence"]
"#;

    fn package(name: &str, license: Option<&str>) -> Package {
        let text = serde_json::json!({ "id": name, "name": name, "version": "1.0.0", "license": license,
                                       "dependencies": [] });
        serde_json::from_value(text).unwrap()
    }

    #[test]
    fn the_list_is_read_from_deny_toml() {
        let allowed = Allowed::parse(DENY);
        assert_eq!(allowed.everywhere, ["MIT", "Apache-2.0 WITH LLVM-exception"]);
        assert_eq!(allowed.exceptions, [("special".to_owned(), "MIT-0".to_owned())]);
    }

    #[test]
    fn a_licence_outside_the_list_is_found_and_named() {
        let allowed = Allowed::parse(DENY);
        assert_eq!(complaint(&package("a", Some("MIT OR GPL-3.0-only")), &allowed), None);
        let found = complaint(&package("b", Some("GPL-3.0-only")), &allowed).unwrap();
        assert!(found.contains("b 1.0.0") && found.contains("GPL-3.0-only"), "{found}");
        assert!(complaint(&package("c", None), &allowed).is_some());
        assert_eq!(complaint(&package("special", Some("MIT-0")), &allowed), None);
        assert!(complaint(&package("other", Some("MIT-0")), &allowed).is_some());
    }
}
