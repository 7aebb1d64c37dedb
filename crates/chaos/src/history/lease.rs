//! I1 to I5, I8 and I9: the lease itself.

use std::collections::{BTreeMap, BTreeSet};

use super::{Found, History};
use crate::event::{Event, What};

/// A statement that was under way when its process was stopped ends within this time at the database.
const IN_FLIGHT_NS: i64 = 250_000_000;
/// The clocks count milliseconds.
const TICK_NS: i64 = 2_000_000;

pub(super) fn judge(history: &History, found: &mut Found) {
    by_audit(history, found);
    let beats = Beats::of(history);
    for event in &history.events {
        after_successor(history, event, found);
        beats.expired(event, found);
        beats.taken(history, event, found);
        beats.refused(event, found);
    }
    cancels(history, found);
}

/// I1, I5: walks the audit, which is in the order of the lease row's lock.
fn by_audit(history: &History, found: &mut Found) {
    let (mut newest, mut current) = (0, None);
    let (mut published, mut ended) = (BTreeSet::new(), BTreeSet::new());
    for row in &history.audit {
        let Some(fence) = row.fence else { continue };
        match row.event.as_str() {
            "lease.claimed" => {
                if fence <= newest {
                    found.add("I5", format!("the claim of fence {fence} follows the one of {newest}"));
                }
                newest = fence;
                current = Some(fence);
            }
            "run.published" | "run.finished" | "lease.released" => {
                let published_now = row.event == "run.published";
                if current != Some(fence) {
                    let law = if published_now { "I1" } else { "I2" };
                    found.add(law, format!("{} of fence {fence}, the holder is {current:?}", row.event));
                }
                let once = if published_now { &mut published } else { &mut ended };
                if !once.insert(fence) {
                    found.add("I5", format!("{} of fence {fence} twice", row.event));
                }
                if !published_now {
                    current = None;
                }
            }
            "lease.reclaimed" => current = None,
            _ => {}
        }
    }
}

/// I2: nothing of a fence succeeds that began after a higher one was claimed.
fn after_successor(history: &History, event: &Event, found: &mut Found) {
    let (fence, begun_ns) = match event.what {
        What::Renewed { fence, held: Some(true), begun_ns }
        | What::Published { fence, stands: true, begun_ns }
        | What::Claimed { fence, begun_ns, .. } => (fence, begun_ns),
        _ => return,
    };
    let law = if matches!(event.what, What::Claimed { .. }) { "I5" } else { "I2" };
    for other in &history.events {
        if let What::Claimed { fence: higher, .. } = other.what
            && higher > fence
            && other.at_ns < begun_ns
        {
            found.add(law, format!("{:?} began after the claim of fence {higher}", event.what));
        }
    }
}

/// Moments that bound a fence's heartbeats.
struct Beats {
    window_ns: i64,
    /// Per fence: begun and ended of every successful or unclear write of the heartbeat.
    all: BTreeMap<i64, Vec<(i64, i64, bool)>>,
    /// Process of each fence.
    owners: BTreeMap<i64, u32>,
    /// When a process was stopped or ended last.
    stops: BTreeMap<u32, Vec<i64>>,
}

impl Beats {
    fn of(history: &History) -> Self {
        let mut beats = Self {
            window_ns: history.window_ms * 1_000_000,
            all: BTreeMap::new(),
            owners: history.owners(),
            stops: BTreeMap::new(),
        };
        for event in &history.events {
            match event.what {
                What::Claimed { fence, begun_ns, .. } => beats.add(fence, begun_ns, event.at_ns, true),
                What::Renewed { fence, held, begun_ns } if held != Some(false) => {
                    beats.add(fence, begun_ns, event.at_ns, held == Some(true));
                }
                // A publication of unclear end may have renewed.
                What::Published { fence, stands, begun_ns } => {
                    beats.add(fence, begun_ns, event.at_ns, stands)
                }
                What::Killed | What::Exited { .. } | What::Halted => {
                    beats.stops.entry(event.pid).or_default().push(event.at_ns);
                }
                _ => {}
            }
        }
        beats
    }

