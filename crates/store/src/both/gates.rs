//! `gates` and `gate_slots`: pacing per connection identity, by the database's clock, for every machine.

use lockstep_domain::clock::Millis;

use super::driver::Row;
use super::on::On;
use super::row::{get, ms, ms_opt};
use crate::contract::{Pace, Result, Slot, StoreError};
use crate::pacing::Gate;

const OPEN: &str = "INSERT INTO gates (identity) VALUES ($1) ON CONFLICT (identity) DO NOTHING";
const LOCK: &str = "SELECT reserved FROM gates WHERE identity = $1 {for_no_key_update}";
/// Read after the lock, in a statement of its own: the clock is the clock under the lock.
const READ: &str = "SELECT reserved, {ms:last_at} AS last_at, {ms:blocked_until} AS blocked_until, \
    slow_permille, {ms:slow_at} AS slow_at, {now_ms} AS now FROM gates WHERE identity = $1";
const SLOT: &str = "SELECT {ms:at} AS at FROM gate_slots WHERE identity = $1 AND number = $2";
const RESERVE: &str = "UPDATE gates SET reserved = reserved + 1, last_at = {at:$3} \
    WHERE identity = $1 AND reserved = $2";
const KEEP: &str = "INSERT INTO gate_slots (identity, number, at) VALUES ($1, $2, {at:$3})";
const PRUNE: &str = "DELETE FROM gate_slots WHERE identity = $1 AND number <= $2";
const BLOCK: &str = "UPDATE gates SET blocked_until = {at:$2}, slow_permille = $3, slow_at = {at:$4} \
    WHERE identity = $1";

/// Slots kept: more than any pace allows in an hour.
const KEPT: i64 = 5_000;

struct Locked {
    gate: Gate,
    reserved: i64,
    now: Millis,
}

async fn lock(on: &mut On, identity: &str) -> Result<Locked> {
    on.exec(OPEN, args![identity]).await?;
    on.row(LOCK, args![identity]).await?;
    let found = on.row(READ, args![identity]).await?;
    let row = found.ok_or_else(|| StoreError::NotFound("the pacing gate".into()))?;
    Ok(Locked { gate: gate(&row)?, reserved: get(&row, "reserved")?, now: ms(&row, "now")? })
}

pub(super) async fn reserve(on: &mut On, identity: &str, pace: Pace) -> Result<Slot> {
    let Locked { gate, reserved, now } = lock(on, identity).await?;
    let back = reserved + 1 - gate.hourly(now, pace).min(KEPT);
    let oldest = on.row(SLOT, args![identity, back]).await?;
    let oldest = oldest.as_ref().map(|row| ms(row, "at")).transpose()?;
    let at = match gate.next(now, pace, oldest) {
        Ok(at) => at,
        Err(blocked) => return Ok(blocked),
    };
    if on.exec(RESERVE, args![identity, reserved, at.0]).await? != 1 {
        return Err(StoreError::Busy);
    }
    on.exec(KEEP, args![identity, reserved + 1, at.0]).await?;
    on.exec(PRUNE, args![identity, reserved - KEPT]).await?;
    Ok(Slot::Granted { wait_ms: at.since(now) })
}

pub(super) async fn block(on: &mut On, identity: &str, for_ms: i64, slower: bool) -> Result<()> {
    let Locked { gate, now, .. } = lock(on, identity).await?;
    let until = now.plus(for_ms.max(0));
    let until = gate.blocked_until.map_or(until, |known| known.max(until));
    let (slow, slow_at) = match slower {
        true => (gate.slower(now), Some(now)),
        false => (gate.slow_permille, gate.slow_at),
    };
    on.exec(BLOCK, args![identity, until.0, slow, slow_at.map(|at| at.0)]).await?;
    Ok(())
}

fn gate(row: &Row) -> Result<Gate> {
    Ok(Gate {
        last_at: ms_opt(row, "last_at")?,
        blocked_until: ms_opt(row, "blocked_until")?,
        slow_permille: get(row, "slow_permille")?,
        slow_at: ms_opt(row, "slow_at")?,
    })
}
