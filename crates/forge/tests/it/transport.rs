use lockstep_forge::{ForgeOptions, Level, NewApp, PushRule, RuleKind};

use crate::support::{REPO, School, call, commit, git, with_token};

const MAIN: &str = "HEAD:refs/heads/main";

#[tokio::test(flavor = "multi_thread")]
async fn a_push_moves_the_ref_and_the_journal_names_what_moved() {
    let school = School::open().await;
    let dir = school.clone(REPO).await;
    let old = school.head("main");
    let new = commit(&dir, "a.txt", "a").await;
    let pushed = git(&dir, &["push", "--porcelain", "origin", MAIN]).await.ok();
    assert!(pushed.out().ends_with("Done"), "{}", pushed.out());
    assert_eq!(school.head("main"), new);
    let journal = school.forge.journal();
    assert_eq!(journal.pushes(), 1);
    let push = journal.entries().into_iter().find(lockstep_forge::Entry::is_push).unwrap();
    assert_eq!(push.repository.as_deref(), Some(REPO));
    assert_eq!(push.moved.len(), 1);
    assert_eq!((push.moved[0].old.as_deref(), push.moved[0].new.as_deref()), (Some(&*old), Some(&*new)));
    school.done();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stale_lease_moves_nothing() {
    let school = School::open().await;
    let dir = school.clone(REPO).await;
    let old = school.head("main");
    let theirs = school.control().commit_file(REPO, "main", "b.txt", b"b", "theirs").unwrap();
    commit(&dir, "a.txt", "a").await;
    let lease = format!("--force-with-lease=refs/heads/main:{old}");
    let pushed = git(&dir, &["push", "--porcelain", &lease, "origin", MAIN]).await;
    assert_eq!(pushed.code(), 1);
    assert!(pushed.out().contains("[rejected] (stale info)"), "{}", pushed.out());
    assert_eq!(school.head("main"), theirs);
    let absent =
        git(&dir, &["push", "--porcelain", "--force-with-lease=refs/heads/main:", "origin", MAIN]).await;
    assert!(absent.out().contains("(stale info)"), "{}", absent.out());
    school.done();
}

/// Moves `main` on the server between the advertisement and the push, then pushes `main` and `side`.
async fn race(atomic: bool) -> (School, String) {
    let school = School::open().await;
    let dir = school.clone(REPO).await;
    let old = school.head("main");
    let bare = school.forge.repository_dir(REPO).unwrap();
    let side = school.branch_ahead("theirs");
    commit(&dir, "a.txt", "a").await;
    let hook = dir.join(".git/hooks/pre-push");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    let script =
        format!("#!/bin/sh\nexec git --git-dir={} update-ref refs/heads/main {side}\n", bare.display());
    std::fs::write(&hook, script).unwrap();
    std::process::Command::new("chmod").arg("+x").arg(&hook).status().unwrap();
    let lease = format!("--force-with-lease=refs/heads/main:{old}");
    let mut arguments = vec!["push", "--porcelain", &lease, "--force-with-lease=refs/heads/side:"];
    if atomic {
        arguments.push("--atomic");
    }
    arguments.extend(["origin", MAIN, "HEAD:refs/heads/side"]);
    let pushed = git(&dir, &arguments).await;
    assert_eq!(pushed.code(), 1);
    (school, pushed.out())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_race_fails_every_ref_of_an_atomic_push() {
    let (school, out) = race(true).await;
    assert_eq!(out.matches("[remote rejected] (atomic transaction failed)").count(), 2, "{out}");
    assert_eq!(school.control().branch(REPO, "side").unwrap(), None);
    school.done();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_race_fails_only_its_own_ref_when_not_atomic() {
    let (school, out) = race(false).await;
    assert!(out.contains("refs/heads/main\t[remote rejected] (failed to update ref)"), "{out}");
    assert!(out.contains("refs/heads/side\t[new branch]"), "{out}");
    assert!(school.control().branch(REPO, "side").unwrap().is_some());
    school.done();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_refuses_its_ref_with_githubs_text_and_lets_others_land() {
    let school = School::open().await;
    let dir = school.clone(REPO).await;
    commit(&dir, "a.txt", "a").await;
    let cases = [
        (
            RuleKind::Protected("Cannot force-push to this branch".into()),
            "(protected branch hook declined)",
            "remote: error: GH006: Protected branch update failed for refs/heads/main.",
        ),
        (
            RuleKind::Ruleset("Changes must be made through a pull request.".into()),
            "(push declined due to repository rule violations)",
            "remote: error: GH013: Repository rule violations found for refs/heads/main.",
        ),
        (RuleKind::Outage, "(failure)", "remote: fatal error in commit_refs"),
        (
            RuleKind::Workflow(".github/workflows/x.yml".into()),
            "(refusing to allow a GitHub App to create or update workflow `.github/workflows/x.yml` without \
             `workflows` permission)",
            "",
        ),
    ];
    for (number, (kind, reason, notice)) in cases.into_iter().enumerate() {
        school.control().clear_push_rules(REPO).unwrap();
        school.control().add_push_rule(REPO, PushRule::new("refs/heads/main", kind)).unwrap();
        let other = format!("HEAD:refs/heads/other-{number}");
        let pushed = git(&dir, &["push", "--porcelain", "origin", MAIN, &other]).await;
        assert_eq!(pushed.code(), 1);
        let refused = format!("refs/heads/main\t[remote rejected] {reason}");
        assert!(pushed.out().contains(&refused), "{}{}", pushed.out(), pushed.err());
        assert!(pushed.err().contains(notice), "{}", pushed.err());
        assert!(school.control().branch(REPO, &format!("other-{number}")).unwrap().is_some());
    }
    let atomic =
        git(&dir, &["push", "--porcelain", "--atomic", "origin", MAIN, "HEAD:refs/heads/late"]).await;
    assert!(
        atomic.out().contains("refs/heads/late\t[remote rejected] (atomic push failure)"),
        "{}",
        atomic.out()
    );
    school.done();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wildcard_rule_covers_branches_below_and_no_others() {
    let school = School::open().await;
    let dir = school.clone(REPO).await;
    commit(&dir, "a.txt", "a").await;
    let rule = PushRule::new("refs/heads/sync/*", RuleKind::Protected("No.".into()));
    school.control().add_push_rule(REPO, rule).unwrap();
    let pushed =
        git(&dir, &["push", "--porcelain", "origin", "HEAD:refs/heads/sync/main", "HEAD:refs/heads/free"])
            .await;
    assert!(pushed.out().contains("refs/heads/sync/main\t[remote rejected]"), "{}", pushed.out());
    assert!(pushed.out().contains("refs/heads/free\t[new branch]"), "{}", pushed.out());
    school.done();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_app_without_workflows_pushes_everything_but_workflows() {
    let school = School::open().await;
    let control = school.control();
    let app = control.create_app(&NewApp::lockstep("helper", "school")).unwrap();
    let installation = control.install_app(app.id, "school", None).unwrap().id;
    control.set_permission(installation, "workflows", Level::None).unwrap();
    let token = control.mint_token(installation).unwrap();
    let dir = school.clone(REPO).await;
    let url = with_token(&school.forge.clone_url(REPO), &token);
    let old = school.head("main");
    let plain = commit(&dir, "a.txt", "a").await;
    let lease = format!("--force-with-lease=refs/heads/main:{old}");
    git(&dir, &["push", "--porcelain", "--atomic", &lease, &url, MAIN]).await.ok();
    assert_eq!(school.head("main"), plain);
    commit(&dir, ".github/workflows/ci.yml", "on: push\n").await;
    let refused = git(&dir, &["push", "--porcelain", &url, MAIN]).await;
    assert!(
        refused
            .out()
            .contains("create or update workflow `.github/workflows/ci.yml` without `workflows` permission)"),
        "{}{}",
        refused.out(),
        refused.err()
    );
    control.set_permission(installation, "workflows", Level::Write).unwrap();
    git(&dir, &["push", "--porcelain", &url, MAIN]).await.ok();
    control.set_permission(installation, "contents", Level::Read).unwrap();
    let denied = git(&dir, &["push", "--porcelain", &url, "HEAD:refs/heads/x"]).await;
    assert_eq!(denied.code(), 128);
    assert!(
        denied.err().contains("remote: Permission to school/lab.git denied to helper[bot]."),
        "{}",
        denied.err()
    );
    school.done();
}

#[tokio::test(flavor = "multi_thread")]
async fn refusals_before_git_read_as_githubs() {
    let school = School::open().await;
    let dir = school.clone(REPO).await;
    let control = school.control();
    control.archive(REPO).unwrap();
    let archived = git(&dir, &["push", "--porcelain", "origin", "HEAD:refs/heads/x"]).await;
    assert_eq!(archived.code(), 128);
    let text = archived.err();
    assert!(text.contains("remote: This repository was archived so it is read-only."), "{text}");
    assert!(text.contains("The requested URL returned error: 403"), "{text}");
    git(&dir, &["fetch", "origin"]).await.ok();
    control.unarchive(REPO).unwrap();

    let bad = with_token(&school.forge.clone_url(REPO), "wrong");
    let refused = git(&dir, &["ls-remote", &bad]).await;
    assert_eq!(refused.code(), 128);
    assert!(refused.err().contains("Authentication failed for"), "{}", refused.err());

    let none = git(&dir, &["ls-remote", &school.forge.clone_url(REPO)]).await;
    assert!(none.err().contains("could not read Username"), "{}", none.err());

    let gone = git(&dir, &["ls-remote", &school.url("school/nothing")]).await;
    assert_eq!(gone.code(), 128);
    assert!(gone.err().contains("remote: Repository not found."), "{}", gone.err());
    assert!(gone.err().contains("not found"), "{}", gone.err());
    school.done();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_renamed_repository_redirects_a_push_and_it_lands() {
    let school = School::open().await;
    let dir = school.clone(REPO).await;
    school.control().rename(REPO, "renamed").unwrap();
    let new = commit(&dir, "a.txt", "a").await;
    let pushed = git(&dir, &["push", "--porcelain", "origin", MAIN]).await.ok();
    assert!(pushed.err().contains("redirecting to"), "{}", pushed.err());
    assert_eq!(school.control().branch("school/renamed", "main").unwrap(), Some(new));
    school.done();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fetch_can_leave_blobs_out_and_name_a_commit() {
    let school = School::open().await;
    let first = school.head("main");
    school.control().commit_file(REPO, "main", "big.bin", &vec![7; 200_000], "Big").unwrap();
    let dir = school.work.path().join("filtered");
    let url = school.url(REPO);
    let arguments = ["clone", "-q", "--bare", "--filter=blob:limit=1k", &url, dir.to_str().unwrap()];
    let cloned = git(school.work.path(), &arguments).await.ok();
    assert!(!cloned.err().contains("filtering not recognized"), "{}", cloned.err());
    let missing = git(&dir, &["rev-list", "--objects", "--missing=print", "--all"]).await.ok().out();
    assert!(missing.lines().any(|line| line.starts_with('?')), "{missing}");
    git(school.work.path(), &["init", "-q", "--bare", "one"]).await.ok();
    let one = school.work.path().join("one");
    git(&one, &["fetch", "-q", &url, &first]).await.ok();
    assert!(school.forge.journal().entries().iter().any(lockstep_forge::Entry::is_fetch));
    school.done();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_push_into_an_empty_repository_sets_its_default_branch() {
    let school = School::open().await;
    let control = school.control();
    control.create_repository(&lockstep_forge::NewRepository::private("school/empty")).unwrap();
    let empty = school.get("/repos/school/empty/commits").await;
    assert_eq!((empty.status, empty.message()), (409, "Git Repository is empty.".into()));
    let dir = school.clone(REPO).await;
    git(&dir, &["push", "--porcelain", "--atomic", &school.url("school/empty"), "HEAD:refs/heads/trunk"])
        .await
        .ok();
    assert_eq!(control.repository("school/empty").unwrap().default_branch, "trunk");
    let clone = school.clone("school/empty").await;
    assert!(clone.join("README.md").exists());
    school.done();
}

#[tokio::test(flavor = "multi_thread")]
async fn state_survives_a_restart_on_the_same_folder() {
    let data = tempfile::tempdir().unwrap();
    let options = || ForgeOptions { data: Some(data.path().to_owned()), ..ForgeOptions::checked() };
    let school = School::with(options()).await;
    school.branch_ahead("sync");
    let number = school.open_pull("school:sync").await;
    let token = school.token.clone();
    school.forge.shutdown().await;
    let again = lockstep_forge::Forge::start(options()).await.unwrap();
    let path = format!("/repos/{REPO}/pulls/{number}");
    let answer = call(again.base_url(), "GET", &path, Some(&token), None).await;
    assert_eq!(answer.json()["state"], "open");
    assert_eq!(again.self_check_failures(), Vec::<String>::new());
}
