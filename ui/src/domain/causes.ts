import type { Outcome, Reason, RecipientRow } from '@/ipc'
import { matches } from './names'

/** What rows are grouped by: the reason of a failure or skip, or how far they got. */
export type Cause = Reason | 'unknown' | 'waiting' | 'new' | 'delivered'

/** The one action that a group carries. */
export type CauseAction = 'retry' | 'granted' | 'check' | 'unlock' | 'deadline' | 'again' | 'send'

export const CAUSE_ACTION: Record<Cause, CauseAction | null> = {
  gone: 'check',
  moved: 'check',
  pending: 'check',
  archived: 'check',
  locked: 'unlock',
  past_deadline: 'deadline',
  empty: 'check',
  deselected: 'send',
  declined: 'again',
  withdrawn: 'again',
  foreign_commits: 'retry',
  branch_missing: 'retry',
  no_common_history: 'retry',
  needs_workflows_permission: 'granted',
  blocked_by_rule: 'retry',
  permission_missing: 'granted',
  not_accessible: 'granted',
  push_failed: 'retry',
  github_unavailable: 'retry',
  validation: 'retry',
  unknown_outcome: 'retry',
  undone_by_recipient: null,
  unknown: 'retry',
  waiting: null,
  new: 'send',
  delivered: null,
}

/** How a group is marked; what needs a person comes first. */
export type Tone = 'bad' | 'warn' | 'idle' | 'ok' | 'info'

const ORDER: Cause[] = [
  'needs_workflows_permission',
  'permission_missing',
  'not_accessible',
  'blocked_by_rule',
  'foreign_commits',
  'branch_missing',
  'no_common_history',
  'push_failed',
  'validation',
  'github_unavailable',
  'unknown_outcome',
  'unknown',
  'waiting',
  'new',
  'declined',
  'withdrawn',
  'past_deadline',
  'locked',
  'pending',
  'empty',
  'deselected',
  'archived',
  'moved',
  'gone',
  'undone_by_recipient',
  'delivered',
]

const PLACE = new Map(ORDER.map((cause, at) => [cause, at]))

/** The strongest branch's reason names the row's cause. */
export function causeOf(row: RecipientRow): Cause {
  const outcome = row.outcome
  if (outcome === null) return row.state === 'live' ? (row.locked ? 'locked' : 'new') : row.state
  if (outcome === 'waiting') return 'waiting'
  const reason = row.branches.find((branch) => branch.outcome === outcome && branch.reason !== null)?.reason ?? null
  if (outcome === 'failed' || outcome === 'skipped') return reason ?? 'unknown'
  return reason === 'undone_by_recipient' ? 'undone_by_recipient' : 'delivered'
}

export type SortKey = 'repo' | 'label' | 'deadline' | 'last'

export interface View {
  search: string
  outcome: Outcome | 'none' | null
  cause: Cause | null
  state: RecipientRow['state'] | 'locked' | 'owed' | null
  grouped: boolean
  sort: SortKey
  descending: boolean
}

export const PLAIN_VIEW: View = {
  search: '',
  outcome: null,
  cause: null,
  state: null,
  grouped: true,
  sort: 'repo',
  descending: false,
}

/** One line of the table. */
export type Entry = { kind: 'group'; cause: Cause; ids: readonly string[] } | { kind: 'row'; id: string; cause: Cause }

export function shows(row: RecipientRow, view: View): boolean {
  if (view.outcome !== null && (row.outcome ?? 'none') !== view.outcome) return false
  if (view.state === 'locked' && !row.locked) return false
  if (view.state === 'owed' && !row.owed) return false
  if (view.state && view.state !== 'locked' && view.state !== 'owed' && row.state !== view.state) return false
  if (view.cause !== null && causeOf(row) !== view.cause) return false
  return matches(view.search, row.repo, row.label)
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

function compare(view: View): (a: RecipientRow, b: RecipientRow) => number {
  const turn = view.descending ? -1 : 1
  const byRepo = (a: RecipientRow, b: RecipientRow) => collator.compare(a.repo, b.repo)
  const last = (value: number | null) => value ?? Number.NEGATIVE_INFINITY
  switch (view.sort) {
    case 'repo':
      return (a, b) => turn * byRepo(a, b)
    case 'label':
      return (a, b) => turn * collator.compare(a.label, b.label) || byRepo(a, b)
    case 'deadline':
      return (a, b) => turn * ((a.deadline ?? Infinity) - (b.deadline ?? Infinity) || 0) || byRepo(a, b)
    case 'last':
      return (a, b) => turn * (last(a.lastAt) - last(b.lastAt) || 0) || byRepo(a, b)
  }
}

/** Filters, sorts and groups: the lines of the table in order. */
export function arrange(rows: readonly RecipientRow[], view: View): Entry[] {
  const shown = rows.filter((row) => shows(row, view)).sort(compare(view))
  if (!view.grouped) return shown.map((row) => ({ kind: 'row', id: row.id, cause: causeOf(row) }))
  const groups = new Map<Cause, string[]>()
  for (const row of shown) {
    const cause = causeOf(row)
    const ids = groups.get(cause)
    if (ids) ids.push(row.id)
    else groups.set(cause, [row.id])
  }
  return [...groups]
    .sort(([a], [b]) => (PLACE.get(a) ?? 99) - (PLACE.get(b) ?? 99))
    .flatMap(([cause, ids]): Entry[] => [
      { kind: 'group', cause, ids },
      ...ids.map((id): Entry => ({ kind: 'row', id, cause })),
    ])
}

/** Outcomes, causes and states that occur, with their numbers: what the filters offer. */
export function facets(rows: readonly RecipientRow[]) {
  const outcomes = new Map<Outcome | 'none', number>()
  const causes = new Map<Cause, number>()
  const states = new Map<RecipientRow['state'] | 'locked' | 'owed', number>()
  const count = <K>(map: Map<K, number>, key: K) => map.set(key, (map.get(key) ?? 0) + 1)
  for (const row of rows) {
    count(outcomes, row.outcome ?? 'none')
    count(causes, causeOf(row))
    count(states, row.state)
    if (row.locked) count(states, 'locked')
    if (row.owed) count(states, 'owed')
  }
  const ordered = new Map([...causes].sort(([a], [b]) => (PLACE.get(a) ?? 99) - (PLACE.get(b) ?? 99)))
  return { outcomes, causes: ordered, states }
}
