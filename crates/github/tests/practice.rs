//! Every question and every write, against the practice forge.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod world;

use lockstep_domain::model::{Mergeable, PullState};
use lockstep_domain::ports::{Forge, ForgeError};
use lockstep_forge::{BaseStyle, Level, MergeMethod};
use lockstep_github::Credential;
use world::{World, at, update};

#[tokio::test]
async fn a_token_and_an_app_say_who_they_are_under_either_address_style() {
    for base in [BaseStyle::Root, BaseStyle::ApiV3] {
        let world = World::new(base).await;
        assert_eq!(world.as_teacher().identity().await.unwrap().login, "teacher");
        let (app, _) = world.as_app();
        assert_eq!(app.identity().await.unwrap().login, "course-sync[bot]");
        let seen = world.started("school/a");
        let info = app.repository(at(&seen).id).await.unwrap();
        assert_eq!(app.heads(&info).await.unwrap().len(), 1, "REST and GraphQL are both found");
        world.ends_clean();
    }
}

#[tokio::test]
async fn a_repository_is_found_by_id_and_by_name_also_after_a_rename_and_a_transfer() {
    let world = World::new(BaseStyle::Root).await;
    let forge = world.as_teacher();
    let seen = world.started("school/a");
    let by_name = forge.repository_by_name(&"school/a".parse().unwrap()).await.unwrap();
    assert_eq!((by_name.id, by_name.node_id.as_str()), (at(&seen).id, seen.node_id.as_str()));
    assert!(by_name.private && !by_name.archived);
    assert_eq!(by_name.default_branch.as_deref(), Some("main"));
    world.control().rename("school/a", "b").unwrap();
    for found in [forge.repository(by_name.id).await, forge.repository_by_name(&by_name.slug).await] {
        assert_eq!(found.unwrap().slug.to_string(), "school/b");
    }
    world.control().transfer("school/b", "teacher").unwrap();
    assert_eq!(forge.repository_by_name(&by_name.slug).await.unwrap().slug.to_string(), "teacher/b");
    world.control().delete("teacher/b").unwrap();
    for gone in [forge.repository(by_name.id).await, forge.repository_by_name(&by_name.slug).await] {
        assert!(matches!(gone.unwrap_err(), ForgeError::NotFound(_)));
    }
    world.ends_clean();
}

#[tokio::test]
async fn repositories_are_listed_by_owner_and_pattern_over_all_pages() {
    let world = World::new(BaseStyle::Root).await;
    for n in 0..103 {
        world.empty(&format!("school/lab-{n:03}"));
    }
    world.empty("school/other");
    let forge = world.as_teacher();
    let found = forge.repositories_like("school", "LAB-*", 500).await.unwrap();
    assert_eq!(found.len(), 103);
    assert_eq!(found.last().unwrap().slug.name, "lab-102");
    assert_eq!(forge.repositories_like("school", "*", 5).await.unwrap().len(), 5);
    let (app, _) = world.as_app();
    assert_eq!(app.repositories_like("school", "lab-1*", 500).await.unwrap().len(), 3);
    assert!(matches!(forge.repositories_like("nobody", "*", 5).await.unwrap_err(), ForgeError::NotFound(_)));
    world.ends_clean();
}

#[tokio::test]
async fn heads_are_all_branches_and_an_empty_repository_has_none() {
    let world = World::new(BaseStyle::Root).await;
    let forge = world.as_teacher();
    let empty = forge.repository(at(&world.empty("school/empty")).id).await.unwrap();
    assert_eq!(forge.heads(&empty).await.unwrap(), vec![]);
    let seen = world.started("school/a");
    let main = world.control().branch("school/a", "main").unwrap().unwrap();
    for n in 0..101 {
        world.control().set_ref("school/a", &format!("refs/heads/bonus/{n:03}"), &main).unwrap();
    }
    let heads = forge.heads(&forge.repository(at(&seen).id).await.unwrap()).await.unwrap();
    assert_eq!(heads.len(), 102);
    assert!(heads.iter().any(|(name, oid)| name == "bonus/100" && oid.to_string() == main));
    assert!(heads.iter().any(|(name, _)| name == "main"));
    world.ends_clean();
}

#[tokio::test]
async fn a_private_repository_is_made_once() {
    let world = World::new(BaseStyle::Root).await;
    let (app, _) = world.as_app();
    for (forge, name) in
        [(world.as_teacher(), "school/dist"), (world.as_teacher(), "teacher/dist"), (app, "school/d2")]
    {
        let slug = name.parse().unwrap();
        let made = forge.create_private_repository(&world.guard(), &slug).await.unwrap();
        assert!(made.private && made.slug == slug);
        assert_eq!(forge.heads(&made).await.unwrap(), vec![]);
        let again = forge.create_private_repository(&world.guard(), &slug).await.unwrap_err();
        assert_eq!(again, ForgeError::AlreadyExists);
    }
    world.ends_clean();
}

