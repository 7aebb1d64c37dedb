import type { Entry, SortKey, View } from '@/domain/causes'
import { type MessageKey, useT } from '@/messages'
import { Icon } from '@/ui/Icon'
import type { Plan } from './columns'
import { type Selection, useSelection } from './selection'

interface GridHeadProps {
  plan: Plan
  branches: readonly string[]
  entries: readonly Entry[]
  selection: Selection
  view: View
  onView: (view: View) => void
}

const COLUMNS: { sort: 'repo' | 'label' | 'deadline'; words: MessageKey }[] = [
  { sort: 'repo', words: 'recipients.col.repo' },
  { sort: 'label', words: 'recipients.col.label' },
  { sort: 'deadline', words: 'recipients.col.deadline' },
]

/** The head of the table: everything is sorted and selected from here. */
export function GridHead({ plan, branches, entries, selection, view, onView }: GridHeadProps) {
  const t = useT()
  return (
    <div role="rowgroup" className="grid-head">
      <div role="row" aria-rowindex={1} className="grid-row" style={{ gridTemplateColumns: plan.template }}>
        <SelectAll entries={entries} selection={selection} />
        {COLUMNS.filter(({ sort }) => sort === 'repo' || plan[sort]).map((column) => (
          <SortHead key={column.sort} sort={column.sort} words={t(column.words)} view={view} onView={onView} />
        ))}
        {branches.map((branch) => (
          <span role="columnheader" key={branch} className="cell" title={branch}>
            <code>{branch}</code>
          </span>
        ))}
        {plan.last && <SortHead sort="last" words={t('recipients.col.last')} view={view} onView={onView} />}
      </div>
    </div>
  )
}

function SelectAll({ entries, selection }: Pick<GridHeadProps, 'entries' | 'selection'>) {
  const t = useT()
  const chosen = useSelection(selection)
  const rows = entries.flatMap((entry) => (entry.kind === 'row' ? [entry.id] : []))
  const all = chosen.size > 0 && rows.every((id) => chosen.has(id))
  return (
    <span role="columnheader" className="flex">
      <input
        type="checkbox"
        className="size-3.5 accent-(--accent)"
        aria-label={t('recipients.select_all')}
        checked={all}
        ref={(box) => {
          if (box) box.indeterminate = chosen.size > 0 && !all
        }}
        onChange={() => (chosen.size > 0 ? selection.clear() : selection.set(rows))}
      />
    </span>
  )
}

interface SortHeadProps {
  sort: SortKey
  words: string
  view: View
  onView: (view: View) => void
}

function SortHead({ sort, words, view, onView }: SortHeadProps) {
  const on = view.sort === sort
  const direction = on ? (view.descending ? 'descending' : 'ascending') : 'none'
  return (
    <span role="columnheader" aria-sort={direction} className="cell">
      <button
        type="button"
        className="sort"
        // What happened last is what one wants to see first.
        onClick={() => onView({ ...view, sort, descending: on ? !view.descending : sort === 'last' })}
      >
        {words}
        {on && <Icon name={view.descending ? 'down' : 'up'} size={11} />}
      </button>
    </span>
  )
}
