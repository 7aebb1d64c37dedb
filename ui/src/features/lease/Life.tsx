import { formatAge, formatDuration } from '@/domain/format'
import { leaseLife } from '@/domain/lease'
import type { LeaseCard, LeaseState } from '@/ipc'
import { useTicking } from '@/live/hooks'
import { translate, useT } from '@/messages'

/** From here on a heartbeat counts as late: a third of the window and ten seconds. */
function lateShare(window: number): number {
  return window === 0 ? 1 : Math.min(1, (window / 3 + 10_000) / window)
}

/** The lease as life: from the last heartbeat (left) to expiry (right). Ticks by itself. */
export function Life({ card, state }: { card: LeaseCard; state: LeaseState }) {
  const t = useT()
  const used = useTicking((now) => Math.round(leaseLife(card, now).used * 400) / 4)
  const left = useTicking((now) => formatDuration(leaseLife(card, now).left))
  if (card.state === 'free') {
    return (
      <div className="life" data-state="free" aria-hidden="true">
        <div className="track" />
      </div>
    )
  }
  return (
    <div
      className="life"
      data-state={state}
      role="meter"
      aria-label={t('lease.life')}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(used)}
      aria-valuetext={t('lease.life_value', { left, window: formatDuration(card.windowMs) })}
      data-testid="lease-life"
    >
      <div className="track">
        <div className="late" style={{ width: `${(1 - lateShare(card.windowMs)) * 100}%` }} />
        <div className="used" style={{ width: `${used}%` }} />
      </div>
      <div className="end" />
      <div className="now" style={{ insetInlineStart: `${used}%` }} />
    </div>
  )
}

/** Under the bar: when it was heard, and when another may take it. */
export function LifeWords({ card }: { card: LeaseCard }) {
  useT()
  const heard = useTicking((now) => {
    const { age } = leaseLife(card, now)
    if (age === null) return translate('lease.heard', { age: translate('age.never') })
    if (age < 0) return translate('lease.heard_ahead', { age: formatDuration(-age) })
    return translate('lease.heard', { age: age < 1_000 ? translate('age.now') : formatAge(age) })
  })
  const until = useTicking((now) => {
    const { state, left } = leaseLife(card, now)
    if (state === 'reclaimable') return translate('lease.claimable_now')
    return translate('lease.claimable_in', { time: formatDuration(left) })
  })
  return (
    <div className="flex flex-wrap justify-between gap-x-3 text-sm text-muted">
      <span data-testid="lease-heard">{heard}</span>
      <span>{until}</span>
    </div>
  )
}
