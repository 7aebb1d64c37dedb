import { type KeyboardEvent, useRef, useState } from 'react'
import { useProject } from '@/api/queries'
import { FullTrouble, Trouble } from '@/features/errors'
import { LeaseSection } from '@/features/lease'
import { PressButton, ProjectHeader, SourceSection, useProjectNow } from '@/features/project'
import { ArchiveDialog, Refusals, type Together, useTogether } from '@/features/projects'
import { RecipientsTable } from '@/features/recipients'
import { RunSection, RunsTable } from '@/features/run'
import { isHeld } from '@/domain/lease'
import type { ProjectRow, ProjectView, RecipientRow } from '@/ipc'
import { useRowsFact } from '@/live/hooks'
import { rowsOf } from '@/live/rows'
import { formatNumber } from '@/domain/format'
import { useT } from '@/messages'
import { type Codec, oneOf, useAddress } from '@/platform/address'
import { Button } from '@/ui/Button'
import { Skeleton } from '@/ui/Empty'

export function ProjectScreen({ id }: { id: string }) {
  const project = useProject(id)
  if (project.error && !project.data) return <FullTrouble error={project.error} onRetry={() => void project.refetch()} />
  if (!project.data) {
    return (
      <div className="flex flex-col gap-4 p-5" aria-busy="true">
        <Skeleton width="30%" />
        <Skeleton width="80%" />
      </div>
    )
  }
  return (
    <>
      <Trouble error={project.error} onRetry={() => void project.refetch()} className="mx-4 mt-3" />
      <Loaded key={id} view={project.data} />
    </>
  )
}

function Loaded({ view }: { view: ProjectView }) {
  const run = useRef<HTMLElement>(null)
  const { lease, state, now, press, start, act } = useProjectNow(view)
  const together = useTogether()
  const project = view.row.id
  const send = (recipients: readonly string[]) => start.press({ project, selection: 'these', recipients })
  const failed = useRowsFact(rowsOf(project), failedOf)
  const doIt = () => act(() => run.current?.focus())
  return (
    <div className="flex min-h-0 flex-1 flex-col" data-testid="project-page">
      <ProjectHeader
        view={view}
        action={
          <div className="flex flex-wrap items-center gap-2">
            <ArchiveButton row={view.row} together={together} />
            <PressButton press={press} state={view.row.state} busy={start.busy} onPress={doIt} />
          </div>
        }
      />
      <Refusals refused={together.refused} onDismiss={together.dismiss} />
      <Trouble error={start.error} onRetry={start.repeat} onDismiss={start.dismiss} className="mx-4 mb-3" />
      <div className="strip border-y border-line bg-surface">
        <SourceSection view={view} />
        <LeaseSection card={lease} state={state} />
        <RunSection
          view={view}
          now={now}
          sectionRef={run}
          failed={failed}
          onRetryFailed={() => send(failed)}
          onPress={doIt}
        />
      </div>
      <Tabs view={view} live={now.live} canSend={!isHeld(state) && view.row.state !== 'archived'} onSend={send} />
    </div>
  )
}

/** Into the archive or out of it; asks once. */
function ArchiveButton({ row, together }: { row: ProjectRow; together: Together }) {
  const t = useT()
  const [asking, setAsking] = useState(false)
  const into = row.state !== 'archived'
  return (
    <>
      <Button kind="quiet" onClick={() => setAsking(true)} data-testid="archive">
        {t(into ? 'projects.archive' : 'projects.unarchive')}
      </Button>
      {asking && <ArchiveDialog rows={[row]} into={into} together={together} onClose={() => setAsking(false)} />}
    </>
  )
}

/** The recipients whose last outcome is a failure. */
function failedOf(rows: readonly RecipientRow[]): readonly string[] {
  return rows.filter((row) => row.outcome === 'failed').map((row) => row.id)
}

const TABS = ['recipients', 'runs'] as const
type Tab = (typeof TABS)[number]

const TAB: Codec<Tab> = {
  keys: ['tab'],
  plain: 'recipients',
  read: (search) => oneOf(search['tab'], TABS) ?? 'recipients',
  write: (tab) => (tab === 'recipients' ? {} : { tab }),
}

interface TabsProps {
  view: ProjectView
  live: boolean
  canSend: boolean
  onSend: (ids: readonly string[]) => void
}

function Tabs({ view, live, canSend, onSend }: TabsProps) {
  const t = useT()
  const [tab, setTab] = useAddress(TAB)
  const [importing, setImporting] = useState(false)
  const { id: project, recipients, ahead } = view.row
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    const next = step && TABS[TABS.indexOf(tab) + step]
    if (!next) return
    setTab(next)
    document.getElementById(`tab-${next}`)?.focus()
  }
  return (
    <>
      <div className="flex items-center justify-between gap-4 border-b border-line px-4">
        <div role="tablist" aria-label={t('tabs.label')} className="flex gap-5" onKeyDown={onKeyDown}>
          {TABS.map((one) => (
            <button
              key={one}
              type="button"
              role="tab"
              id={`tab-${one}`}
              className="tab"
              aria-selected={one === tab}
              aria-controls="panel"
              tabIndex={one === tab ? 0 : -1}
              onClick={() => setTab(one)}
            >
              {t(`tabs.${one}`)}
              {one === 'recipients' && <span className="ms-1.5 font-normal text-muted">{formatNumber(recipients)}</span>}
            </button>
          ))}
        </div>
        {tab === 'recipients' && recipients > 0 && (
          <Button kind="quiet" size="small" icon="plus" onClick={() => setImporting(true)} data-testid="import">
            {t('recipients.import')}
          </Button>
        )}
      </div>
      <div role="tabpanel" id="panel" aria-labelledby={`tab-${tab}`} className="flex min-h-72 flex-1 flex-col">
        {tab === 'recipients' ? (
          <RecipientsTable
            {...{ project, live, canSend, onSend, importing }}
            connection={view.connection}
            branches={ahead.map((one) => one.branch)}
            onImporting={setImporting}
          />
        ) : (
          <RunsTable project={project} />
        )}
      </div>
    </>
  )
}
