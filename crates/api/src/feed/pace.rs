//! How often a window hears of changes.

use std::time::Duration;

use tokio::time::Instant;

/// Four batches a second.
const GAP: Duration = Duration::from_millis(250);
/// Pages that count outcomes are read again at most this often while items end one after the other.
const TAG_GAP: Duration = Duration::from_millis(2_000);

/// When the last batch was sent, and the last one that named pages for items.
#[derive(Debug, Default)]
pub(super) struct Pace {
    sent: Option<Instant>,
    tagged: Option<Instant>,
}

impl Pace {
    pub(super) fn sent(&mut self) {
        self.sent = Some(Instant::now());
    }

    /// Waits until the next batch may go; what changes meanwhile goes with it.
    pub(super) async fn hold(&self) {
        if let Some(sent) = self.sent {
            tokio::time::sleep_until(sent + GAP).await;
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
