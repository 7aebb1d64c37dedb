//! How often a window hears of changes.

use std::time::Duration;

use tokio::time::Instant;

/// Four batches a second.
const GAP: Duration = Duration::from_millis(250);
/// Pages that count outcomes are read again at most this often while items end one after the other.
const TAG_GAP: Duration = Duration::from_millis(2_000);

/// When the last batch was sent, what it took to put together, and when the last one named pages for items.
#[derive(Debug, Default)]
pub(super) struct Pace {
    sent: Option<Instant>,
    took: Duration,
    tagged: Option<Instant>,
}

impl Pace {
    /// A batch that was begun then goes now.
    pub(super) fn sent(&mut self, begun: Instant) {
        let now = Instant::now();
        self.took = now - begun;
        self.sent = Some(now);
    }

    /// Waits until the next batch may go; what changes meanwhile goes with it.
    pub(super) async fn hold(&self) {
        if let Some(sent) = self.sent {
            tokio::time::sleep_until(sent + gap(self.took)).await;
        }
    }

    /// Whether pages that only count may be named now; saying so uses the turn up.
    pub(super) fn may_tag(&mut self) -> bool {
        let due = self.tagged.is_none_or(|tagged| tagged.elapsed() >= TAG_GAP);
        if due {
            self.tagged = Some(Instant::now());
        }
        due
    }

    /// How long to wait for a change, shorter when pages still have to be named.
    pub(super) fn patience_ms(&self, most: u64, owes_tags: bool) -> u64 {
        let Some(tagged) = self.tagged.filter(|_| owes_tags) else { return most };
        let left = TAG_GAP.saturating_sub(tagged.elapsed());
        u64::try_from(left.as_millis()).unwrap_or(most).clamp(1, most)
    }
}

/// Of a course so large that a batch takes long, at most a quarter of the time is spent on batches.
fn gap(took: Duration) -> Duration {
    GAP.max(took * 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_that_takes_long_makes_the_next_one_wait_longer() {
        for (took, expected) in [(0, 250), (50, 250), (1_000, 3_000)] {
            assert_eq!(gap(Duration::from_millis(took)), Duration::from_millis(expected));
        }
    }
}
