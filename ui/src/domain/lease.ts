import type { LeaseCard, LeaseState } from '@/ipc'

/** What the lease card shows at one instant. */
export interface LeaseLife {
  state: LeaseState
  /** Milliseconds since the last heartbeat; negative when it lies in the future. */
  age: number | null
  /** Milliseconds until another may claim; 0: now. */
  left: number
  /** Share of the window that is used up, 0 to 1. */
  used: number
}

/**
 * The state of a lease by the database's clock. Live is now - W <= h <= now + W, both ends included; late is live with
 * a heartbeat older than W / 3 + 10 s.
 */
export function leaseLife(card: LeaseCard, now: number): LeaseLife {
  const window = card.windowMs
  const heartbeat = card.heartbeatAt
  const age = heartbeat === null ? null : now - heartbeat
  if (card.state === 'free' || card.state === 'unknown') return { state: card.state, age, left: 0, used: 0 }
  if (card.provenDead || age === null || age > window || age < -window) {
    return { state: 'reclaimable', age, left: 0, used: 1 }
  }
  const left = window - age
  const used = Math.min(1, Math.max(0, age / window))
  if (age < 0) return { state: 'clock_ahead', age, left, used }
  return { state: age > window / 3 + 10_000 ? 'late' : 'live', age, left, used }
}

/** Whether somebody holds it and may go on. */
export function isHeld(state: LeaseState): boolean {
  return state === 'live' || state === 'late' || state === 'clock_ahead'
}
