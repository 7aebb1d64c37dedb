//! What staff do besides pressing: making projects, importing, locking, archiving, preferences.

use lockstep_api::wire::{NewProjectInput, PreferencesInput, PressKind, RecipientEdit, RosterInput};
use lockstep_api::{connections, info, preferences, projects, recipients, runs};
use lockstep_domain::code::Code;
use lockstep_domain::model::ProjectState;

use crate::desk::{Desk, PROJECT, everybody, open};

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_distribution_takes_the_project_away_again() {
    let desk = Desk::new(1, 0).await;
    desk.connect().await;
    let source = desk.add_source().await;
    let missing = format!("{}/nothing-here", desk.course.org);
    desk.forge.control().set_private(&desk.course.distribution, false).unwrap();
    for (distribution, code) in
        [(missing, Code::RepositoryNotFound), (desk.course.distribution.clone(), Code::DistributionPublic)]
    {
        let input = NewProjectInput { distribution, ..desk.new_project(&source) };
        assert_eq!(projects::create(&desk.app, input).await.unwrap_err().code, code);
        assert!(projects::list(&desk.app).await.unwrap().is_empty());
    }
    // Its name is free again.
    desk.forge.control().set_private(&desk.course.distribution, true).unwrap();
    projects::create(&desk.app, desk.new_project(&source)).await.unwrap();
    assert_eq!(
        projects::create(&desk.app, desk.new_project(&source)).await.unwrap_err().code,
        Code::AlreadyExists
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_adopted_project_says_what_a_press_would_do() {
    let (desk, project) = Desk::ready(4, 0).await;
    let view = projects::get(&desk.app, &project).await.unwrap();
    assert_eq!(view.press.kind, PressKind::Sync);
    assert_eq!((view.press.recipients, view.press.commits), (4, Some(3)));
    assert_eq!(view.row.ahead[0].number, Some(3));
    assert_eq!(view.pending[0].commits.len(), 3, "{:?}", view.pending);
    assert_eq!(view.source_url, format!("{}/{}", desk.course.base_url, desk.course.source));
    assert!(projects::named(&desk.app, &PROJECT.to_lowercase()).await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_input_is_named_before_anything_is_made() {
    let desk = Desk::new(1, 0).await;
    desk.connect().await;
    let source = desk.add_source().await;
    let good = || desk.new_project(&source);
    for (input, named) in [
        (NewProjectInput { name: "  ".into(), ..good() }, "name"),
        (NewProjectInput { branches: vec![], ..good() }, "0 branches"),
        (NewProjectInput { branches: vec!["sync/x".into()], ..good() }, "sync/x"),
        (NewProjectInput { strategy: "rebase".into(), ..good() }, "rebase"),
        (NewProjectInput { distribution: "no-owner".into(), ..good() }, "no-owner"),
        (NewProjectInput { deadline: Some(f64::NAN), ..good() }, "NaN"),
    ] {
        let error = projects::create(&desk.app, input).await.unwrap_err();
        assert_eq!(error.code, Code::BadInput, "{error:?}");
        assert!(error.message.contains(named), "{named}: {error:?}");
    }
    assert!(runs::list(&desk.app, None).await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_roster_that_names_a_missing_repository_imports_nothing() {
    let (desk, project) = Desk::ready(2, 0).await;
    let before = recipients::list(&desk.app, &project).await.unwrap();
    let missing = format!("{}/nobody", desk.course.org);
    let text = format!("repository,label\n{},Renamed\n{missing},Nobody\n", desk.course.recipients[0]);
    let error = recipients::import(&desk.app, &project, RosterInput::Csv { text }).await.unwrap_err();
    assert_eq!(error.code, Code::BadRoster);
    assert!(error.message.contains(&missing), "{error:?}");
    let pattern = RosterInput::Pattern { pattern: format!("{}/lab99-*", desk.course.org) };
    let error = recipients::import(&desk.app, &project, pattern).await.unwrap_err();
    assert_eq!(error.code, Code::BadRoster);
    assert!(error.message.contains("lab99-*"), "{error:?}");
    assert_eq!(recipients::list(&desk.app, &project).await.unwrap(), before);
    // Without an owner it is the distribution's.
    let bare = RosterInput::Pattern { pattern: desk.course.pattern.clone() };
    assert_eq!(recipients::import(&desk.app, &project, bare).await.unwrap().unchanged, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_roster_updates_labels_and_deadlines_and_removes_nobody() {
    let (desk, project) = Desk::ready(3, 0).await;
    let text = format!("repository,label,deadline\n{},Ada,2020-01-01\n", desk.course.recipients[0]);
    let imported = recipients::import(&desk.app, &project, RosterInput::Csv { text }).await.unwrap();
    assert_eq!((imported.added, imported.updated, imported.unchanged), (0, 1, 0));
    let rows = recipients::list(&desk.app, &project).await.unwrap();
    assert_eq!(rows.len(), 3);
    let ada = rows.iter().find(|row| row.label == "Ada").unwrap();
    assert!(ada.own_deadline && ada.past_deadline && !ada.owed, "{ada:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_locked_recipient_is_passed_over_and_a_stranger_is_not_edited() {
    let (desk, project) = Desk::ready(3, 0).await;
    let rows = recipients::list(&desk.app, &project).await.unwrap();
    let edit = |id: &str, locked: Option<bool>| RecipientEdit {
        recipients: vec![id.to_owned()],
        locked,
        deadline: None,
        clear_deadline: false,
    };
    recipients::edit(&desk.app, &project, edit(&rows[0].id, Some(true))).await.unwrap();
    let error = recipients::edit(&desk.app, &project, edit(&project, Some(true))).await.unwrap_err();
    assert_eq!(error.code, Code::NotFound);
    let error = recipients::edit(&desk.app, &project, edit(&rows[0].id, None)).await.unwrap_err();
    assert_eq!(error.code, Code::BadInput);
    let started = runs::start(&desk.app, everybody(&project)).await.unwrap();
    let run = runs::wait(&desk.app, &started.run).await.unwrap();
    assert_eq!((run.counts.opened, run.counts.skipped), (2, 1), "{run:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_archived_project_refuses_a_press_until_it_comes_back() {
    let (desk, project) = Desk::ready(1, 0).await;
    projects::archive(&desk.app, &project, true).await.unwrap();
    assert_eq!(projects::get(&desk.app, &project).await.unwrap().press.kind, PressKind::None);
    assert_eq!(runs::start(&desk.app, everybody(&project)).await.unwrap_err().code, Code::ProjectArchived);
    projects::archive(&desk.app, &project, false).await.unwrap();
    assert_eq!(projects::get(&desk.app, &project).await.unwrap().press.kind, PressKind::Sync);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_project_is_not_archived_under_a_live_holder_and_says_who_it_is() {
    let (desk, project) = Desk::ready(12, 60).await;
    let started = runs::start(&desk.app, everybody(&project)).await.unwrap();
    let error = projects::archive(&desk.app, &project, true).await.unwrap_err();
    let holder = error.holder.unwrap();
    assert_eq!((error.code, holder.person.as_str()), (Code::SyncInProgress, "ada"));
    assert_eq!((holder.fence.as_str(), holder.project_name.as_str()), (started.fence.as_str(), PROJECT));
    assert_ne!(projects::get(&desk.app, &project).await.unwrap().row.state, ProjectState::Archived);
    runs::cancel(&desk.app, &project, &started.fence, "").await.unwrap();
    runs::wait(&desk.app, &started.run).await.unwrap();
    projects::archive(&desk.app, &project, true).await.unwrap();
    assert_eq!(projects::list(&desk.app).await.unwrap()[0].press, PressKind::None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_project_names_the_connection_that_reaches_its_recipients() {
    let (desk, project) = Desk::ready(1, 0).await;
    let connection = connections::list(&desk.app).await.unwrap().remove(0).id;
    assert_eq!(projects::get(&desk.app, &project).await.unwrap().connection, Some(connection));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_person_acts_at_once_and_after_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let app = open(folder.path().to_owned(), None).await;
    assert_eq!(preferences::get(&app).await.unwrap().person, "ada");
    let input = PreferencesInput {
        theme: Some("dark".into()),
        person: Some("Ada L.".into()),
        language: Some("fr".into()),
    };
    let set = preferences::set(&app, input).await.unwrap();
    assert_eq!((set.theme.as_str(), set.person.as_str(), set.language.as_str()), ("dark", "Ada L.", "fr"));
    assert_eq!(info::get(&app).await.unwrap().person, "Ada L.");
    let wrong = PreferencesInput { theme: Some("pink".into()), person: Some("Eve".into()), language: None };
    assert_eq!(preferences::set(&app, wrong).await.unwrap_err().code, Code::BadInput);
    app.shutdown().await;
    let again = open(folder.path().to_owned(), None).await;
    assert_eq!(preferences::get(&again).await.unwrap(), set);
}
