use lockstep_forge::demo::{self, DemoCourse, DemoOptions};
use lockstep_forge::{Forge, ForgeHandle, ForgeOptions};

use crate::support::{call, git};

fn small() -> DemoOptions {
    DemoOptions { recipients: 6, ..DemoOptions::default() }
}

async fn course(options: &DemoOptions) -> (ForgeHandle, DemoCourse) {
    let forge = Forge::start(ForgeOptions::checked()).await.unwrap();
    let course = demo::build(&forge, options).unwrap();
    (forge, course)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_seed_gives_the_same_commits() {
    let (one, first) = course(&small()).await;
    let (two, second) = course(&small()).await;
    let (other, _) = course(&DemoOptions { seed: 2, ..small() }).await;
    let mut differs = false;
    for name in [&first.source, &first.distribution].into_iter().chain(&first.recipients) {
        let refs = one.control().refs(name).unwrap();
        assert_eq!(refs, two.control().refs(name).unwrap(), "{name}");
        differs |= refs != other.control().refs(name).unwrap();
    }
    assert!(differs);
    assert_eq!(first.recipients, second.recipients);
    assert_eq!(first.recipients.len(), 6);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_distribution_is_an_older_tree_of_the_source() {
    let (forge, course) = course(&small()).await;
    let source = forge.repository_dir(&course.source).unwrap();
    let distribution = forge.repository_dir(&course.distribution).unwrap();
    let older = git(&source, &["rev-parse", "main~3^{tree}"]).await.ok().out();
    assert_eq!(git(&distribution, &["rev-parse", "main^{tree}"]).await.ok().out(), older);
    assert_eq!(git(&distribution, &["rev-list", "--count", "main"]).await.ok().out(), "3");
    let author = git(&distribution, &["log", "--format=%an <%ae>", "main"]).await.ok().out();
    assert!(author.lines().all(|line| line == "Lockstep <lockstep@users.noreply.github.com>"), "{author}");
    let names = git(&source, &["for-each-ref", "--format=%(refname:short)", "refs/heads"]).await.ok().out();
    assert_eq!(names, "main\nsolutions");
    for dir in [&source, &distribution] {
        git(dir, &["fsck", "--strict"]).await.ok();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_course_holds_what_is_hard_to_hand_out() {
    let (forge, course) = course(&small()).await;
    let source = forge.repository_dir(&course.source).unwrap();
    let tree = git(&source, &["ls-tree", "-r", "-z", "main~3"]).await.ok().out();
    for part in ["100755 blob", "120000 blob", "docs/grüße.md", "build/expected.txt", ".gitattributes"] {
        assert!(tree.contains(part), "{part}");
    }
    let file = |path| forge.control().file(&course.source, "main", path).unwrap().unwrap();
    assert!(file("windows/setup.bat").windows(2).any(|pair| pair == b"\r\n"));
    assert!(file("assets/heap.ppm").contains(&0));
    let authors = git(&source, &["log", "--format=%an", "main"]).await.ok().out();
    for author in ["Ada Kowalska", "Béla Farkas", "Chen Wei"] {
        assert!(authors.contains(author), "{author}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn recipients_start_from_the_distribution_and_do_not_share_the_sources_objects() {
    let (forge, course) = course(&small()).await;
    let head = forge.control().branch(&course.distribution, "main").unwrap().unwrap();
    let secret = forge.control().branch(&course.source, "main").unwrap().unwrap();
    for name in &course.recipients {
        let dir = forge.repository_dir(name).unwrap();
        git(&dir, &["merge-base", "--is-ancestor", &head, "main"]).await.ok();
        let own = git(&dir, &["rev-list", "--count", &format!("{head}..main")]).await.ok().out();
        assert!(matches!(own.as_str(), "1" | "2"), "{own}");
        assert_ne!(git(&dir, &["cat-file", "-e", &secret]).await.code(), 0);
    }
    let answer =
        call(forge.base_url(), "GET", "/orgs/practice-school/repos?per_page=100", Some(&course.token), None);
    assert_eq!(answer.await.json().as_array().unwrap().len(), 8);
    assert_eq!(forge.self_check_failures(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_source_can_be_advanced_and_rewritten() {
    let (forge, course) = course(&small()).await;
    let before = forge.control().branch(&course.source, "main").unwrap().unwrap();
    let made = demo::advance(forge.control(), 2).unwrap();
    assert_eq!(made.len(), 2);
    let head = forge.control().branch(&course.source, "main").unwrap().unwrap();
    assert_eq!(Some(&head), made.last());
    let source = forge.repository_dir(&course.source).unwrap();
    git(&source, &["merge-base", "--is-ancestor", &before, &head]).await.ok();
    demo::rewrite_source(forge.control()).unwrap();
    assert_eq!(forge.control().branch(&course.source, "main").unwrap().as_ref(), made.first());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_start_on_the_same_folder_finds_the_course() {
    let data = tempfile::tempdir().unwrap();
    let options = || ForgeOptions { data: Some(data.path().to_owned()), ..ForgeOptions::default() };
    let forge = Forge::start(options()).await.unwrap();
    let first = demo::build(&forge, &small()).unwrap();
    forge.shutdown().await;
    let forge = Forge::start(options()).await.unwrap();
    let second = demo::build(&forge, &DemoOptions { token: Some("chosen".into()), ..small() }).unwrap();
    assert_eq!(first.recipients, second.recipients);
    for token in [first.token.as_str(), "chosen"] {
        assert_eq!(call(forge.base_url(), "GET", "/user", Some(token), None).await.status, 200);
    }
}
