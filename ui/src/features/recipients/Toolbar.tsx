import { useRef } from 'react'
import { facets, PLAIN_VIEW, shows, type View } from '@/domain/causes'
import { useRowsFact } from '@/live/hooks'
import { useT } from '@/messages'
import { useKeys } from '@/platform/keys'
import { Button } from '@/ui/Button'
import { FilterMenu } from '@/ui/FilterMenu'
import { Icon } from '@/ui/Icon'
import { SearchBox } from '@/ui/SearchBox'
import type { GridPart } from './Grid'
import { useSelection } from './selection'

interface ToolbarProps extends GridPart {
  onDeadline: (ids: readonly string[]) => void
}

interface Option<T extends string> {
  value: T
  count: number
  label: string
}

/** What occurs, and what is chosen although it does not occur (any more). */
function optionsOf<T extends string>(found: ReadonlyMap<T, number>, chosen: T | null, label: (value: T) => string): Option<T>[] {
  const all = chosen === null || found.has(chosen) ? [...found] : [...found, [chosen, 0] as const]
  return all.map(([value, count]) => ({ value, count, label: label(value) }))
}

function isFiltered(view: View): boolean {
  return view.search !== '' || view.outcome !== null || view.cause !== null || view.state !== null
}

function focusTable(): void {
  document.querySelector<HTMLElement>('[data-testid="recipients"]')?.focus()
}

/** Search, filters and grouping; with a selection, what may be done with it, in the same line so that nothing moves. */
export function Toolbar(props: ToolbarProps) {
  const { rows, view, onView, selection } = props
  const t = useT()
  const box = useRef<HTMLInputElement>(null)
  useKeys({ '/': () => box.current?.focus(), arrowdown: focusTable })
  const shown = useRowsFact(rows, (all) => all.filter((row) => shows(row, view)).length)
  const total = rows.ids().length
  const filtered = isFiltered(view)
  const chosen = useSelection(selection)
  return (
    <div className="flex flex-none flex-wrap items-center gap-2 px-4 py-2.5">
      <SearchBox
        inputRef={box}
        label={t('recipients.search')}
        value={view.search}
        onChange={(search) => onView({ ...view, search })}
        onLeave={focusTable}
      />
      {chosen.size > 0 ? (
        <Chosen {...props} ids={[...chosen]} />
      ) : (
        <>
          <Filters view={view} onView={onView} rows={rows} />
          <span className="ms-auto text-muted" role="status" data-testid="shown">
            {filtered && t('recipients.shown', { shown, total })}
          </span>
        </>
      )}
    </div>
  )
}

function Filters({ rows, view, onView }: Pick<GridPart, 'rows' | 'view' | 'onView'>) {
  const t = useT()
  const found = useRowsFact(rows, facets)
  return (
    <>
      <FilterMenu
        name={t('recipients.filter.outcome')}
        value={view.outcome}
        onChange={(outcome) => onView({ ...view, outcome })}
        options={optionsOf(found.outcomes, view.outcome, (key) => t(`outcome.${key}`))}
      />
      <FilterMenu
        name={t('recipients.filter.cause')}
        value={view.cause}
        onChange={(cause) => onView({ ...view, cause })}
        options={optionsOf(found.causes, view.cause, (key) => t(`cause.${key}`))}
      />
      <FilterMenu
        name={t('recipients.filter.state')}
        value={view.state}
        onChange={(state) => onView({ ...view, state })}
        options={optionsOf(found.states, view.state, (key) =>
          t(key === 'locked' || key === 'owed' ? `recipients.filter.${key}` : `recipients.state.${key}`),
        )}
      />
      <Button
        aria-pressed={view.grouped}
        icon={view.grouped ? 'check' : undefined}
        onClick={() => onView({ ...view, grouped: !view.grouped })}
      >
        {t('recipients.group')}
      </Button>
      {isFiltered(view) && (
        <Button kind="quiet" onClick={() => onView({ ...PLAIN_VIEW, grouped: view.grouped, sort: view.sort, descending: view.descending })}>
          {t('common.clear_filters')}
        </Button>
      )}
    </>
  )
}

function Chosen({ ids, rows, selection, actions, canSend, onDeadline }: ToolbarProps & { ids: readonly string[] }) {
  const t = useT()
  const locked = useRowsFact(rows, (all) => {
    const meant = new Set(ids)
    return all.every((row) => !meant.has(row.id) || row.locked)
  })
  return (
    <>
      <span className="ms-2 font-semibold" role="status" data-testid="selected">
        {t('recipients.selected', { count: ids.length })}
      </span>
      {canSend && (
        <Button icon="refresh" shortcut="R" onClick={() => actions.send(ids)} data-testid="retry-selected">
          {t('recipients.retry_selected', { count: ids.length })}
        </Button>
      )}
      <Button icon={locked ? 'unlock' : 'lock'} shortcut="L" busy={actions.busy} onClick={() => actions.toggleLock(ids)}>
        {t(locked ? 'recipients.unlock' : 'recipients.lock')}
      </Button>
      <Button icon="clock" onClick={() => onDeadline(ids)}>
        {t('recipients.deadline')}
      </Button>
      <button
        type="button"
        className="icon-btn"
        aria-label={t('recipients.clear')}
        title={`${t('recipients.clear')} (Esc)`}
        onClick={() => selection.clear()}
      >
        <Icon name="cross" size={12} />
      </button>
    </>
  )
}
