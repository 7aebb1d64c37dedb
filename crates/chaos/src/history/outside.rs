//! I7 and the outside world: who wrote what, when it had lost, and how refs, pull requests and comments stand.

use std::collections::BTreeMap;

use super::{ForgeWrite, Found, History};
use crate::event::{Event, What};

/// The forge notes a request when it arrives, our log when it is sent and answered; both in milliseconds.
const SLACK_MS: i64 = 50;

pub(super) fn judge(history: &History, found: &mut Found) {
    losers(history, found);
    let writes = writes(history);
    after_loss(history, &writes, found);
    for seen in &history.forge {
        if !writes.values().any(|write| write.covers(seen)) {
            found.add("I7", format!("the forge took a {} to {} that no run sent", seen.kind, seen.repo));
        }
    }
    refs(history, found);
    pulls(history, found);
    comments(history, found);
}

/// I7: a loser is told exactly once and writes one row.
fn losers(history: &History, found: &mut Found) {
    let mut told: BTreeMap<(u32, i64), usize> = BTreeMap::new();
    let mut audited: BTreeMap<(u32, i64), usize> = BTreeMap::new();
    let mut by_process: BTreeMap<u32, usize> = BTreeMap::new();
    for event in &history.events {
        match &event.what {
            What::Told { fence, reason } if reason == "lost" => {
                *told.entry((event.pid, *fence)).or_default() += 1;
            }
            What::AuditedLoss { fence } => {
                *audited.entry((event.pid, *fence)).or_default() += 1;
                *by_process.entry(event.pid).or_default() += 1;
            }
            _ => {}
        }
    }
    for ((pid, fence), times) in told.iter().chain(&audited).filter(|(_, times)| **times > 1) {
        found.add("I7", format!("the loss of fence {fence} was told {times} times in process {pid}"));
    }
    for event in &history.events {
        if event.what == (What::Exited { code: 8 }) && by_process.get(&event.pid) != Some(&1) {
            found.add("I7", format!("process {} lost its lease without its one audit row", event.pid));
        }
    }
    let mut rows: BTreeMap<i64, usize> = BTreeMap::new();
    for row in history.audit.iter().filter(|row| row.event == "lease.lost") {
        *rows.entry(row.fence.unwrap_or_default()).or_default() += 1;
    }
    for (fence, times) in rows.iter().filter(|(_, times)| **times > 1) {
        found.add("I7", format!("{times} audit rows of the loss of fence {fence}"));
    }
    for fence in rows.keys() {
        let won = |row: &&super::Audited| {
            row.fence == Some(*fence) && matches!(row.event.as_str(), "run.finished" | "lease.released")
        };
        if history.audit.iter().any(|row| won(&row)) {
            found.add("I7", format!("fence {fence} was lost and given back"));
        }
    }
}

/// One write to the outside as its process tells it.
struct Write<'a> {
    began: &'a Event,
    kind: &'a str,
    repo: &'a str,
    lost: bool,
    fence: i64,
    ended: Option<&'a Event>,
}

impl Write<'_> {
    fn covers(&self, seen: &ForgeWrite) -> bool {
        // A process that was killed tells no end; what its git had sent still lands.
        self.kind == seen.kind
            && self.repo.eq_ignore_ascii_case(&seen.repo)
            && self.began.wall_ms - SLACK_MS <= seen.at_ms
            && self.ended.is_none_or(|ended| ended.wall_ms + SLACK_MS >= seen.at_ms)
    }

    fn sent(&self) -> bool {
        !matches!(self.ended, Some(Event { what: What::WriteEnded { sent: false, .. }, .. }))
    }
}

fn writes(history: &History) -> BTreeMap<(u32, u64), Write<'_>> {
    let mut all = BTreeMap::new();
    for event in &history.events {
        match &event.what {
            What::WriteBegan { write, kind, repo, fence, lost } => {
                let (fence, lost) = (*fence, *lost);
                all.insert((event.pid, *write), Write { began: event, kind, repo, lost, fence, ended: None });
            }
            What::WriteEnded { write, .. } => {
                if let Some(write) = all.get_mut(&(event.pid, *write)) {
                    write.ended = Some(event);
                }
            }
            _ => {}
        }
    }
    all
}

/// I7: no write to the outside after the loss was told.
fn after_loss(history: &History, writes: &BTreeMap<(u32, u64), Write<'_>>, found: &mut Found) {
    for ((pid, _), write) in writes.iter().filter(|(_, write)| write.sent()) {
        let told = |event: &Event| {
            event.pid == *pid
                && event.seq < write.began.seq
                && event.what == (What::Told { fence: write.fence, reason: "lost".to_owned() })
        };
        if write.lost || history.events.iter().any(told) {
            let Write { kind, repo, fence, .. } = write;
            found.add("I7", format!("a {kind} to {repo} by fence {fence} after its loss was told"));
        }
    }
}

/// Refs only move forward, each from where it was; the order of heads is the one of the distribution.
fn refs(history: &History, found: &mut Found) {
    let mut order: Vec<&str> = Vec::new();
    let mut now: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for seen in &history.forge {
        for moved in &seen.moved {
            let Some(new) = moved.new.as_deref() else {
                found.add("refs", format!("{} of {} was deleted", moved.name, seen.repo));
                continue;
            };
            let known = now.entry((&seen.repo, &moved.name)).or_default();
            if known.contains(&new) {
                found.add("refs", format!("{} of {} came back to {new}", moved.name, seen.repo));
            }
            if let Some(last) = known.last()
                && moved.old.as_deref() != Some(last)
            {
                found.add(
                    "refs",
                    format!("{} of {} moved from {:?}, it was at {last}", moved.name, seen.repo, moved.old),
                );
            }
            known.push(new);
            if moved.name.starts_with("refs/heads/sync/") {
                let rank = |oid: Option<&str>| order.iter().position(|head| Some(*head) == oid);
                if let (Some(from), Some(to)) = (rank(moved.old.as_deref()), rank(Some(new)))
                    && to < from
                {
                    found.add("refs", format!("{} of {} moved back", moved.name, seen.repo));
                }
            } else if moved.name.starts_with("refs/heads/") {
                order.push(new);
            }
        }
    }
}

/// Exactly one pull request per recipient and branch.
fn pulls(history: &History, found: &mut Found) {
    for branch in &history.branches {
        for repo in &history.recipients {
            let head = format!("sync/{}", branch.branch);
            let mine: Vec<_> =
                history.pulls.iter().filter(|pull| pull.repo == *repo && pull.head_ref == head).collect();
            if mine.len() != 1 {
                found.add("pulls", format!("{repo} has {} pull requests of {head}", mine.len()));
            }
            for pull in mine.iter().filter(|pull| Some(&pull.head) != branch.at_forge.as_ref()) {
                found.add(
                    "pulls",
                    format!("{repo}#{} is at {}, not at the head handed out", pull.number, pull.head),
                );
            }
        }
    }
}

/// At most one comment per recipient and head.
fn comments(history: &History, found: &mut Found) {
    let mut all = history.comments.clone();
    all.sort();
    for pair in all.windows(2).filter(|pair| pair[0] == pair[1]) {
        found.add(
            "comments",
            format!("{}#{} was told twice of {}", pair[0].repo, pair[0].number, pair[0].head),
        );
    }
}