    fn add(&mut self, fence: i64, begun_ns: i64, ended_ns: i64, sure: bool) {
        self.all.entry(fence).or_default().push((begun_ns, ended_ns, sure));
    }

    /// The latest moment at which this fence's heartbeat can have been written, before `until`.
    fn latest(&self, fence: i64, until: i64) -> Option<i64> {
        let beats = self.all.get(&fence)?;
        let ended = beats.iter().filter(|(begun, ..)| *begun < until).map(|(_, ended, _)| *ended).max()?;
        let stops = self.owners.get(&fence).and_then(|pid| self.stops.get(pid));
        let stopped = stops.and_then(|stops| stops.iter().filter(|at| **at < until).max()).copied();
        // What a stopped process had sent still lands.
        Some(stopped.map_or(ended, |at| ended.max(at + IN_FLIGHT_NS)))
    }

    /// The latest moment after which this fence's heartbeat was surely written, by an answer before `until`.
    fn surely_since(&self, fence: i64, until: i64) -> Option<i64> {
        let beats = self.all.get(&fence)?.iter();
        beats.filter(|(_, ended, sure)| *sure && *ended <= until).map(|(begun, ..)| *begun).max()
    }

    /// I3: an expired lease is never renewed.
    fn expired(&self, event: &Event, found: &mut Found) {
        let (What::Renewed { fence, held: Some(true), begun_ns }
        | What::Published { fence, stands: true, begun_ns }) = event.what
        else {
            return;
        };
        let earlier = self.all.get(&fence).into_iter().flatten().filter(|(begun, ..)| *begun < begun_ns);
        let Some(last) = earlier.map(|(_, ended, _)| *ended).max() else { return };
        if begun_ns - last > self.window_ns + TICK_NS {
            let ms = (begun_ns - last) / 1_000_000;
            found.add("I3", format!("{:?} renewed {ms} ms after the last heartbeat", event.what));
        }
    }

    /// I4: the live lease of a living process is never taken.
    fn taken(&self, history: &History, event: &Event, found: &mut Found) {
        let What::Claimed { fence, replaced: Some(old), proven, begun_ns, .. } = event.what else { return };
        if proven {
            let pid = self.owners.get(&old);
            let gone = |other: &Event| {
                Some(&other.pid) == pid && matches!(other.what, What::Killed | What::Exited { .. })
            };
            // The desk sees the end a little later than the kernel: what matters is that it ended.
            if !history.false_machine && !history.events.iter().any(gone) {
                found.add("I4", format!("fence {fence} proved the living holder of {old} dead"));
            }
            return;
        }
        if let Some(since) = self.surely_since(old, begun_ns)
            && event.at_ns - since < self.window_ns - TICK_NS
        {
            let ms = (event.at_ns - since) / 1_000_000;
            found.add("I4", format!("fence {fence} took {old}, whose heartbeat was at most {ms} ms old"));
        }
    }

    /// I8: claimable within the window.
    fn refused(&self, event: &Event, found: &mut Found) {
        let What::Refused { fence, held: true, begun_ns } = event.what else { return };
        let Some(last) = self.latest(fence, event.at_ns) else { return };
        if begun_ns - last > self.window_ns + TICK_NS {
            let ms = (begun_ns - last) / 1_000_000;
            found.add("I8", format!("fence {fence} was in the way {ms} ms after its last heartbeat"));
        }
    }
}

/// I9: a cancel hits only its fence.
fn cancels(history: &History, found: &mut Found) {
    let asked = |wanted| move |event: &Event| matches!(event.what, What::AskedCancel { fence, stamped: true } if fence == wanted);
    for event in &history.events {
        if let What::Told { fence, reason } = &event.what
            && reason == "cancelled"
            && !history.events.iter().any(asked(*fence))
        {
            found.add("I9", format!("fence {fence} was cancelled, nobody asked for that one"));
        }
    }
}
