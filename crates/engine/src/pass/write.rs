//! A content write: through the gate, within the lease, sent once; what is unclear is looked up before it is repeated.

use std::future::Future;
use std::time::Duration;

use lockstep_domain::ids::ConnectionId;
use lockstep_domain::names::RepoSlug;
use lockstep_domain::outcome::Reason;
use lockstep_domain::ports::{ForgeError, Written};

use super::outcome::{Ended, of_forge};
use super::{Pass, gate};
use crate::run::Halt;

/// Timeout of a write to the forge (docs/LEASES.md section 5).
const WRITE_TIMEOUT_MS: i64 = 30_000;
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);

/// What came of it.
pub(super) enum Wrote<T> {
    /// It stands.
    Done(Written<T>),
    /// There is one already.
    Exists,
    /// It may or may not stand: look it up.
    Unclear(String),
    /// The item ends here.
    Ended(Ended),
}

/// Sends when the gate opens. Not-yet and not-reachable are repeated after the pauses of the settings.
pub(super) async fn write<T, F>(
    pass: &Pass,
    connection: ConnectionId,
    target: &RepoSlug,
    send: impl Fn() -> F,
) -> Result<Wrote<T>, Halt>
where
    F: Future<Output = Result<Written<T>, ForgeError>>,
{
    let mut attempt = 1;
    loop {
        gate::turn(pass, connection).await?;
        pass.ctx.may_write(WRITE_TIMEOUT_MS).await?;
        let calling = pass.ctx.calling("request", target, WRITE_TIMEOUT);
        let answer = send().await;
        drop(calling);
        match answer {
            Ok(written) => {
                pass.answered();
                return Ok(Wrote::Done(written));
            }
            Err(ForgeError::RateLimited { until, secondary }) => {
                gate::blocked(pass, connection, until, secondary).await?;
            }
            Err(ForgeError::NotYet(why) | ForgeError::Unavailable(why)) => {
                if !may_repeat(pass, attempt) {
                    pass.unanswered(&why)?;
                    return Ok(Wrote::Ended(Ended::failed(Reason::GithubUnavailable, why)));
                }
                gate::pause(pass, attempt).await?;
                attempt += 1;
            }
            // The forge's own look at the lease came out short: renewed above, unless it is really lost.
            Err(ForgeError::LeaseLost) if !pass.ctx.stop().is_lost() && may_repeat(pass, attempt) => {
                gate::pause(pass, attempt).await?;
                attempt += 1;
            }
            Err(ForgeError::AlreadyExists) => return Ok(Wrote::Exists),
            Err(ForgeError::Unclear(why)) => return Ok(Wrote::Unclear(why)),
            Err(error) => return of_forge(pass, error).map(Wrote::Ended),
        }
    }
}

/// As often as there are pauses.
fn may_repeat(pass: &Pass, attempt: u32) -> bool {
    usize::try_from(attempt).unwrap_or(usize::MAX) <= pass.ctx.parts.settings.announce_retry.len()
}
