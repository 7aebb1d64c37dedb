//! Doors between crates.

use std::collections::{BTreeMap, BTreeSet};

use super::metadata::{Metadata, Package};

/// Crates from outside that only one room may see: (crate, or its name with a hyphen and more; the room; why).
const ONE_ROOM: [(&str, &str, &str); 5] = [
    ("sqlx", "lockstep-store", "all SQL lives there, in both dialects"),
    (
        "octocrab",
        "lockstep-github",
        "GitHub is reached through one room, and it is the heaviest crate of all",
    ),
    ("tauri", "lockstep-desktop", "the core does not know its host"),
    ("wry", "lockstep-desktop", "the core does not know its host"),
    ("keyring", "lockstep-secrets", "credentials rest in one room"),
];

/// The drawing: what each room may use outside its tests.
const DRAWING: [(&str, &[&str]); 16] = [
    ("lockstep-domain", &[]),
    ("lockstep-store", &["lockstep-domain"]),
    ("lockstep-secrets", &["lockstep-domain"]),
    ("lockstep-git", &["lockstep-domain"]),
    ("lockstep-github", &["lockstep-domain"]),
    ("lockstep-config", &["lockstep-domain"]),
    ("lockstep-engine", &["lockstep-domain", "lockstep-store"]),
    (
        "lockstep-api",
        &[
            "lockstep-config",
            "lockstep-domain",
            "lockstep-engine",
            "lockstep-git",
            "lockstep-github",
            "lockstep-secrets",
            "lockstep-store",
        ],
    ),
    ("lockstep-cli", &["lockstep-api", "lockstep-config", "lockstep-domain"]),
    ("lockstep-desktop", &["lockstep-api", "lockstep-config", "lockstep-domain"]),
    ("lockstep-forge", &[]),
    ("lockstep-lease-model", &[]),
    ("lockstep-pgtest", &[]),
    (
        "lockstep-testkit",
        &[
            "lockstep-api",
            "lockstep-config",
            "lockstep-domain",
            "lockstep-engine",
            "lockstep-forge",
            "lockstep-git",
            "lockstep-github",
            "lockstep-pgtest",
            "lockstep-secrets",
            "lockstep-store",
        ],
    ),
    (
        "lockstep-chaos",
        &[
            "lockstep-api",
            "lockstep-cli",
            "lockstep-domain",
            "lockstep-engine",
            "lockstep-forge",
            "lockstep-pgtest",
            "lockstep-store",
            "lockstep-testkit",
        ],
    ),
    ("xtask", &["lockstep-pgtest"]),
];

/// Programs that people get, and rooms that must never be part of them.
const SHIPPED: [&str; 2] = ["lockstep-desktop", "lockstep-cli"];
const NEVER_SHIPPED: [&str; 5] =
    ["lockstep-chaos", "lockstep-forge", "lockstep-lease-model", "lockstep-testkit", "lockstep-pgtest"];

pub(crate) fn complaints(metadata: &Metadata) -> Vec<String> {
    let mut complaints = Vec::new();
    for package in metadata.members() {
        outside(package, &mut complaints);
        drawing(package, metadata, &mut complaints);
    }
    shipped(metadata, &mut complaints);
    complaints
}

fn outside(package: &Package, complaints: &mut Vec<String>) {
    for dependency in &package.dependencies {
        for (crate_name, room, why) in ONE_ROOM {
            let behind = dependency.name == crate_name
                || dependency.name.strip_prefix(crate_name).is_some_and(|rest| rest.starts_with('-'));
            if behind && package.name != room {
                complaints.push(format!(
                    "{} depends on {}, which only {room} may use: {why}",
                    package.name, dependency.name
                ));
            }
        }
    }
}

fn drawing(package: &Package, metadata: &Metadata, complaints: &mut Vec<String>) {
    let Some((_, allowed)) = DRAWING.iter().find(|(room, _)| *room == package.name) else {
        complaints.push(format!(
            "{} is a new room: say in xtask/src/doors/crates.rs (DRAWING) what it may use",
            package.name
        ));
        return;
    };
    let rooms: BTreeSet<&str> = metadata.members().map(|member| member.name.as_str()).collect();
    for dependency in package.dependencies.iter().filter(|dependency| dependency.ships()) {
        if rooms.contains(dependency.name.as_str()) && !allowed.contains(&dependency.name.as_str()) {
            complaints.push(format!(
                "{} depends on {}: that door is not in the drawing (allowed: {})",
                package.name,
                dependency.name,
                if allowed.is_empty() { "no other room".to_owned() } else { allowed.join(", ") }
            ));
        }
    }
}

