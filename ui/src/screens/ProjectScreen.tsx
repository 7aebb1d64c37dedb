import { useRef, useState } from 'react'
import { useProject } from '@/api/queries'
import { FullTrouble, Trouble } from '@/features/errors'
import { LeaseSection } from '@/features/lease'
import { PressButton, ProjectHeader, SourceSection, useProjectNow } from '@/features/project'
import { RecipientsTable } from '@/features/recipients'
import { RunSection, RunsTable } from '@/features/run'
import { isHeld } from '@/domain/lease'
import type { ProjectView, RecipientRow } from '@/ipc'
import { useRowsFact } from '@/live/hooks'
import { rowsOf } from '@/live/rows'
import { formatNumber } from '@/domain/format'
import { useT } from '@/messages'
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
  const project = view.row.id
  const send = (recipients: readonly string[]) => start.press({ project, selection: 'these', recipients })
  const failed = useRowsFact(rowsOf(project), failedOf)
  const doIt = () => act(() => run.current?.focus())
  return (
    <div className="flex min-h-0 flex-1 flex-col" data-testid="project-page">
      <ProjectHeader
        view={view}
        action={<PressButton press={press} state={view.row.state} busy={start.busy} onPress={doIt} />}
      />
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
      <Tabs view={view} canSend={!isHeld(state) && view.row.state !== 'archived'} onSend={send} />
    </div>
  )
}

/** The recipients whose last outcome is a failure. */
function failedOf(rows: readonly RecipientRow[]): readonly string[] {
  return rows.filter((row) => row.outcome === 'failed').map((row) => row.id)
}

type Tab = 'recipients' | 'runs'

function Tabs({ view, canSend, onSend }: { view: ProjectView; canSend: boolean; onSend: (ids: readonly string[]) => void }) {
  const t = useT()
  const [tab, setTab] = useState<Tab>('recipients')
  const project = view.row.id
  const branches = view.row.ahead.map((ahead) => ahead.branch)
  const words: Record<Tab, string> = {
    recipients: `${t('tabs.recipients')} ${formatNumber(view.row.recipients)}`,
    runs: t('tabs.runs'),
  }
  return (
    <>
      <div role="tablist" aria-label={t('tabs.label')} className="flex gap-5 border-b border-line px-4">
        {(['recipients', 'runs'] as const).map((one) => (
          <button
            key={one}
            type="button"
            role="tab"
            id={`tab-${one}`}
            aria-selected={one === tab}
            aria-controls="panel"
            tabIndex={one === tab ? 0 : -1}
            className={`-mb-px border-b-2 py-2 ${one === tab ? 'border-accent font-semibold' : 'border-transparent text-muted'}`}
            onClick={() => setTab(one)}
            onKeyDown={(event) => {
              if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return
              const other = one === 'recipients' ? 'runs' : 'recipients'
              setTab(other)
              document.getElementById(`tab-${other}`)?.focus()
            }}
          >
            {words[one]}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="panel" aria-labelledby={`tab-${tab}`} className="flex min-h-0 flex-1 flex-col">
        {tab === 'recipients' ? (
          <RecipientsTable project={project} branches={branches} canSend={canSend} onSend={onSend} />
        ) : (
          <RunsTable project={project} />
        )}
      </div>
    </>
  )
}