#[tokio::test]
async fn a_pull_request_lives_from_opening_to_closing() {
    let world = World::new(BaseStyle::Root).await;
    let (forge, _) = world.as_app();
    let guard = world.guard();
    let (repo, head) = world.synced("school/a");
    assert_eq!(forge.find_open_pull(&repo, "sync/main", "main").await.unwrap(), None);
    let written = forge.open_pull(&guard, &repo, &update("One")).await.unwrap();
    let pull = written.value;
    assert!(written.request_id.is_some());
    assert_eq!((pull.author.as_str(), pull.state), ("course-sync[bot]", PullState::Open));
    assert_eq!(pull.head.unwrap().to_string(), head);
    assert_eq!((pull.head_repo, pull.base.as_str()), (Some(repo.id), "main"));
    assert_eq!(forge.open_pull(&guard, &repo, &update("Two")).await.unwrap_err(), ForgeError::AlreadyExists);
    let found = forge.find_open_pull(&repo, "sync/main", "main").await.unwrap().unwrap();
    assert_eq!(found.number, pull.number);
    assert_eq!(forge.find_open_pull(&repo, "sync/main", "bonus").await.unwrap(), None);

    assert!(forge.has_marker(&repo, pull.number, "<!-- head:1 -->").await.unwrap(), "in the body");
    assert!(!forge.has_marker(&repo, pull.number, "<!-- head:2 -->").await.unwrap());
    forge.comment(&guard, &repo, pull.number, "Moved <!-- head:2 -->").await.unwrap();
    assert!(forge.has_marker(&repo, pull.number, "<!-- head:2 -->").await.unwrap(), "in a comment");

    forge.close_pull(&guard, &repo, pull.number).await.unwrap();
    assert_eq!(forge.find_open_pull(&repo, "sync/main", "main").await.unwrap(), None);
    let seen = world.control().pull_requests("school/a").unwrap();
    assert_eq!((seen.len(), seen[0].state.as_str()), (1, "closed"));
    assert_eq!(world.control().comments("school/a", seen[0].number).unwrap().len(), 1);
    world.ends_clean();
}

#[tokio::test]
async fn a_branch_without_news_or_not_there_yet_is_not_yet() {
    let world = World::new(BaseStyle::Root).await;
    let forge = world.as_teacher();
    let repo = at(&world.started("school/a"));
    let error = forge.open_pull(&world.guard(), &repo, &update("One")).await.unwrap_err();
    assert!(matches!(error, ForgeError::NotYet(_)), "{error:?}");
    let main = world.control().branch("school/a", "main").unwrap().unwrap();
    world.control().set_ref("school/a", "refs/heads/sync/main", &main).unwrap();
    let error = forge.open_pull(&world.guard(), &repo, &update("One")).await.unwrap_err();
    assert!(matches!(error, ForgeError::NotYet(_)), "{error:?}");
    world.ends_clean();
}

#[tokio::test]
async fn a_rename_between_reading_and_writing_changes_nothing() {
    let world = World::new(BaseStyle::Root).await;
    let (forge, _) = world.as_app();
    let guard = world.guard();
    let (repo, _) = world.synced("school/a");
    world.control().rename("school/a", "renamed").unwrap();
    let pull = forge.open_pull(&guard, &repo, &update("One")).await.unwrap().value;
    forge.comment(&guard, &repo, pull.number, "x").await.unwrap();
    assert!(forge.find_open_pull(&repo, "sync/main", "main").await.unwrap().is_some());
    forge.close_pull(&guard, &repo, pull.number).await.unwrap();
    assert_eq!(world.control().pull_requests("school/renamed").unwrap().len(), 1);
    world.ends_clean();
}

#[tokio::test]
async fn what_may_not_be_written_says_why() {
    let world = World::new(BaseStyle::Root).await;
    let (forge, installation) = world.as_app();
    let guard = world.guard();
    let (repo, _) = world.synced("school/a");
    let error = world.connect(Credential::Token("ghp_wrong".into())).identity().await.unwrap_err();
    assert!(matches!(error, ForgeError::BadCredentials(_)), "{error:?}");

    world.control().set_permission(installation, "pull_requests", Level::Read).unwrap();
    let error = forge.open_pull(&guard, &repo, &update("One")).await.unwrap_err();
    assert_eq!(error, ForgeError::PermissionMissing("pull_requests=write".to_owned()));
    world.control().set_permission(installation, "pull_requests", Level::Write).unwrap();

    world.control().archive("school/a").unwrap();
    let error = forge.open_pull(&guard, &repo, &update("One")).await.unwrap_err();
    assert_eq!(error, ForgeError::Archived);
    assert!(forge.repository(repo.id).await.unwrap().archived);

    world.control().delete("school/a").unwrap();
    let error = forge.comment(&guard, &repo, 1, "x").await.unwrap_err();
    assert_eq!(error, ForgeError::NotFound("school/a".to_owned()));
    world.ends_clean();
}

