//! Build and adopt.

use lockstep_domain::ahead::Ahead;
use lockstep_domain::code::Code;
use lockstep_domain::outcome::{RunKind, RunStatus};
use lockstep_engine::{AdoptRequest, BuildRequest};
use lockstep_forge::NewRepository;
use lockstep_testkit::{World, WorldOptions, rerun_with};

async fn unadopted() -> World {
    World::with(WorldOptions { adopted: false, ..WorldOptions::recipients(2) }).await
}

#[tokio::test]
async fn a_living_course_is_adopted_with_its_handed_out_sha_found_by_content() {
    let world = World::with(WorldOptions::recipients(2)).await;
    let project = world.project().await;
    let branch = &project.branches[0];
    assert_eq!(branch.ahead, Ahead::Ahead(3));
    assert_eq!(branch.update_number, 3, "the course has three updates already");
    let handed_out = branch.handed_out.unwrap().to_string();
    let control = world.forge.control();
    let dir = |name: &str| world.forge.handle().repository_dir(name).unwrap();
    let source = lockstep_testkit::tree(&dir(&world.course.source), &handed_out);
    assert_eq!(source, world.tree_of(&world.course.distribution, "main"));
    assert!(control.refs(&world.course.distribution).unwrap().contains_key("refs/lockstep/owner"));
    let runs = world.store.runs(Some(world.project), 1).await.unwrap();
    assert_eq!((runs[0].kind, runs[0].status), (RunKind::Build, RunStatus::Succeeded));
}

#[tokio::test]
async fn a_distribution_that_another_database_drives_is_adopted_only_by_taking_it_over() {
    let world = unadopted().await;
    let control = world.forge.control();
    let dist = world.course.distribution.clone();
    let foreign = world.branch_of(&dist, "main").unwrap();
    control.set_ref(&dist, "refs/lockstep/owner", &foreign).unwrap();
    let request = |take_over| AdoptRequest {
        project: world.project,
        connection: world.connection,
        slug: dist.parse().unwrap(),
        take_over,
    };
    let end = world.engine.adopt(request(false)).await.unwrap().finished().await;
    assert_eq!(end.error.unwrap().code, Code::DistributionOwned);
    assert_eq!(world.project().await.distribution, None);
    assert_eq!(control.refs(&dist).unwrap().get("refs/lockstep/owner"), Some(&foreign), "nothing moved");

    let end = world.engine.adopt(request(true)).await.unwrap().finished().await;
    assert_eq!(end.status, RunStatus::Succeeded, "{:?}", end.error);
    assert_ne!(control.refs(&dist).unwrap().get("refs/lockstep/owner"), Some(&foreign));
    assert_eq!(world.branch_of(&dist, "main"), Some(foreign), "no branch moved");
}

#[tokio::test]
async fn two_projects_of_one_database_never_share_a_distribution() {
    let world = World::with(WorldOptions::recipients(1)).await;
    let branches = vec![("main".parse().unwrap(), "main".parse().unwrap())];
    let second = world.insert_project("Second", branches).await;
    let request = |take_over| AdoptRequest {
        project: second,
        connection: world.connection,
        slug: world.course.distribution.parse().unwrap(),
        take_over,
    };
    let mark =
        || world.forge.control().refs(&world.course.distribution).unwrap().remove("refs/lockstep/owner");
    let before = mark();
    let end = world.engine.adopt(request(false)).await.unwrap().finished().await;
    assert_eq!(end.error.unwrap().code, Code::DistributionOwned);
    let end = world.engine.adopt(request(true)).await.unwrap().finished().await;
    assert_eq!((end.status, end.error.unwrap().code), (RunStatus::Failed, Code::DistributionOwned));
    assert_eq!(world.store.project(second).await.unwrap().unwrap().distribution, None);
    assert_eq!(mark(), before, "the mark still names the first project");
}

