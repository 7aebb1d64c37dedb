//! Building: a commit of the source's own tree, byte for byte, whatever the user's git is told.

use std::path::Path;
use std::process::Command;

use lockstep_domain::clock::Millis;
use lockstep_domain::names::Oid;
use lockstep_domain::ports::{CommitSpec, Git, RefResult};
use lockstep_domain::stop::StopSignal;
use lockstep_git::GitProgram;

use crate::decide::{Case, Want};
use crate::support::{NINE, Repo, World, guard, main_branch, nine, project, search_path, source, step};

/// Names and contents that a careless build would change.
const ODD: &[(&str, &str, &str)] = &[
    ("100755", "run.sh", "#!/bin/sh\n"),
    ("120000", "link", "run.sh"),
    ("120000", "dangling", "nowhere/at all"),
    ("100644", "crlf.txt", "one\r\ntwo\r\n"),
    ("100644", ".gitattributes", "* text=auto eol=crlf\n*.id ident\n*.bin filter=lfs\n"),
    ("100644", "a.id", "$Id$\n"),
    ("100644", "large.bin", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n"),
    ("100644", ".gitignore", "*.log\n"),
    ("100644", "kept.log", "tracked although ignored\n"),
    ("100644", "\"caf\\351.txt\"", "latin-1 name\n"),
    ("100644", "\"new\\nline\\ttab\\\"quote\\\\back\"", "odd name\n"),
    ("100644", "deep/er/file", "x\n"),
];

/// A source with all of that, and a submodule link.
fn odd_source(world: &World) -> (Repo, Oid) {
    let repo = world.repo("staff/source");
    let mut stream = String::from(
        "commit refs/heads/main\nauthor T <t@x> 1700000000 +0100\ncommitter T <t@x> 1700000000 +0100\ndata 6\nsecret\n",
    );
    for (mode, path, content) in ODD {
        stream.push_str(&format!("M {mode} inline {path}\ndata {}\n{content}\n", content.len()));
    }
    stream.push_str(&format!("M 160000 {} sub\n\n", "5".repeat(40)));
    repo.git_with(&["fast-import", "--quiet"], stream.as_bytes());
    let head = repo.at("refs/heads/main").unwrap();
    (repo, head)
}

/// Fetch, commit on the distribution, push.
async fn build(git: &GitProgram, from: &Repo, to: &Repo) -> Oid {
    let heads = git.fetch_source(source(), &from.remote(), &StopSignal::default()).await.unwrap();
    assert_eq!(heads, [("main".to_owned(), from.at("refs/heads/main").unwrap())]);
    let tree = git.tree_of(heads[0].1).await.unwrap();
    let spec = CommitSpec {
        tree,
        parents: Vec::new(),
        message: "Project update\n".into(),
        at: Millis(1_750_000_000_999),
    };
    let commit = git.commit(project(), &main_branch(), &spec).await.unwrap();
    let results = git.push_distribution(&guard(), &to.remote(), &[step("main", None, commit)]).await.unwrap();
    assert_eq!(results, [RefResult::Pushed]);
    commit
}

#[tokio::test]
async fn a_built_commit_holds_the_source_byte_for_byte_and_nothing_of_its_history() {
    let world = World::new().await;
    let git = world.program().await;
    let (from, head) = odd_source(&world);
    let to = world.repo("staff/distribution");
    let commit = build(&git, &from, &to).await;
    let listing = ["ls-tree", "-r", "-t", "-z", "main"];
    assert_eq!(to.git(&listing), from.git(&listing));
    assert_eq!(to.at("refs/heads/main"), Some(commit));
    let raw = to.git(&["cat-file", "commit", "main"]);
    let tree = from.git(&["rev-parse", "main^{tree}"]);
    let who = "Lockstep <lockstep@users.noreply.github.com> 1750000000 +0000";
    assert_eq!(raw, format!("tree {tree}\nauthor {who}\ncommitter {who}\n\nProject update"));
    let objects = to.git(&["cat-file", "--batch-check", "--batch-all-objects"]);
    assert!(!objects.contains(&head.to_string()), "the source's commit went along");
    to.git(&["fsck", "--strict"]);
}

#[tokio::test]
async fn a_retry_yields_the_same_commit_and_the_date_is_never_before_a_parents() {
    let world = World::new().await;
    let git = world.program().await;
    let (from, _) = odd_source(&world);
    let first = build(&git, &from, &world.repo("d/one")).await;
    assert_eq!(build(&git, &from, &world.repo("d/two")).await, first);
    let tree = git.tree_of(first).await.unwrap();
    let spec =
        CommitSpec { tree, parents: vec![first], message: "Project update\n".into(), at: Millis(1_000) };
    let second = git.commit(project(), &main_branch(), &spec).await.unwrap();
    assert_eq!(git.commit(project(), &main_branch(), &spec).await.unwrap(), second);
    let log = git.log(None, second, 10).await.unwrap();
    assert_eq!(log.iter().map(|info| info.at).collect::<Vec<_>>(), [Millis(1_750_000_000_000); 2]);
}

#[tokio::test]
async fn a_commit_is_kept_by_a_ref_before_anybody_pushes_it() {
    let world = World::new().await;
    let git = world.program().await;
    let (from, _) = odd_source(&world);
    let commit = build(&git, &from, &world.repo("d/one")).await;
    let refs = world.store(&["for-each-ref", "--format=%(objectname) %(refname)"]);
    let kept = format!("{commit} refs/lockstep/keep/{}/main", project());
    let published = format!("{commit} refs/lockstep/dist/{}/main", project());
    assert!(refs.contains(&kept) && refs.contains(&published), "{refs}");
    git.sweep().await.unwrap();
    let refs = world.store(&["for-each-ref", "--format=%(objectname) %(refname)"]);
    assert!(!refs.contains(&kept) && refs.contains(&published), "published, so not kept twice: {refs}");
}

#[tokio::test]
async fn a_missing_tree_or_parent_is_told_and_makes_nothing() {
    let world = World::new().await;
    let git = world.program().await;
    let none: Oid = "1".repeat(40).parse().unwrap();
    let spec = CommitSpec { tree: none, parents: vec![], message: "x\n".into(), at: Millis(0) };
    for parents in [vec![], vec![none]] {
        let spec = CommitSpec { parents, ..spec.clone() };
        let error = git.commit(project(), &main_branch(), &spec).await.unwrap_err();
        assert!(matches!(error, lockstep_domain::ports::GitError::MissingObject(_)), "{error:?}");
        crate::support::assert_clean(&error, &world);
    }
    assert_eq!(world.store(&["for-each-ref"]), "");
}

/// Runs only inside the test below, in a process whose environment is hostile.
#[tokio::test]
#[ignore = "a part of a_hostile_user_configuration_changes_nothing"]
async fn hostile_part() {
    let world = World::new().await;
    let git = world.program().await;
    let (from, _) = odd_source(&world);
    let commit = build(&git, &from, &world.repo("d/one")).await;
    let mine = nine("a", &[(5, "MINE")]);
    let theirs = nine("a", &[(5, "FIVE")]);
    let case = Case {
        law: "a real conflict stays one",
        graph: format!("D1 | {NINE}\nD2 < D1 | {theirs}\nM < D1 | {mine}"),
        base: "M",
        sync: None,
        new: "D2",
        merged: Vec::new(),
        own: Vec::new(),
        want: Want::Conflict(&["a"]),
    };
    let (stage, _, mut bench) = case.check(&world, &git, "r").await;
    let moves = [step("sync/main", None, stage.at["D2"])];
    let results = bench.push(&guard(), &stage.repo.remote(), &moves, true).await.unwrap();
    assert_eq!(results, [RefResult::Pushed]);
    println!("BUILT {commit}");
}

fn run_part(change: impl FnOnce(&mut Command)) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "build::hostile_part", "--ignored", "--nocapture"]);
    command.env_clear().env("PATH", search_path());
    change(&mut command);
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    text.lines().find_map(|line| line.split_once("BUILT ")).map(|(_, oid)| oid.to_owned()).unwrap()
}

