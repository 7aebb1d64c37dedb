//! The histories of docs/OUTSIDE.md: when a recipient is up to date, and what GitHub would do.

use crate::decide::{Case, Want, check_all};
use crate::support::{NINE, nine};

/// D1 was handed out; D2 changes line 5 of `a`; the recipient's main is `base`.
fn case(law: &'static str, rest: &str, want: Want) -> Case {
    let line5 = nine("a", &[(5, "FIVE")]);
    let graph = format!("D1 | {NINE} | b=b\nD2 < D1 | {line5}\n{rest}");
    Case { law, graph, base: "M", sync: None, new: "D2", merged: Vec::new(), own: Vec::new(), want }
}

/// The same with a pull request at `head`, merged as `commit`.
fn merged(mut case: Case, head: &'static str, commit: &'static str) -> Case {
    case.merged.push((head, commit));
    case
}

fn based(mut case: Case, base: &'static str) -> Case {
    case.base = base;
    case
}

fn newer(mut case: Case, new: &'static str) -> Case {
    case.new = new;
    case
}

/// D1 and D2 told anew.
fn told(law: &'static str, graph: &str, want: Want) -> Case {
    Case { graph: graph.to_owned(), ..case(law, "", want) }
}

#[tokio::test]
async fn what_was_merged_by_ancestry_is_up_to_date() {
    let line5 = nine("a", &[(5, "FIVE")]);
    check_all(vec![
        based(case("base is the new head", "", Want::UpToDate), "D2"),
        case("base contains the new head", "M < D2 | own=x", Want::UpToDate),
        case("merged with a merge commit", &format!("S < D1 | own=x\nM < S D2 | {line5}"), Want::UpToDate),
        case(
            "merged, then reverted",
            &format!("S < D1 | own=x\nG < S D2 | {line5}\nM < G | {NINE}"),
            Want::Undone,
        ),
        case("merged with the strategy ours", "S < D1 | own=x\nM < S D2", Want::Undone),
    ])
    .await;
}

#[tokio::test]
async fn what_is_there_by_content_is_up_to_date() {
    let line5 = nine("a", &[(5, "FIVE")]);
    let both = nine("a", &[(5, "FIVE"), (8, "OWN")]);
    let cherry = format!("D1 | {NINE}\nD2 < D1 | {line5}\nD3 < D2 | {NINE} | n=1\nM < D1 | n=1");
    check_all(vec![
        case("squash-merged", &format!("M < D1 | {line5}"), Want::UpToDate),
        case("squash-merged beside own work", &format!("S < D1 | own=x\nM < S | {line5}"), Want::UpToDate),
        case("squash-merged with own work near", &format!("S < D1 | {both}\nM < S | own=x"), Want::UpToDate),
        newer(
            told(
                "two updates, rebase-merged",
                &format!("D1 | {NINE}\nD2 < D1 | {line5}\nD3 < D2 | n=1\nS < D1 | own=x\nP < S | {line5}\nM < P | n=1"),
                Want::UpToDate,
            ),
            "D3",
        ),
        case("applied by hand, then own work", &format!("H < D1 | {line5}\nM < H | b=own"), Want::UpToDate),
        told("the same rename", &format!("D1 | {NINE}\nD2 < D1 | a>c\nM < D1 | a>c | own=x"), Want::UpToDate),
        told("the same deletion", "D1 | a=1 | b=2\nD2 < D1 | -b\nM < D1 | -b | own=x", Want::UpToDate),
        told("the same new file", "D1 | a=1\nD2 < D1 | n=1\nM < D1 | n=1 | own=x", Want::UpToDate),
        newer(
            told(
                "an update and its reversal",
                &format!("D1 | {NINE}\nD2 < D1 | {line5}\nD3 < D2 | {NINE}\nM < D1 | own=x"),
                Want::UpToDate,
            ),
            "D3",
        ),
        newer(told("net nothing after a cherry-pick", &cherry, Want::UpToDate), "D3"),
    ])
    .await;
}

#[tokio::test]
async fn what_was_squash_merged_stays_taken_whatever_became_of_it() {
    let line5 = nine("a", &[(5, "FIVE")]);
    let edited = nine("a", &[(5, "MINE")]);
    let both = |head: &str, last: &str| {
        format!("D1 | {NINE} | b=b\nD2 < D1 | {line5} | n=1\nQ < D1 | {head}\nM < Q | {last}")
    };
    let took = format!("{line5} | n=1");
    let mut rewound =
        merged(told("squash-merged, then main was put back", &both(&took, "own=x"), Want::Clean), "D2", "Q");
    rewound.base = "D1";
    let fully =
        format!("D1 | {NINE} | b=b\nD2 < D1 | {line5}\nS < D1 | own=x\nG < S D2 | {line5}\nM < S | y=y");
    let d3 =
        format!("D1 | {NINE} | b=b\nD2 < D1 | {line5}\nD3 < D2 | b=B\nQ < D1 | {line5}\nM < Q | {edited}");
    check_all(vec![
        merged(told("the delivered line was edited", &both(&took, &edited), Want::UpToDate), "D2", "Q"),
        merged(told("the new file was edited", &both(&took, "n=2"), Want::UpToDate), "D2", "Q"),
        merged(told("the new file was deleted", &both(&took, "-n"), Want::Undone), "D2", "Q"),
        merged(
            told("all of it was reverted", &both(&took, &format!("{NINE} | -n")), Want::Undone),
            "D2",
            "Q",
        ),
        rewound,
        merged(told("merged, then main was put back", &fully, Want::Clean), "D2", "G"),
        newer(
            merged(
                told("an older head was taken, now D3", &d3.replace(&edited, "own=x"), Want::Clean),
                "D2",
                "Q",
            ),
            "D3",
        ),
        newer(
            merged(
                // The plain merge conflicts in the old line: that is what GitHub will do, and what is forecast.
                told("the line of D2 was edited, D3 touches another file", &d3, Want::Conflict(&["a"])),
                "D2",
                "Q",
            ),
            "D3",
        ),
        newer(
            merged(
                told(
                    "the line of D2 was edited, D3 changes nothing",
                    &d3.replace("| b=B", "| b=B\nD4 < D3 | b=b"),
                    Want::UpToDate,
                ),
                "D2",
                "Q",
            ),
            "D4",
        ),
    ])
    .await;
}

