//! The batched read of recipients, against the practice forge and its schema.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod world;

use lockstep_domain::ids::ConnectionId;
use lockstep_domain::model::{Mergeable, PullState, RepoIdent};
use lockstep_domain::ports::{BranchQuery, Forge, RecipientsQuery};
use lockstep_forge::{AgentKind, BaseStyle, MergeMethod, RepositorySeen};
use world::{World, at, update};

fn branch(name: &str, base: &str, head: &str) -> BranchQuery {
    BranchQuery { branch: name.parse().unwrap(), base: base.parse().unwrap(), head: head.parse().unwrap() }
}

fn ident(seen: &RepositorySeen) -> RepoIdent {
    let at = at(seen);
    RepoIdent {
        connection: ConnectionId(uuid::Uuid::nil()),
        id: at.id,
        node_id: seen.node_id.clone(),
        slug: at.slug,
    }
}

const NOWHERE: &str = "9999999999999999999999999999999999999999";

#[tokio::test]
async fn a_hundred_and_twenty_recipients_cost_three_questions_in_order() {
    let world = World::new(BaseStyle::Root).await;
    let seen: Vec<_> = (0..120).map(|n| world.empty(&format!("school/r-{n:03}"))).collect();
    let ids: Vec<_> = seen.iter().map(|seen| seen.node_id.clone()).collect();
    let forge = world.as_teacher();
    let query = RecipientsQuery { node_ids: ids.clone(), branches: vec![branch("main", "main", NOWHERE)] };
    let reads = forge.recipients(&query).await.unwrap();
    assert_eq!(reads.iter().map(|read| read.node_id.clone()).collect::<Vec<_>>(), ids);
    for (read, seen) in reads.iter().zip(&seen) {
        assert_eq!(read.repo.as_ref().unwrap().slug.to_string(), seen.full_name);
    }
    let journal = world.practice.journal();
    assert_eq!(journal.count(|entry| entry.kind == AgentKind::Graphql), 3);
    assert_eq!(journal.entries().len(), 3);
    assert!(journal.entries().iter().all(|entry| entry.operation.as_deref() == Some("Recipients")));
    world.ends_clean();
}

#[tokio::test]
async fn a_recipient_is_told_with_heads_trees_distance_and_pull_requests() {
    let world = World::new(BaseStyle::ApiV3).await;
    let (forge, _) = world.as_app();
    let guard = world.guard();
    let (repo, head) = world.synced("school/a");
    let pull = forge.open_pull(&guard, &repo, &update("One")).await.unwrap().value;
    let node_id = forge.repository(repo.id).await.unwrap().node_id;
    let branches = vec![
        branch("main", "main", &head),
        branch("bonus", "bonus", &head),
        branch("other", "main", NOWHERE),
    ];
    let query = RecipientsQuery { node_ids: vec![node_id], branches };
    let told = forge.recipients(&query).await.unwrap().remove(0).repo.unwrap();
    assert_eq!((told.id, &told.slug), (repo.id, &repo.slug));
    assert!(!told.archived && !told.empty && told.merge_commit_allowed);
    assert_eq!(told.default_branch.as_deref(), Some("main"));

    let main = &told.branches[0];
    let base = world.control().branch("school/a", "main").unwrap().unwrap();
    assert_eq!(main.base.unwrap().0.to_string(), base);
    assert_eq!(main.ahead_by, Some(1));
    assert_eq!(main.sync.unwrap().to_string(), head);
    assert_eq!(main.pulls.len(), 1);
    let read = &main.pulls[0];
    assert_eq!((read.number, read.state), (pull.number, PullState::Open));
    assert_eq!(read.author, "course-sync[bot]", "the same author as REST tells");
    assert_eq!((read.head_repo, read.head), (pull.head_repo, pull.head));
    assert_eq!((read.created_at, &read.url), (pull.created_at, &pull.url));

    let bonus = &told.branches[1];
    assert!(bonus.base.is_none() && bonus.sync.is_none() && bonus.pulls.is_empty());
    let other = &told.branches[2];
    assert!(other.base.is_some());
    assert_eq!(other.ahead_by, None, "a head that is not there cannot be compared");
    world.ends_clean();
}

#[tokio::test]
async fn a_merged_pull_request_carries_its_merge_commit_and_zero_ahead() {
    let world = World::new(BaseStyle::Root).await;
    let (forge, _) = world.as_app();
    let (repo, head) = world.synced("school/a");
    let pull = forge.open_pull(&world.guard(), &repo, &update("One")).await.unwrap().value;
    let number = u64::try_from(pull.number).unwrap();
    let merge = world.control().merge_pull_request("school/a", number, MergeMethod::Merge).unwrap();
    let node_id = forge.repository(repo.id).await.unwrap().node_id;
    let query = RecipientsQuery { node_ids: vec![node_id], branches: vec![branch("main", "main", &head)] };
    let told = forge.recipients(&query).await.unwrap().remove(0).repo.unwrap();
    let main = &told.branches[0];
    assert_eq!(main.ahead_by, Some(0));
    assert_eq!(main.pulls[0].state, PullState::Merged);
    assert_eq!(main.pulls[0].merge_commit.unwrap().to_string(), merge);
    assert!(main.pulls[0].merged_at.is_some());
    assert_eq!(main.pulls[0].mergeable, Mergeable::Unknown);
    world.ends_clean();
}

