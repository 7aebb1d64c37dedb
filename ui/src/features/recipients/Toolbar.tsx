import { useMemo, useRef, useSyncExternalStore } from 'react'
import { facets, shows, type View } from '@/domain/causes'
import { formatNumber } from '@/domain/format'
import { useT } from '@/messages'
import { useKeys } from '@/platform/keys'
import { Button } from '@/ui/Button'
import { FilterMenu } from '@/ui/FilterMenu'
import { SearchBox } from '@/ui/SearchBox'
import type { GridPart } from './RecipientsTable'
import { useSelection } from './selection'

const NO_FILTER = { search: '', outcome: null, cause: null, state: null } as const

/** Search, filters and grouping; with a selection, what may be done with it. */
export function Toolbar({ rows, view, selection, actions, canSend, onView }: GridPart & { onView: (view: View) => void }) {
  const t = useT()
  const box = useRef<HTMLInputElement>(null)
  useKeys({ '/': () => box.current?.focus() })
  const version = useSyncExternalStore(rows.version.subscribe, rows.version.get)
  const found = useMemo(() => facets(rows.rows()), [rows, version])
  const shown = useMemo(() => rows.rows().filter((row) => shows(row, view)).length, [rows, view, version])
  const total = rows.ids().length
  const filtered = shown !== total
  const leave = () => document.querySelector<HTMLElement>('[data-testid="recipients"]')?.focus()
  const outcomeWords = (key: string) => (key === 'none' ? t('outcome.none') : t(`outcome.${key as 'opened'}`))
  const stateWords = (key: string) => t(key === 'locked' || key === 'owed' ? `recipients.${key}` : `recipients.state.${key as 'live'}`)
  return (
    <div className="flex flex-wrap items-center gap-2 px-4 py-2.5">
      <SearchBox
        inputRef={box}
        label={t('recipients.search')}
        value={view.search}
        onChange={(search) => onView({ ...view, search })}
        onLeave={leave}
      />
      <FilterMenu
        name={t('recipients.filter.outcome')}
        value={view.outcome}
        onChange={(outcome) => onView({ ...view, outcome })}
        options={[...found.outcomes].map(([value, count]) => ({ value, count, label: outcomeWords(value) }))}
      />
      <FilterMenu
        name={t('recipients.filter.cause')}
        value={view.cause}
        onChange={(cause) => onView({ ...view, cause })}
        options={[...found.causes].map(([value, count]) => ({ value, count, label: t(`cause.${value}`) }))}
      />
      <FilterMenu
        name={t('recipients.filter.state')}
        value={view.state}
        onChange={(state) => onView({ ...view, state })}
        options={[...found.states].map(([value, count]) => ({ value, count, label: stateWords(value) }))}
      />
      <Button aria-pressed={view.grouped} icon={view.grouped ? 'check' : undefined} onClick={() => onView({ ...view, grouped: !view.grouped })}>
        {t('recipients.group')}
      </Button>
      {filtered && (
        <Button kind="quiet" onClick={() => onView({ ...view, ...NO_FILTER })}>
          {t('common.clear_filters')}
        </Button>
      )}
      <span className="ms-auto flex items-center gap-2">
        <Chosen selection={selection} actions={actions} canSend={canSend} />
        <span className="text-muted" aria-live="polite">
          {filtered ? t('recipients.shown', { shown, total }) : formatNumber(total)}
        </span>
      </span>
    </div>
  )
}

function Chosen({ selection, actions, canSend }: Pick<GridPart, 'selection' | 'actions' | 'canSend'>) {
  const t = useT()
  const chosen = useSelection(selection)
  if (chosen.size === 0) return null
  const ids = [...chosen]
  return (
    <>
      <span data-testid="selected">{t('recipients.selected', { count: ids.length })}</span>
      {canSend && (
        <Button size="small" icon="refresh" shortcut="R" onClick={() => actions.send(ids)}>
          {t('recipients.retry_selected', { count: ids.length })}
        </Button>
      )}
      <Button size="small" icon="lock" shortcut="L" onClick={() => actions.toggleLock(ids)}>
        {t('recipients.lock')}
      </Button>
      <Button size="small" kind="quiet" onClick={() => selection.clear()}>
        {t('recipients.clear')}
      </Button>
    </>
  )
}