fn shipped(metadata: &Metadata, complaints: &mut Vec<String>) {
    let members: BTreeMap<&str, &Package> =
        metadata.members().map(|package| (package.name.as_str(), package)).collect();
    for program in SHIPPED {
        for room in NEVER_SHIPPED {
            if let Some(way) = way(program, room, &members) {
                complaints
                    .push(format!("{program} would ship {room}, which is for tests: {}", way.join(" -> ")));
            }
        }
    }
}

/// A chain of shipping dependencies from one room to another.
fn way<'a>(from: &'a str, to: &str, members: &BTreeMap<&'a str, &'a Package>) -> Option<Vec<&'a str>> {
    let mut seen = BTreeSet::from([from]);
    let mut open = vec![vec![from]];
    while let Some(chain) = open.pop() {
        let Some(package) = chain.last().and_then(|last| members.get(last)) else { continue };
        for dependency in package.dependencies.iter().filter(|dependency| dependency.ships()) {
            let next = dependency.name.as_str();
            if !members.contains_key(next) || !seen.insert(next) {
                continue;
            }
            let mut longer = chain.clone();
            longer.push(next);
            if next == to {
                return Some(longer);
            }
            open.push(longer);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A package's name and its dependencies, each with its kind.
    type Sketch<'a> = (&'a str, &'a [(&'a str, Option<&'a str>)]);

    fn workspace(packages: &[Sketch<'_>]) -> Metadata {
        let list: Vec<_> = packages
            .iter()
            .map(|(name, dependencies)| {
                let dependencies: Vec<_> = dependencies
                    .iter()
                    .map(|(name, kind)| serde_json::json!({ "name": name, "kind": kind }))
                    .collect();
                serde_json::json!({ "id": name, "name": name, "version": "0.1.0", "license": "Apache-2.0",
                                    "dependencies": dependencies })
            })
            .collect();
        let members: Vec<&str> = packages.iter().map(|(name, _)| *name).collect();
        Metadata::parse(&serde_json::json!({ "packages": list, "workspace_members": members }).to_string())
            .unwrap()
    }

    #[test]
    fn the_drawing_itself_has_no_complaint() {
        let metadata = workspace(&[
            ("lockstep-domain", &[]),
            (
                "lockstep-store",
                &[("lockstep-domain", None), ("sqlx", None), ("lockstep-pgtest", Some("dev"))],
            ),
            ("lockstep-pgtest", &[]),
            ("lockstep-github", &[("octocrab", None), ("lockstep-forge", Some("dev"))]),
            ("lockstep-forge", &[]),
            ("lockstep-desktop", &[("tauri", None), ("tauri-build", Some("build"))]),
        ]);
        assert_eq!(complaints(&metadata), Vec::<String>::new());
    }

    #[test]
    fn a_crate_of_another_room_is_found_and_named() {
        for (room, door, owner) in [
            ("lockstep-engine", "sqlx", "lockstep-store"),
            ("lockstep-engine", "sqlx-core", "lockstep-store"),
            ("lockstep-api", "octocrab", "lockstep-github"),
            ("lockstep-api", "tauri-specta", "lockstep-desktop"),
        ] {
            let found = complaints(&workspace(&[(room, &[(door, None)])])).join("\n");
            assert!(found.contains(room) && found.contains(door) && found.contains(owner), "{found}");
        }
        assert_eq!(complaints(&workspace(&[("lockstep-engine", &[("sqlxmq", None)])])), Vec::<String>::new());
    }

    #[test]
    fn a_door_against_the_drawing_is_found_and_named() {
        let found = complaints(&workspace(&[
            ("lockstep-domain", &[("lockstep-store", None)]),
            ("lockstep-store", &[]),
        ]));
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("lockstep-domain depends on lockstep-store"), "{found:?}");
        let tests_only =
            workspace(&[("lockstep-domain", &[("lockstep-store", Some("dev"))]), ("lockstep-store", &[])]);
        assert_eq!(complaints(&tests_only), Vec::<String>::new());
    }

    #[test]
    fn a_test_room_in_a_shipped_program_is_found_with_the_way_it_came() {
        let found = complaints(&workspace(&[
            ("lockstep-cli", &[("lockstep-api", None)]),
            ("lockstep-api", &[("lockstep-github", None)]),
            ("lockstep-github", &[("lockstep-forge", None)]),
            ("lockstep-forge", &[]),
        ]))
        .join("\n");
        assert!(
            found.contains("lockstep-cli -> lockstep-api -> lockstep-github -> lockstep-forge"),
            "{found}"
        );
    }

    #[test]
    fn a_room_that_nobody_drew_is_asked_about() {
        let found = complaints(&workspace(&[("lockstep-shiny", &[])]));
        assert!(found[0].contains("lockstep-shiny is a new room"), "{found:?}");
    }
}
