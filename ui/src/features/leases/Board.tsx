import { useVirtualizer } from '@tanstack/react-virtual'
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react'
import type { LeaseCard } from '@/ipc'
import { type MessageKey, useT } from '@/messages'
import { useRem } from '@/platform/rem'
import { BoardLine } from './BoardLine'
import { COLUMNS, ROW_REM } from './columns'
import { useLines } from './useLines'

const HEAD_REM = 2
const MIN_WIDTH = '43rem'

const HEADS: MessageKey[] = [
  'leases.col.project',
  'leases.col.state',
  'leases.col.holder',
  'leases.col.heartbeat',
  'leases.col.progress',
]

export interface BoardHandle {
  /** The keyboard enters the table. */
  enter: () => void
}

interface BoardProps {
  ref: Ref<BoardHandle>
  lines: readonly LeaseCard[]
  onChoose: (project: string | null) => void
  onOpen: (project: string) => void
  onCancel: () => void
  onReclaim: () => void
}

/** The virtual table. One tab stop; arrows move, and the active line is named to assistive tools. */
export function Board({ ref, lines, onChoose, onOpen, onCancel, onReclaim }: BoardProps) {
  // The virtualizer changes inside one object, which memoised code would take for unchanged.
  'use no memo'
  const t = useT()
  const scroller = useRef<HTMLDivElement>(null)
  const rem = useRem()
  const row = ROW_REM * rem
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => row,
    overscan: 8,
    scrollPaddingEnd: HEAD_REM * rem,
  })
  const keys = useLines({
    lines,
    show: (at) => virtual.scrollToIndex(at),
    page: () => Math.max(1, Math.floor((scroller.current?.clientHeight ?? 400) / row) - 1),
    onOpen,
    onCancel,
    onReclaim,
  })
  useEffect(() => virtual.measure(), [rem, virtual])
  useEffect(() => onChoose(keys.active), [keys.active, onChoose])
  useImperativeHandle(ref, () => ({
    enter: () => {
      scroller.current?.focus()
      if (keys.active === null) keys.goTo(0)
    },
  }))
  const drawn = virtual.getVirtualItems()
  const named = drawn.some((item) => lines[item.index]?.project === keys.active)
  return (
    <div
      ref={scroller}
      className="grid block! min-h-0 flex-1 bg-surface"
      role="grid"
      aria-label={t('leases.table')}
      aria-rowcount={lines.length + 1}
      aria-colcount={HEADS.length}
      aria-activedescendant={named ? `lease-${keys.active}` : undefined}
      tabIndex={0}
      data-testid="lease-board"
      onKeyDown={keys.onKeyDown}
    >
      <div style={{ minWidth: MIN_WIDTH }}>
        <div role="rowgroup" className="grid-head">
          <div role="row" aria-rowindex={1} className="grid-row" style={{ gridTemplateColumns: COLUMNS }}>
            {HEADS.map((head) => (
              <span key={head} role="columnheader" className="cell">
                {t(head)}
              </span>
            ))}
          </div>
        </div>
        <div role="rowgroup" className="relative" style={{ height: `${ROW_REM * lines.length}rem` }}>
          {drawn.map((item) => {
            const card = lines[item.index]
            return (
              card && (
                <BoardLine key={card.project} initial={card} at={item.index} active={keys.active === card.project} onPoint={keys.setActive} onOpen={onOpen} />
              )
            )
          })}
        </div>
      </div>
    </div>
  )
}
