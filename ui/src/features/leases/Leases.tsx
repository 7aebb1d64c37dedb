import { useRef, useState } from 'react'
import { useLeases } from '@/api/queries'
import { isHeld, leaseLife } from '@/domain/lease'
import { Trouble } from '@/features/errors'
import { CancelDialog, ReclaimDialog, Skew } from '@/features/lease'
import type { LeaseCard } from '@/ipc'
import { clock } from '@/live/clock'
import { newest, useLease, useLeasesFact, useTicking } from '@/live/hooks'
import { useT } from '@/messages'
import { useKeys } from '@/platform/keys'
import { useRemembered } from '@/platform/remember'
import { Segments } from '@/ui/Choice'
import { Empty, SkeletonLines } from '@/ui/Empty'
import { SearchBox } from '@/ui/SearchBox'
import { Board, type BoardHandle } from './Board'
import { Detail } from './Detail'
import { History } from './History'
import { arrange, type BoardView, FILTERS, PLAIN_BOARD, signature } from './order'

const NONE: readonly LeaseCard[] = []

/** Every lease of the database: who holds it, how old its heartbeat is, and what may be done about it. */
export function Leases({ onOpen }: { onOpen: (project: string) => void }) {
  const t = useT()
  const leases = useLeases()
  const [search, setSearch] = useState('')
  const [view, setView] = useRemembered<BoardView>('leases', PLAIN_BOARD)
  const [chosen, setChosen] = useState<string | null>(null)
  const box = useRef<HTMLInputElement>(null)
  const board = useRef<BoardHandle>(null)
  const cards = leases.data ?? NONE
  useKeys({ '/': () => box.current?.focus(), arrowdown: () => board.current?.enter() })
  // The order follows the states, which change by news and by time.
  useLeasesFact(cards, signature)
  const lines = arrange(newest(cards), search, view.filter, clock.now())
  const card = lines.find((one) => one.project === chosen) ?? null
  return (
    <div className="flex min-h-0 flex-1 flex-col" data-testid="leases">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3">
        <h1 className="text-xl">{t('leases.title')}</h1>
        <DatabaseClock />
        <span className="sr-only" role="status">
          {leases.data && t('leases.count', { count: lines.length })}
        </span>
        <span className="ms-auto flex flex-wrap items-center gap-2" hidden={cards.length === 0}>
          <Segments
            label={t('leases.filter')}
            hideLabel
            value={view.filter}
            onChange={(filter) => setView({ filter })}
            options={FILTERS.map((value) => ({ value, label: t(`leases.filter.${value}`) }))}
          />
          <SearchBox inputRef={box} label={t('leases.search')} value={search} onChange={setSearch} onLeave={() => board.current?.enter()} />
        </span>
      </header>
      <div className="px-4">
        <Skew />
      </div>
      <Trouble error={leases.error} onRetry={() => void leases.refetch()} className="mx-4 mb-3" />
      {leases.isPending && <SkeletonLines label={t('common.loading')} />}
      {leases.data && cards.length === 0 && (
        <Empty icon="lock" title={t('leases.empty.title')}>
          {t('leases.empty.text')}
        </Empty>
      )}
      {cards.length > 0 && (
        <div className="board">
          {lines.length === 0 ? (
            <Empty title={t('leases.nothing.title')}>{t('leases.nothing.text')}</Empty>
          ) : (
            <Chosen card={card}>
              {(ask) => (
                <Board ref={board} lines={lines} onChoose={setChosen} onOpen={onOpen} onCancel={ask.cancel} onReclaim={ask.reclaim} />
              )}
            </Chosen>
          )}
          <aside className="board-side" aria-label={card ? t('leases.detail', { project: card.projectName }) : t('leases.history_all')}>
            {card ? <Detail key={card.project} initial={card} onOpen={onOpen} /> : <EveryHistory />}
          </aside>
        </div>
      )}
    </div>
  )
}

function EveryHistory() {
  const t = useT()
  return (
    <>
      <p className="text-muted">{t('leases.choose')}</p>
      <History project={null} />
    </>
  )
}

/** The dialogs that the keys open, for the chosen lease and only where the rule allows it. */
function Chosen({ card, children }: { card: LeaseCard | null; children: (ask: { cancel: () => void; reclaim: () => void }) => React.ReactNode }) {
  const [asking, setAsking] = useState<'cancel' | 'reclaim' | null>(null)
  const state = card ? leaseLife(card, clock.now()).state : 'free'
  const ask = {
    cancel: () => isHeld(state) && card?.cancelBy === null && setAsking('cancel'),
    reclaim: () => state === 'reclaimable' && setAsking('reclaim'),
  }
  return (
    <>
      {children(ask)}
      {card && <Dialogs initial={card} asking={asking} onClose={() => setAsking(null)} />}
    </>
  )
}

function Dialogs({ initial, asking, onClose }: { initial: LeaseCard; asking: 'cancel' | 'reclaim' | null; onClose: () => void }) {
  const card = useLease(initial)
  return (
    <>
      <CancelDialog card={card} open={asking === 'cancel'} onClose={onClose} />
      <ReclaimDialog card={card} open={asking === 'reclaim'} onClose={onClose} />
    </>
  )
}

/** The one clock that judges, ticking. */
function DatabaseClock() {
  const t = useT()
  const time = useTicking((now) =>
    new Date(now).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' }),
  )
  return (
    <span className="text-sm text-muted tabular-nums" data-testid="database-clock">
      {t('leases.clock', { time })}
    </span>
  )
}
