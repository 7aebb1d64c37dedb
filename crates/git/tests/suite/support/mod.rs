//! The test world: a temp folder, a server on loopback, bare repositories, a git program.

mod graph;
mod repo;
mod server;
mod watch;

use std::path::PathBuf;
use std::sync::Arc;

use lockstep_domain::clock::BootMillis;
use lockstep_domain::ids::{ProjectId, RunId, SourceId};
use lockstep_domain::lease::{Fence, LeaseGuard, OwnerToken, Window};
use lockstep_domain::names::{BranchName, Oid};
use lockstep_domain::ports::{GitError, RefMove};
use lockstep_git::{GitOptions, GitProgram};
use uuid::Uuid;

pub(crate) use graph::{Graph, NINE, nine};
pub(crate) use repo::Repo;
pub(crate) use server::{Act, Server, Step, TOKEN};
pub(crate) use watch::{files_with, processes_of};

/// One test's world; everything is gone when it is dropped.
pub(crate) struct World {
    pub(crate) server: Arc<Server>,
    pub(crate) dir: tempfile::TempDir,
}

impl World {
    pub(crate) async fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let server = Server::start(dir.path().join("srv")).await;
        Self { server, dir }
    }

    pub(crate) fn data_dir(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    pub(crate) fn options(&self) -> GitOptions {
        GitOptions::new(self.data_dir(), search_path())
    }

    pub(crate) async fn program(&self) -> GitProgram {
        GitProgram::new(self.options()).await.unwrap()
    }

    /// An empty bare repository on the server.
    pub(crate) fn repo(&self, name: &str) -> Repo {
        Repo::new(&self.server, name)
    }
}

#[expect(clippy::disallowed_methods, reason = "a test looks for git where its host does")]
pub(crate) fn search_path() -> String {
    std::env::var("PATH").unwrap()
}

/// Every git of this machine: the oldest supported one and the newest answer alike.
pub(crate) fn gits() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::env::split_paths(&search_path())
        .filter_map(|folder| folder.join("git").canonicalize().ok())
        .collect();
    found.sort();
    found.dedup();
    found
}

#[expect(clippy::disallowed_methods, reason = "a test needs a guard without a database")]
pub(crate) fn guard() -> LeaseGuard {
    LeaseGuard::mint(
        project(),
        RunId(Uuid::from_u128(7)),
        Fence(1),
        OwnerToken::new([7; 16]),
        Window::DEFAULT,
        BootMillis(0),
    )
}

pub(crate) fn project() -> ProjectId {
    ProjectId(Uuid::from_u128(1))
}

pub(crate) fn source() -> SourceId {
    SourceId(Uuid::from_u128(2))
}

pub(crate) fn main_branch() -> BranchName {
    "main".parse().unwrap()
}

pub(crate) fn step(name: &str, old: Option<Oid>, new: Oid) -> RefMove {
    RefMove { name: format!("refs/heads/{name}"), old, new }
}

/// Asserts that an error's words hold neither the token nor a local path.
pub(crate) fn assert_clean(error: &GitError, world: &World) {
    let text = format!("{error} {error:?}");
    assert!(!text.contains(TOKEN), "{text}");
    assert!(!text.contains(world.dir.path().to_str().unwrap()), "{text}");
}

impl World {
    /// Plumbing on the shared store, from outside.
    pub(crate) fn store(&self, args: &[&str]) -> String {
        repo::git_in(&self.data_dir().join("git/store.git"), args, b"")
    }
}
