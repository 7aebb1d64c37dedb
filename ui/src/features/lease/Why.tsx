import { formatAge, formatDuration, formatTime } from '@/domain/format'
import { cancelIsSlow, isHeld, leaseLife } from '@/domain/lease'
import type { LeaseCard, LeaseReason, LeaseState } from '@/ipc'
import { link } from '@/live/feed'
import { useStore, useTicking } from '@/live/hooks'
import { type MessageKey, useT } from '@/messages'
import { useAge } from '@/ui/Age'
import { Icon } from '@/ui/Icon'

const WORDS: Record<LeaseReason, MessageKey> = {
  free: 'lease.free_text',
  beating: 'lease.why_live',
  beat_late: 'lease.why_late',
  beat_ahead: 'lease.why_ahead',
  never_beat: 'lease.why_never_beat',
  too_old: 'lease.why_too_old',
  too_far_ahead: 'lease.why_too_far_ahead',
  other_boot: 'lease.why_other_boot',
  process_gone: 'lease.why_process_gone',
  unreachable: 'lease.why_unknown',
}

const CALLS: Record<string, MessageKey> = {
  fetch: 'lease.call.fetch',
  push: 'lease.call.push',
  wait: 'lease.call.wait',
}

/** A cancel that was asked: what finishes first, and, when it does not bite, what it waits for and until when. */
function Asked({ card, by }: { card: LeaseCard; by: string }) {
  const t = useT()
  const slow = useTicking((now) => cancelIsSlow(card, now))
  const age = useTicking((now) => formatAge(now - (card.cancelAt ?? now)))
  const call = card.progress?.call ?? null
  const words = () => {
    if (!slow) return t('lease.cancel_asked', { person: by })
    if (!call) return t('lease.cancel_waits_unknown', { person: by, age })
    const what = t(CALLS[call.call] ?? 'lease.call.request', { target: call.target })
    return t('lease.cancel_waits', { person: by, age, call: what, time: formatTime(call.until) })
  }
  return (
    <p className="tone-warn flex gap-1.5" role="status" data-testid="cancel-asked">
      <span className="mt-0.5 flex-none">
        <Icon name="clock" />
      </span>
      {words()}
    </p>
  )
}

/** Why this lease can or cannot be taken, and when. */
export function Why({ card, state }: { card: LeaseCard; state: LeaseState }) {
  const t = useT()
  const time = useTicking((now) => formatDuration(leaseLife(card, now).left))
  const reason = useTicking((now) => leaseLife(card, now).reason) as LeaseReason
  const age = useAge(useStore(link).lastHeard)
  if (card.cancelBy !== null && isHeld(state)) return <Asked card={card} by={card.cancelBy} />
  if (card.mine && state === 'live') return null
  const key = WORDS[state === 'unknown' ? 'unreachable' : reason]
  return (
    <p className="text-pretty text-muted" data-testid="lease-why">
      {t(key, { person: card.person, time, age })}
    </p>
  )
}
