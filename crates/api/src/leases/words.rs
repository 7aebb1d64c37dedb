//! The one sentence on a lease. The rule is in `domain::standing`; the window has words of its own.

use lockstep_domain::lease::{CancelAsk, LeaseView, Progress};
use lockstep_domain::standing::{LeaseReason, Standing};

use crate::words::duration;

/// A cancel that was asked longer ago than this has not bitten: what it waits for is named.
const PATIENCE_MS: i64 = 30_000;

/// Who holds it, since when, when it was heard, on what it works, why it can or cannot be taken, and when.
pub(super) fn sentence(view: &LeaseView, found: &Standing) -> String {
    let Some(holder) = view.holder.as_ref().filter(|_| view.held) else { return free(view) };
    let who = format!("{} on {}", holder.person, holder.host);
    if found.reason == LeaseReason::Unreachable {
        return unknown(Some((&holder.person, &holder.host)), found);
    }
    let held = found.held_ms.map_or_else(String::new, |held| format!(" for {}", duration(held)));
    let work = view.progress.as_ref().map(|(progress, _)| works_on(progress)).unwrap_or_default();
    let beat = duration(found.beat_ms.unwrap_or_default().abs());
    let window = duration(view.window_ms);
    let left = duration(found.left_ms.unwrap_or_default());
    let (verb, why) = match found.reason {
        LeaseReason::Beating => (
            "has held",
            format!(", heard {beat} ago: it cannot be taken unless no heartbeat comes for another {left}"),
        ),
        LeaseReason::BeatLate => (
            "has held",
            format!(
                ", but its last heartbeat is late, {beat} ago: it cannot be taken yet, and can be in {left} if none \
                 comes"
            ),
        ),
        LeaseReason::BeatAhead => (
            "has held",
            format!(
                ", and its last heartbeat lies {beat} ahead of the database's clock, within its window of {window}: \
                 it cannot be taken yet, and can be in {left} if no other comes"
            ),
        ),
        LeaseReason::NeverBeat => ("held", " without a heartbeat: it can be taken now".to_owned()),
        LeaseReason::TooOld => (
            "held",
            format!(
                ", but its last heartbeat is {beat} old, longer than its window of {window}: it can be taken now"
            ),
        ),
        LeaseReason::TooFarAhead => (
            "held",
            format!(
                ", but its last heartbeat lies {beat} ahead of the database's clock, further than its window of \
                 {window}: it can be taken now"
            ),
        ),
        LeaseReason::OtherBoot => (
            "held",
            ", but this computer was started anew since, so its process is gone: it can be taken now"
                .to_owned(),
        ),
        LeaseReason::ProcessGone => (
            "held",
            format!(", but its process {} has ended on this computer: it can be taken now", holder.pid),
        ),
        LeaseReason::Free | LeaseReason::Unreachable => ("holds", String::new()),
    };
    let asked = view.cancel.as_ref().map(|cancel| asked(cancel, view)).unwrap_or_default();
    format!("{who} {verb} it{held}{work}{why}{asked}.")
}

fn free(view: &LeaseView) -> String {
    let last = view.last.as_ref().map(|(status, _fence, at)| {
        format!(" (the last run ended {} ago: {status})", duration(view.db_now.since(*at)))
    });
    format!("Nobody is syncing{}: the next press gets the lease.", last.unwrap_or_default())
}

/// Of a lease that cannot be read; `last` is who held it at the last read.
pub(super) fn unknown(last: Option<(&str, &str)>, found: &Standing) -> String {
    let read = found.read_ms.map(duration);
    match (last, read) {
        (Some((person, host)), Some(read)) => format!(
            "The database does not answer: {person} on {host} held it {read} ago, and nothing can be taken before it \
             answers."
        ),
        (None, Some(read)) => format!(
            "The database does not answer: nobody held it {read} ago, and nothing can be taken before it answers."
        ),
        (_, None) => {
            "The database does not answer, so nobody can tell who holds it, and nothing can be taken before \
                      it answers."
                .to_owned()
        }
    }
}

fn works_on(progress: &Progress) -> String {
    let step = match progress.step.as_str() {
        "collect" => "reading the source",
        "build" => "building the update",
        "push_distribution" => "updating the distribution",
        "publish" => "recording what is handed out",
        "pass" => "opening pull requests",
        "finish" => "finishing",
        _ => "starting",
    };
    let count = match progress.planned {
        0 => String::new(),
        planned => format!(", {} of {planned} done", progress.done),
    };
    let current = match progress.current.as_str() {
        "" => String::new(),
        current => format!(", now {current}"),
    };
    format!(" ({step}{count}{current})")
}

fn asked(cancel: &CancelAsk, view: &LeaseView) -> String {
    let age = view.db_now.since(cancel.at);
    let reason = match cancel.reason.trim() {
        "" => String::new(),
        reason => format!(" ({reason})"),
    };
    let mut text = format!("; {} asked it to stop {} ago{reason}", cancel.by, duration(age));
    let call = view.progress.as_ref().and_then(|(progress, at)| progress.call.as_ref().zip(Some(*at)));
    if let Some((call, at)) = call.filter(|_| age >= PATIENCE_MS) {
        let left = at.plus(call.ends_in_ms).since(view.db_now);
        let end =
            if left > 0 { format!("in {} at the latest", duration(left)) } else { "any moment".to_owned() };
        let what = call_words(&call.call);
        text.push_str(&format!(", and it still waits for {what} {}, which ends {end}", call.target));
    }
    text
}

