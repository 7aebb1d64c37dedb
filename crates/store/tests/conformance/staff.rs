//! What staff do: connections, sources, projects, recipients (docs/SYNC.md and 2).

use std::collections::HashSet;

use lockstep_domain::ahead::Ahead;
use lockstep_domain::clock::Millis;
use lockstep_domain::code::Code;
use lockstep_domain::ids::ConnectionId;
use lockstep_domain::model::{BranchMapping, ConnectionKind, ConnectionState, ProjectState, PullState};
use lockstep_domain::outcome::{Outcome, RunStatus};
use lockstep_domain::skip::RecipientState;
use lockstep_store::{
    Imported, ItemDone, NewConnection, NewProject, NewRecipient, RecipientPatch, StoreError,
};

use crate::publishing::{done, pull};
use crate::world::{T0, World, actor, branch, ending, oid, recipient, repo};

crate::laws! {
    a_connection_has_a_unique_name_and_a_fixed_address,
    a_source_is_registered_once_until_it_is_retired,
    a_whole_read_of_a_source_marks_missing_branches_gone,
    a_look_without_news_feeds_nothing,
    a_project_name_is_free_again_after_deletion,
    a_live_lease_forbids_to_delete_archive_or_retire,
    a_project_keeps_what_an_edit_does_not_name,
    how_far_the_source_is_ahead_is_kept_per_branch,
    an_import_is_all_or_nothing,
    an_import_updates_by_repository_and_removes_nothing,
    an_import_takes_over_pull_requests,
    an_edit_of_a_recipient_is_audited_once,
    some_recipients_are_read_without_the_others,
    a_pass_reads_project_recipient_and_clock_in_one_statement,
    strategy_source_and_fence_are_guarded_by_the_database,
}

async fn a_connection_has_a_unique_name_and_a_fixed_address(w: &mut World) {
    let new = NewConnection {
        id: ConnectionId(w.host.ids.uuid()),
        name: "GitHub".into(),
        base_url: "https://api.github.com".into(),
        kind: ConnectionKind::App,
        app: Some((12, 34)),
        login: "lockstep[bot]".into(),
    };
    let made = w.store.connection_insert(&new, &actor()).await.unwrap();
    assert_eq!(
        (made.app, made.state, made.created_at),
        (Some((12, 34)), ConnectionState::Usable, Millis(T0))
    );
    let twin = NewConnection { id: ConnectionId(w.host.ids.uuid()), ..new.clone() };
    let refused = w.store.connection_insert(&twin, &actor()).await;
    let Err(StoreError::AlreadyExists(what)) = refused else { panic!("{refused:?}") };
    assert!(what.contains("GitHub"), "{what}");
    w.store.connection_note(new.id, ConnectionState::Suspended, "lockstep[bot]").await.unwrap();
    let all = w.store.connections().await.unwrap();
    assert_eq!((all.len(), all[0].state), (1, ConnectionState::Suspended));
    let unknown = w.store.connection_note(twin.id, ConnectionState::Usable, "x").await;
    assert!(matches!(unknown, Err(StoreError::NotFound(_))), "{unknown:?}");
    assert!(w.raw("UPDATE connections SET base_url = 'https://elsewhere'").await.is_err());
}

async fn a_source_is_registered_once_until_it_is_retired(w: &mut World) {
    let course = w.course().await;
    let same = repo(course.connection, 1, "course/renamed");
    let refused = w.store.source_insert(&same, &actor()).await;
    assert!(matches!(refused, Err(StoreError::AlreadyExists(_))), "{refused:?}");
    w.store.source_retire(course.source, &actor()).await.unwrap();
    assert!(w.store.sources().await.unwrap().is_empty());
    assert_eq!(w.store.source(course.source).await.unwrap().unwrap().deleted_at, Some(Millis(T0)));
    let again = w.store.source_retire(course.source, &actor()).await;
    assert!(matches!(again, Err(StoreError::NotFound(_))), "{again:?}");
    let anew = w.store.source_insert(&same, &actor()).await.unwrap();
    assert_ne!(anew.id, course.source);
    let unknown = repo(ConnectionId(w.host.ids.uuid()), 9, "a/b");
    let refused = w.store.source_insert(&unknown, &actor()).await;
    assert!(matches!(refused, Err(StoreError::NotFound(_))), "{refused:?}");
}

