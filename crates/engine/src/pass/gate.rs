//! The pacing gate, and waiting in general: a wait is shown, ends at a stop, and is never a failure.

use std::future::Future;
use std::time::Duration;

use lockstep_domain::clock::Millis;
use lockstep_domain::ids::ConnectionId;
use lockstep_domain::model::Connection;
use lockstep_domain::ports::ForgeError;
use lockstep_store::Slot;

use super::Pass;
use crate::error::EngineError;
use crate::run::Halt;

/// Waits shorter than this are the ordinary pace and are not shown.
const SHOWN_MS: i64 = 2_000;
/// Longest single sleep before the gate is asked again: somebody may have lifted the block.
const LONGEST_MS: i64 = 60_000;
/// Attempts of a read that was not answered.
const READ_ATTEMPTS: u32 = 3;

/// One gate per account at one forge, from any machine.
pub(super) fn name(connection: &Connection) -> String {
    format!("{} {}", connection.base_url.trim_end_matches('/'), connection.login)
}

/// Waits for this connection's turn to write content.
pub(super) async fn turn(pass: &Pass, connection: ConnectionId) -> Result<(), Halt> {
    let unnamed = String::new();
    let name = pass.gates.get(&connection).unwrap_or(&unnamed);
    loop {
        let slot = pass.ctx.store().gate_reserve(name, pass.ctx.parts.settings.pace).await;
        match slot.map_err(EngineError::from)? {
            Slot::Granted { wait_ms } => {
                wait(pass, wait_ms, db_now(pass).await?.plus(wait_ms)).await?;
                return Ok(());
            }
            Slot::Blocked { until } => {
                let left = until.since(db_now(pass).await?).max(50);
                wait(pass, left.min(LONGEST_MS), until).await?;
            }
        }
    }
}

/// The forge asked to wait: the gate learns it for everybody.
pub(super) async fn blocked(
    pass: &Pass,
    connection: ConnectionId,
    until: Millis,
    slower: bool,
) -> Result<(), Halt> {
    let for_ms = until.since(pass.ctx.parts.clock.now()).max(0);
    if let Some(name) = pass.gates.get(&connection) {
        pass.ctx.store().gate_block(name, for_ms, slower).await.map_err(EngineError::from)?;
    }
    Ok(())
}

/// A read of the forge: waits while it is limited, repeats when it was not answered. What it answers in the end is for
/// the caller to judge.
pub(super) async fn read<T, F>(
    pass: &Pass,
    connection: ConnectionId,
    ask: impl Fn() -> F,
) -> Result<Result<T, ForgeError>, Halt>
where
    F: Future<Output = Result<T, ForgeError>>,
{
    let mut attempt = 1;
    loop {
        match ask().await {
            Ok(value) => {
                pass.answered();
                return Ok(Ok(value));
            }
            Err(ForgeError::RateLimited { until, secondary }) => {
                blocked(pass, connection, until, secondary).await?;
                let left = until.since(pass.ctx.parts.clock.now()).max(50);
                wait(pass, left, db_now(pass).await?.plus(left)).await?;
            }
            Err(ForgeError::Unavailable(_) | ForgeError::Unclear(_)) if attempt < READ_ATTEMPTS => {
                pause(pass, attempt).await?;
                attempt += 1;
            }
            Err(error) => return Ok(Err(error)),
        }
    }
}

/// The pause before attempt `attempt + 1` (1-based), from the settings.
pub(super) async fn pause(pass: &Pass, attempt: u32) -> Result<(), Halt> {
    let delays = &pass.ctx.parts.settings.announce_retry;
    let index = usize::try_from(attempt.saturating_sub(1)).unwrap_or_default();
    let delay = delays.get(index).or(delays.last()).copied().unwrap_or(Duration::from_secs(1));
    sleep(pass, delay).await
}

/// Sleeps, shown when it is long; a stop ends it.
async fn wait(pass: &Pass, for_ms: i64, until: Millis) -> Result<(), Halt> {
    if for_ms <= 0 {
        return pass.ctx.stop().reason().map_or(Ok(()), |reason| Err(reason.into()));
    }
    if for_ms > SHOWN_MS {
        pass.ctx.progress(|progress| progress.waiting_until = Some(until.0));
    }
    let slept = sleep(pass, Duration::from_millis(u64::try_from(for_ms).unwrap_or_default())).await;
    if for_ms > SHOWN_MS {
        pass.ctx.progress(|progress| progress.waiting_until = None);
    }
    slept
}

async fn sleep(pass: &Pass, delay: Duration) -> Result<(), Halt> {
    tokio::select! {
        () = tokio::time::sleep(delay) => Ok(()),
        reason = pass.ctx.stop().stopped() => Err(reason.into()),
    }
}

async fn db_now(pass: &Pass) -> Result<Millis, Halt> {
    Ok(pass.ctx.store().info().await.map_err(EngineError::from)?.now)
}
