import { useLeaseHistory } from '@/api/queries'
import { formatDuration } from '@/domain/format'
import { ERRORS } from '@/errors/words'
import { Trouble } from '@/features/errors'
import type { LeaseEvent, LeaseEventView } from '@/ipc'
import { type Translate, useT } from '@/messages'
import { Age } from '@/ui/Age'
import { Button } from '@/ui/Button'
import type { ChipTone } from '@/ui/Chip'
import { Icon, type IconName } from '@/ui/Icon'

const LOOK: Record<LeaseEvent, { icon: IconName; tone: ChipTone }> = {
  claimed: { icon: 'lock', tone: 'info' },
  renewed_late: { icon: 'clock', tone: 'warn' },
  lost: { icon: 'warn', tone: 'bad' },
  reclaimed: { icon: 'refresh', tone: 'bad' },
  cancel_asked: { icon: 'skip', tone: 'warn' },
  released: { icon: 'unlock', tone: 'idle' },
  finished: { icon: 'check', tone: 'ok' },
}

/** What there is to say of an event besides what, who and when. */
export function whatOf(event: LeaseEventView, t: Translate): string {
  const other = { person: event.otherPerson, host: event.otherHost }
  const beat = event.beatMs ?? 0
  const time = formatDuration(Math.abs(beat))
  switch (event.event) {
    case 'claimed': {
      const kind = event.kind ? t(`kind.${event.kind}`) : ''
      return event.otherPerson ? t('leases.what.claimed_from', { kind, ...other }) : t('leases.what.claimed', { kind })
    }
    case 'renewed_late':
      return t('leases.what.renewed_late', { time })
    case 'lost':
      return t('leases.what.lost')
    case 'reclaimed':
      if (event.provenDead) return t('leases.what.reclaimed_dead', other)
      return t(beat < 0 ? 'leases.what.reclaimed_ahead' : 'leases.what.reclaimed', { ...other, time })
    case 'cancel_asked':
      return event.text
        ? t('leases.what.cancel_asked_why', { ...other, reason: event.text })
        : t('leases.what.cancel_asked', other)
    case 'released':
    case 'finished': {
      const status = event.status ? t(`status.${event.status}`) : ''
      if (!event.code) return t('leases.what.ended', { status })
      return t('leases.what.ended_early', { status, why: t((ERRORS[event.code] ?? ERRORS.bug).title) })
    }
  }
}

function Line({ event, named }: { event: LeaseEventView; named: boolean }) {
  const t = useT()
  const look = LOOK[event.event]
  return (
    <li className="event" data-testid="lease-event" data-event={event.event}>
      <span className={`tone-${look.tone} mt-0.5 flex-none`}>
        <Icon name={look.icon} />
      </span>
      <div className="min-w-0 flex-1">
        <div className="flex items-baseline justify-between gap-2">
          <span className="cell">
            <strong className="font-semibold">{t(`leases.event.${event.event}`)}</strong>{' '}
            <bdi>{event.person}</bdi>
          </span>
          <span className="flex-none text-sm text-muted">
            <Age at={event.at} />
          </span>
        </div>
        <p className="text-sm wrap-anywhere text-muted" title={event.machine}>
          {named && (
            <>
              <bdi>{event.projectName}</bdi>
              {' · '}
            </>
          )}
          {whatOf(event, t)} · {t('lease.fence', { fence: event.fence })}
        </p>
      </div>
    </li>
  )
}

/** What happened to one lease, or to all, newest first; older ones on request. */
export function History({ project }: { project: string | null }) {
  const t = useT()
  const history = useLeaseHistory(project)
  const events = history.data?.pages.flatMap((page) => page.rows) ?? []
  return (
    <section aria-labelledby="lease-history" data-testid="lease-history">
      <h2 id="lease-history" className="label mb-1">
        {t(project === null ? 'leases.history_all' : 'leases.history')}
      </h2>
      <Trouble error={history.error} onRetry={() => void history.refetch()} />
      {history.data && events.length === 0 && <p className="text-muted">{t('leases.history_none')}</p>}
      <ul aria-busy={history.isPending}>
        {events.map((event) => (
          <Line key={event.seq} event={event} named={project === null} />
        ))}
      </ul>
      {history.hasNextPage && (
        <Button size="small" busy={history.isFetchingNextPage} onClick={() => void history.fetchNextPage()} data-testid="history-more">
          {t('leases.history_more')}
        </Button>
      )}
    </section>
  )
}
