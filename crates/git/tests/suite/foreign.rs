//! Commits on the sync branch that are not ours (docs/OUTSIDE.md): never lost, never a dead end without need.

use lockstep_domain::ports::{Decision, Git, RefResult};
use lockstep_domain::stop::StopSignal;

use crate::decide::{Case, Want, check_all};
use crate::support::{NINE, World, guard, nine, step};

/// D1 handed out; D2 changes line 2; S is the recipient's main with line 5 changed; R resolves both on the sync branch.
fn case(law: &'static str, rest: &str, sync: &'static str, new: &'static str, want: Want) -> Case {
    let (two, five) = (nine("a", &[(2, "TWO")]), nine("a", &[(2, "OWN")]));
    let solved = nine("a", &[(2, "SOLVED")]);
    let graph = format!(
        "D1 | {NINE} | b=b\nD2 < D1 | {two}\nD3 < D2 | b=B\nD4 < D3 | d=4\nS < D1 | {five}\nR < D2 S | {solved}\n{rest}"
    );
    Case { law, graph, base: "S", sync: Some(sync), new, merged: vec![], own: vec![], want }
}

fn table() -> Vec<Case> {
    let again = nine("a", &[(2, "AGAIN")]);
    // It may move; that GitHub will find a conflict is another matter.
    let mut squashed = case("squash-merged at their resolution", "Q < S", "R", "D4", Want::Conflict(&["a"]));
    squashed.graph.push_str(&format!(" | {}", nine("a", &[(2, "SOLVED")])));
    squashed.merged.push(("R", "Q"));
    squashed.base = "Q";
    let mut merged = case("merged at their resolution", "Q < S R | b=b", "R", "D3", Want::Clean);
    merged.merged.push(("R", "Q"));
    merged.base = "Q";
    merged.graph =
        merged.graph.replace("Q < S R | b=b", &format!("Q < S R | {}", nine("a", &[(2, "SOLVED")])));
    let mut forgotten = merged.clone();
    forgotten.law = "merged at their resolution, our rows lost";
    forgotten.merged.clear();
    let mut ours = case(
        "our merge on top is ours, theirs below it still counts",
        "O < R D3 | b=B",
        "O",
        "D4",
        Want::OnTop,
    );
    ours.own.push("O");
    let mut landed =
        case("theirs landed, only our merge is left", "O < R D3 | b=B\nQ < S R", "O", "D4", Want::Clean);
    landed.base = "Q";
    landed.graph = landed.graph.replace("Q < S R", &format!("Q < S R | {}", nine("a", &[(2, "SOLVED")])));
    landed.own.push("O");
    let mut unrecorded = landed.clone();
    unrecorded.law = "the same with our table lost: merged on top once more, nothing lost";
    unrecorded.own.clear();
    unrecorded.want = Want::OnTop;
    let mut touches = case("the resolved line changes again", "", "R", "D5", Want::Foreign(&["a"]));
    touches.graph.push_str(&format!("D5 < D3 | {again}"));
    let mut button = case("the button Update branch", "", "U", "D3", Want::OnTop);
    button.graph =
        button.graph.replace(&nine("a", &[(2, "OWN")]), "own=x") + &format!("U < D2 S | {}", "own=x");
    let mut diverged = case("a squash-merge older than their work", "W < R | w=w", "W", "D4", Want::OnTop);
    diverged.merged.push(("R", "S"));
    vec![
        case("a resolution, then a newer head", "", "R", "D3", Want::OnTop),
        merged,
        forgotten,
        squashed,
        case("the sync branch was reset to main", "", "S", "D3", Want::Conflict(&["a"])),
        ours,
        landed,
        unrecorded,
        button,
        touches,
        diverged,
        case("the head is there, with their work on it", "O < R D3 | b=B", "O", "D3", Want::Unchanged),
        case("exactly our head", "", "D3", "D3", Want::Unchanged),
        case("an older head of ours", "", "D2", "D3", Want::Conflict(&["a"])),
        case("a branch of another root", "Z | z=z", "Z", "D3", Want::Foreign(&[])),
    ]
}

#[tokio::test]
async fn only_what_is_neither_ours_nor_safe_elsewhere_counts_as_foreign() {
    check_all(table()).await;
}

#[tokio::test]
async fn a_merge_on_top_is_a_fast_forward_that_keeps_their_commit() {
    let world = World::new().await;
    let git = world.program().await;
    let case = case("a resolution, then a newer head", "", "R", "D3", Want::OnTop);
    let (stage, decision, mut bench) = case.check(&world, &git, "r").await;
    let Decision::Push { oid, .. } = decision else { panic!("{decision:?}") };
    let moves = [step("sync/main", Some(stage.at["R"]), oid)];
    let results = bench.push(&guard(), &stage.repo.remote(), &moves, false).await.unwrap();
    assert_eq!(results, [RefResult::Pushed]);
    let parents = stage.repo.git(&["log", "-1", "--format=%P", "sync/main"]);
    assert_eq!(parents, format!("{} {}", stage.at["R"], stage.at["D3"]));
    assert_eq!(stage.repo.git(&["cat-file", "blob", "sync/main:b"]), "B");
    assert!(stage.repo.git(&["cat-file", "blob", "sync/main:a"]).contains("SOLVED"));
    let people = stage.repo.git(&["log", "-1", "--format=%an %ae %cn %ct %B", "sync/main"]);
    let who = "Lockstep lockstep@users.noreply.github.com Lockstep 1800000000";
    assert_eq!(people, format!("{who} Merge project update"));
    // The same question gives the same commit: a retry after a crash finds it.
    let mut other = git.workbench().await.unwrap();
    let stop = StopSignal::default();
    let request = case.request(&stage.at);
    let again = other.decide(&stage.repo.remote(), &[request], &stop).await.unwrap();
    assert!(matches!(&again[..], [Decision::Push { oid: same, .. }] if *same == oid));
    // And the next update goes on top of that one.
    let next = Case { sync: None, new: "D4", own: vec![], ..case.clone() };
    let mut request = next.request(&stage.at);
    request.sync = Some(oid);
    request.own = vec![oid];
    git.fetch_distribution(
        crate::support::project(),
        &{
            let later = world.repo("d/later");
            later.import(&crate::support::Graph::read(&case.graph));
            later.set("refs/heads/main", stage.at["D4"]);
            later.remote()
        },
        &stop,
    )
    .await
    .unwrap();
    let decisions = other.decide(&stage.repo.remote(), &[request], &stop).await.unwrap();
    let [Decision::Push { oid: top, on_top: true, .. }] = &decisions[..] else { panic!("{decisions:?}") };
    let moves = [step("sync/main", Some(oid), *top)];
    assert_eq!(other.push(&guard(), &stage.repo.remote(), &moves, false).await.unwrap(), [RefResult::Pushed]);
    stage.repo.git(&["merge-base", "--is-ancestor", &stage.at["R"].to_string(), "sync/main"]);
    stage.repo.git(&["fsck", "--strict"]);
}