fn hostile_home(home: &Path) {
    let hooks = home.join("hooks");
    std::fs::create_dir_all(&hooks).unwrap();
    std::fs::create_dir_all(home.join(".config/git")).unwrap();
    for hook in ["pre-push", "reference-transaction", "post-checkout"] {
        use std::os::unix::fs::PermissionsExt;
        std::fs::write(hooks.join(hook), "#!/bin/sh\nexit 1\n").unwrap();
        std::fs::set_permissions(hooks.join(hook), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let config = format!(
        "[core]\nautocrlf=true\nhooksPath={}\nattributesFile={}\n[url \"http://127.0.0.1:9/\"]\ninsteadOf=http://127.0.0.1\n\
         [merge]\nrenormalize=true\ndirectoryRenames=false\n[commit]\ngpgsign=true\n[i18n]\ncommitEncoding=latin1\n\
         [init]\ndefaultObjectFormat=sha256\ndefaultRefFormat=reftable\n[user]\nname=Evil\nemail=evil@x\n\
         [credential]\nhelper=!echo username=evil password=evil\n[http]\nproxy=http://127.0.0.1:9\n[push]\nfollowTags=true\n\
         [safe]\nbareRepository=explicit\n",
        hooks.display(),
        home.join(".config/git/attributes").display()
    );
    std::fs::write(home.join(".gitconfig"), config).unwrap();
    std::fs::write(home.join(".config/git/attributes"), "* merge=union text\n").unwrap();
    std::fs::write(home.join(".netrc"), "machine 127.0.0.1 login evil password evil\n").unwrap();
}

#[test]
fn a_hostile_user_configuration_changes_nothing() {
    let home = tempfile::tempdir().unwrap();
    hostile_home(home.path());
    let clean = run_part(|_| {});
    let hostile = run_part(|command| {
        let nowhere = home.path().join("nowhere");
        command.env("HOME", home.path()).env("XDG_CONFIG_HOME", home.path().join(".config"));
        for name in ["GIT_DIR", "GIT_OBJECT_DIRECTORY", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_TRACE2"] {
            command.env(name, &nowhere);
        }
        for name in ["GIT_AUTHOR_NAME", "GIT_COMMITTER_EMAIL", "GIT_AUTHOR_DATE", "EMAIL"] {
            command.env(name, "evil");
        }
        command.env("http_proxy", "http://127.0.0.1:9").env("ALL_PROXY", "http://127.0.0.1:9");
        command.env("GIT_CONFIG_GLOBAL", home.path().join(".gitconfig")).env("GIT_ATTR_SOURCE", "main");
    });
    assert_eq!(clean, hostile);
}
