//! What a press would cost, before it is made.

use std::sync::Arc;

use lockstep_domain::ahead::Ahead;
use lockstep_domain::ids::ProjectId;
use lockstep_domain::model::Project;
use lockstep_store::Pace;

use crate::engine::EngineParts;
use crate::error::EngineError;
use crate::pass::owed::{left_out, owed};
use crate::request::open;

/// Recipients per batched read.
const BATCH: u32 = 50;
/// Requests of a press besides those of its recipients: two repositories, two lists of heads.
const FIXED_REQUESTS: u32 = 4;
/// Milliseconds of the steps before the pass, and of one push; seen on ordinary courses.
const FIXED_MS: u64 = 2_000;
const PUSH_MS: u64 = 500;
/// Milliseconds in the sliding hour of the pace.
const HOUR_MS: u64 = 3_600_000;

/// For the primary button: "Sync 3 commits to 30 repositories, about 35 s".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Forecast {
    /// Commits ahead over all branches; `None` when a number cannot be told.
    pub commits: Option<u32>,
    /// Recipients that would take part now.
    pub takes_part: u32,
    /// Recipients that are left out by a rule now.
    pub left_out: u32,
    /// Pairs of recipient and branch that are owed the current distribution.
    pub owed: u32,
    /// Content writes (pull requests and comments) at most.
    pub writes: u32,
    /// All requests at most: reads, pushes counted as one each, content writes.
    pub requests: u32,
    /// Seconds until the end at the current pace, at most.
    pub seconds: u32,
}

/// From the database alone: nothing is asked of the forge.
pub(crate) async fn forecast(parts: &Arc<EngineParts>, id: ProjectId) -> Result<Forecast, EngineError> {
    let (project, _) = open::exists(parts, id).await?;
    let recipients = parts.store.recipients(id).await?;
    let last = parts.store.last_outcomes(id).await?;
    let pulls = parts.store.pulls(id).await?;
    let now = parts.store.info().await?.now;
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let out = recipients.iter().filter(|r| left_out(&project, r, now).is_some()).count();
    let takes_part = recipients.len() - out;
    let owed = owed(&project, &recipients, &last, &pulls, now).len();
    let moves = project.branches.iter().any(|branch| branch.ahead.wants_a_press());
    let writes = if moves { takes_part * project.branches.len() } else { owed };
    let (writes, pushes) = (count(writes), count(writes.min(takes_part)));
    let reads = count(recipients.len()).div_ceil(BATCH);
    let settings = &parts.settings;
    Ok(Forecast {
        commits: commits(&project),
        takes_part: count(takes_part),
        left_out: count(out),
        owed: count(owed),
        writes,
        requests: FIXED_REQUESTS + reads + pushes + writes,
        seconds: seconds(writes, pushes, settings.parallel, settings.pace),
    })
}

fn commits(project: &Project) -> Option<u32> {
    project.branches.iter().try_fold(0_u32, |sum, branch| match branch.ahead {
        Ahead::Ahead(n) => Some(sum.saturating_add(n)),
        Ahead::Level => Some(sum),
        _ => None,
    })
}

/// Content writes go one by one at the pace, pushes a few at a time beside them: the slower of the two decides.
fn seconds(writes: u32, pushes: u32, parallel: usize, pace: Pace) -> u32 {
    let (writes, pushes) = (u64::from(writes), u64::from(pushes));
    let interval = u64::try_from(pace.min_interval_ms).unwrap_or_default();
    let per_hour = u64::from(pace.per_hour.max(1));
    // Every full hour's worth waits for its hour; the rest goes at the interval.
    let announcing =
        writes.saturating_sub(1) / per_hour * HOUR_MS + (writes.saturating_sub(1) % per_hour) * interval;
    let pushing = pushes.div_ceil(u64::try_from(parallel.max(1)).unwrap_or(1)) * PUSH_MS;
    u32::try_from((FIXED_MS + announcing.max(pushing)).div_ceil(1_000)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACE: Pace = Pace { min_interval_ms: 1_000, per_hour: 500 };

    #[test]
    fn thirty_repositories_take_about_half_a_minute() {
        assert_eq!(seconds(30, 30, 4, PACE), 31);
        assert_eq!(seconds(0, 0, 4, PACE), 2);
    }

    #[test]
    fn what_exceeds_an_hours_worth_waits_for_the_next_hour() {
        assert_eq!(seconds(500, 500, 4, PACE), 501);
        assert!(seconds(501, 501, 4, PACE) >= 3_600);
        assert!(seconds(1_100, 1_100, 4, PACE) >= 7_200);
    }
}
