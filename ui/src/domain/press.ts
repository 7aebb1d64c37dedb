import type { AheadView, LeaseCard, PressForecast, ProjectRow } from '@/ipc'
import { type LeaseLife, isHeld } from './lease'

/** What the primary button will do; the words for it are in the messages. */
export type Press =
  | { kind: 'sync'; commits: number | null; recipients: number; seconds: number }
  | { kind: 'owed'; recipients: number; seconds: number }
  | { kind: 'again'; requests: number }
  | { kind: 'watch'; person: string; mine: boolean; done: number; planned: number }
  | { kind: 'resume'; left: number | null }
  | { kind: 'none' }

/** A live lease decides before everything else: nobody presses twice, one watches. */
export function pressOf(forecast: PressForecast, lease: LeaseCard, life: Pick<LeaseLife, 'state'>, left: number | null): Press {
  if (isHeld(life.state)) {
    return {
      kind: 'watch',
      person: lease.person,
      mine: lease.mine,
      done: lease.progress?.done ?? 0,
      planned: lease.progress?.planned ?? 0,
    }
  }
  switch (forecast.kind) {
    case 'resume':
      return { kind: 'resume', left }
    case 'owed':
      return { kind: 'owed', recipients: forecast.recipients, seconds: forecast.seconds }
    case 'again':
      return { kind: 'again', requests: forecast.requests }
    case 'none':
      return { kind: 'none' }
    // `watch` without a live lease: the run ended a moment ago, the forecast is being read again.
    case 'watch':
    case 'sync':
      return {
        kind: 'sync',
        commits: forecast.commits,
        recipients: forecast.recipients,
        seconds: forecast.seconds,
      }
  }
}

const WANTS_A_PRESS: ReadonlySet<AheadView['kind']> = new Set(['never_handed_out', 'ahead', 'ahead_unknown', 'rewritten'])

export function wantsPress(ahead: readonly AheadView[]): boolean {
  return ahead.some((view) => WANTS_A_PRESS.has(view.kind))
}

/** What a press from the list of projects is for. */
export function rowPress(row: ProjectRow, life: Pick<LeaseLife, 'state'>): 'watch' | 'sync' | 'owed' | 'again' | 'none' {
  if (isHeld(life.state)) return 'watch'
  const hasDistribution = row.ahead.some((view) => view.distHead !== null)
  if (row.state === 'archived' || (row.state === 'draft' && !hasDistribution)) return 'none'
  if (wantsPress(row.ahead)) return 'sync'
  return row.owed > 0 ? 'owed' : 'again'
}

/** Commits ahead over all branches; null when any number is unknown. */
export function commitsAhead(ahead: readonly AheadView[]): number | null {
  let sum = 0
  for (const view of ahead) {
    if (view.kind === 'ahead' && view.number !== null) sum += view.number
    else if (WANTS_A_PRESS.has(view.kind)) return null
  }
  return sum
}