#[tokio::test]
async fn what_cannot_be_seen_is_nothing_and_the_others_are_whole() {
    let world = World::new(BaseStyle::Root).await;
    let forge = world.as_teacher();
    let gone = world.started("school/gone");
    world.control().delete("school/gone").unwrap();
    let hidden = world.started("stranger/hidden");
    let archived = world.started("school/archived");
    world.control().archive("school/archived").unwrap();
    let empty = world.empty("school/empty");
    let fine = world.started("school/fine");
    world.control().rename("school/fine", "still-fine").unwrap();
    let all = [&gone, &fine, &hidden, &archived, &empty];
    let query = RecipientsQuery {
        node_ids: all.iter().map(|seen| seen.node_id.clone()).collect(),
        branches: vec![branch("main", "main", NOWHERE)],
    };
    let reads = forge.recipients(&query).await.unwrap();
    assert!(reads[0].repo.is_none() && reads[2].repo.is_none());
    let repo = |n: usize| reads[n].repo.as_ref().unwrap();
    assert_eq!(repo(1).slug.to_string(), "school/still-fine");
    assert_eq!(repo(1).id, at(&fine).id);
    assert!(repo(3).archived && !repo(3).empty);
    assert!(repo(4).empty && repo(4).branches[0].base.is_none());
    assert_eq!(world.practice.journal().count(|entry| entry.kind == AgentKind::Graphql), 1);
    world.ends_clean();
}

#[tokio::test]
async fn repositories_with_their_heads_cost_one_question_and_only_the_lost_ones_are_asked_by_number() {
    let world = World::new(BaseStyle::ApiV3).await;
    let (forge, control) = (world.as_teacher(), world.control());
    let fine = world.started("school/fine");
    control.commit_file("school/fine", "bonus/x", "b.txt", b"b\n", "More").unwrap();
    let archived = world.started("school/archived");
    let empty = world.empty("school/empty");
    let all = [&fine, &archived, &empty].map(ident);
    control.rename("school/fine", "still-fine").unwrap();
    control.archive("school/archived").unwrap();
    let asked: Vec<_> = all.iter().collect();
    let reads = forge.repositories(&asked).await.unwrap();
    let journal = world.practice.journal();
    assert_eq!(journal.count(|entry| entry.kind == AgentKind::Graphql), 1);
    assert_eq!(journal.entries().len(), 1, "and nothing over REST");
    let read = |n: usize| reads[n].as_ref().unwrap();
    for (n, ident) in all.iter().enumerate() {
        // Over REST the same is told, and besides the default branch that an empty repository is going to have.
        let mut told = forge.repository(ident.id).await.unwrap();
        told.default_branch = told.default_branch.filter(|_| !read(n).heads.is_empty());
        assert_eq!(read(n).repo, told);
        let mut heads = forge.heads(&read(n).repo).await.unwrap();
        heads.sort();
        assert_eq!(read(n).heads, heads);
    }
    assert_eq!(read(0).repo.slug.to_string(), "school/still-fine");
    assert_eq!(read(0).heads.len(), 2);
    assert!(read(0).repo.private && read(1).repo.archived && read(2).heads.is_empty());

    let hidden = ident(&world.started("stranger/hidden"));
    control.delete("school/archived").unwrap();
    journal.clear();
    let asked = [&all[1], &all[0], &hidden];
    let reads = forge.repositories(&asked).await.unwrap();
    assert!(reads[0].is_none() && reads[1].is_some() && reads[2].is_none());
    assert_eq!(journal.count(|entry| entry.kind == AgentKind::Graphql), 1);
    assert_eq!(journal.count(|entry| entry.kind == AgentKind::Rest), 2);
    world.ends_clean();
}

#[tokio::test]
async fn the_document_is_valid_for_one_to_ten_branches() {
    let world = World::new(BaseStyle::Root).await;
    let forge = world.as_teacher();
    let seen = world.started("school/a");
    for k in [1, 2, 10] {
        let branches = (0..k).map(|n| branch(&format!("b{n}"), "main", NOWHERE)).collect();
        let query = RecipientsQuery { node_ids: vec![seen.node_id.clone()], branches };
        let told = forge.recipients(&query).await.unwrap().remove(0).repo.unwrap();
        assert_eq!(told.branches.len(), k);
        assert!(told.branches.iter().all(|branch| branch.base.is_some()));
    }
    world.ends_clean();
}