async fn a_whole_read_of_a_source_marks_missing_branches_gone(w: &mut World) {
    let course = w.course().await;
    let heads = [(branch("main"), oid('a')), (branch("extra"), oid('b'))];
    w.store.source_note(course.source, Some(&heads), None, None).await.unwrap();
    w.at(T0 + 10).await;
    let slug = "course/renamed".parse().unwrap();
    let heads = [(branch("main"), oid('a')), (branch("new"), oid('c'))];
    w.store.source_note(course.source, Some(&heads), None, Some(&slug)).await.unwrap();
    let source = w.store.source(course.source).await.unwrap().unwrap();
    assert_eq!((source.repo.slug, source.checked_at), (slug, Some(Millis(T0 + 10))));
    let seen: Vec<_> =
        source.heads.iter().map(|head| (head.branch.as_str(), head.oid, head.seen_at.0 - T0)).collect();
    assert_eq!(seen, [("extra", None, 10), ("main", Some(oid('a')), 0), ("new", Some(oid('c')), 10)]);
    w.store.source_note(course.source, None, Some(Code::SourceGone), None).await.unwrap();
    let source = w.store.source(course.source).await.unwrap().unwrap();
    assert_eq!((source.trouble, source.heads.len()), (Some(Code::SourceGone), 3));
}

async fn a_look_without_news_feeds_nothing(w: &mut World) {
    let course = w.course().await;
    let heads = [(branch("main"), oid('a'))];
    w.store.source_note(course.source, Some(&heads), None, None).await.unwrap();
    w.store.project_note_ahead(course.project, &[(branch("main"), Ahead::Ahead(2))]).await.unwrap();
    w.store.connection_note(course.connection, ConnectionState::Usable, "lockstep").await.unwrap();
    let head = w.store.feed_head().await.unwrap();
    w.store.source_note(course.source, Some(&heads), None, None).await.unwrap();
    w.store.project_note_ahead(course.project, &[(branch("main"), Ahead::Ahead(2))]).await.unwrap();
    w.store.connection_note(course.connection, ConnectionState::Usable, "lockstep").await.unwrap();
    assert_eq!(w.store.feed_head().await.unwrap(), head);
    w.store.source_note(course.source, Some(&[(branch("main"), oid('b'))]), None, None).await.unwrap();
    assert_eq!(w.store.feed_head().await.unwrap(), head + 1);
}

async fn a_project_name_is_free_again_after_deletion(w: &mut World) {
    let course = w.course().await;
    let old = w.store.project(course.project).await.unwrap().unwrap();
    let new = NewProject {
        name: old.name.clone(),
        source: course.source,
        strategy: old.strategy,
        state: ProjectState::Draft,
        deadline: Some(Millis(T0 + 1)),
        note: String::new(),
        branches: vec![(branch("main"), branch("main"))],
    };
    let before = w.everything().await;
    let refused = w.store.project_insert(&new, &actor()).await;
    assert!(matches!(refused, Err(StoreError::AlreadyExists(_))), "{refused:?}");
    assert_eq!(w.everything().await, before);
    w.store.project_delete(course.project, &actor()).await.unwrap();
    let made = w.store.project_insert(&new, &actor()).await.unwrap();
    assert_eq!((made.deadline, made.branches.len()), (Some(Millis(T0 + 1)), 1));
    assert_eq!(made.branches[0].ahead, Ahead::NotChecked);
    assert_eq!(w.store.projects().await.unwrap().len(), 1);
    assert_eq!(w.store.leases().await.unwrap().len(), 1, "the board shows what is not deleted");
    let lease = w.lease(made.id).await;
    assert!(!lease.held && lease.fence.0 == 0 && lease.holder.is_none());
    w.store.project_delete(made.id, &actor()).await.unwrap();
    w.store.source_retire(course.source, &actor()).await.unwrap();
    let refused = w.store.project_insert(&new, &actor()).await;
    assert!(matches!(refused, Err(StoreError::NotFound(_))), "{refused:?}");
}

