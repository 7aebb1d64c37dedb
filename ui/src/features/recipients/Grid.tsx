import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef } from 'react'
import type { View } from '@/domain/causes'
import { ownerOf } from '@/domain/names'
import type { RowStore } from '@/live/rows'
import { useT } from '@/messages'
import { useRem } from '@/platform/rem'
import { useWidth } from '@/platform/width'
import { Button } from '@/ui/Button'
import { planColumns } from './columns'
import { GridHead } from './GridHead'
import { GroupLine } from './GroupLine'
import { RecipientLine } from './RecipientLine'
import { type Selection, useSelection } from './selection'
import type { RecipientActions } from './useActions'
import { useEntries } from './useEntries'
import { keyOf, useGridKeys } from './useGridKeys'
import { useSteady } from './useSteady'

export interface GridPart {
  rows: RowStore
  view: View
  onView: (view: View) => void
  selection: Selection
  actions: RecipientActions
  branches: readonly string[]
  /** Whether something may be sent now. */
  canSend: boolean
  /** Whether a run is under way: rows change what they say, not where they stand. */
  live: boolean
}

/** Heights in rem, as in the styles. */
const ROW_REM = 2.125
const HEAD_REM = 2

/** The owner that most repositories share; left out of their names. */
function commonOwner(rows: RowStore): string {
  const counts = new Map<string, number>()
  for (const row of rows.rows()) counts.set(ownerOf(row.repo), (counts.get(ownerOf(row.repo)) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? ''
}

interface GridProps extends GridPart {
  /** Shows everything about one recipient. */
  onDetails: (id: string) => void
  onDraw?: (id: string) => void
}

/** The virtual table. One tab stop; arrows move, and the active line is named to assistive tools. */
export function Grid({ rows, view, onView, selection, actions, branches, canSend, live, onDetails, onDraw }: GridProps) {
  // The virtualizer changes inside one object, which memoised code would take for unchanged.
  'use no memo'
  const t = useT()
  const scroller = useRef<HTMLDivElement>(null)
  const rem = useRem()
  const isTouched = () =>
    selection.get().size > 0 || (scroller.current?.scrollTop ?? 0) > 0 || scroller.current?.matches(':hover, :focus-within') === true
  const { entries, moved, rearrange } = useEntries(rows, view, live, isTouched)
  const row = ROW_REM * rem
  const virtual = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => row,
    overscan: 12,
    // The head stands above the lines, inside the scroller.
    scrollPaddingEnd: HEAD_REM * rem,
  })
  const keys = useGridKeys({
    entries,
    selection,
    actions,
    canSend,
    onDetails,
    show: (at) => virtual.scrollToIndex(at),
    page: () => Math.max(1, Math.floor((scroller.current?.clientHeight ?? 400) / row) - 2),
  })
  useEffect(() => virtual.measure(), [rem, virtual])
  useSteady({ entries, active: keys.active, row, scroller })
  useEffect(() => selection.keep((id) => rows.row(id) !== undefined), [selection, rows, entries])
  const selected = useSelection(selection)
  const owner = useMemo(() => commonOwner(rows), [rows, entries])
  const lines = virtual.getVirtualItems()
  // Only a line that is drawn can be named to assistive tools.
  const named = lines.some((line) => keys.active !== null && entries[line.index] && keyOf(entries[line.index]!) === keys.active)
  const width = useWidth(scroller) / rem
  const plan = useMemo(() => planColumns(width, branches.length, view.sort), [width, branches.length, view.sort])
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      {moved > 0 && (
        <div className="moved" role="status" data-testid="moved">
          {t('recipients.moved', { count: moved })}
          <Button size="small" onClick={rearrange}>
            {t('recipients.arrange')}
          </Button>
        </div>
      )}
      <div
        ref={scroller}
        className="grid block! min-h-48 flex-1 border-t border-line bg-surface"
        role="grid"
        aria-label={t('recipients.table')}
        aria-multiselectable="true"
        aria-rowcount={entries.length + 1}
        aria-colcount={plan.count}
        aria-activedescendant={named ? `line-${keys.active}` : undefined}
        tabIndex={0}
        data-testid="recipients"
        onKeyDown={keys.onKeyDown}
      >
        <div style={{ minWidth: `${plan.minRem}rem` }}>
          <GridHead {...{ plan, branches, entries, selection, view, onView }} />
          <div role="rowgroup" className="relative" style={{ height: `calc(var(--row) * ${entries.length})` }}>
            {lines.map((item) => {
              const entry = entries[item.index]
              if (!entry) return null
              const key = keyOf(entry)
              const place = { at: item.index, active: keys.active === key }
              return entry.kind === 'group' ? (
                <GroupLine key={key} cause={entry.cause} ids={entry.ids} {...place} canAct={canSend} onAct={actions.remedy} />
              ) : (
                <RecipientLine
                  key={key}
                  id={entry.id}
                  {...{ rows, branches, plan, owner, onDetails }}
                  {...place}
                  selected={selected.has(entry.id)}
                  onPoint={keys.onPoint}
                  onToggle={keys.onToggle}
                  {...(onDraw ? { onDraw } : {})}
                />
              )
            })}
          </div>
        </div>
        {entries.length === 0 && <p className="p-6 text-center text-muted">{t('recipients.nothing')}</p>}
      </div>
    </div>
  )
}
