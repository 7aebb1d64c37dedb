import { formatAge, formatDateTime, formatDuration, formatTime } from '@/domain/format'
import { isHeld, leaseLife } from '@/domain/lease'
import { LeaseChip, Life, useLeaseState } from '@/features/lease'
import { stepKey } from '@/features/run'
import type { LeaseCard, LeaseState } from '@/ipc'
import { useLease, useTicking } from '@/live/hooks'
import { translate, useT } from '@/messages'
import { useAge } from '@/ui/Age'
import { COLUMNS, ROW_REM } from './columns'

/** Within this time the hour alone tells when. */
const DAY_MS = 20 * 3_600_000

interface BoardLineProps {
  initial: LeaseCard
  at: number
  active: boolean
  onPoint: (project: string) => void
  onOpen: (project: string) => void
}

/** One lease in two lines; it ticks by itself. */
export function BoardLine({ initial, at, active, onPoint, onOpen }: BoardLineProps) {
  const t = useT()
  const card = useLease(initial)
  const state = useLeaseState(card)
  const held = card.since !== null || card.heartbeatAt !== null
  return (
    <div
      role="row"
      id={`lease-${card.project}`}
      className="grid-line grid-row lease-line"
      aria-rowindex={at + 2}
      aria-selected={active}
      data-active={active}
      data-testid="lease-line"
      data-state={state}
      style={{ gridTemplateColumns: COLUMNS, transform: `translateY(${ROW_REM * at}rem)` }}
      onClick={() => onPoint(card.project)}
      onDoubleClick={() => onOpen(card.project)}
    >
      <span role="gridcell" className="cell font-semibold" title={card.projectName}>
        <bdi>{card.projectName}</bdi>
      </span>
      <span role="gridcell" className="min-w-0">
        <LeaseChip state={state} />
        <span className="cell block text-sm text-muted tabular-nums">{t('lease.fence', { fence: card.fence })}</span>
      </span>
      <span role="gridcell" className="min-w-0">
        {held ? <Holder card={card} /> : <LastRun card={card} />}
      </span>
      <span role="gridcell" className="min-w-0">
        {held && (
          <>
            <Life card={card} state={state} />
            <BeatWords card={card} />
          </>
        )}
      </span>
      <span role="gridcell" className="min-w-0">
        <Progress card={card} state={state} />
      </span>
    </div>
  )
}

/** Age of the heartbeat at its bar's beginning, what is left at its end. */
function BeatWords({ card }: { card: LeaseCard }) {
  useT()
  const age = useTicking((now) => {
    const { age } = leaseLife(card, now)
    if (age === null) return translate('age.never')
    if (age < 0) return translate('leases.ahead', { time: formatDuration(-age) })
    return age < 1_000 ? translate('age.now') : formatAge(age)
  })
  const left = useTicking((now) => {
    const { state, left } = leaseLife(card, now)
    return state === 'reclaimable' ? '' : translate('leases.left', { time: formatDuration(left) })
  })
  return (
    <span className="flex justify-between gap-2 text-sm text-muted">
      <span className="cell">{age}</span>
      <span className="flex-none">{left}</span>
    </span>
  )
}

function Holder({ card }: { card: LeaseCard }) {
  const t = useT()
  const since = useTicking((now) => {
    if (card.since === null) return ''
    return now - card.since < DAY_MS ? formatTime(card.since) : formatDateTime(card.since, now)
  })
  const who = t('leases.at', { person: card.person, host: card.mine ? t('lease.you') : card.host })
  return (
    <>
      <bdi className="cell block" title={who}>
        {who}
      </bdi>
      <span className="cell block text-sm text-muted">{t('lease.since', { time: since })}</span>
    </>
  )
}

function LastRun({ card }: { card: LeaseCard }) {
  const t = useT()
  const age = useAge(card.lastAt)
  if (card.lastStatus === null) return <span className="cell block text-sm text-faint">{card.fence === '0' ? t('leases.never') : ''}</span>
  return <span className="cell block text-sm text-muted">{t('leases.last', { status: t(`status.${card.lastStatus}`), age })}</span>
}

function Progress({ card, state }: { card: LeaseCard; state: LeaseState }) {
  const t = useT()
  const progress = card.progress
  if (!progress || state === 'free') return null
  const count = progress.planned > 0 ? t('leases.done_of', { done: progress.done, planned: progress.planned }) : ''
  const step = t(stepKey(progress))
  const words = count ? t('leases.progress', { amount: count, step: step.toLocaleLowerCase() }) : step
  return (
    <>
      <span className="cell block" title={words}>
        {words}
      </span>
      {card.cancelBy !== null && isHeld(state) ? (
        <span className="tone-warn cell block text-sm">{t('leases.cancel_by', { person: card.cancelBy })}</span>
      ) : (
        <code className="cell block text-muted">{progress.current}</code>
      )}
    </>
  )
}
