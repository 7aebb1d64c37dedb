//! The source stays the staff's: looked for from outside, in everything that recipients can read.

use std::process::Command;

use lockstep_testkit::{World, WorldOptions};

fn git(world: &World, repository: &str, arguments: &[&str]) -> String {
    let dir = world.forge.handle().repository_dir(repository).unwrap();
    let output = Command::new("git").arg("--git-dir").arg(dir).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[tokio::test]
async fn nothing_that_a_recipient_can_read_names_the_source() {
    let world = World::with(WorldOptions::recipients(6)).await;
    world.press().await;
    world.advance_source(1);
    world.press().await;
    let source = &world.course.source;
    let commits = git(&world, source, &["log", "--all", "--format=%H"]);
    let people = git(&world, source, &["log", "--all", "--format=%an%n%ae"]);
    let id = world.forge.control().repository(source).unwrap().id.to_string();
    let mut texts = Vec::new();
    for name in &world.course.recipients {
        for pull in world.pulls_of(name) {
            texts.push(pull.title.clone());
            texts.push(pull.body.clone().unwrap_or_default());
            texts.extend(
                world.forge.control().comments(name, pull.number).unwrap().into_iter().map(|c| c.body),
            );
        }
        let ours = ["log", "--format=raw", "refs/heads/sync/main", "--not", "refs/heads/main"];
        texts.push(git(&world, name, &ours));
        texts.extend(world.forge.control().refs(name).unwrap().into_keys());
    }
    assert!(texts.iter().any(|text| text.contains("Project update 5")), "both updates were announced");
    for text in &texts {
        let lower = text.to_lowercase();
        assert!(!lower.contains("algorithms-source"), "{text}");
        assert!(id.len() < 5 || !lower.contains(&id), "{text}");
        for commit in commits.lines() {
            assert!(!lower.contains(&commit[..7]), "{commit} in {text}");
        }
        for person in people.lines() {
            assert!(!lower.contains(&person.to_lowercase()), "{person} in {text}");
        }
    }
}
