import { leaseLife, isHeld } from '@/domain/lease'
import { matches } from '@/domain/names'
import { wantsPress } from '@/domain/press'
import type { LeaseState, ProjectRow } from '@/ipc'

export const FILTERS = ['all', 'ahead', 'running', 'attention', 'archived'] as const
export type Filter = (typeof FILTERS)[number]
export const SORTS = ['project', 'source', 'owed', 'synced'] as const
export type SortKey = (typeof SORTS)[number]

export interface ListView {
  search: string
  /** In groups by state. */
  grouped: boolean
  filter: Filter
  sort: SortKey
  descending: boolean
}

export const PLAIN_LIST: ListView = { search: '', grouped: false, filter: 'all', sort: 'project', descending: false }

function needsPerson(row: ProjectRow, state: LeaseState): boolean {
  const alarms = ['rewritten', 'branch_gone', 'source_gone']
  return state === 'reclaimable' || row.counts.failed > 0 || row.ahead.some((view) => alarms.includes(view.kind))
}

/** What a project is grouped under; what wants somebody's eyes comes first. */
export const GROUPS = ['running', 'attention', 'ahead', 'level', 'draft', 'archived'] as const
export type Group = (typeof GROUPS)[number]

function groupOf(row: ProjectRow, now: number): Group {
  const state = leaseLife(row.lease, now).state
  if (row.state === 'archived') return 'archived'
  if (isHeld(state)) return 'running'
  if (needsPerson(row, state)) return 'attention'
  if (row.state === 'draft') return 'draft'
  return wantsPress(row.ahead) || row.owed > 0 ? 'ahead' : 'level'
}

/** The rows in their order, under the heads of their groups; one group without a head when not grouped. */
export function grouped(rows: readonly ProjectRow[], view: ListView, now: number): { group: Group | null; rows: readonly ProjectRow[] }[] {
  if (!view.grouped) return [{ group: null, rows }]
  return GROUPS.map((group) => ({ group, rows: rows.filter((row) => groupOf(row, now) === group) })).filter(
    (one) => one.rows.length > 0,
  )
}

function passes(row: ProjectRow, filter: Filter, now: number): boolean {
  const state = leaseLife(row.lease, now).state
  switch (filter) {
    case 'all':
      return row.state !== 'archived'
    case 'ahead':
      return row.state !== 'archived' && (wantsPress(row.ahead) || row.owed > 0)
    case 'running':
      return isHeld(state)
    case 'attention':
      return needsPerson(row, state)
    case 'archived':
      return row.state === 'archived'
  }
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

function compare(a: ProjectRow, b: ProjectRow, sort: SortKey): number {
  switch (sort) {
    case 'project':
      return collator.compare(a.name, b.name)
    case 'source':
      return collator.compare(a.source, b.source)
    case 'owed':
      return a.owed - b.owed
    case 'synced':
      return (a.lastSynced ?? 0) - (b.lastSynced ?? 0)
  }
}

/** The rows that are shown, in order. */
export function order(rows: readonly ProjectRow[], view: ListView, now: number): ProjectRow[] {
  const turn = view.descending ? -1 : 1
  return rows
    .filter((row) => passes(row, view.filter, now) && matches(view.search, row.name, row.source))
    .sort((a, b) => turn * compare(a, b, view.sort) || collator.compare(a.name, b.name))
}