#[tokio::test]
async fn an_app_mints_once_for_many_and_again_with_five_minutes_left() {
    let world = World::new(BaseStyle::Root).await;
    let (forge, _) = world.as_app();
    let repo = at(&world.started("school/a"));
    let mint = "POST /app/installations/{installation_id}/access_tokens";
    let mints = |routes: &[String]| routes.iter().filter(|route| *route == mint).count();
    let (a, b, c) =
        tokio::join!(forge.repository(repo.id), forge.repository(repo.id), forge.git_remote(&repo.slug));
    assert!(a.is_ok() && b.is_ok());
    assert_eq!(mints(&world.routes()), 1);
    world.clock.advance(chrono::Duration::minutes(54));
    assert_eq!(forge.git_remote(&repo.slug).await.unwrap().password, c.unwrap().password);
    assert_eq!(mints(&world.routes()), 0);
    world.clock.advance(chrono::Duration::minutes(1));
    assert!(forge.repository(repo.id).await.is_ok());
    assert_eq!(mints(&world.routes()), 1);

    let held = forge.git_remote(&repo.slug).await.unwrap();
    assert_eq!((held.user.as_str(), held.url), ("x-access-token", world.practice.clone_url("school/a")));
    world.clock.advance(chrono::Duration::minutes(1));
    world.control().revoke_token(&held.password).unwrap();
    assert!(forge.repository(repo.id).await.is_ok(), "a revoked token is replaced");
    assert_eq!(mints(&world.routes()), 1);
    world.ends_clean();
}

#[tokio::test]
async fn a_token_that_is_refused_right_after_minting_is_tried_once_more() {
    let world = World::new(BaseStyle::Root).await;
    let (forge, _) = world.as_app();
    let repo = at(&world.started("school/a"));
    let held = forge.git_remote(&repo.slug).await.unwrap();
    world.control().revoke_token(&held.password).unwrap();
    world.routes();
    let error = forge.repository(repo.id).await.unwrap_err();
    assert!(matches!(error, ForgeError::BadCredentials(_)), "{error:?}");
    assert_eq!(world.routes(), ["GET /repos/{owner}/{repo}", "GET /repos/{owner}/{repo}"]);
    world.ends_clean();
}

#[tokio::test]
async fn a_suspended_and_an_absent_installation_are_told_apart() {
    let world = World::new(BaseStyle::Root).await;
    let (forge, installation) = world.as_app();
    let repo = at(&world.started("school/a"));
    world.control().suspend(installation).unwrap();
    assert_eq!(forge.repository(repo.id).await.unwrap_err(), ForgeError::Suspended);
    world.control().unsuspend(installation).unwrap();
    assert!(forge.repository(repo.id).await.is_ok());
    world.control().suspend(installation).unwrap();
    assert_eq!(
        forge.repository(repo.id).await.unwrap_err(),
        ForgeError::Suspended,
        "also with a token in hand"
    );
    world.control().uninstall(installation).unwrap();
    world.clock.advance(chrono::Duration::hours(2));
    assert_eq!(forge.repository(repo.id).await.unwrap_err(), ForgeError::NotInstalled);
    world.ends_clean();
}

#[tokio::test]
async fn an_installation_knows_what_it_may() {
    let world = World::new(BaseStyle::Root).await;
    let (forge, installation) = world.as_app();
    world.control().set_permission(installation, "workflows", Level::None).unwrap();
    assert_eq!(forge.may("contents").await, Some(true));
    assert_eq!(forge.may("metadata").await, Some(true));
    assert_eq!(forge.may("workflows").await, Some(false));
    assert_eq!(forge.may("issues").await, Some(false));
    world.ends_clean();
}

#[tokio::test]
async fn every_request_is_counted() {
    let world = World::new(BaseStyle::Root).await;
    let (forge, _) = world.as_app();
    let repo = at(&world.started("school/a"));
    let info = forge.repository(repo.id).await.unwrap();
    forge.heads(&info).await.unwrap();
    let spent = forge.spent();
    assert_eq!((spent.rest, spent.graphql, spent.fetches, spent.pushes), (2, 1, 0, 0));
    assert_eq!(world.practice.journal().entries().len(), 3);
}

#[tokio::test]
async fn a_merged_pull_request_is_merged_and_no_longer_open() {
    let world = World::new(BaseStyle::Root).await;
    let forge = world.as_teacher();
    let (repo, _) = world.synced("school/a");
    let pull = forge.open_pull(&world.guard(), &repo, &update("One")).await.unwrap().value;
    assert_ne!(pull.mergeable, Mergeable::Conflicting);
    let number = u64::try_from(pull.number).unwrap();
    world.control().merge_pull_request("school/a", number, MergeMethod::Merge).unwrap();
    assert_eq!(forge.find_open_pull(&repo, "sync/main", "main").await.unwrap(), None);
    world.ends_clean();
}
