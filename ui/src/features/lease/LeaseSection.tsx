import { useState } from 'react'
import { formatTime } from '@/domain/format'
import { isHeld } from '@/domain/lease'
import type { LeaseCard, LeaseState } from '@/ipc'
import { useT } from '@/messages'
import { Button } from '@/ui/Button'
import { CancelDialog, ReclaimDialog } from './dialogs'
import { LeaseChip } from './LeaseChip'
import { Life, LifeWords } from './Life'
import { Skew } from './Skew'
import { Why } from './Why'

function Holder({ card }: { card: LeaseCard }) {
  const t = useT()
  const program = t('lease.program', { version: card.appVersion, pid: String(card.pid), user: card.osUser })
  return (
    <div className="flex flex-wrap items-baseline justify-between gap-x-3" title={program}>
      <span className="min-w-0 wrap-anywhere">
        <bdi>{t('lease.holder', { person: card.person })}</bdi>{' '}
        <strong className="font-semibold">{card.mine ? t('lease.you') : card.host}</strong>
      </span>
      {card.since !== null && (
        <span className="text-sm text-muted">{t('lease.since', { time: formatTime(card.since) })}</span>
      )}
    </div>
  )
}

/** The lease drawn as life, with Cancel or Reclaim only where the rule allows it. */
export function LeaseSection({ card, state }: { card: LeaseCard; state: LeaseState }) {
  const t = useT()
  const [asking, setAsking] = useState<'cancel' | 'reclaim' | null>(null)
  const free = card.state === 'free'
  const cancellable = isHeld(state) && card.cancelBy === null
  return (
    <section aria-labelledby="lease-title" data-testid="lease">
      <div className="caption">
        <h2 id="lease-title">{t('lease.title')}</h2>
        <LeaseChip state={state} />
      </div>
      {!free && <Holder card={card} />}
      <div>
        <Life card={card} state={state} />
        {!free && <LifeWords card={card} />}
      </div>
      <Why card={card} state={state} />
      {!free && <Skew />}
      <div className="mt-auto flex min-h-[1.875rem] flex-wrap items-center justify-between gap-2">
        <span className="text-sm text-muted">
          {free
            ? card.fence !== '0' && t('lease.free_last', { fence: card.fence })
            : t('lease.fence', { fence: card.fence })}
        </span>
        {cancellable && (
          <Button onClick={() => setAsking('cancel')} data-testid="cancel">
            {t('lease.cancel')}
          </Button>
        )}
        {state === 'reclaimable' && (
          <Button kind="danger" onClick={() => setAsking('reclaim')} data-testid="reclaim">
            {t('lease.reclaim')}
          </Button>
        )}
      </div>
      <CancelDialog card={card} open={asking === 'cancel' && cancellable} onClose={() => setAsking(null)} />
      <ReclaimDialog card={card} open={asking === 'reclaim' && state === 'reclaimable'} onClose={() => setAsking(null)} />
    </section>
  )
}
