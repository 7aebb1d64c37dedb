//! The configuration and the `proc-receive` hook of the forge's repositories, and push rules.
//!
//! Without rules nothing is routed to the hook; with rules, refs that none concerns fall through to stock `git
//! receive-pack`. Compare-and-swap and atomic answers are git's own either way.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::options::ForgeError;

const PROC_RECEIVE: &str = include_str!("../../hooks/proc-receive");

/// Why pushes to matching refs are refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleKind {
    /// GH006: a protected branch; the text is the rule that was hurt, for instance
    /// `Cannot force-push to this branch`.
    Protected(String),
    /// GH013: a ruleset; the text is the rule that was hurt, for instance
    /// `Changes must be made through a pull request.`
    Ruleset(String),
    /// The App lacks the `workflows` permission for this path.
    Workflow(String),
    /// GitHub's own trouble: `remote: fatal error in commit_refs` and `failure`.
    Outage,
    /// Any other reason, as `[remote rejected]` shows it.
    Other(String),
}

/// A push rule of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PushRule {
    /// A shell pattern over full ref names, for instance `refs/heads/main` or `refs/heads/sync/*`.
    pub pattern: String,
    /// What is answered.
    pub kind: RuleKind,
}

impl PushRule {
    /// A rule.
    pub fn new(pattern: impl Into<String>, kind: RuleKind) -> Self {
        Self { pattern: pattern.into(), kind }
    }

    /// Does the rule concern this full ref name? `*` crosses slashes, as in the hook's shell patterns.
    pub(crate) fn covers(&self, name: &str) -> bool {
        wild(self.pattern.as_bytes(), name.as_bytes())
    }

    fn reason(&self) -> String {
        match &self.kind {
            RuleKind::Protected(_) => "protected branch hook declined".into(),
            RuleKind::Ruleset(_) => "push declined due to repository rule violations".into(),
            RuleKind::Workflow(path) => format!(
                "refusing to allow a GitHub App to create or update workflow `{path}` without `workflows` permission"
            ),
            RuleKind::Outage => "failure".into(),
            RuleKind::Other(reason) => reason.clone(),
        }
    }

    fn notice(&self, html_url: &str) -> Option<String> {
        match &self.kind {
            RuleKind::Protected(rule) => {
                Some(format!("error: GH006: Protected branch update failed for @REF@.\n\n- {rule}\n"))
            }
            RuleKind::Ruleset(rule) => Some(format!(
                "error: GH013: Repository rule violations found for @REF@.\n\
                 Review all repository rules at {html_url}/rules?ref=@REFQ@\n\n- {rule}\n\n"
            )),
            RuleKind::Outage => Some("fatal error in commit_refs\n".into()),
            RuleKind::Workflow(_) | RuleKind::Other(_) => None,
        }
    }
}

fn wild(pattern: &[u8], text: &[u8]) -> bool {
    match pattern {
        [] => text.is_empty(),
        [b'*', rest @ ..] => (0..=text.len()).any(|skip| wild(rest, &text[skip..])),
        [b'?', rest @ ..] => !text.is_empty() && wild(rest, &text[1..]),
        [first, rest @ ..] => text.first() == Some(first) && wild(rest, &text[1..]),
    }
}

/// The repository's own configuration.
pub(crate) fn write_config(dir: &Path) -> Result<(), ForgeError> {
    let config = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n\tlogallrefupdates = false\n\
                  [gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n\
                  [http]\n\treceivepack = true\n\tuploadpack = true\n\
                  [uploadpack]\n\tallowFilter = true\n\tallowAnySHA1InWant = true\n\
                  [receive]\n\tautogc = false\n\tadvertiseAtomic = true\n\tfsckObjects = false\n\
                  \tdenyDeleteCurrent = refuse\n\tdenyCurrentBranch = ignore\n\thideRefs = refs/pull\n";
    std::fs::write(dir.join("config"), config)
        .map_err(|error| ForgeError::io("repository configuration", error))
}

/// Puts the hook in place.
pub(crate) fn install(dir: &Path) -> Result<(), ForgeError> {
    let io = |error| ForgeError::io("hook", error);
    let folder = dir.join("hooks");
    std::fs::create_dir_all(&folder).map_err(io)?;
    let file = folder.join("proc-receive");
    std::fs::write(&file, PROC_RECEIVE).map_err(io)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).map_err(io)?;
    }
    Ok(())
}

/// Writes the rules where the hook reads them, replacing earlier ones.
pub(crate) fn write_rules(dir: &Path, rules: &[PushRule], html_url: &str) -> Result<(), ForgeError> {
    let io = |error| ForgeError::io("push rules", error);
    let folder = dir.join("rules");
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(io)?;
    }
    for (index, rule) in rules.iter().enumerate() {
        let one = folder.join(format!("{index:03}"));
        std::fs::create_dir_all(&one).map_err(io)?;
        std::fs::write(one.join("pattern"), &rule.pattern).map_err(io)?;
        std::fs::write(one.join("reason"), rule.reason()).map_err(io)?;
        if let Some(notice) = rule.notice(html_url) {
            std::fs::write(one.join("notice"), notice).map_err(io)?;
        }
    }
    Ok(())
}

/// The ref prefixes to route to the hook for one push: all or none, because under `--atomic` the hook must be able to
/// refuse the refs beside the one that a rule concerns.
pub(crate) fn routed(rules: &[PushRule], judge_workflows: bool) -> &'static [&'static str] {
    if rules.is_empty() && !judge_workflows { &[] } else { &["refs"] }
}