fn call_words(call: &str) -> &'static str {
    match call {
        "fetch" => "git to fetch from",
        "push" => "git to push to",
        "wait" => "its turn at",
        _ => "an answer about",
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use lockstep_domain::clock::Millis;
    use lockstep_domain::lease::{CallNow, Fence, Holder};
    use lockstep_domain::standing::{standing, unreachable};

    pub(in super::super) fn holder() -> Holder {
        Holder {
            person: "Ada".to_owned(),
            os_user: "ada".to_owned(),
            host: "lab-desk-07".to_owned(),
            pid: 7,
            process_start: 1,
            started_at: Some(400_000),
            app_version: "0.1.0".to_owned(),
            boot_id: "b".to_owned(),
        }
    }

    pub(in super::super) fn view(heartbeat: i64) -> LeaseView {
        let progress = Progress {
            step: "pass".into(),
            done: 87,
            planned: 212,
            current: "org/lab4-ada".into(),
            ..Progress::default()
        };
        LeaseView {
            project: "0190c0de-0000-7000-8000-000000000001".parse().unwrap(),
            held: true,
            fence: Fence(i64::MAX),
            run: None,
            window_ms: 180_000,
            claimed_at: Some(Millis(400_000)),
            heartbeat_at: Some(Millis(heartbeat)),
            holder: Some(holder()),
            cancel: None,
            progress: Some((progress, Millis(heartbeat))),
            last: Some(("succeeded".into(), Fence(6), Millis(940_000))),
            db_now: Millis(1_000_000),
            proven_dead: false,
        }
    }

    fn told(view: &LeaseView) -> String {
        sentence(view, &standing(view, "b"))
    }

    #[test]
    fn the_sentence_says_who_since_when_on_what_and_when_it_can_be_taken() {
        assert_eq!(
            told(&view(992_000)),
            "Ada on lab-desk-07 has held it for 10 min (opening pull requests, 87 of 212 done, now org/lab4-ada), \
             heard 8 s ago: it cannot be taken unless no heartbeat comes for another 2 min 52 s."
        );
        let late = told(&view(900_000));
        assert!(late.contains("late, 1 min 40 s ago") && late.contains("can be in 1 min 20 s"), "{late}");
        let ahead = told(&view(1_040_000));
        assert!(ahead.contains("40 s ahead of the database's clock, within") && ahead.contains("3 min 40 s"));
    }

    #[test]
    fn what_can_be_taken_now_says_by_which_side_of_the_rule() {
        let far = |heartbeat| told(&view(heartbeat));
        assert!(far(700_000).contains("5 min old, longer than its window of 3 min: it can be taken now."));
        assert!(
            far(1_300_000).contains("5 min ahead of the database's clock, further than its window of 3 min")
        );
        let none = LeaseView { heartbeat_at: None, ..view(0) };
        assert!(told(&none).contains("without a heartbeat: it can be taken now."));
        let dead = LeaseView { proven_dead: true, ..view(999_000) };
        assert!(told(&dead).contains("its process 7 has ended on this computer"), "{}", told(&dead));
        assert!(sentence(&dead, &standing(&dead, "c")).contains("started anew since"));
    }

    #[test]
    fn each_is_one_sentence() {
        for heartbeat in [700_000, 900_000, 992_000, 1_040_000, 1_300_000] {
            let text = told(&view(heartbeat));
            assert!(text.ends_with('.') && text.matches(". ").count() == 0, "{text}");
        }
        let free = told(&LeaseView { held: false, ..view(0) });
        assert_eq!(
            free,
            "Nobody is syncing (the last run ended 1 min ago: succeeded): the next press gets the lease."
        );
    }

    #[test]
    fn what_cannot_be_read_tells_the_age_of_what_is_known() {
        let last = view(992_000);
        let text = sentence(&last, &unreachable(Some((&last, 30_000))));
        assert!(text.contains("Ada on lab-desk-07 held it 30 s ago"), "{text}");
        assert!(unknown(None, &unreachable(None)).contains("nobody can tell"));
    }

    #[test]
    fn a_cancel_that_does_not_bite_names_the_call_and_its_end_after_thirty_seconds() {
        let asked = |age: i64| {
            let mut view = view(992_000);
            let call = CallNow { call: "push".into(), target: "org/lab4-ada".into(), ends_in_ms: 60_000 };
            view.progress.as_mut().unwrap().0.call = Some(call);
            let at = view.db_now.plus(-age);
            view.cancel = Some(CancelAsk { at, by: "Béla".into(), reason: "wrong file".into() });
            told(&view)
        };
        assert!(asked(29_999).ends_with("Béla asked it to stop 29 s ago (wrong file)."), "{}", asked(29_999));
        let late = asked(30_000);
        assert!(
            late.contains("still waits for git to push to org/lab4-ada, which ends in 52 s at the latest")
        );
    }
}
