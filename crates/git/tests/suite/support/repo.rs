//! A bare repository on the server, looked at and changed by plumbing only.

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use lockstep_domain::names::Oid;
use lockstep_domain::ports::Remote;

use super::server::{Server, TOKEN, USER};
use super::{Graph, search_path};

const CONFIG: &str = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n[http]\n\treceivepack = true\n\
     [uploadpack]\n\tallowFilter = true\n[gc]\n\tauto = 0\n[receive]\n\tautogc = false\n";

/// See above.
pub(crate) struct Repo {
    pub(crate) path: PathBuf,
    pub(crate) name: String,
    server: Arc<Server>,
}

impl Repo {
    pub(crate) fn new(server: &Arc<Server>, name: &str) -> Self {
        let path = server.root().join(format!("{name}.git"));
        // By hand, because it is done a hundred times.
        for folder in ["objects/info", "refs/heads"] {
            std::fs::create_dir_all(path.join(folder)).unwrap();
        }
        std::fs::write(path.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        std::fs::write(path.join("config"), CONFIG).unwrap();
        Self { path, name: name.to_owned(), server: Arc::clone(server) }
    }

    pub(crate) fn remote(&self) -> Remote {
        let url = format!("{}/{}.git", self.server.url(), self.name);
        Remote { url, user: USER.into(), password: TOKEN.into() }
    }

    pub(crate) fn git(&self, args: &[&str]) -> String {
        git_in(&self.path, args, b"")
    }

    pub(crate) fn git_with(&self, args: &[&str], input: &[u8]) -> String {
        git_in(&self.path, args, input)
    }

    /// Commits of the graph, by label.
    pub(crate) fn import(&self, graph: &Graph) -> HashMap<String, Oid> {
        let marks = self.path.join("marks");
        let option = format!("--export-marks={}", marks.display());
        self.git_with(&["fast-import", "--quiet", "--force", &option], graph.stream().as_bytes());
        let text = std::fs::read_to_string(&marks).unwrap();
        let by_mark: HashMap<&str, &str> =
            text.lines().filter_map(|line| line.trim_start_matches(':').split_once(' ')).collect();
        let oid = |index: usize| by_mark[(index + 1).to_string().as_str()].parse().unwrap();
        graph.labels().enumerate().map(|(index, label)| (label.to_owned(), oid(index))).collect()
    }

    pub(crate) fn set(&self, name: &str, oid: Oid) {
        self.git(&["update-ref", name, &oid.to_string()]);
    }

    pub(crate) fn at(&self, name: &str) -> Option<Oid> {
        let refs = self.git(&["for-each-ref", "--format=%(objectname) %(refname)"]);
        let mut lines = refs.lines().filter_map(|line| line.split_once(' '));
        lines.find(|(_, found)| *found == name).map(|(oid, _)| oid.parse().unwrap())
    }

    /// A hook, as a shell script.
    pub(crate) fn hook(&self, name: &str, script: &str) {
        use std::os::unix::fs::PermissionsExt;
        let folder = self.path.join("hooks");
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// git without anything of the user's, so that the expected side of a comparison is clean.
pub(crate) fn git_in(git_dir: &Path, args: &[&str], input: &[u8]) -> String {
    let mut child = Command::new("git")
        .arg(format!("--git-dir={}", git_dir.display()))
        .args(args)
        .env_clear()
        .env("PATH", search_path())
        .env("HOME", "/nonexistent")
        .env("LC_ALL", "C")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}