#[tokio::test]
async fn a_built_distribution_is_private_marked_and_byte_for_byte_the_source() {
    let world = unadopted().await;
    let control = world.forge.control();
    control.create_repository(&NewRepository::private("practice-school/heaps")).unwrap();
    control.commit_file("practice-school/heaps", "main", "x", b"x", "Taken").unwrap();
    let request = BuildRequest {
        project: world.project,
        connection: world.connection,
        slug: "practice-school/heaps".parse().unwrap(),
    };
    let end = world.engine.build(request.clone()).await.unwrap().finished().await;
    assert_eq!(end.status, RunStatus::Succeeded, "{:?}", end.error);
    let project = world.project().await;
    let dist = project.distribution.unwrap().slug.to_string();
    assert_eq!(dist, "practice-school/heaps-2", "a taken name gets a number, nothing is deleted");
    assert!(control.repository(&dist).unwrap().private);
    assert_eq!(world.tree_of(&dist, "main"), world.tree_of(&world.course.source, "main"));
    assert_eq!((project.branches[0].update_number, project.branches[0].ahead), (1, Ahead::Level));
    assert!(control.refs(&dist).unwrap().contains_key("refs/lockstep/owner"));
    let error = world.engine.build(request).await.unwrap_err();
    assert_eq!(error.code, Code::AlreadyExists);
    world.assert_nothing_unexpected();
}

#[tokio::test]
async fn a_leftover_of_a_failed_build_is_used() {
    let world = unadopted().await;
    world.forge.control().create_repository(&NewRepository::private("practice-school/left")).unwrap();
    let request = BuildRequest {
        project: world.project,
        connection: world.connection,
        slug: "practice-school/left".parse().unwrap(),
    };
    let end = world.engine.build(request).await.unwrap().finished().await;
    assert_eq!(end.status, RunStatus::Succeeded, "{:?}", end.error);
    assert_eq!(world.project().await.distribution.unwrap().slug.to_string(), "practice-school/left");
}

#[tokio::test]
async fn a_name_that_is_no_repository_cannot_be_adopted() {
    let world = unadopted().await;
    let request = AdoptRequest {
        project: world.project,
        connection: world.connection,
        slug: "practice-school/nothing".parse().unwrap(),
        take_over: false,
    };
    let end = world.engine.adopt(request).await.unwrap().finished().await;
    assert_eq!(end.error.unwrap().code, Code::RepositoryNotFound);
    world.assert_lease_is_free().await;
}

#[test]
fn a_hostile_user_configuration_changes_no_byte() {
    let home = tempfile::tempdir().unwrap();
    let config = "[core]\n\tautocrlf = true\n\teol = crlf\n\thooksPath = /nonexistent\n\tsymlinks = false\n\
                  \tfileMode = false\n[user]\n\tname = Evil\n\temail = evil@example.org\n[commit]\n\tgpgsign = true\n\
                  [merge]\n\trenormalize = true\n[i18n]\n\tcommitEncoding = latin1\n\
                  [url \"http://127.0.0.1:9/\"]\n\tinsteadOf = http://127.0.0.1\n";
    std::fs::write(home.path().join(".gitconfig"), config).unwrap();
    std::fs::create_dir_all(home.path().join(".config/git")).unwrap();
    std::fs::write(home.path().join(".config/git/attributes"), "* merge=union text eol=crlf\n").unwrap();
    let folder = home.path().to_string_lossy().into_owned();
    let output = rerun_with(
        "distribution::under_the_variables_of_the_caller",
        &[("HOME", &folder), ("GIT_AUTHOR_NAME", "Evil"), ("GIT_DIR", "/nonexistent"), ("LC_ALL", "C")],
    );
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && told.contains("1 passed"), "{told}");
}

#[tokio::test]
#[ignore = "run by a_hostile_user_configuration_changes_no_byte in a process of its own"]
async fn under_the_variables_of_the_caller() {
    let world = World::with(WorldOptions::recipients(2)).await;
    let end = world.press().await;
    assert_eq!((end.status, end.counts.opened), (RunStatus::Succeeded, 2), "{:?}", end.error);
    world.assert_distribution_is_the_source("main");
}
