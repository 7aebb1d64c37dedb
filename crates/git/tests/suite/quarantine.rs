//! A recipient's objects stay in its quarantine, and only what is needed is brought.

use lockstep_domain::ports::{Decision, Forecast, Git, GitError, RefResult};
use lockstep_domain::stop::StopSignal;
use lockstep_git::{GitOptions, GitProgram};

use crate::decide::{Case, Want};
use crate::support::{Graph, NINE, Repo, Step, World, assert_clean, gits, guard, nine, step};

fn simple(law: &'static str, rest: &str, want: Want) -> Case {
    let line5 = nine("a", &[(5, "FIVE")]);
    let graph = format!("D1 | {NINE} | b=b\nD2 < D1 | {line5}\n{rest}");
    Case { law, graph, base: "M", sync: None, new: "D2", merged: vec![], own: vec![], want }
}

/// Everything in the store: objects, refs, configuration.
fn store_image(world: &World) -> String {
    let config = std::fs::read_to_string(world.data_dir().join("git/store.git/config")).unwrap();
    world.store(&["cat-file", "--batch-check", "--batch-all-objects"])
        + &world.store(&["for-each-ref"])
        + &config
}

fn benches(world: &World) -> usize {
    std::fs::read_dir(world.data_dir().join("git/bench")).unwrap().count()
}

/// A commit on top of `parent` with a file of 1.2 MB of noise under `path`.
fn with_large_file(repo: &Repo, parent: &str, path: &str, seed: u64) -> String {
    let mut state = seed;
    let noise: Vec<u8> = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 56) as u8
    })
    .take(1_200_000)
    .collect();
    let mut stream = format!(
        "commit refs/heads/large\nauthor S <s@x> 1700001000 +0000\ncommitter S <s@x> 1700001000 +0000\ndata 1\nL\n\
         from {parent}\nM 100644 inline {path}\ndata {}\n",
        noise.len()
    )
    .into_bytes();
    stream.extend(noise);
    stream.extend(b"\n");
    repo.git_with(&["fast-import", "--quiet", "--force"], &stream);
    let oid = repo.git(&["rev-parse", "refs/heads/large"]);
    repo.git(&["update-ref", "-d", "refs/heads/large"]);
    oid
}

#[tokio::test]
async fn a_recipients_objects_never_enter_the_store_and_the_bench_goes_away() {
    for program in gits() {
        let world = World::new().await;
        let git = GitProgram::new(GitOptions { git: program, ..world.options() }).await.unwrap();
        let case = simple("own work", "M < D1 | own=x\nR < D2 M | own=x", Want::Clean);
        let stage = case.stage(&world, &git, "r").await;
        let before = store_image(&world);
        let mut bench = git.workbench().await.unwrap();
        assert_eq!(benches(&world), 1);
        let request = case.request(&stage.at);
        bench.decide(&stage.repo.remote(), &[request], &StopSignal::default()).await.unwrap();
        assert_eq!(bench.fetches(), 1);
        let moves = [step("sync/main", None, stage.at["D2"])];
        let results = bench.push(&guard(), &stage.repo.remote(), &moves, true).await.unwrap();
        assert_eq!(results, [RefResult::Pushed]);
        assert_eq!(store_image(&world), before);
        assert!(!before.contains("promisor"));
        drop(bench);
        assert_eq!(benches(&world), 0);
    }
}

#[tokio::test]
async fn a_large_file_of_the_recipient_is_never_fetched() {
    for program in gits() {
        let world = World::new().await;
        let git = GitProgram::new(GitOptions { git: program, ..world.options() }).await.unwrap();
        let mut case = simple("own work", "D3 < D2 | b=B\nM < D1 | own=x\nR < D2 M | own=y", Want::OnTop);
        case.new = "D3";
        let stage = case.stage(&world, &git, "r").await;
        let large = with_large_file(&stage.repo, &stage.at["M"].to_string(), "video.bin", 1);
        let sync = with_large_file(&stage.repo, &stage.at["R"].to_string(), "other.bin", 2);
        let mut request = case.request(&stage.at);
        request.base = large.parse().unwrap();
        request.sync = Some(sync.parse().unwrap());
        stage.repo.set("refs/heads/main", request.base);
        stage.repo.set("refs/heads/sync/main", sync.parse().unwrap());
        let mut bench = git.workbench().await.unwrap();
        let decisions = bench.decide(&stage.repo.remote(), &[request], &StopSignal::default()).await.unwrap();
        let [Decision::Push { oid, on_top: true, .. }] = &decisions[..] else { panic!("{decisions:?}") };
        let moves = [step("sync/main", Some(sync.parse().unwrap()), *oid)];
        let results = bench.push(&guard(), &stage.repo.remote(), &moves, false).await.unwrap();
        assert_eq!(results, [RefResult::Pushed], "pushed without having the large file");
        assert!(size_of(&world.data_dir()) < 500_000, "the large file was fetched");
        stage.repo.git(&["fsck", "--strict"]);
    }
}

