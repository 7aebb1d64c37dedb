import type { LeaseCard, LeaseReason, LeaseState } from '@/ipc'

/** What the lease card shows at one instant. */
export interface LeaseLife {
  state: LeaseState
  /** Why it can or cannot be taken. */
  reason: LeaseReason
  /** Milliseconds since the last heartbeat; negative when it lies in the future. */
  age: number | null
  /** Milliseconds until another may claim; 0: now. */
  left: number
  /** Share of the window that is used up, 0 to 1. */
  used: number
}

/** From this age on a heartbeat counts as late. */
export function lateAfter(window: number): number {
  return window / 3 + 10_000
}

/**
 * The state of a lease by the database's clock. Live is now - W <= h <= now + W, both ends included; late is live with
 * a heartbeat older than W / 3 + 10 s. A death that the core proved stays proven whatever the clock says.
 */
export function leaseLife(card: LeaseCard, now: number): LeaseLife {
  const window = card.windowMs
  const heartbeat = card.heartbeatAt
  const age = heartbeat === null ? null : now - heartbeat
  if (card.state === 'free') return { state: 'free', reason: 'free', age, left: 0, used: 0 }
  if (card.state === 'unknown') return { state: 'unknown', reason: 'unreachable', age, left: 0, used: 0 }
  const gone = (reason: LeaseReason): LeaseLife => ({ state: 'reclaimable', reason, age, left: 0, used: 1 })
  if (card.provenDead) return gone(card.reason === 'other_boot' ? 'other_boot' : 'process_gone')
  if (age === null) return gone('never_beat')
  if (age > window) return gone('too_old')
  if (age < -window) return gone('too_far_ahead')
  const left = window - age
  const used = Math.min(1, Math.max(0, age / window))
  if (age < 0) return { state: 'clock_ahead', reason: 'beat_ahead', age, left, used }
  if (age > lateAfter(window)) return { state: 'late', reason: 'beat_late', age, left, used }
  return { state: 'live', reason: 'beating', age, left, used }
}

/** Whether somebody holds it and may go on. */
export function isHeld(state: LeaseState): boolean {
  return state === 'live' || state === 'late' || state === 'clock_ahead'
}

/** A cancel that was asked longer ago than this has not bitten: what it waits for is named. */
const CANCEL_BITES_WITHIN_MS = 30_000

/** Whether a person should be told what a cancel still waits for. */
export function cancelIsSlow(card: LeaseCard, now: number): boolean {
  return card.cancelAt !== null && now - card.cancelAt >= CANCEL_BITES_WITHIN_MS
}
