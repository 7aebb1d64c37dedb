//! Writing: new bare repositories, commits through `git fast-import`, refs by compare-and-swap.

use std::path::Path;

use super::refs;
use super::{Git, ZERO, is_oid};
use crate::options::ForgeError;

/// Name and address in a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// The name.
    pub name: String,
    /// The e-mail address.
    pub email: String,
}

impl Person {
    /// A person.
    pub fn new(name: impl Into<String>, email: impl Into<String>) -> Self {
        Self { name: name.into(), email: email.into() }
    }
}

/// How git records a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileMode {
    /// 100644.
    Plain,
    /// 100755.
    Executable,
    /// 120000; the content is the target.
    Symlink,
}

impl FileMode {
    fn octal(self) -> &'static str {
        match self {
            Self::Plain => "100644",
            Self::Executable => "100755",
            Self::Symlink => "120000",
        }
    }
}

/// A change that a commit makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Writes a file, creating its folders.
    Write {
        /// Path from the root, `/` between folders.
        path: String,
        /// File mode.
        mode: FileMode,
        /// The bytes.
        content: Vec<u8>,
    },
    /// Removes a file or folder.
    Remove(String),
    /// Renames a file or folder.
    Rename(String, String),
}

impl Change {
    /// A plain file.
    pub fn file(path: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        Self::Write { path: path.into(), mode: FileMode::Plain, content: content.into() }
    }
}

/// A commit to make on the tip of a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitSpec {
    /// Author.
    pub author: Person,
    /// Committer; `None`: the author.
    pub committer: Option<Person>,
    /// Date in seconds since 1970.
    pub seconds: i64,
    /// Offset of the date, for instance `+0100`.
    pub offset: String,
    /// Message; a newline is added when it has none.
    pub message: String,
    /// Changes to the tree of the branch's tip.
    pub changes: Vec<Change>,
}

/// Creates a bare repository that serves smart HTTP the way the forge needs it. Written by hand: no template, nothing
/// of the user's, and no child process.
pub(crate) fn init(dir: &Path, default_branch: &str) -> Result<(), ForgeError> {
    let io = |error| ForgeError::io("create repository", error);
    for folder in ["objects/info", "objects/pack", "refs/heads", "refs/tags"] {
        std::fs::create_dir_all(dir.join(folder)).map_err(io)?;
    }
    std::fs::write(dir.join("HEAD"), format!("ref: refs/heads/{default_branch}\n")).map_err(io)?;
    super::hook::write_config(dir)?;
    super::hook::install(dir)
}

/// Gives `to` all packed objects of `from`, by hard links where the file system has them.
pub(crate) fn share_packs(from: &Path, to: &Path) -> Result<(), ForgeError> {
    let io = |error| ForgeError::io("share packs", error);
    let target = to.join("objects/pack");
    for entry in std::fs::read_dir(from.join("objects/pack")).map_err(io)? {
        let entry = entry.map_err(io)?;
        let place = target.join(entry.file_name());
        if std::fs::hard_link(entry.path(), &place).is_err() {
            std::fs::copy(entry.path(), &place).map_err(io)?;
        }
    }
    Ok(())
}

/// Appends commits to a branch (created when absent) and returns their ids in order.
pub(crate) fn commits(
    git: &Git,
    dir: &Path,
    branch: &str,
    from: Option<&str>,
    specs: &[CommitSpec],
) -> Result<Vec<String>, ForgeError> {
    let tip = from.map(str::to_owned).or_else(|| refs::branch(dir, branch));
    let mut stream = Vec::new();
    stream.extend_from_slice(b"feature done\n");
    for (index, spec) in specs.iter().enumerate() {
        let parent = if index == 0 { tip.clone() } else { Some(format!(":{index}")) };
        write_commit(&mut stream, branch, index + 1, parent.as_deref(), spec);
    }
    stream.extend_from_slice(b"done\n");
    // Every import stays a pack: few files, and nothing to unpack.
    let arguments =
        ["-c", "fastimport.unpackLimit=1", "fast-import", "--quiet", "--force", "--date-format=raw"];
    let answer = git.run(dir, &arguments, &stream)?;
    let oids = answer.text().lines().filter(|line| is_oid(line)).map(str::to_owned).collect::<Vec<_>>();
    if oids.len() == specs.len() { Ok(oids) } else { Err(ForgeError::Git("fast-import lost a mark".into())) }
}

fn write_commit(stream: &mut Vec<u8>, branch: &str, mark: usize, parent: Option<&str>, spec: &CommitSpec) {
    let committer = spec.committer.as_ref().unwrap_or(&spec.author);
    let when = format!("{} {}", spec.seconds, spec.offset);
    let message =
        if spec.message.ends_with('\n') { spec.message.clone() } else { format!("{}\n", spec.message) };
    let mut head = format!("commit refs/heads/{branch}\nmark :{mark}\n");
    head.push_str(&format!("author {} <{}> {when}\n", spec.author.name, spec.author.email));
    head.push_str(&format!("committer {} <{}> {when}\n", committer.name, committer.email));
    head.push_str(&format!("data {}\n{message}\n", message.len()));
    if let Some(parent) = parent {
        head.push_str(&format!("from {parent}\n"));
    }
    stream.extend_from_slice(head.as_bytes());
    for change in &spec.changes {
        match change {
            Change::Write { path, mode, content } => {
                let line = format!("M {} inline {}\ndata {}\n", mode.octal(), quoted(path), content.len());
                stream.extend_from_slice(line.as_bytes());
                stream.extend_from_slice(content);
                stream.push(b'\n');
            }
            Change::Remove(path) => stream.extend_from_slice(format!("D {}\n", quoted(path)).as_bytes()),
            Change::Rename(from, to) => {
                stream.extend_from_slice(format!("R {} {}\n", quoted(from), quoted(to)).as_bytes());
            }
        }
    }
    stream.extend_from_slice(format!("\nget-mark :{mark}\n").as_bytes());
}

/// A path in fast-import's C-style quoting.
fn quoted(path: &str) -> String {
    let escaped = path.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{escaped}\"")
}

/// One ref to move in a transaction: name, expected value (`None`: anything, zeros: must not exist), new value (zeros:
/// delete).
#[derive(Debug, Clone)]
pub(crate) struct RefMove {
    pub(crate) name: String,
    pub(crate) expected: Option<String>,
    pub(crate) new: String,
}

/// Moves refs, all or none.
pub(crate) fn update_refs(git: &Git, dir: &Path, moves: &[RefMove]) -> Result<(), ForgeError> {
    let mut input = String::new();
    for step in moves {
        let expected = step.expected.as_deref();
        input.push_str(&match (step.new.as_str(), expected) {
            (ZERO, Some(old)) => format!("delete {}\0{old}\0", step.name),
            (ZERO, None) => format!("delete {}\0\0", step.name),
            (new, Some(old)) => format!("update {}\0{new}\0{old}\0", step.name),
            (new, None) => format!("update {}\0{new}\0\0", step.name),
        });
    }
    git.run(dir, &["update-ref", "-z", "--stdin"], input.as_bytes()).map(drop)
}
