import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react'
import { useRecipients } from '@/api/queries'
import type { CauseAction, Entry, View } from '@/domain/causes'
import { ownerOf } from '@/domain/names'
import { Trouble } from '@/features/errors'
import { type RowStore, rowsOf } from '@/live/rows'
import { useT } from '@/messages'
import { useRem } from '@/platform/rem'
import { Empty, Skeleton } from '@/ui/Empty'
import { DeadlineDialog } from './DeadlineDialog'
import { GroupLine } from './GroupLine'
import { RecipientLine } from './RecipientLine'
import { Selection, useSelection } from './selection'
import { Toolbar } from './Toolbar'
import { type RecipientActions, useRecipientActions } from './useActions'
import { useEntries } from './useEntries'
import { useGridKeys } from './useGridKeys'
import { useView } from './useView'

interface RecipientsTableProps {
  project: string
  branches: readonly string[]
  /** Whether something may be sent now. */
  canSend: boolean
  onSend: (ids: readonly string[]) => void
}

/** The recipients of a project: searched, filtered, grouped by cause, chosen and acted on by keyboard or pointer. */
export function RecipientsTable({ project, branches, canSend, onSend }: RecipientsTableProps) {
  const t = useT()
  const recipients = useRecipients(project)
  const rows = rowsOf(project)
  const [view, setView] = useView()
  const selection = useMemo(() => new Selection(), [project])
  const [deadlineOf, setDeadlineOf] = useState<readonly string[]>([])
  const actions = useRecipientActions(project, rows, onSend, setDeadlineOf)
  if (recipients.error) return <Trouble error={recipients.error} onRetry={() => void recipients.refetch()} className="m-4" />
  if (recipients.isPending) return <Loading />
  if (recipients.data === 0) {
    return <Empty title={t('recipients.empty.title')}>{t('recipients.empty.text')}</Empty>
  }
  const part = { rows, view, selection, actions, branches, canSend }
  return (
    <>
      <Toolbar {...part} onView={setView} />
      {actions.error !== null && (
        <Trouble error={actions.error} onRetry={actions.repeat} onDismiss={actions.dismiss} className="mx-4 mb-2" />
      )}
      <Grid {...part} />
      <DeadlineDialog ids={deadlineOf} actions={actions} onClose={() => setDeadlineOf([])} />
    </>
  )
}

function Loading() {
  return (
    <div className="flex flex-col gap-4 p-4" aria-busy="true">
      {['72%', '64%', '70%', '58%', '66%'].map((width) => (
        <Skeleton key={width} width={width} />
      ))}
    </div>
  )
}

export interface GridPart {
  rows: RowStore
  view: View
  selection: Selection
  actions: RecipientActions
  branches: readonly string[]
  canSend: boolean
}

const ROW_REM = 2.125

/** The owner that most repositories share; left out of their names. */
function commonOwner(rows: RowStore): string {
  const counts = new Map<string, number>()
  for (const row of rows.rows()) counts.set(ownerOf(row.repo), (counts.get(ownerOf(row.repo)) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? ''
}

function keyOf(entry: Entry): string {
  return entry.kind === 'group' ? `g-${entry.cause}` : entry.id
}

function Grid({ rows, view, selection, actions, branches, canSend }: GridPart) {
  // The virtualizer changes inside one object, which memoised code would take for unchanged.
  'use no memo'
  const t = useT()
  const scroller = useRef<HTMLDivElement>(null)
  const rem = useRem()
  const isTouched = () =>
    selection.get().size > 0 || (scroller.current?.scrollTop ?? 0) > 0 || scroller.current?.matches(':hover, :focus-within') === true
  const { entries, moved, rearrange } = useEntries(rows, view, isTouched)
  const virtual = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_REM * rem,
    overscan: 12,
    initialRect: { width: 1000, height: 600 },
  })
  const keys = useGridKeys({ entries, selection, actions, canSend, show: (at) => virtual.scrollToIndex(at) })
  useEffect(() => virtual.measure(), [rem, virtual])
  const selected = useSelection(selection)
  const owner = useMemo(() => commonOwner(rows), [rows, entries])
  const columns = `1.25rem minmax(9rem, 1.2fr) minmax(6rem, 0.8fr) minmax(9rem, 0.9fr) ${branches.map(() => 'minmax(13rem, 2fr)').join(' ')} 6.5rem`
  const act = (action: CauseAction, ids: readonly string[]) => actions.remedy(action, ids)
  return (
    <>
      {moved > 0 && (
        <button type="button" className="link mx-4 mb-1 self-start text-sm" onClick={rearrange}>
          {t('recipients.moved', { count: moved })}. {t('recipients.arrange')}
        </button>
      )}
      <div
        ref={scroller}
        className="grid min-h-40 flex-1 border-t border-line"
        style={{ display: 'block' }}
        role="grid"
        aria-label={t('recipients.table')}
        aria-multiselectable="true"
        aria-rowcount={entries.length + 1}
        aria-activedescendant={keys.active === null ? undefined : `line-${keys.active}`}
        tabIndex={0}
        data-testid="recipients"
        onKeyDown={(event: KeyboardEvent) => keys.onKeyDown(event)}
      >
        <Head columns={columns} branches={branches} />
        <div role="rowgroup" style={{ position: 'relative', height: `calc(var(--row) * ${entries.length})` }}>
          {virtual.getVirtualItems().map((item) => {
            const entry = entries[item.index]
            if (!entry) return null
            const key = keyOf(entry)
            return entry.kind === 'group' ? (
              <GroupLine
                key={key}
                cause={entry.cause}
                ids={entry.ids}
                at={item.index}
                active={keys.active === key}
                canAct={canSend}
                onAct={act}
              />
            ) : (
              <RecipientLine
                key={key}
                rows={rows}
                id={entry.id}
                at={item.index}
                branches={branches}
                columns={columns}
                owner={owner}
                selected={selected.has(entry.id)}
                active={keys.active === key}
                onPoint={keys.onPoint}
                onToggle={keys.onToggle}
              />
            )
          })}
        </div>
        {entries.length === 0 && <p className="p-6 text-center text-muted">{t('recipients.nothing')}</p>}
      </div>
    </>
  )
}

function Head({ columns, branches }: { columns: string; branches: readonly string[] }) {
  const t = useT()
  return (
    <div role="rowgroup" className="grid-head grid-row" style={{ gridTemplateColumns: columns }}>
      <div role="row" style={{ display: 'contents' }}>
        <span role="columnheader">
          <span className="sr-only">{t('recipients.select_all')}</span>
        </span>
        <span role="columnheader">{t('recipients.col.repo')}</span>
        <span role="columnheader">{t('recipients.col.label')}</span>
        <span role="columnheader">{t('recipients.col.deadline')}</span>
        {branches.map((branch) => (
          <span role="columnheader" key={branch} className="mono">
            {branch}
          </span>
        ))}
        <span role="columnheader">{t('recipients.col.last')}</span>
      </div>
    </div>
  )
}