async fn a_live_lease_forbids_to_delete_archive_or_retire(w: &mut World) {
    let course = w.course().await;
    let guard = w.claim(course.project, "ada").await;
    let before = w.everything().await;
    let tries = [
        w.store.project_delete(course.project, &actor()).await,
        w.store.project_set_state(course.project, ProjectState::Archived, &actor()).await,
        w.store.source_retire(course.source, &actor()).await,
    ];
    for refused in tries {
        let Err(StoreError::Held(view)) = refused else { panic!("{refused:?}") };
        assert_eq!(view.holder.unwrap().person, "ada");
    }
    assert_eq!(w.everything().await, before);
    w.store.finish(&guard, &ending(RunStatus::Succeeded), None).await.unwrap();
    w.store.project_set_state(course.project, ProjectState::Archived, &actor()).await.unwrap();
    w.store.project_set_state(course.project, ProjectState::Archived, &actor()).await.unwrap();
    let project = w.store.project(course.project).await.unwrap().unwrap();
    assert_eq!(project.state, ProjectState::Archived);
    let events = w.store.audit(Some(course.project), 10).await.unwrap();
    assert_eq!(events.iter().filter(|row| row.event == "project.state_changed").count(), 1);
}

async fn a_project_keeps_what_an_edit_does_not_name(w: &mut World) {
    let course = w.course().await;
    let edit = async |deadline, note| {
        w.store.project_edit(course.project, deadline, note, &actor()).await.unwrap();
        let project = w.store.project(course.project).await.unwrap().unwrap();
        (project.deadline, project.note)
    };
    let note = "Read chapter 3.".to_owned();
    assert_eq!(edit(Some(Some(Millis(T0))), None).await, (Some(Millis(T0)), note));
    assert_eq!(edit(None, Some("New")).await, (Some(Millis(T0)), "New".into()));
    assert_eq!(edit(Some(None), None).await, (None, "New".into()));
    let nobody = lockstep_domain::ids::ProjectId(w.host.ids.uuid());
    let unknown = w.store.project_edit(nobody, None, Some("x"), &actor()).await;
    assert!(matches!(unknown, Err(StoreError::NotFound(_))), "{unknown:?}");
}

async fn how_far_the_source_is_ahead_is_kept_per_branch(w: &mut World) {
    let course = w.course().await;
    let every = [
        Ahead::NeverHandedOut,
        Ahead::Level,
        Ahead::Ahead(7),
        Ahead::AheadUnknown,
        Ahead::Rewritten,
        Ahead::BranchGone,
        Ahead::SourceGone,
        Ahead::NotChecked,
    ];
    for ahead in every {
        w.store.project_note_ahead(course.project, &[(branch("bonus"), ahead)]).await.unwrap();
        let project = w.store.project(course.project).await.unwrap().unwrap();
        assert_eq!((project.branches[0].ahead, project.branches[1].ahead), (Ahead::NotChecked, ahead));
    }
}

async fn an_import_is_all_or_nothing(w: &mut World) {
    let course = w.course().await;
    let before = w.everything().await;
    let unknown = ConnectionId(w.host.ids.uuid());
    let lists: [Vec<NewRecipient>; 2] = [
        vec![
            recipient(course.connection, 1),
            recipient(course.connection, 2),
            recipient(course.connection, 1),
        ],
        vec![recipient(course.connection, 1), recipient(unknown, 2)],
    ];
    for list in lists {
        let refused = w.store.recipients_import(course.project, &list, &actor()).await;
        assert!(
            matches!(refused, Err(StoreError::AlreadyExists(_) | StoreError::NotFound(_))),
            "{refused:?}"
        );
        assert_eq!(w.everything().await, before);
    }
    let nobody = lockstep_domain::ids::ProjectId(w.host.ids.uuid());
    let refused = w.store.recipients_import(nobody, &[recipient(course.connection, 1)], &actor()).await;
    assert!(matches!(refused, Err(StoreError::NotFound(_))), "{refused:?}");
}

