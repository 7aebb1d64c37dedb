//! The lines of `git push --porcelain`.

use std::collections::HashMap;

use super::{Verdict, refusal};

/// Verdicts by destination ref. `Done`, `To …` and anything unknown are passed over.
pub(super) fn read(out: &str, err: &str) -> HashMap<String, Verdict> {
    out.lines().filter_map(|line| read_line(line, err)).collect()
}

/// `<flag>\t<from>:<to>\t<summary>`.
fn read_line(line: &str, err: &str) -> Option<(String, Verdict)> {
    let mut fields = line.splitn(3, '\t');
    let (flag, pair, summary) = (fields.next()?, fields.next()?, fields.next()?);
    let (_, name) = pair.rsplit_once(':')?;
    let verdict = match flag {
        " " | "+" | "*" | "-" => Verdict::Moved,
        "=" => Verdict::Same,
        "!" => refusal::of_ref(name, summary, err),
        _ => return None,
    };
    Some((name.to_owned(), verdict))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_domain::outcome::Reason;

    #[test]
    fn every_line_is_judged_by_its_destination() {
        let a = "a".repeat(40);
        let out = format!(
            "To https://x/o/r.git\n*\t{a}:refs/heads/sync/new\t[new branch]\n=\t{a}:refs/heads/sync/same\t[up to date]\n\
             \u{20}\t{a}:refs/heads/sync/main\tabc..def\n+\t{a}:refs/heads/sync/force\tabc...def (forced update)\n\
             !\t{a}:refs/heads/sync/stale\t[rejected] (stale info)\n\
             !\t{a}:refs/heads/sync/race\t[remote rejected] (failed to update ref)\nDone\n"
        );
        let told = read(&out, "");
        assert_eq!(told["refs/heads/sync/new"], Verdict::Moved);
        assert_eq!(told["refs/heads/sync/same"], Verdict::Same);
        assert_eq!(told["refs/heads/sync/main"], Verdict::Moved);
        assert_eq!(told["refs/heads/sync/force"], Verdict::Moved);
        assert_eq!(told["refs/heads/sync/stale"], Verdict::Raced("stale info".into()));
        assert_eq!(told["refs/heads/sync/race"], Verdict::Raced("failed to update ref".into()));
        assert_eq!(told.len(), 6);
        assert!(read("To x\nDone\n", "").is_empty(), "Done proves nothing");
    }

    #[test]
    fn a_refusal_names_its_rule() {
        let line = |summary: &str, err: &str| {
            read(&format!("!\tx:refs/heads/sync/main\t{summary}\n"), err)
                .remove("refs/heads/sync/main")
                .unwrap()
        };
        let rules = "remote: error: GH013: Repository rule violations found for refs/heads/sync/other.\n\
             remote: - Something else.\n\
             remote: error: GH013: Repository rule violations found for refs/heads/sync/main.        \n\
             remote: Review all repository rules at https://github.com/o/r/rules?ref=x\nremote: \n\
             remote: - Changes must be made through a pull request.        \nremote: \n";
        assert_eq!(
            line("[remote rejected] (push declined due to repository rule violations)", rules),
            Verdict::Refused(
                Reason::BlockedByRule,
                "repository rule: Changes must be made through a pull request.".into()
            )
        );
        let protected = "remote: error: GH006: Protected branch update failed for refs/heads/sync/main.\n\
             remote: \nremote: - Cannot force-push to this branch\n";
        assert_eq!(
            line("[remote rejected] (protected branch hook declined)", protected),
            Verdict::Refused(
                Reason::BlockedByRule,
                "protected branch: Cannot force-push to this branch".into()
            )
        );
        let workflows = "refusing to allow a GitHub App to create or update workflow `.github/workflows/x.yml` without `workflows` permission";
        assert_eq!(
            line(&format!("[remote rejected] ({workflows})"), ""),
            Verdict::Refused(Reason::NeedsWorkflowsPermission, workflows.into())
        );
        assert_eq!(
            line("[remote rejected] (pre-receive hook declined)", "remote: error: not today\n"),
            Verdict::Refused(Reason::BlockedByRule, "pre-receive hook declined: not today".into())
        );
        for outage in ["[remote rejected] (failure)", "[remote failure] (remote failed to report status)"] {
            assert!(matches!(line(outage, "remote: fatal error in commit_refs"), Verdict::Unclear(_)));
        }
    }
}
