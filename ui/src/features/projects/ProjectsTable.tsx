import { Fragment, useRef, useState } from 'react'
import { useProjects } from '@/api/queries'
import { formatNumber } from '@/domain/format'
import { Trouble } from '@/features/errors'
import type { ProjectRow } from '@/ipc'
import { clock } from '@/live/clock'
import { type MessageKey, useT } from '@/messages'
import { useKeys } from '@/platform/keys'
import { Button } from '@/ui/Button'
import { Segments } from '@/ui/Choice'
import { Empty, SkeletonLines } from '@/ui/Empty'
import { Icon } from '@/ui/Icon'
import { SearchBox } from '@/ui/SearchBox'
import { ArchiveDialog } from './ArchiveDialog'
import { FILTERS, type Group, grouped, type ListView, order, type SortKey } from './order'
import { Interrupted } from './Interrupted'
import { COLUMNS, ProjectLine } from './ProjectLine'
import { Refusals, SelectionBar } from './SelectionBar'
import { useListView } from './useListView'
import { useProjectKeys } from './useProjectKeys'
import { useTogether } from './useTogether'

interface ProjectsTableProps {
  onOpen: (project: string) => void
  onNew: () => void
}

/** Every project with what staff must see at once; a row opens its page, its button presses. */
export function ProjectsTable({ onOpen, onNew }: ProjectsTableProps) {
  const t = useT()
  const projects = useProjects()
  const [view, setView] = useListView()
  const box = useRef<HTMLInputElement>(null)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [archiving, setArchiving] = useState<{ rows: readonly ProjectRow[]; into: boolean } | null>(null)
  const together = useTogether()
  const all = projects.data ?? []
  const shown = order(all, view, clock.now())
  const selected = shown.filter((row) => chosen.has(row.id))
  const choose = (ids: readonly string[]) => setChosen(new Set(ids))
  const toggle = (id: string) => setChosen(toggled(chosen, id))
  const archive = (rows: readonly ProjectRow[]) => {
    if (rows.length > 0) setArchiving({ rows, into: rows.some((row) => row.state !== 'archived') })
  }
  const lines = useProjectKeys({
    rows: shown,
    selected,
    onToggle: toggle,
    onChoose: choose,
    onArchive: archive,
    onSync: (rows) => void together.sync(rows),
  })
  useKeys({ '/': () => box.current?.focus(), n: onNew, arrowdown: () => lines.focus(0) })
  const close = () => {
    setArchiving(null)
    choose([])
  }
  return (
    <div className="flex min-h-0 flex-1 flex-col" data-testid="projects">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3">
        <h1 className="text-xl">{t('projects.title')}</h1>
        <span className="sr-only" role="status">
          {projects.data && t('projects.count', { count: shown.length })}
        </span>
        {selected.length > 0 && (
          <SelectionBar rows={selected} together={together} onArchive={() => archive(selected)} onClear={() => choose([])} />
        )}
        <span className="ms-auto flex flex-wrap items-center gap-2" hidden={projects.data !== undefined && all.length === 0}>
          {selected.length === 0 && <Filters view={view} onView={setView} />}
          <SearchBox
            inputRef={box}
            label={t('projects.search')}
            value={view.search}
            onChange={(search) => setView({ ...view, search })}
            onLeave={() => lines.focus(0)}
          />
          <Button kind={selected.length > 0 ? 'plain' : 'primary'} icon="plus" shortcut="N" onClick={onNew} data-testid="new">
            {t('projects.new')}
          </Button>
        </span>
      </header>
      <Trouble error={projects.error} onRetry={() => void projects.refetch()} className="mx-4 mb-3" />
      <Refusals refused={together.refused} onDismiss={together.dismiss} />
      <Interrupted rows={all} />
      {projects.isPending && <SkeletonLines label={t('common.loading')} />}
      {projects.data && all.length === 0 && <None onNew={onNew} />}
      {all.length > 0 && shown.length === 0 && <Empty title={t('projects.nothing.title')}>{t('projects.nothing.text')}</Empty>}
      {shown.length > 0 && (
        <div className="min-h-0 flex-1 overflow-auto border-t border-line bg-surface">
          <table className="table table-dense projects" aria-label={t('projects.title')}>
            <Head view={view} onView={setView} all={selected.length === shown.length} onAll={(on) => choose(on ? shown.map((row) => row.id) : [])} />
            <tbody ref={lines.body} onKeyDown={lines.onKeyDown}>
              {grouped(shown, view, clock.now()).map(({ group, rows }) => (
                <Fragment key={group ?? ''}>
                  {group && <GroupHead group={group} count={rows.length} />}
                  {rows.map((row) => (
                    <ProjectLine
                      key={row.id}
                      initial={row}
                      first={row === shown[0]}
                      selected={chosen.has(row.id)}
                      among={selected.length > 0}
                      onToggle={toggle}
                      onArchive={(one) => archive([one])}
                      onOpen={onOpen}
                    />
                  ))}
                </Fragment>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {archiving && <ArchiveDialog {...archiving} together={together} onClose={close} />}
    </div>
  )
}

function toggled(chosen: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(chosen)
  if (!next.delete(id)) next.add(id)
  return next
}

interface ViewProps {
  view: ListView
  onView: (view: ListView) => void
}

function Filters({ view, onView }: ViewProps) {
  const t = useT()
  return (
    <>
      <Segments
        label={t('projects.filter.state')}
        hideLabel
        value={view.filter}
        onChange={(filter) => onView({ ...view, filter })}
        options={FILTERS.map((value) => ({ value, label: t(`projects.filter.${value}`) }))}
      />
      <Button
        aria-pressed={view.grouped}
        icon={view.grouped ? 'check' : undefined}
        onClick={() => onView({ ...view, grouped: !view.grouped })}
        data-testid="group-projects"
      >
        {t('projects.group')}
      </Button>
    </>
  )
}

function GroupHead({ group, count }: { group: Group; count: number }) {
  const t = useT()
  return (
    <tr className="group-head" data-testid="project-group" data-group={group}>
      <th scope="colgroup" colSpan={COLUMNS}>
        {t(`projects.group.${group}`)} <span className="font-normal text-muted">{formatNumber(count)}</span>
      </th>
    </tr>
  )
}

function None({ onNew }: { onNew: () => void }) {
  const t = useT()
  return (
    <Empty
      icon="projects"
      title={t('projects.empty.title')}
      action={
        <Button kind="primary" onClick={onNew}>
          {t('projects.empty.action')}
        </Button>
      }
    >
      {t('projects.empty.text')}
    </Empty>
  )
}

const HEADS: { words: MessageKey; sort?: SortKey; end?: boolean }[] = [
  { words: 'projects.col.project', sort: 'project' },
  { words: 'projects.col.source', sort: 'source' },
  { words: 'projects.col.lease' },
  { words: 'projects.col.outcomes' },
  { words: 'projects.col.pulls' },
  { words: 'projects.col.owed', sort: 'owed', end: true },
  { words: 'projects.col.synced', sort: 'synced' },
]

function Head({ view, onView, all, onAll }: ViewProps & { all: boolean; onAll: (on: boolean) => void }) {
  const t = useT()
  return (
    <thead>
      <tr>
        <th scope="col" className="w-0">
          <input
            type="checkbox"
            className="size-3.5 align-middle accent-(--accent)"
            aria-label={t('recipients.select_all')}
            checked={all}
            onChange={() => onAll(!all)}
          />
        </th>
        {HEADS.map(({ words, sort, end }) => {
          const sorted = sort === view.sort ? (view.descending ? 'descending' : 'ascending') : undefined
          return (
            <th key={words} scope="col" aria-sort={sorted} className={end ? 'text-end!' : undefined}>
              {sort ? (
                <button
                  type="button"
                  className="sort"
                  aria-label={t('projects.sort', { column: t(words) })}
                  onClick={() => onView({ ...view, sort, descending: sorted === 'ascending' })}
                >
                  {t(words)}
                  {sorted && <Icon name={sorted === 'ascending' ? 'up' : 'down'} size={10} />}
                </button>
              ) : (
                t(words)
              )}
            </th>
          )
        })}
        <th scope="col">
          <span className="sr-only">{t('projects.col.do')}</span>
        </th>
      </tr>
    </thead>
  )
}
