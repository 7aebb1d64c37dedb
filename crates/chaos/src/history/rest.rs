//! I6 and the world at rest: what is published is one run's, and nobody is owed anything.

use super::{Found, History};

pub(super) fn judge(history: &History, found: &mut Found) {
    if history.lease_held {
        found.add("rest", "the lease is held".to_owned());
    }
    if history.outcomes < history.recipients.len() * history.branches.len() {
        found.add("rest", format!("{} last outcomes", history.outcomes));
    }
    if history.failed > 0 {
        found.add("rest", format!("{} failed", history.failed));
    }
    if history.open_items > 0 {
        found.add("rest", format!("{} items of the last run without an outcome", history.open_items));
    }
    let last = history.audit.iter().rev().find(|row| row.event == "run.published");
    for branch in &history.branches {
        if branch.dist_head != branch.at_forge {
            let (ours, theirs) = (&branch.dist_head, &branch.at_forge);
            found.add("rest", format!("{} is recorded at {ours:?}, it is at {theirs:?}", branch.branch));
        }
        let told = last.and_then(|row| row.detail["branches"].as_array());
        let told = told.and_then(|all| all.iter().find(|one| one["branch"] == branch.branch.as_str()));
        if let Some(told) = told {
            let same = told["dist_head"].as_str() == branch.dist_head.as_deref()
                && told["update_number"].as_u64() == Some(u64::from(branch.update_number));
            if !same {
                found.add("I6", format!("{} is not what the last publication wrote: {told}", branch.branch));
            }
        }
    }
}
