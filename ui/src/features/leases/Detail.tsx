import { type ReactNode, useState } from 'react'
import { formatDateTime } from '@/domain/format'
import { isHeld } from '@/domain/lease'
import { CancelDialog, LeaseChip, Life, LifeWords, ReclaimDialog, useLeaseState, Why } from '@/features/lease'
import { stepKey } from '@/features/run'
import type { LeaseCard, LeaseState } from '@/ipc'
import { useLease, useTicking } from '@/live/hooks'
import { useT } from '@/messages'
import { Button } from '@/ui/Button'
import { History } from './History'
import { Strip } from './Strip'

/** One lease: who holds it, why it can or cannot be taken, its heartbeats and its history. */
export function Detail({ initial, onOpen }: { initial: LeaseCard; onOpen: (project: string) => void }) {
  const card = useLease(initial)
  const state = useLeaseState(card)
  const held = card.since !== null || card.heartbeatAt !== null
  return (
    <div className="flex flex-col gap-3" data-testid="lease-detail">
      <div className="caption">
        <h2 className="cell" title={card.projectName}>
          <bdi>{card.projectName}</bdi>
        </h2>
        <LeaseChip state={state} />
      </div>
      {held && (
        <div>
          <Life card={card} state={state} />
          <LifeWords card={card} />
        </div>
      )}
      <Why card={card} state={state} />
      <Actions card={card} state={state} onOpen={onOpen} />
      {held && <Facts card={card} />}
      {held && <Strip card={card} />}
      <History project={card.project} />
    </div>
  )
}

/** Reclaim where the rule allows it, Cancel where somebody lives; the sentence above says why, and when it changes. */
function Actions({ card, state, onOpen }: { card: LeaseCard; state: LeaseState; onOpen: (project: string) => void }) {
  const t = useT()
  const [asking, setAsking] = useState<'cancel' | 'reclaim' | null>(null)
  const cancellable = isHeld(state) && card.cancelBy === null
  return (
    <div className="flex flex-wrap gap-2">
      {state === 'reclaimable' && (
        <Button kind="danger" shortcut="R" onClick={() => setAsking('reclaim')} data-testid="reclaim">
          {t('lease.reclaim')}
        </Button>
      )}
      {cancellable && (
        <Button shortcut="C" onClick={() => setAsking('cancel')} data-testid="cancel">
          {t('lease.cancel')}
        </Button>
      )}
      <Button icon="arrowRight" onClick={() => onOpen(card.project)} data-testid="open-project">
        {t('leases.open')}
      </Button>
      <CancelDialog card={card} open={asking === 'cancel' && cancellable} onClose={() => setAsking(null)} />
      <ReclaimDialog card={card} open={asking === 'reclaim' && state === 'reclaimable'} onClose={() => setAsking(null)} />
    </div>
  )
}

function Facts({ card }: { card: LeaseCard }) {
  const t = useT()
  const since = useTicking((now) => (card.since === null ? '' : formatDateTime(card.since, now)))
  const started = useTicking((now) => (card.processStart === null ? '' : formatDateTime(card.processStart, now)))
  const program = t('leases.process', { version: card.appVersion, pid: String(card.pid) })
  const { progress } = card
  return (
    <dl className="lease-facts" data-testid="lease-facts">
      <Fact name={t('leases.person')}>{card.person}</Fact>
      <Fact name={t('leases.machine')}>{card.mine ? t('lease.you') : `${card.osUser}@${card.host}`}</Fact>
      <Fact name={t('leases.program')}>
        {program}
        {started && <span className="block text-muted">{t('leases.process_started', { time: started })}</span>}
      </Fact>
      <Fact name={t('leases.col.fence')}>{card.fence}</Fact>
      <Fact name={t('leases.held_since')}>{since}</Fact>
      {progress && (
        <Fact name={t('leases.on')}>
          {progress.planned > 0 ? t('leases.done_of', { done: progress.done, planned: progress.planned }) : t(stepKey(progress))}
          {progress.current && <code className="block wrap-anywhere text-muted">{progress.current}</code>}
        </Fact>
      )}
    </dl>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <bdi>{children}</bdi>
      </dd>
    </>
  )
}