async fn an_import_updates_by_repository_and_removes_nothing(w: &mut World) {
    let course = w.course().await;
    let first: Vec<_> = (0..3)
        .map(|n| NewRecipient { deadline: Some(Millis(T0 + n)), ..recipient(course.connection, n) })
        .collect();
    let done = w.store.recipients_import(course.project, &first, &actor()).await.unwrap();
    assert_eq!(done, Imported { added: 3, updated: 0, unchanged: 0 });
    let old = w.store.recipients(course.project).await.unwrap();
    let lock = RecipientPatch { locked: Some(true), ..RecipientPatch::default() };
    w.store.recipient_edit(old[1].id, &lock, &actor()).await.unwrap();
    let mut renamed = recipient(course.connection, 1);
    renamed.repo.slug = "class/zulu".parse().unwrap();
    renamed.state = RecipientState::Pending;
    let mapping = BranchMapping { branch: "main".into(), theirs: "master".into() };
    let mapped = NewRecipient { mapping: vec![mapping.clone()], ..recipient(course.connection, 2) };
    let list = [recipient(course.connection, 0), renamed, mapped, recipient(course.connection, 9)];
    let head = w.store.feed_head().await.unwrap();
    let done = w.store.recipients_import(course.project, &list, &actor()).await.unwrap();
    assert_eq!(done, Imported { added: 1, updated: 2, unchanged: 1 });
    let feed = w.store.feed_after(head, 10).await.unwrap();
    assert_eq!(
        feed.iter().map(|row| (row.topic.as_str(), row.key.len())).collect::<Vec<_>>(),
        [("recipient", 0), ("project", 36)]
    );
    let new = w.store.recipients(course.project).await.unwrap();
    assert_eq!(
        new.iter().map(|r| r.repo.slug.name.as_str()).collect::<Vec<_>>(),
        ["team-000", "team-002", "team-009", "zulu"]
    );
    let zulu = &new[3];
    assert_eq!((zulu.id, zulu.locked, zulu.state), (old[1].id, true, RecipientState::Live));
    assert_eq!(zulu.deadline, Some(Millis(T0 + 1)), "what the list does not say stays");
    assert_eq!(new[1].mapping, [mapping]);
    assert_eq!(new[1].base_of(&branch("main")).unwrap(), branch("master"));
}

async fn an_import_takes_over_pull_requests(w: &mut World) {
    let course = w.course().await;
    let placeholder = lockstep_domain::ids::RecipientId(w.host.ids.uuid());
    let row = pull(placeholder, 12, PullState::Open, T0);
    let new = NewRecipient { pulls: vec![row], ..recipient(course.connection, 1) };
    w.store.recipients_import(course.project, &[new], &actor()).await.unwrap();
    let id = w.store.recipients(course.project).await.unwrap()[0].id;
    assert_eq!(w.store.pulls(course.project).await.unwrap(), [pull(id, 12, PullState::Open, T0)]);
}

async fn an_edit_of_a_recipient_is_audited_once(w: &mut World) {
    let course = w.course().await;
    let id = w.recipients(&course, 1).await[0];
    let patch = RecipientPatch {
        state: Some(RecipientState::Moved),
        deadline: Some(Some(Millis(T0 + 5))),
        label: Some("Team Zero".into()),
        slug: Some("elsewhere/zero".parse().unwrap()),
        ..RecipientPatch::default()
    };
    w.store.recipient_edit(id, &patch, &actor()).await.unwrap();
    let before = w.everything().await;
    w.store.recipient_edit(id, &patch, &actor()).await.unwrap();
    assert_eq!(w.everything().await, before, "nothing new, nothing written");
    let now = w.store.recipients(course.project).await.unwrap().remove(0);
    assert_eq!(
        (now.state, now.deadline, now.label.as_str()),
        (RecipientState::Moved, Some(Millis(T0 + 5)), "Team Zero")
    );
    assert_eq!(now.repo.slug.to_string(), "elsewhere/zero");
    let newest = w.store.audit(Some(course.project), 1).await.unwrap().remove(0);
    assert_eq!(newest.event, "recipient.edited");
    let unknown = lockstep_domain::ids::RecipientId(w.host.ids.uuid());
    let refused = w.store.recipient_edit(unknown, &patch, &actor()).await;
    assert!(matches!(refused, Err(StoreError::NotFound(_))), "{refused:?}");
}

