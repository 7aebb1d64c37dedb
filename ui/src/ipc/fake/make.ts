import type { AheadView, Counts, LeaseCard, ProjectRow, PullCounts, RecipientRow, RunView } from '../types'

export const NO_COUNTS: Counts = {
  opened: 0,
  updated: 0,
  unchanged: 0,
  up_to_date: 0,
  handed_out: 0,
  skipped: 0,
  failed: 0,
  waiting: 0,
}

export function countsOf(rows: readonly RecipientRow[]): Counts {
  const counts = { ...NO_COUNTS }
  for (const row of rows) if (row.outcome) counts[row.outcome] += 1
  return counts
}

export function pullsOf(rows: readonly RecipientRow[]): PullCounts {
  const counts: PullCounts = { open: 0, merged: 0, closed: 0 }
  for (const row of rows) for (const branch of row.branches) if (branch.pull) counts[branch.pull.state] += 1
  return counts
}

export function freeLease(project: string, name: string, fence: number, now: number): LeaseCard {
  return {
    project,
    projectName: name,
    state: 'free',
    reason: 'free',
    fence: String(fence),
    person: '',
    osUser: '',
    host: '',
    pid: 0,
    processStart: null,
    appVersion: '',
    mine: false,
    since: null,
    heartbeatAt: null,
    windowMs: 180_000,
    now,
    leftMs: 0,
    provenDead: false,
    sentence: 'Nobody is syncing.',
    run: null,
    progress: null,
    cancelBy: null,
    cancelAt: null,
    lastStatus: null,
    lastAt: null,
  }
}

export interface Who {
  person: string
  osUser: string
  host: string
  mine: boolean
}

export const ME: Who = { person: 'Alex Moreau', osUser: 'amoreau', host: 'desk-02', mine: true }
export const COLLEAGUE: Who = { person: 'Sam Okafor', osUser: 'sokafor', host: 'lab-desk-07', mine: false }

export function heldLease(free: LeaseCard, who: Who, run: string, since: number, heartbeatAt: number, now: number): LeaseCard {
  return {
    ...free,
    ...who,
    state: 'live',
    reason: 'beating',
    fence: String(Number(free.fence) + 1),
    pid: who.mine ? 4_211 : 18_432,
    processStart: since - 47 * 60_000,
    appVersion: '0.1.0',
    since,
    heartbeatAt,
    now,
    leftMs: Math.max(0, heartbeatAt + free.windowMs - now),
    sentence: `${who.person} on ${who.host} is syncing.`,
    run,
    progress: null,
    cancelBy: null,
    cancelAt: null,
    provenDead: false,
  }
}

export function makeRun(id: string, project: string, fence: string, who: Who, startedAt: number): RunView {
  return {
    id,
    project,
    kind: 'sync',
    status: 'running',
    fence,
    person: who.person,
    host: who.host,
    mine: who.mine,
    startedAt,
    endedAt: null,
    counts: { ...NO_COUNTS },
    spent: { graphql: 0, rest: 0, fetches: 0, pushes: 0 },
    selection: 'all',
    chosen: 0,
    resumes: null,
    error: null,
    errorText: '',
    retryable: false,
    refId: null,
    progress: null,
  }
}

export interface ProjectSeed {
  id: string
  name: string
  source: string
  ahead: AheadView[]
  state?: ProjectRow['state']
  strategy?: ProjectRow['strategy']
  deadline: number | null
  lastSynced: number | null
  fence: number
}

export function makeProject(seed: ProjectSeed, now: number): ProjectRow {
  return {
    id: seed.id,
    name: seed.name,
    source: seed.source,
    state: seed.state ?? 'published',
    strategy: seed.strategy ?? 'squash',
    ahead: seed.ahead,
    lease: freeLease(seed.id, seed.name, seed.fence, now),
    counts: { ...NO_COUNTS },
    recipients: 0,
    owed: 0,
    pulls: { open: 0, merged: 0, closed: 0 },
    lastSynced: seed.lastSynced,
    deadline: seed.deadline,
    press: 'again',
    resumable: null,
  }
}
