import { useAllRuns } from '@/api/queries'
import { leaseLife } from '@/domain/lease'
import { Trouble } from '@/features/errors'
import { usePress } from '@/features/run'
import type { ProjectRow, RunView } from '@/ipc'
import { useLease, useTicking } from '@/live/hooks'
import { translate, useT } from '@/messages'
import { useAge } from '@/ui/Age'
import { Button } from '@/ui/Button'
import { Icon } from '@/ui/Icon'
import { say } from '@/ui/toasts'

/** The newest run of each project, when it was interrupted. */
export function interruptedRuns(runs: readonly RunView[]): Map<string, RunView> {
  const newest = new Map<string, RunView>()
  for (const run of runs) {
    const known = newest.get(run.project)
    if (!known || known.startedAt < run.startedAt) newest.set(run.project, run)
  }
  return new Map([...newest].filter(([, run]) => run.status === 'interrupted'))
}

function Line({ row, run }: { row: ProjectRow; run: RunView }) {
  const t = useT()
  const lease = useLease(row.lease)
  const free = useTicking((now) => ['free', 'reclaimable'].includes(leaseLife(lease, now).state))
  const age = useAge(run.endedAt ?? run.startedAt)
  const start = usePress(() => say(translate('projects.started', { project: row.name }), 'info'))
  if (!free) return null
  const progress = run.progress
  return (
    <div className="notice" role="status" data-testid="interrupted">
      <span className="tone-warn flex-none">
        <Icon name="warn" />
      </span>
      <p className="min-w-0 flex-1 wrap-anywhere">
        <span className="font-semibold">{t('projects.interrupted', { project: row.name, person: run.person, age })}</span>{' '}
        {progress && t('projects.interrupted_done', { done: progress.done, planned: progress.planned })}
      </p>
      <Button
        size="small"
        icon="play"
        busy={start.busy}
        onClick={() => start.press({ project: row.id, selection: 'all', resumes: run.id })}
      >
        {t('projects.resume')}
      </Button>
      {start.error && (
        <div className="basis-full">
          <Trouble error={start.error} onRetry={start.repeat} onDismiss={start.dismiss} />
        </div>
      )}
    </div>
  )
}

/** Runs that stopped half way and can go on with one button. */
export function Interrupted({ rows }: { rows: readonly ProjectRow[] }) {
  const runs = interruptedRuns(useAllRuns().data ?? [])
  if (runs.size === 0) return null
  return (
    <>
      {rows.map((row) => {
        const run = runs.get(row.id)
        return run && row.state !== 'archived' ? <Line key={run.id} row={row} run={run} /> : null
      })}
    </>
  )
}
