//! An open pull request with nothing left to say is closed with one comment (docs/SYNC.md).

use lockstep_domain::model::PullState;

use super::announce::{Telling, Told};
use super::decide::up_to_date;
use super::outcome::pull_row;
use super::write::{Wrote, write};
use crate::run::Halt;
use crate::texts;

pub(super) async fn close(telling: &Telling<'_>, undone: bool) -> Result<Told, Halt> {
    let (item, handed) = (telling.item, telling.handed);
    let Some(open) = item.open(handed.at.id) else {
        return Ok(Told { ended: up_to_date(undone), pull: item.newest_row(handed.recipient.id) });
    };
    let marker = texts::closing_marker(item.new);
    let said = match telling.has_marker(open.number, &marker).await? {
        Ok(said) => said,
        Err(ended) => return Ok(Told { ended, pull: None }),
    };
    if !said {
        let text = texts::closing_comment(&item.base, item.new);
        if let Err(ended) = telling.comment(open.number, &text, &marker).await? {
            return Ok(Told { ended, pull: None });
        }
    }
    let send = || telling.forge.close_pull(&telling.pass.ctx.guard, &handed.at, open.number);
    let request_id = match write(telling.pass, telling.connection(), &telling.handed.at.slug, send).await? {
        Wrote::Done(written) => written.request_id,
        Wrote::Ended(ended) => return Ok(Told { ended, pull: None }),
        // Closing twice is closing once: the next look tells.
        Wrote::Exists | Wrote::Unclear(_) => None,
    };
    let mut row = pull_row(handed.recipient.id, &item.branch, open, item.announced(open.number));
    row.state = PullState::Closed;
    let now = telling.pass.ctx.parts.clock.now();
    row.closed_at = Some(now);
    row.updated_at = now.max(open.updated_at.plus(1));
    Ok(Told { ended: up_to_date(undone).told_by(request_id), pull: Some(row) })
}
