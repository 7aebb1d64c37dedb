//! Deciding one constructed case: a recipient's repository, a distribution, and what the workbench answers.

use std::collections::HashMap;

use lockstep_domain::clock::Millis;
use lockstep_domain::names::Oid;
use lockstep_domain::ports::{DecideRequest, Decision, Forecast, Git, Workbench};
use lockstep_domain::stop::StopSignal;
use lockstep_git::{GitOptions, GitProgram};

use crate::support::{Graph, Repo, World, gits, project};

/// A recipient and what is asked about it. Labels name commits of the graph.
#[derive(Clone)]
pub(crate) struct Case {
    pub(crate) law: &'static str,
    pub(crate) graph: String,
    pub(crate) base: &'static str,
    pub(crate) sync: Option<&'static str>,
    pub(crate) new: &'static str,
    /// Merged pull requests: head and merge commit.
    pub(crate) merged: Vec<(&'static str, &'static str)>,
    pub(crate) own: Vec<&'static str>,
    pub(crate) want: Want,
}

/// The expected decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Want {
    UpToDate,
    Undone,
    /// Push the new head, clean.
    Clean,
    /// Push the new head, conflict in these paths.
    Conflict(&'static [&'static str]),
    Unchanged,
    /// Push a merge on top of the sync branch, clean.
    OnTop,
    Foreign(&'static [&'static str]),
    NoCommonHistory,
}

/// A case on the server.
pub(crate) struct Stage {
    pub(crate) repo: Repo,
    pub(crate) at: HashMap<String, Oid>,
}

impl Case {
    /// Makes the recipient `o/<name>` and brings the distribution's head into the store.
    pub(crate) async fn stage(&self, world: &World, git: &GitProgram, name: &str) -> Stage {
        let graph = Graph::read(&self.graph);
        let repo = world.repo(&format!("o/{name}"));
        let at = repo.import(&graph);
        repo.set("refs/heads/main", at[self.base]);
        if let Some(sync) = self.sync {
            repo.set("refs/heads/sync/main", at[sync]);
        }
        for (number, (head, _)) in self.merged.iter().enumerate() {
            repo.set(&format!("refs/pull/{}/head", number + 1), at[*head]);
        }
        let distribution = world.repo(&format!("d/{name}"));
        distribution.import(&graph);
        distribution.set("refs/heads/main", at[self.new]);
        git.fetch_distribution(project(), &distribution.remote(), &StopSignal::default()).await.unwrap();
        Stage { repo, at }
    }

    pub(crate) fn request(&self, at: &HashMap<String, Oid>) -> DecideRequest {
        let numbered = self.merged.iter().zip(1..);
        DecideRequest {
            base: at[self.base],
            base_ref: "refs/heads/main".into(),
            sync: self.sync.map(|label| at[label]),
            sync_ref: "refs/heads/sync/main".into(),
            new: at[self.new],
            merged: numbered.map(|((head, commit), n)| (n, at[*head], Some(at[*commit]))).collect(),
            own: self.own.iter().map(|label| at[*label]).collect(),
            at: Millis(1_800_000_000_000),
        }
    }

    /// Runs the case and compares; the workbench is given back for what comes next.
    pub(crate) async fn check(
        &self,
        world: &World,
        git: &GitProgram,
        name: &str,
    ) -> (Stage, Decision, Box<dyn Workbench>) {
        let stage = self.stage(world, git, name).await;
        let (decision, bench) = self.ask(git, &stage).await;
        (stage, decision, bench)
    }

    async fn ask(&self, git: &GitProgram, stage: &Stage) -> (Decision, Box<dyn Workbench>) {
        let mut bench = git.workbench().await.unwrap();
        let request = self.request(&stage.at);
        let stop = StopSignal::default();
        let decisions = bench.decide(&stage.repo.remote(), &[request], &stop).await.unwrap();
        let [decision] = &decisions[..] else { panic!("{decisions:?}") };
        let got = told(decision, stage.at[self.new]);
        assert_eq!(got, format!("{:?}", self.want), "{} ({})", self.law, git.version().await.unwrap());
        assert!(bench.fetches() <= 1);
        (decision.clone(), bench)
    }
}

/// Every case, decided by every git of this machine over the same store.
pub(crate) async fn check_all(cases: Vec<Case>) {
    let world = World::new().await;
    let mut programs = Vec::new();
    for git in gits() {
        programs.push(GitProgram::new(GitOptions { git, ..world.options() }).await.unwrap());
    }
    for (number, case) in cases.iter().enumerate() {
        let stage = case.stage(&world, &programs[0], &format!("r{number}")).await;
        for git in &programs {
            case.ask(git, &stage).await;
        }
    }
}

/// A decision in the words of [`Want`].
fn told(decision: &Decision, new: Oid) -> String {
    let want = match decision {
        Decision::UpToDate { undone: false } => Want::UpToDate,
        Decision::UpToDate { undone: true } => Want::Undone,
        Decision::Unchanged(_) => Want::Unchanged,
        Decision::NoCommonHistory => Want::NoCommonHistory,
        Decision::ForeignCommits(paths) => return format!("Foreign({paths:?})"),
        Decision::Push { oid, on_top, forecast: Forecast::Conflict(paths), .. } => {
            assert!(!on_top && *oid == new);
            return format!("Conflict({paths:?})");
        }
        Decision::Push { oid, on_top, forecast: Forecast::Clean, .. } => {
            assert_eq!(*oid == new, !*on_top);
            if *on_top { Want::OnTop } else { Want::Clean }
        }
        other => return format!("{other:?}"),
    };
    format!("{want:?}")
}