async fn some_recipients_are_read_without_the_others(w: &mut World) {
    let course = w.course().await;
    let ids = w.recipients(&course, 3).await;
    let guard = w.claim(course.project, "ada").await;
    let told = |id| ItemDone { pull: Some(pull(id, 1, PullState::Open, T0)), ..done(id, Outcome::Opened) };
    w.store.items_done(&guard, &[told(ids[2]), told(ids[0]), told(ids[1])]).await.unwrap();
    let some = [ids[2], ids[0]];
    let of = async |project| {
        let recipients = w.store.recipients_some(project, &some).await.unwrap();
        let outcomes = w.store.last_outcomes_some(project, &some).await.unwrap();
        let pulls = w.store.pulls_some(project, &some).await.unwrap();
        let named = recipients.iter().map(|r| r.id).collect::<HashSet<_>>();
        assert_eq!(outcomes.iter().map(|o| o.recipient).collect::<HashSet<_>>(), named);
        assert_eq!(pulls.iter().map(|p| p.recipient).collect::<HashSet<_>>(), named);
        named
    };
    assert_eq!(of(course.project).await, some.into());
    let mut items = w.store.items(guard.run()).await.unwrap();
    items.retain(|item| some.contains(&item.recipient));
    assert_eq!((items.len(), &w.store.items_some(guard.run(), &some).await.unwrap()), (2, &items));
    let other = w.project(course.source, "Other").await;
    assert!(of(other).await.is_empty(), "not of this project");
}

async fn a_pass_reads_project_recipient_and_clock_in_one_statement(w: &mut World) {
    let course = w.course().await;
    let id = w.recipients(&course, 1).await[0];
    w.store.project_edit(course.project, Some(Some(Millis(T0 + 7))), None, &actor()).await.unwrap();
    w.at(T0 + 8).await;
    let read = w.store.pass_read(course.project, id).await.unwrap();
    assert_eq!((read.db_now, read.deadline), (Millis(T0 + 8), Some(Millis(T0 + 7))));
    assert_eq!((read.project_state, read.deleted), (ProjectState::Published, false));
    assert_eq!(read.recipient.unwrap(), w.store.recipients(course.project).await.unwrap()[0]);
    let other = w.project(course.source, "Other").await;
    assert!(w.store.pass_read(other, id).await.unwrap().recipient.is_none(), "not of this project");
    w.store.source_retire(course.source, &actor()).await.unwrap();
    assert!(w.store.pass_read(course.project, id).await.unwrap().deleted);
}

async fn strategy_source_and_fence_are_guarded_by_the_database(w: &mut World) {
    let course = w.course().await;
    w.claim(course.project, "ada").await;
    let before = w.everything().await;
    let token = match w.kind {
        crate::world::Kind::Sqlite => "randomblob(16)",
        crate::world::Kind::Postgres => "decode('00112233445566778899aabbccddeeff', 'hex')",
    };
    for sql in [
        "UPDATE projects SET strategy = 'whole'".to_owned(),
        "UPDATE leases SET fence = fence - 1".to_owned(),
        format!("UPDATE leases SET owner_token = {token}"),
        format!("UPDATE leases SET owner_token = {token}, fence = fence + 2"),
        "DELETE FROM leases".to_owned(),
        "UPDATE audit SET actor = 'nobody'".to_owned(),
        "DELETE FROM audit".to_owned(),
        "INSERT INTO runs SELECT * FROM runs".to_owned(),
        "UPDATE items SET step = 'done'; UPDATE runs SET status = 'nonsense'".to_owned(),
    ] {
        assert!(w.raw(&sql).await.is_err(), "{sql}");
        assert_eq!(w.everything().await, before, "{sql}");
    }
}
