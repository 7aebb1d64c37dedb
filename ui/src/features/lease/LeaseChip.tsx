import { leaseLife } from '@/domain/lease'
import type { LeaseCard, LeaseState } from '@/ipc'
import { link } from '@/live/feed'
import { useStore, useTicking } from '@/live/hooks'
import { useT } from '@/messages'
import { Chip, type ChipTone } from '@/ui/Chip'
import type { IconName } from '@/ui/Icon'

const LOOK: Record<LeaseState, { icon: IconName; tone: ChipTone }> = {
  free: { icon: 'unlock', tone: 'idle' },
  live: { icon: 'heart', tone: 'ok' },
  late: { icon: 'clock', tone: 'warn' },
  clock_ahead: { icon: 'clock', tone: 'warn' },
  reclaimable: { icon: 'warn', tone: 'bad' },
  unknown: { icon: 'dashed', tone: 'warn' },
}

/** The state of a lease by the ticking clock; `unknown` while the database does not answer. */
export function useLeaseState(card: LeaseCard): LeaseState {
  const offline = useStore(link).state === 'offline'
  const state = useTicking((now) => leaseLife(card, now).state)
  return offline ? 'unknown' : state
}

export function LeaseChip({ state }: { state: LeaseState }) {
  const t = useT()
  return (
    <Chip {...LOOK[state]} testId="lease-state">
      {t(`lease.${state}`)}
    </Chip>
  )
}
