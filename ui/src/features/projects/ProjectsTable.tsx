import { type KeyboardEvent, useRef, useState } from 'react'
import { useProjects } from '@/api/queries'
import { Trouble } from '@/features/errors'
import type { ProjectRow } from '@/ipc'
import { clock } from '@/live/clock'
import { type MessageKey, useT } from '@/messages'
import { useKeys } from '@/platform/keys'
import { useRemembered } from '@/platform/remember'
import { Button } from '@/ui/Button'
import { Segments } from '@/ui/Choice'
import { Empty, Skeleton } from '@/ui/Empty'
import { Icon } from '@/ui/Icon'
import { SearchBox } from '@/ui/SearchBox'
import { type ListView, order, PLAIN_LIST, type SortKey } from './order'
import { Interrupted } from './Interrupted'
import { ProjectLine } from './ProjectLine'

interface ProjectsTableProps {
  onOpen: (project: string) => void
  onNew: () => void
}

const FILTERS = ['all', 'ahead', 'running', 'attention', 'archived'] as const

/** Every project with what staff must see at once; a row opens its page, its button presses. */
export function ProjectsTable({ onOpen, onNew }: ProjectsTableProps) {
  const t = useT()
  const projects = useProjects()
  const [search, setSearch] = useState('')
  const [view, setView] = useRemembered<ListView>('projects', PLAIN_LIST)
  const box = useRef<HTMLInputElement>(null)
  const body = useRef<HTMLTableSectionElement>(null)
  const focusRow = (at: number) => {
    const lines = body.current?.querySelectorAll<HTMLElement>('tr[data-testid="project"]') ?? []
    lines[Math.max(0, Math.min(lines.length - 1, at))]?.focus()
  }
  useKeys({ '/': () => box.current?.focus(), n: onNew, arrowdown: () => focusRow(0) })
  const all = projects.data ?? []
  const shown = order(all, search, view, clock.now())
  const onKeyDown = (event: KeyboardEvent) => {
    const line = (event.target as HTMLElement).closest('tr')
    const at = line?.rowIndex ? line.rowIndex - 1 : 0
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: shown.length - 1 }[event.key]
    if (to === undefined) return
    event.preventDefault()
    focusRow(to)
  }
  return (
    <div className="flex min-h-0 flex-1 flex-col" data-testid="projects">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3">
        <h1 className="text-xl">{t('projects.title')}</h1>
        <span className="sr-only" role="status">
          {projects.data && t('projects.count', { count: shown.length })}
        </span>
        <span className="ms-auto flex flex-wrap items-center gap-2" hidden={projects.data !== undefined && all.length === 0}>
          <Segments
            label={t('projects.filter.state')}
            hideLabel
            value={view.filter}
            onChange={(filter) => setView({ ...view, filter })}
            options={FILTERS.map((value) => ({ value, label: t(`projects.filter.${value}`) }))}
          />
          <SearchBox inputRef={box} label={t('projects.search')} value={search} onChange={setSearch} onLeave={() => focusRow(0)} />
          <Button kind="primary" icon="plus" shortcut="N" onClick={onNew} data-testid="new">
            {t('projects.new')}
          </Button>
        </span>
      </header>
      <Trouble error={projects.error} onRetry={() => void projects.refetch()} className="mx-4 mb-3" />
      <Interrupted rows={all} />
      {projects.isPending && <Loading />}
      {projects.data && all.length === 0 && (
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
      )}
      {all.length > 0 && shown.length === 0 && <Empty title={t('projects.nothing.title')}>{t('projects.nothing.text')}</Empty>}
      {shown.length > 0 && (
        <div className="min-h-0 flex-1 overflow-auto border-t border-line bg-surface">
          <table className="table table-dense" aria-label={t('projects.title')}>
            <Head view={view} onView={setView} />
            <tbody ref={body} onKeyDown={onKeyDown}>
              {shown.map((row: ProjectRow, at) => (
                <ProjectLine key={row.id} initial={row} first={at === 0} onOpen={onOpen} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  )
}

function Loading() {
  const t = useT()
  return (
    <div className="flex flex-col border-t border-line bg-surface" aria-busy="true">
      <span className="sr-only">{t('common.loading')}</span>
      {['52%', '44%', '57%', '48%'].map((width) => (
        <div key={width} className="flex flex-col gap-3 border-b border-line px-4 py-4">
          <Skeleton width={width} />
          <Skeleton width="24%" />
        </div>
      ))}
    </div>
  )
}

const COLUMNS: { words: MessageKey; sort?: SortKey; end?: boolean }[] = [
  { words: 'projects.col.project', sort: 'project' },
  { words: 'projects.col.source', sort: 'source' },
  { words: 'projects.col.lease' },
  { words: 'projects.col.outcomes' },
  { words: 'projects.col.pulls' },
  { words: 'projects.col.owed', sort: 'owed', end: true },
  { words: 'projects.col.synced', sort: 'synced' },
]

function Head({ view, onView }: { view: ListView; onView: (view: ListView) => void }) {
  const t = useT()
  return (
    <thead>
      <tr>
        {COLUMNS.map(({ words, sort, end }) => {
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
