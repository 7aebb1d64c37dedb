//! `lockstep leases --watch`: a table that keeps itself current on a terminal, a line for each change elsewhere.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lockstep_api::wire::{ApiError, FeedBatch, LeaseCard, Tag};
use lockstep_api::{App, feed, leases};

use super::{Ended, lease};
use crate::output::{Done, Output};
use crate::progress::Stops;
use crate::times;

/// How often the ages on a terminal move.
const TICK: Duration = Duration::from_secs(1);

/// Follows the leases until Ctrl-C, SIGTERM, or until the reader goes away; each of these is a good end.
pub(super) async fn watch(app: &App, project: Option<&str>, output: &Output) -> Ended {
    let (sender, mut batches) = tokio::sync::mpsc::unbounded_channel();
    let followed = app.clone();
    let follower = tokio::spawn(async move {
        feed::follow(&followed, |batch| sender.send(batch).is_ok()).await;
    });
    let mut stops = Stops::new();
    let mut board = Board::new(project);
    let mut sink = Sink::new(output);
    let ended = loop {
        tokio::select! {
            batch = batches.recv() => match batch {
                Some(batch) => {
                    let fresh = board.take(app, batch).await;
                    match fresh {
                        Ok(changed) if sink.show(&board, &changed) => {}
                        Ok(_reader_gone) => break Ok(Done::told()),
                        Err(error) => break Err(error),
                    }
                }
                None => break Ok(Done::told()),
            },
            () = tokio::time::sleep(TICK), if sink.ticks() => { sink.show(&board, &[]); }
            () = stops.next() => break Ok(Done::told()),
        }
    };
    follower.abort();
    sink.end(&board);
    ended
}

/// The newest known cards.
struct Board {
    project: Option<String>,
    cards: BTreeMap<(String, String), LeaseCard>,
    /// When the database last told its clock.
    heard: Instant,
    online: bool,
}

impl Board {
    fn new(project: Option<&str>) -> Self {
        Self {
            project: project.map(str::to_owned),
            cards: BTreeMap::new(),
            heard: Instant::now(),
            online: true,
        }
    }

    /// Takes a batch; returns the cards that changed, as they are shown now.
    async fn take(&mut self, app: &App, batch: FeedBatch) -> Result<Vec<LeaseCard>, ApiError> {
        let was_online = std::mem::replace(&mut self.online, batch.online);
        if !batch.online {
            return Ok(self.shown());
        }
        self.heard = Instant::now();
        // Made, renamed, archived or deleted: the whole list says which there are. After an outage nothing is known.
        let whole = !was_online || batch.stale.contains(&Tag::Projects);
        let fresh = if whole { leases::list(app).await? } else { batch.leases };
        let mut changed = Vec::new();
        let before = if whole { std::mem::take(&mut self.cards) } else { BTreeMap::new() };
        for card in
            fresh.into_iter().filter(|card| self.project.as_ref().is_none_or(|id| card.project == *id))
        {
            let key = (card.project_name.clone(), card.project.clone());
            if before.get(&key).is_none_or(|old| differs(old, &card)) {
                changed.push(card.clone());
            }
            self.cards.insert(key, card);
        }
        for card in self.cards.values_mut() {
            // A card that did not change is as fresh as the batch.
            if let (Some(left), true) = (later(card.now, batch.now), card.now < batch.now) {
                card.left_ms = card.left_ms.saturating_sub(left);
                card.now = batch.now;
            }
        }
        Ok(changed)
    }

    /// As they are now: unknown with the age of the last read while the database does not answer.
    fn shown(&self) -> Vec<LeaseCard> {
        let age = u32::try_from(self.heard.elapsed().as_millis()).unwrap_or(u32::MAX);
        let stale = |card: &LeaseCard| if self.online { card.clone() } else { leases::gone_stale(card, age) };
        self.cards.values().map(stale).collect()
    }

    fn later(&self) -> f64 {
        self.heard.elapsed().as_secs_f64() * 1_000.0
    }
}

/// Whole milliseconds from one instant to another.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a difference of two real dates")]
fn later(from: f64, to: f64) -> Option<u32> {
    (to > from).then(|| (to - from).min(f64::from(u32::MAX)) as u32)
}

/// Whether two readings of a lease differ in more than the clock.
fn differs(old: &LeaseCard, new: &LeaseCard) -> bool {
    let still =
        LeaseCard { now: new.now, left_ms: new.left_ms, sentence: new.sentence.clone(), ..old.clone() };
    still != *new
}

/// Where it goes.
struct Sink<'a> {
    output: &'a Output,
    screen: Option<ProgressBar>,
}

impl<'a> Sink<'a> {
    fn new(output: &'a Output) -> Self {
        let screen = output.is_on_screen().then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stdout());
            // The template is constant and was tried.
            if let Ok(style) = ProgressStyle::with_template("{msg}") {
                bar.set_style(style);
            }
            bar
        });
        Self { output, screen }
    }

    /// Ages move on a terminal only.
    fn ticks(&self) -> bool {
        self.screen.is_some()
    }

    /// `false`: the reader went away.
    fn show(&mut self, board: &Board, changed: &[LeaseCard]) -> bool {
        match &self.screen {
            Some(bar) => {
                bar.set_message(screen(board));
                bar.tick();
                true
            }
            None => changed.iter().all(|card| self.output.line(&line(card), card)),
        }
    }

    /// The last picture stays where it was.
    fn end(self, board: &Board) {
        if let Some(bar) = self.screen {
            bar.finish_and_clear();
            self.output.line(&screen(board), &());
        }
    }
}

fn screen(board: &Board) -> String {
    let cards = board.shown();
    if cards.is_empty() {
        return "There is no project, so there is no lease.".to_owned();
    }
    let age = board.later();
    let text = lease::board(&cards, age);
    if board.online {
        return text;
    }
    format!("{text}\n\nThe database does not answer; this is from {} ago.", times::span(age))
}

/// One change in one line.
fn line(card: &LeaseCard) -> String {
    let at = times::exact(card.now);
    let (name, state) = (&card.project_name, lease::state(card));
    if card.since.is_none() && card.heartbeat_at.is_none() {
        return format!("{at}  {name}  {state}  fence {}", card.fence);
    }
    format!(
        "{at}  {name}  {state}  {} on {}  heartbeat {}  {}  fence {}",
        card.person,
        card.host,
        lease::heartbeat(card, 0.0),
        lease::work(card),
        card.fence
    )
}
