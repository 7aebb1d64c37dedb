import { useRuns } from '@/api/queries'
import { formatDateTime, formatDuration, formatNumber } from '@/domain/format'
import { Trouble } from '@/features/errors'
import { ERRORS } from '@/errors/words'
import type { RunView } from '@/ipc'
import { useRun, useTicking } from '@/live/hooks'
import { useT } from '@/messages'
import { Empty, Skeleton } from '@/ui/Empty'
import { OutcomeBar, OutcomeFigures } from '@/features/outcomes/OutcomeBar'
import { StatusChip } from './StatusChip'

function Took({ run }: { run: RunView }) {
  const took = useTicking((now) => formatDuration((run.endedAt ?? now) - run.startedAt))
  return <>{took}</>
}

/** Whom a run covered, when not everybody, and whether it went on with another. */
function Whom({ run }: { run: RunView }) {
  const t = useT()
  const whom = run.selection === 'all' ? null : t(`run.selection.${run.selection}`, { count: run.chosen })
  const words = [run.resumes === null ? null : t('run.resumed'), whom].filter(Boolean).join(' · ')
  return words ? <div className="text-sm font-normal text-muted">{words}</div> : null
}

function RunLine({ initial }: { initial: RunView }) {
  const t = useT()
  const run = useRun(initial) ?? initial
  const when = useTicking((now) => formatDateTime(run.startedAt, now))
  const { graphql, rest, fetches, pushes } = run.spent
  return (
    <tr>
      <td className="font-medium whitespace-nowrap">
        {t(`kind.${run.kind}`)}
        <Whom run={run} />
      </td>
      <td>{t('run.by', { person: run.person, host: run.host })}</td>
      <td className="whitespace-nowrap">{when}</td>
      <td className="whitespace-nowrap">
        <Took run={run} />
      </td>
      <td>
        <StatusChip status={run.status} />
        {run.error && (
          <div className="mt-1 text-sm text-muted">
            {t(ERRORS[run.error].title)}
            {run.refId && <span className="block text-xs">{t('error.reference', { id: run.refId })}</span>}
          </div>
        )}
      </td>
      <td className="w-72 min-w-48">
        <div className="flex flex-col gap-1.5 pt-1.5">
          <OutcomeBar counts={run.counts} small />
          <OutcomeFigures counts={run.counts} />
        </div>
      </td>
      <td className="text-end" title={t('run.spent_value', { graphql, rest, fetches, pushes })}>
        {formatNumber(graphql + rest + fetches + pushes)}
      </td>
    </tr>
  )
}

/** Every run of a project, newest first. */
export function RunsTable({ project }: { project: string }) {
  const t = useT()
  const runs = useRuns(project)
  if (runs.error && !runs.data) return <Trouble error={runs.error} onRetry={() => void runs.refetch()} className="m-4" />
  if (runs.data?.length === 0) return <Empty icon="clock" title={t('runs.empty')} />
  return (
    <div className="min-h-0 flex-1 overflow-auto bg-surface" data-testid="runs">
      <table className="table" aria-label={t('tabs.runs')} aria-busy={runs.isPending}>
        <thead>
          <tr>
            <th scope="col">{t('runs.col.kind')}</th>
            <th scope="col">{t('runs.col.who')}</th>
            <th scope="col">{t('runs.col.when')}</th>
            <th scope="col">{t('runs.col.took')}</th>
            <th scope="col">{t('runs.col.status')}</th>
            <th scope="col">{t('runs.col.outcomes')}</th>
            <th scope="col" className="text-end!">
              {t('runs.col.spent')}
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.data
            ? runs.data.map((run) => <RunLine key={run.id} initial={run} />)
            : [0, 1, 2].map((line) => (
                <tr key={line}>
                  {[5, 9, 8, 4, 6, 14, 3].map((width, at) => (
                    <td key={at}>
                      <Skeleton width={`${width}rem`} />
                    </td>
                  ))}
                </tr>
              ))}
        </tbody>
      </table>
    </div>
  )
}