fn size_of(folder: &std::path::Path) -> u64 {
    let entries = std::fs::read_dir(folder).unwrap().flatten();
    entries
        .map(|entry| match entry.metadata().unwrap() {
            meta if meta.is_dir() => size_of(&entry.path()),
            meta => meta.len(),
        })
        .sum()
}

#[tokio::test]
async fn a_missing_object_makes_the_forecast_unknown_and_never_a_conflict() {
    for program in gits() {
        let world = World::new().await;
        let git = GitProgram::new(GitOptions { git: program, ..world.options() }).await.unwrap();
        let distribution = world.repo("d/d");
        let at = distribution.import(&Graph::read("D1 | a=1"));
        let first = with_large_file(&distribution, &at["D1"].to_string(), "data.bin", 3);
        let second = with_large_file(&distribution, &first, "data.bin", 4);
        distribution.set("refs/heads/main", second.parse().unwrap());
        let stop = StopSignal::default();
        let project = crate::support::project();
        git.fetch_distribution(project, &distribution.remote(), &stop).await.unwrap();
        let repo = world.repo("o/r");
        let alternates = distribution.path.join("objects").display().to_string();
        std::fs::write(repo.path.join("objects/info/alternates"), alternates + "\n").unwrap();
        let theirs = with_large_file(&repo, &first, "data.bin", 5);
        repo.set("refs/heads/main", theirs.parse().unwrap());
        let case = simple("both changed a large file", "M < D1", Want::Clean);
        let mut request = case.request(&[("M".to_owned(), at["D1"]), ("D2".to_owned(), at["D1"])].into());
        request.base = theirs.parse().unwrap();
        request.new = second.parse().unwrap();
        let mut bench = git.workbench().await.unwrap();
        world.server.forget();
        let decisions = bench.decide(&repo.remote(), &[request], &stop).await.unwrap();
        let [Decision::Push { forecast: Forecast::Unknown, .. }] = &decisions[..] else {
            panic!("{decisions:?}")
        };
        assert_eq!((bench.fetches(), world.server.count(Step::Refs)), (1, 1), "no git fetched by itself");
    }
}

#[tokio::test]
async fn all_branches_need_one_fetch_and_known_heads_none() {
    let world = World::new().await;
    let git = world.program().await;
    let case = simple("own work", "M < D1 | own=x\nN < D1 | own=y", Want::Clean);
    let stage = case.stage(&world, &git, "r").await;
    stage.repo.set("refs/heads/other", stage.at["N"]);
    let one = case.request(&stage.at);
    let mut two = one.clone();
    (two.base, two.base_ref) = (stage.at["N"], "refs/heads/other".into());
    world.server.forget();
    let mut bench = git.workbench().await.unwrap();
    let stop = StopSignal::default();
    let both = [one.clone(), two];
    let decisions = bench.decide(&stage.repo.remote(), &both, &stop).await.unwrap();
    assert_eq!(decisions.len(), 2);
    assert_eq!((bench.fetches(), world.server.count(Step::Fetch)), (1, 2), "ls-refs and one fetch");
    bench.decide(&stage.repo.remote(), &both, &stop).await.unwrap();
    assert_eq!(bench.fetches(), 1, "everything is here by now");
    let mut level = one;
    (level.base, level.sync) = (stage.at["D1"], Some(stage.at["D1"]));
    let mut bench = git.workbench().await.unwrap();
    bench.decide(&stage.repo.remote(), &[level], &stop).await.unwrap();
    assert_eq!(bench.fetches(), 0, "the store has both");
}

