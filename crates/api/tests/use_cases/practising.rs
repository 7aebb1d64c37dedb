//! The practice course, through the packaged program.

use lockstep_api::wire::{NewProjectInput, RosterInput};
use lockstep_api::{connections, practice, projects, recipients, runs, sources};
use lockstep_domain::code::Code;
use lockstep_testkit::sibling_program;

use crate::desk::{everybody, open};

#[tokio::test(flavor = "multi_thread")]
async fn the_practice_course_runs_from_its_start_to_thirty_pull_requests_and_ends_with_the_app() {
    let folder = tempfile::tempdir().unwrap();
    let pacing = "[pacing]\nmin_interval_ms = 0\nper_hour = 100000\n";
    std::fs::write(folder.path().join("settings.toml"), pacing).unwrap();
    let app = open(folder.path().to_owned(), Some(sibling_program("lockstep-forge"))).await;
    assert_eq!(practice::hint(&app).await.unwrap(), None);
    let connection = practice::start(&app).await.unwrap();
    assert_eq!(practice::start(&app).await.unwrap(), connection, "one course per program");
    let hint = practice::hint(&app).await.unwrap().unwrap();
    assert_eq!(hint.connection, connection.id);
    let source = sources::add(&app, &connection.id, &hint.source).await.unwrap();
    let input = NewProjectInput {
        name: hint.project,
        source: source.id,
        branches: vec!["main".to_owned()],
        strategy: "squash".to_owned(),
        distribution: hint.distribution,
        adopt: true,
        deadline: None,
        connection: None,
    };
    let project = projects::create(&app, input).await.unwrap().project;
    let roster = RosterInput::Pattern { pattern: hint.pattern };
    assert_eq!(recipients::import(&app, &project, roster).await.unwrap().added, 30);
    let started = runs::start(&app, everybody(&project)).await.unwrap();
    assert_eq!(runs::wait(&app, &started.run).await.unwrap().counts.opened, 30);
    app.shutdown().await;
    // Nobody listens there any more: what we started has ended with us.
    let again = open(folder.path().to_owned(), Some(sibling_program("lockstep-forge"))).await;
    assert_eq!(
        sources::check(&again, &sources::list(&again).await.unwrap()[0].id).await.unwrap_err().code,
        Code::ForgeUnreachable
    );
    // Another start is another course under another name.
    let second = practice::start(&again).await.unwrap();
    assert_ne!(second.name, connection.name);
    assert_eq!(connections::list(&again).await.unwrap().len(), 2);
    again.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_packaged_program_the_practice_course_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let app = open(folder.path().to_owned(), Some(folder.path().join("not-there"))).await;
    assert_eq!(practice::start(&app).await.unwrap_err().code, Code::NotFound);
    let broken = folder.path().join("broken");
    std::fs::write(&broken, "no program").unwrap();
    let app = open(folder.path().to_owned(), Some(broken)).await;
    let error = practice::start(&app).await.unwrap_err();
    assert_eq!(error.code, Code::ForgeUnreachable);
    assert!(!error.message.contains(&*folder.path().to_string_lossy()), "no local path: {error:?}");
    assert!(connections::list(&app).await.unwrap().is_empty());
}
