import type { Counts, Outcome } from '@/ipc'

/** Order of bars and chips: what went out first, what needs a person last. */
export const OUTCOMES: readonly Outcome[] = [
  'opened',
  'updated',
  'handed_out',
  'unchanged',
  'up_to_date',
  'skipped',
  'waiting',
  'failed',
]

export function totalOf(counts: Counts): number {
  return OUTCOMES.reduce((sum, outcome) => sum + counts[outcome], 0)
}

/** The outcomes that occur, in order, with their numbers. */
export function present(counts: Counts): { outcome: Outcome; count: number }[] {
  return OUTCOMES.filter((outcome) => counts[outcome] > 0).map((outcome) => ({ outcome, count: counts[outcome] }))
}