#[tokio::test]
async fn what_is_new_is_pushed_and_merges_as_git_says() {
    let line5 = nine("a", &[(5, "FIVE")]);
    check_all(vec![
        told(
            "partly applied",
            &format!("D1 | {NINE} | b=b\nD2 < D1 | {line5} | b=B\nM < D1 | b=B"),
            Want::Clean,
        ),
        case("a plain update", "M < D1 | own=x", Want::Clean),
        case("the recipient renamed, the update edits", "M < D1 | a>c", Want::Clean),
        told(
            "the update renames, the recipient edited",
            &format!("D1 | {NINE}\nD2 < D1 | a>c\nM < D1 | {line5}"),
            Want::Clean,
        ),
    ])
    .await;
}

#[tokio::test]
async fn what_conflicts_is_pushed_with_a_forecast_of_its_paths() {
    let spaced = nine("a", &[(5, "FIVE ")]);
    let crlf: Vec<String> = (1..=9).map(|n| format!("{n}\\r")).collect();
    let crlf = format!("a={}", crlf.join(","));
    check_all(vec![
        case("applied by hand with other whitespace", &format!("M < D1 | {spaced}"), Want::Conflict(&["a"])),
        case("converted to CRLF", &format!("M < D1 | {crlf}"), Want::Conflict(&["a"])),
        case("the same line", &format!("M < D1 | {}", nine("a", &[(5, "MINE")])), Want::Conflict(&["a"])),
        told("both add different files", "D1 | a=1\nD2 < D1 | n=1\nM < D1 | n=2", Want::Conflict(&["n"])),
        case("the recipient deleted what the update edits", "M < D1 | -a", Want::Conflict(&["a"])),
        told(
            "the update deletes what the recipient edited",
            &format!("D1 | {NINE} | b=b\nD2 < D1 | -a\nM < D1 | {}", nine("a", &[(5, "MINE")])),
            Want::Conflict(&["a"]),
        ),
        told(
            "a file where the update needs a folder",
            "D1 | a=1\nD2 < D1 | n/x=1\nM < D1 | n=2",
            Want::Conflict(&["n"]),
        ),
    ])
    .await;
}

#[tokio::test]
async fn unrelated_histories_have_nothing_in_common() {
    check_all(vec![case("another root", "M | a=1", Want::NoCommonHistory)]).await;
}

#[tokio::test]
async fn a_pull_request_without_its_merge_commit_in_the_base_proves_nothing() {
    let edited = nine("a", &[(5, "MINE")]);
    let line5 = nine("a", &[(5, "FIVE")]);
    let graph =
        format!("D1 | {NINE} | b=b\nD2 < D1 | {line5}\nQ < D1 | {line5}\nX < D1 | z=z\nM < Q | {edited}");
    check_all(vec![
        merged(told("its merge commit is in the base", &graph, Want::UpToDate), "D2", "Q"),
        merged(told("its merge commit is elsewhere", &graph, Want::Conflict(&["a"])), "D2", "X"),
    ])
    .await;
}

#[tokio::test]
async fn a_merged_head_that_is_the_recipients_own_resolution_counts() {
    // The pull request's head was R, a resolution on the sync branch; it was squash-merged as Q and edited after.
    let line5 = nine("a", &[(5, "FIVE")]);
    let graph = format!(
        "D1 | {NINE} | b=b\nD2 < D1 | {line5}\nS < D1 | {}\nR < D2 S | a=solved\nQ < S | a=solved\nM < Q | a=again",
        nine("a", &[(5, "MINE")])
    );
    check_all(vec![merged(told("squash-merged at a resolution", &graph, Want::UpToDate), "R", "Q")]).await;
}

#[tokio::test]
async fn a_head_that_was_merged_from_the_side_was_taken_too() {
    // `whole`: the source merged what was handed out last (D2) into another line, so D2 is D3's second parent.
    let (line5, edited) = (nine("a", &[(5, "FIVE")]), nine("a", &[(5, "MINE")]));
    let graph = format!(
        "D1 | {NINE}\nD2 < D1 | {line5}\nY < D1 | a=1\nZ < Y | {NINE}\nD3 < Z D2 | {line5}\nQ < D1 | {line5}\nM < Q | {edited}"
    );
    let case = merged(told("squash-merged, edited, then a crossing", &graph, Want::UpToDate), "D2", "Q");
    check_all(vec![newer(case, "D3")]).await;
}
