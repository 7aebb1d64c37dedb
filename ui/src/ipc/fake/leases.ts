import type { LeaseCard } from '../types'
import { note } from './history'
import { COLLEAGUE, freeLease, heldLease, makeProject, ME, type Who } from './make'
import type { World } from './world'

const OTHERS: Who[] = [
  COLLEAGUE,
  { person: 'Ana Sofía Gutiérrez-Maldonado de la Fuente', osUser: 'asgutierrez', host: 'build-server-eu-west-3b', mine: false },
  { person: 'ليلى حداد', osUser: 'lhaddad', host: 'lab-desk-11', mine: false },
]

/** A project whose lease looks like this. */
function add(world: World, id: string, name: string, change: (free: LeaseCard, now: number) => LeaseCard): void {
  const now = world.now()
  const row = makeProject({ id, name, source: 'course-staff/more', ahead: [], deadline: null, lastSynced: null, fence: 12 }, now)
  const lease = change(row.lease, now)
  const project = { row: { ...row, lease: { ...lease, now } }, rows: [], runs: [], pending: [], sourceUrl: '', sourceId: 's9', distribution: 'x/y', note: '', requests: 4 }
  world.projects.set(id, project)
  if (lease.state !== 'free') note(world, lease, 'claimed', lease.mine ? ME : COLLEAGUE)
}

/** One lease in every state. */
export function makeLeases(world: World): void {
  const [sam, ana, leila] = OTHERS as [Who, Who, Who]
  const held = (free: LeaseCard, who: Who, since: number, heartbeatAt: number, now: number): LeaseCard => ({
    ...heldLease(free, who, `${free.project}-run-13`, since, heartbeatAt, now),
    progress: { step: 'pass', done: 87, planned: 212, failed: 1, current: 'algo-2026/lab4-team-088', waitingUntil: null, endsAt: now + 190_000, call: null },
  })
  add(world, 'l-late', 'Networks, exercise 9', (free, now) => ({ ...held(free, ana, now - 700_000, now - 96_000, now), state: 'late', reason: 'beat_late' }))
  add(world, 'l-ahead', 'Operating systems, lab 2', (free, now) => ({ ...held(free, sam, now - 300_000, now + 41_000, now), state: 'clock_ahead', reason: 'beat_ahead' }))
  add(world, 'l-old', 'Databases, project', (free, now) => ({ ...held(free, leila, now - 5_400_000, now - 412_000, now), state: 'reclaimable', reason: 'too_old', leftMs: 0 }))
  add(world, 'l-far', 'Graphics, assignment 1', (free, now) => ({ ...held(free, sam, now - 60_000, now + 900_000, now), state: 'reclaimable', reason: 'too_far_ahead', leftMs: 0 }))
  add(world, 'l-dead', 'Security, capture the flag', (free, now) => ({ ...held(free, { ...ME, mine: false }, now - 120_000, now - 4_000, now), state: 'reclaimable', reason: 'process_gone', provenDead: true, leftMs: 0 }))
  add(world, 'l-slow', 'Robotics, final', (free, now) => {
    const card = held(free, sam, now - 900_000, now - 20_000, now)
    const call = { call: 'push', target: 'robotics-26/final-team-17', until: now + 1_300_000 }
    return { ...card, cancelBy: `${ME.person}: wrong branch`, cancelAt: now - 75_000, progress: card.progress && { ...card.progress, call } }
  })
  add(world, 'l-never', 'Seminar, never pressed', (free) => ({ ...free, fence: '0' }))
  add(world, 'l-free', 'Logic, homework 3', (free, now) => ({ ...free, lastStatus: 'incomplete', lastAt: now - 3_900_000 }))
}

/** So many leases, one in ten held. */
export function makeManyLeases(world: World, count: number): void {
  for (let at = 0; at < count; at += 1) {
    const name = `Course ${String(at).padStart(4, '0')}`
    add(world, `m${at}`, name, (free, now) => {
      if (at % 10 !== 0) return freeLease(`m${at}`, name, at, now)
      return heldLease(free, OTHERS[at % 3] ?? COLLEAGUE, `m${at}-run`, now - 60_000 - at * 100, now - (at % 7) * 9_000, now)
    })
  }
}