#[tokio::test]
async fn a_branch_that_moved_while_it_was_read_is_read_again_by_the_caller() {
    let world = World::new().await;
    let git = world.program().await;
    let case = simple("own work", "M < D1 | own=x\nN < D1 | own=y", Want::Clean);
    let stage = case.stage(&world, &git, "r").await;
    let mut bench = git.workbench().await.unwrap();
    let stop = StopSignal::default();
    let mut request = case.request(&stage.at);
    request.base = "7".repeat(40).parse().unwrap();
    let error = bench.decide(&stage.repo.remote(), &[request.clone()], &stop).await.unwrap_err();
    assert!(matches!(error, GitError::MissingObject(_)), "{error:?}");
    request.base_ref = "refs/heads/gone".into();
    let error = bench.decide(&stage.repo.remote(), &[request.clone()], &stop).await.unwrap_err();
    assert!(matches!(error, GitError::MissingObject(_)), "{error:?}");
    request.new = "8".repeat(40).parse().unwrap();
    let error = bench.decide(&stage.repo.remote(), &[request], &stop).await.unwrap_err();
    assert!(matches!(error, GitError::MissingObject(_)), "{error:?}");
    assert_clean(&error, &world);
}

#[tokio::test]
async fn workflows_are_told_when_they_differ_or_are_touched() {
    let world = World::new().await;
    let git = world.program().await;
    let path = ".github/workflows/ci.yml";
    let graphs = [
        ("plain", format!("D1 | a=1 | {path}=1\nD2 < D1 | a=2\nM < D1 | own=x"), false),
        ("changed", format!("D1 | a=1 | {path}=1\nD2 < D1 | {path}=2\nM < D1 | own=x"), true),
        (
            "touched and put back",
            format!("D1 | a=1 | {path}=1\nD3 < D1 | {path}=2\nD2 < D3 | {path}=1 | a=2\nM < D1 | own=x"),
            true,
        ),
        ("theirs differ", format!("D1 | a=1 | {path}=1\nD2 < D1 | a=2\nM < D1 | {path}=mine"), true),
    ];
    for (index, (law, graph, expected)) in graphs.into_iter().enumerate() {
        let case = Case { graph, ..simple(law, "", Want::Clean) };
        let (_, decision, _bench) = case.check(&world, &git, &format!("r{index}")).await;
        let Decision::Push { workflows, .. } = decision else { panic!("{decision:?}") };
        assert_eq!(workflows, expected, "{law}");
    }
}

#[tokio::test]
async fn a_recipients_server_hears_of_distributions_only() {
    let world = World::new().await;
    let git = world.program().await;
    let from = world.repo("staff/source");
    let secret = from.import(&Graph::read("X | secret=1\nY < X | secret=2"));
    from.set("refs/heads/main", secret["Y"]);
    let stop = StopSignal::default();
    git.fetch_source(crate::support::source(), &from.remote(), &stop).await.unwrap();
    let case = simple("own work", "M < D1 | own=x", Want::Clean);
    let stage = case.stage(&world, &git, "r").await;
    let tree = git.tree_of(secret["Y"]).await.unwrap();
    let spec = lockstep_domain::ports::CommitSpec {
        tree,
        parents: vec![],
        message: "never published\n".into(),
        at: lockstep_domain::clock::Millis(0),
    };
    let kept = git.commit(crate::support::project(), &"other".parse().unwrap(), &spec).await.unwrap();
    world.server.forget();
    let mut bench = git.workbench().await.unwrap();
    bench.decide(&stage.repo.remote(), &[case.request(&stage.at)], &stop).await.unwrap();
    let moves = [step("sync/main", None, stage.at["D2"])];
    bench.push(&guard(), &stage.repo.remote(), &moves, true).await.unwrap();
    let said: Vec<u8> = world.server.calls().iter().flat_map(|call| call.body.to_vec()).collect();
    let said = String::from_utf8_lossy(&said);
    assert!(said.contains(&format!("have {}", stage.at["D2"])), "the distribution is offered");
    for hidden in [secret["X"], secret["Y"], kept] {
        assert!(!said.contains(&hidden.to_string()), "{hidden} went out");
    }
}
