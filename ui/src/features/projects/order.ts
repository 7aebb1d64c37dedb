import { leaseLife, isHeld } from '@/domain/lease'
import { matches } from '@/domain/names'
import { wantsPress } from '@/domain/press'
import type { ProjectRow } from '@/ipc'

export type Filter = 'all' | 'ahead' | 'running' | 'attention' | 'archived'
export type SortKey = 'project' | 'source' | 'owed' | 'synced'

export interface ListView {
  filter: Filter
  sort: SortKey
  descending: boolean
}

export const PLAIN_LIST: ListView = { filter: 'all', sort: 'project', descending: false }

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
      return state === 'reclaimable' || row.counts.failed > 0 || row.ahead.some((view) => ['rewritten', 'branch_gone', 'source_gone'].includes(view.kind))
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
export function order(rows: readonly ProjectRow[], search: string, view: ListView, now: number): ProjectRow[] {
  const turn = view.descending ? -1 : 1
  return rows
    .filter((row) => passes(row, view.filter, now) && matches(search, row.name, row.source))
    .sort((a, b) => turn * compare(a, b, view.sort) || collator.compare(a.name, b.name))
}
