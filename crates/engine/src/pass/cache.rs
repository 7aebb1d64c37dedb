//! Verdicts as text: immutable for their key, so that a recipient whose branches did not move costs no fetch.

use lockstep_domain::names::Oid;
use lockstep_domain::ports::{Decision, Forecast};
use serde::{Deserialize, Serialize};

/// First word of every key; a change of the decision's rules changes it.
const RULES: &str = "1";

/// Everything that decides.
#[derive(Debug, Clone)]
pub(super) struct Key<'a> {
    pub(super) base: Oid,
    pub(super) sync: Option<Oid>,
    pub(super) new: Oid,
    pub(super) merged: &'a [(i64, Oid, Option<Oid>)],
}

impl Key<'_> {
    pub(super) fn text(&self) -> String {
        let sync = self.sync.map_or_else(|| "-".to_owned(), |oid| oid.to_string());
        let mut merged: Vec<_> = self
            .merged
            .iter()
            .map(|(number, head, commit)| {
                let commit = commit.map_or_else(|| "-".to_owned(), |oid| oid.to_string());
                format!("{number}:{head}:{commit}")
            })
            .collect();
        merged.sort_unstable();
        format!("{RULES} {} {sync} {} {}", self.base, self.new, merged.join(","))
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Kept {
    UpToDate { undone: bool },
    Unchanged { conflicts: Vec<String> },
    Push { conflicts: Vec<String>, workflows: bool },
    Foreign { paths: Vec<String> },
    Unrelated,
}

/// A decision worth keeping: nothing unknown in it, and no commit that exists only in a workbench.
pub(super) fn keep(decision: &Decision) -> Option<String> {
    let kept = match decision {
        Decision::UpToDate { undone } => Kept::UpToDate { undone: *undone },
        Decision::Unchanged(forecast) => Kept::Unchanged { conflicts: known(forecast)? },
        Decision::Push { on_top: true, .. } => return None,
        Decision::Push { forecast, workflows, .. } => {
            Kept::Push { conflicts: known(forecast)?, workflows: *workflows }
        }
        Decision::ForeignCommits(paths) => Kept::Foreign { paths: paths.clone() },
        Decision::NoCommonHistory => Kept::Unrelated,
    };
    serde_json::to_string(&kept).ok()
}

/// Back to a decision about `new`; `None` when it cannot be read, and so is decided anew.
pub(super) fn recall(value: &str, new: Oid) -> Option<Decision> {
    let forecast = |conflicts: Vec<String>| {
        if conflicts.is_empty() { Forecast::Clean } else { Forecast::Conflict(conflicts) }
    };
    Some(match serde_json::from_str(value).ok()? {
        Kept::UpToDate { undone } => Decision::UpToDate { undone },
        Kept::Unchanged { conflicts } => Decision::Unchanged(forecast(conflicts)),
        Kept::Push { conflicts, workflows } => {
            Decision::Push { oid: new, on_top: false, forecast: forecast(conflicts), workflows }
        }
        Kept::Foreign { paths } => Decision::ForeignCommits(paths),
        Kept::Unrelated => Decision::NoCommonHistory,
    })
}

/// What the decision is once its push has landed.
pub(super) fn after_push(decision: &Decision) -> Option<Decision> {
    match decision {
        Decision::Push { forecast, .. } => Some(Decision::Unchanged(forecast.clone())),
        _ => None,
    }
}

fn known(forecast: &Forecast) -> Option<Vec<String>> {
    match forecast {
        Forecast::Clean => Some(Vec::new()),
        // A conflict without a path would come back as clean.
        Forecast::Conflict(paths) if paths.is_empty() => None,
        Forecast::Conflict(paths) => Some(paths.clone()),
        Forecast::Unknown => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn oid(digit: char) -> Oid {
        digit.to_string().repeat(40).parse().unwrap()
    }

    #[test]
    fn a_decision_survives_the_cache_and_what_is_unknown_is_not_kept() {
        let push = |forecast, on_top| Decision::Push { oid: oid('a'), on_top, forecast, workflows: true };
        let conflict = Forecast::Conflict(vec!["a.txt".to_owned()]);
        for decision in [
            Decision::UpToDate { undone: true },
            Decision::Unchanged(Forecast::Clean),
            push(conflict, false),
            Decision::ForeignCommits(vec!["x".to_owned()]),
            Decision::NoCommonHistory,
        ] {
            assert_eq!(recall(&keep(&decision).unwrap(), oid('a')), Some(decision));
        }
        assert_eq!(keep(&push(Forecast::Unknown, false)), None);
        assert_eq!(keep(&push(Forecast::Clean, true)), None, "its commit exists only in the workbench");
        assert_eq!(recall("{", oid('a')), None);
    }

    #[test]
    fn the_key_does_not_depend_on_the_order_of_pull_requests() {
        let (one, two) = ((1, oid('1'), None), (2, oid('2'), Some(oid('3'))));
        let key = |merged: &[(i64, Oid, Option<Oid>)]| {
            Key { base: oid('b'), sync: None, new: oid('a'), merged }.text()
        };
        assert_eq!(key(&[one, two]), key(&[two, one]));
        assert_ne!(key(&[one]), key(&[two]));
    }
}
