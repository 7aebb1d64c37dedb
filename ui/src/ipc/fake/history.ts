import type { LeaseCard, LeaseEvent, LeaseEventView, LeaseHistory } from '../types'
import { COLLEAGUE, ME, type Who } from './make'
import type { World } from './world'

function event(seq: number, at: number, lease: LeaseCard, what: LeaseEvent, who: Who, more: Partial<LeaseEventView>): LeaseEventView {
  return {
    seq: String(seq),
    at,
    event: what,
    project: lease.project,
    projectName: lease.projectName,
    fence: lease.fence,
    run: `${lease.project}-run-${lease.fence}`,
    person: who.person,
    machine: `${who.osUser}@${who.host}`,
    otherPerson: '',
    otherHost: '',
    kind: what === 'claimed' ? 'sync' : null,
    status: null,
    code: null,
    beatMs: null,
    provenDead: false,
    text: '',
    ...more,
  }
}

/** Something happens to a lease now. */
export function note(world: World, lease: LeaseCard, what: LeaseEvent, who: Who, more: Partial<LeaseEventView> = {}): void {
  const newest = Number(world.leaseEvents[0]?.seq ?? 0)
  world.leaseEvents = [event(newest + 1, world.now(), lease, what, who, more), ...world.leaseEvents]
}

/** A past with one of everything, for each project that was ever held. */
export function makePast(world: World): void {
  const now = world.now()
  const hour = 3_600_000
  const events: LeaseEventView[] = []
  let seq = 0
  for (const { row } of world.projects.values()) {
    const last = Number(row.lease.fence)
    if (last < 3) continue
    const lease = (fence: number): LeaseCard => ({ ...row.lease, fence: String(fence) })
    const add = (ago: number, fence: number, what: LeaseEvent, who: Who, more: Partial<LeaseEventView> = {}) => {
      seq += 1
      events.push(event(seq, now - ago, lease(fence), what, who, more))
    }
    add(76 * hour, last - 2, 'claimed', COLLEAGUE)
    add(75.97 * hour, last - 2, 'renewed_late', COLLEAGUE, { beatMs: 94_000 })
    add(75.8 * hour, last - 2, 'reclaimed', ME, { otherPerson: COLLEAGUE.person, otherHost: COLLEAGUE.host, beatMs: 412_000 })
    add(75.7 * hour, last - 2, 'lost', COLLEAGUE, { text: 'replaced or expired' })
    add(50 * hour, last - 1, 'claimed', ME, { otherPerson: '' })
    add(49.98 * hour, last - 1, 'cancel_asked', COLLEAGUE, { otherPerson: ME.person, otherHost: ME.host, text: 'wrong deadline' })
    add(49.97 * hour, last - 1, 'released', ME, { status: 'cancelled', code: 'cancelled' })
    add(4 * hour, last, 'claimed', ME)
    add(3.9 * hour, last, 'finished', ME, { status: 'succeeded' })
  }
  world.leaseEvents = events.sort((a, b) => a.at - b.at).map((one, at) => ({ ...one, seq: String(at + 1) })).reverse()
}

/** One page, newest first. */
export function pageOf(world: World, project: string | null, before: string | null, limit: number): LeaseHistory {
  const older = world.leaseEvents.filter(
    (one) => (project === null || one.project === project) && (before === null || Number(one.seq) < Number(before)),
  )
  const rows = older.slice(0, limit)
  return { rows, before: rows.length === limit && older.length > limit ? (rows.at(-1)?.seq ?? null) : null }
}
