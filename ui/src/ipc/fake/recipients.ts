import type { Outcome, PullView, Reason, RecipientBranchRow, RecipientRow } from '../types'
import { random } from './random'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

const TEAMS = ['Otters', 'Équipe Zoé', 'Red Pandas', 'فريق الصقور', 'Kolibris', 'Nachtfalter']

/** What a recipient will always answer until a person does something about it. */
export interface Fate {
  outcome: Outcome
  reason: Reason
  cause: string
}

const FATES: Record<number, Fate> = {
  3: { outcome: 'failed', reason: 'needs_workflows_permission', cause: 'The update changes a workflow file.' },
  11: { outcome: 'failed', reason: 'needs_workflows_permission', cause: 'The update changes a workflow file.' },
  17: { outcome: 'failed', reason: 'foreign_commits', cause: 'Someone pushed 2 commits to sync/main.' },
  24: { outcome: 'failed', reason: 'blocked_by_rule', cause: 'A ruleset refuses new branches.' },
  6: { outcome: 'skipped', reason: 'locked', cause: 'Staff locked it.' },
  20: { outcome: 'skipped', reason: 'locked', cause: 'Staff locked it.' },
  13: { outcome: 'skipped', reason: 'past_deadline', cause: 'Its deadline has passed.' },
  27: { outcome: 'skipped', reason: 'archived', cause: 'It is archived on GitHub.' },
}

/** Fates repeat every thirty recipients, so that a large project looks like many small ones. */
export function fateOf(at: number): Fate | null {
  return FATES[at % 30] ?? null
}

export interface Roster {
  org: string
  prefix: string
  branches: readonly string[]
  deadline: number | null
  seed: number
  /** Whether something was ever sent. */
  sent: boolean
}

function labelOf(at: number): string {
  const team = TEAMS[at % 30]
  return at < 30 && team !== undefined && at % 30 < 3 ? team : at === 4 ? (TEAMS[3] ?? '') : `student ${String(at + 1).padStart(2, '0')}`
}

function pullOf(url: string, at: number, now: number, next: () => number): PullView {
  const state = next() < 0.3 ? 'merged' : next() < 0.08 ? 'closed' : 'open'
  const conflicting = state === 'open' && next() < 0.12
  const number = 1 + Math.floor(next() * 24)
  return {
    number,
    state,
    mergeable: conflicting ? 'conflicting' : 'mergeable',
    url: `${url}/pull/${number}`,
    openedAt: now - Math.floor((2 + next() * 9) * DAY) - at * MINUTE,
    behind: false,
  }
}

function branchRow(branch: string, main: boolean, at: number, url: string, roster: Roster, now: number, next: () => number): RecipientBranchRow {
  const row: RecipientBranchRow = {
    branch,
    outcome: null,
    reason: null,
    cause: '',
    conflicts: null,
    step: null,
    pull: null,
  }
  if (!roster.sent) return row
  const fate = fateOf(at)
  if (fate && (main || fate.outcome === 'skipped')) {
    row.outcome = fate.outcome
    row.reason = fate.reason
    row.cause = fate.cause
    return row
  }
  row.outcome = next() < 0.55 ? 'opened' : next() < 0.5 ? 'updated' : next() < 0.6 ? 'up_to_date' : 'unchanged'
  if (!main && next() < 0.6) row.outcome = 'up_to_date'
  if (row.outcome !== 'up_to_date') {
    row.pull = pullOf(url, at, now, next)
    if (row.pull.mergeable === 'conflicting') row.conflicts = 1 + Math.floor(next() * 3)
  }
  return row
}

const STRONGEST: readonly Outcome[] = ['failed', 'waiting', 'skipped', 'opened', 'updated', 'handed_out', 'unchanged', 'up_to_date']

/** The strongest branch's outcome names the row's. */
export function strongest(branches: readonly RecipientBranchRow[]): Outcome | null {
  return STRONGEST.find((outcome) => branches.some((branch) => branch.outcome === outcome)) ?? null
}

export function makeRecipients(count: number, roster: Roster, now: number): RecipientRow[] {
  const next = random(roster.seed)
  const width = Math.max(2, String(count).length)
  return Array.from({ length: count }, (_, at): RecipientRow => {
    const repo = `${roster.org}/${roster.prefix}-${String(at + 1).padStart(width, '0')}`
    const url = `https://github.example/${repo}`
    const fate = fateOf(at)
    const own = at % 30 === 1 || fate?.reason === 'past_deadline'
    const deadline = own ? now + (fate?.reason === 'past_deadline' ? -2 : 12) * DAY : roster.deadline
    const branches = roster.branches.map((branch, place) => branchRow(branch, place === 0, at, url, roster, now, next))
    return {
      id: `${roster.prefix}-r${at + 1}`,
      repo,
      url,
      label: labelOf(at),
      state: fate?.reason === 'archived' ? 'archived' : 'live',
      deadline,
      ownDeadline: own,
      pastDeadline: deadline !== null && deadline < now,
      locked: fate?.reason === 'locked',
      owed: fate?.outcome === 'failed' || !roster.sent,
      outcome: strongest(branches),
      branches,
      lastAt: roster.sent ? now - Math.floor((3 + next() * 70) * HOUR) : null,
    }
  })
}
