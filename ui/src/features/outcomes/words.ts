import type { ChipTone } from '@/ui/Chip'
import type { IconName } from '@/ui/Icon'
import type { Cause } from '@/domain/causes'
import type { Outcome } from '@/ipc'

/** Icon and tone of every outcome: colour never speaks alone. */
export const OUTCOME_LOOK: Record<Outcome, { icon: IconName; tone: ChipTone }> = {
  opened: { icon: 'check', tone: 'ok' },
  updated: { icon: 'refresh', tone: 'info' },
  handed_out: { icon: 'arrowRight', tone: 'ok' },
  unchanged: { icon: 'dot', tone: 'idle' },
  up_to_date: { icon: 'equal', tone: 'idle' },
  skipped: { icon: 'skip', tone: 'idle' },
  waiting: { icon: 'clock', tone: 'warn' },
  failed: { icon: 'cross', tone: 'bad' },
}

const WARNS: ReadonlySet<Cause> = new Set(['foreign_commits', 'waiting', 'unknown_outcome', 'unknown'])
const CALM: ReadonlySet<Cause> = new Set([
  'gone',
  'moved',
  'pending',
  'archived',
  'locked',
  'past_deadline',
  'empty',
  'deselected',
  'declined',
  'withdrawn',
  'undone_by_recipient',
])

export function causeLook(cause: Cause): { icon: IconName; tone: Exclude<ChipTone, 'plain'> } {
  if (cause === 'delivered') return { icon: 'check', tone: 'ok' }
  if (cause === 'new') return { icon: 'dashed', tone: 'info' }
  if (cause === 'waiting') return { icon: 'clock', tone: 'warn' }
  if (cause === 'locked') return { icon: 'lock', tone: 'idle' }
  if (CALM.has(cause)) return { icon: 'skip', tone: 'idle' }
  return WARNS.has(cause) ? { icon: 'warn', tone: 'warn' } : { icon: 'cross', tone: 'bad' }
}
