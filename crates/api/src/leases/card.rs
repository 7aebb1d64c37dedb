//! A lease as a card.

use lockstep_domain::clock::Millis;
use lockstep_domain::lease::{CallNow, Holder, LeaseView, Progress};
use lockstep_domain::standing::standing;

use super::words;
use crate::wire::{CallView, LeaseCard, ProgressView};
use crate::words::{ms, small};

/// The card of a lease without its project's name and without knowing who asks.
pub(crate) fn bare_card(view: &LeaseView) -> LeaseCard {
    let nobody = Holder {
        person: String::new(),
        os_user: String::new(),
        host: String::new(),
        pid: 0,
        process_start: 0,
        started_at: None,
        app_version: String::new(),
        boot_id: String::new(),
    };
    card(view, "", &nobody)
}

/// The card of a lease, as `ours` sees it.
pub(crate) fn card(view: &LeaseView, project_name: &str, ours: &Holder) -> LeaseCard {
    let holder = view.holder.as_ref().filter(|_| view.held);
    let text = |pick: fn(&Holder) -> &str| holder.map_or_else(String::new, |holder| pick(holder).to_owned());
    let found = standing(view, &ours.boot_id);
    LeaseCard {
        project: view.project.to_string(),
        project_name: project_name.to_owned(),
        state: found.state,
        reason: found.reason,
        fence: view.fence.to_string(),
        person: text(|holder| &holder.person),
        os_user: text(|holder| &holder.os_user),
        host: text(|holder| &holder.host),
        pid: holder.map_or(0, |holder| holder.pid),
        process_start: holder.and_then(|holder| holder.started_at).map(|at| ms(Millis(at))),
        app_version: text(|holder| &holder.app_version),
        mine: holder.is_some_and(|holder| same_process(holder, ours)),
        since: view.claimed_at.filter(|_| view.held).map(ms),
        heartbeat_at: view.heartbeat_at.filter(|_| view.held).map(ms),
        window_ms: small(view.window_ms),
        now: ms(view.db_now),
        left_ms: small(view.left_ms()),
        proven_dead: view.proven_dead,
        sentence: words::sentence(view, &found),
        run: view.run.filter(|_| view.held).map(|run| run.to_string()),
        progress: live_progress(view),
        cancel_by: view.cancel.as_ref().map(|cancel| match cancel.reason.trim() {
            "" => cancel.by.clone(),
            reason => format!("{}: {reason}", cancel.by),
        }),
        cancel_at: view.cancel.as_ref().map(|cancel| ms(cancel.at)),
        last_status: view.last.as_ref().and_then(|(status, _, _)| status.parse().ok()),
        last_at: view.last.as_ref().map(|(_, _, at)| ms(*at)),
    }
}

pub(crate) fn same_process(holder: &Holder, ours: &Holder) -> bool {
    holder.pid == ours.pid
        && holder.process_start == ours.process_start
        && holder.host == ours.host
        && holder.boot_id == ours.boot_id
}

/// The progress of a held lease, with an end time told from what is done so far.
pub(crate) fn live_progress(view: &LeaseView) -> Option<ProgressView> {
    let (progress, at) = view.progress.as_ref().filter(|_| view.held)?;
    let call = |call: &CallNow| CallView {
        call: call.call.clone(),
        target: call.target.clone(),
        until: ms(at.plus(call.ends_in_ms)),
    };
    Some(ProgressView {
        step: progress.step.clone(),
        done: progress.done,
        planned: progress.planned,
        failed: progress.failed,
        current: progress.current.clone(),
        waiting_until: progress.waiting_until.filter(|until| *until > view.db_now.0).map(|at| ms(Millis(at))),
        ends_at: view.claimed_at.and_then(|start| ends_at(progress, start, *at)).map(ms),
        call: progress.call.as_ref().map(call),
    })
}

/// What is left at the pace so far, after the end of a wait. Not told before three items are done.
fn ends_at(progress: &Progress, start: Millis, at: Millis) -> Option<Millis> {
    if progress.step != "pass" || progress.done < 3 || progress.planned < progress.done {
        return None;
    }
    let left = i64::from(progress.planned - progress.done);
    let each = at.since(start).max(0) / i64::from(progress.done);
    let from = progress.waiting_until.map_or(at.0, |until| until.max(at.0));
    Some(Millis(from).plus(each.saturating_mul(left)))
}

#[cfg(test)]
mod tests {
    use super::super::words::tests::{holder, view};
    use super::*;

    #[test]
    fn a_card_knows_its_own_process_and_tells_nothing_of_a_holder_that_left() {
        assert!(card(&view(992_000), "Lab 4", &holder()).mine);
        let free = card(&LeaseView { held: false, ..view(0) }, "Lab 4", &holder());
        assert!(free.person.is_empty() && !free.mine && free.since.is_none() && free.process_start.is_none());
    }

    #[test]
    fn a_fence_beyond_what_a_number_holds_crosses_as_text() {
        assert_eq!(card(&view(0), "", &holder()).fence, "9223372036854775807");
    }

    #[test]
    fn a_call_under_way_ends_counted_from_when_it_was_written() {
        let call = CallNow { call: "push".into(), target: "org/lab4-ada".into(), ends_in_ms: 60_000 };
        let progress = Progress { call: Some(call), ..Progress::default() };
        let told = live_progress(&LeaseView { progress: Some((progress, Millis(5_000))), ..view(0) });
        assert_eq!(told.unwrap().call.unwrap().until, 65_000.0);
    }

    #[test]
    fn an_end_is_told_from_the_pace_and_the_wait() {
        let progress = Progress { step: "pass".into(), done: 10, planned: 30, ..Progress::default() };
        assert_eq!(ends_at(&progress, Millis(0), Millis(10_000)), Some(Millis(30_000)));
        let waiting = Progress { waiting_until: Some(60_000), ..progress.clone() };
        assert_eq!(ends_at(&waiting, Millis(0), Millis(10_000)), Some(Millis(80_000)));
        assert_eq!(ends_at(&Progress { done: 2, ..progress }, Millis(0), Millis(10_000)), None);
    }
}
