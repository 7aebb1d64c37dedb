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
  return (
    <>
      {rows.map((row) =>
        row.resumable && row.state !== 'archived' ? <Line key={row.resumable.id} row={row} run={row.resumable} /> : null,
      )}
    </>
  )
}
