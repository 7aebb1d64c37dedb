import { formatDuration, formatTime } from '@/domain/format'
import { totalOf } from '@/domain/outcome'
import { OutcomeChips } from '@/features/outcomes/OutcomeBar'
import type { ProgressView } from '@/ipc'
import { useTicking } from '@/live/hooks'
import { translate, useT } from '@/messages'
import { Icon } from '@/ui/Icon'
import { LiveBar } from './LiveBar'
import { type RunNow, stepKey } from './progress'

/** When it will be over, pacing included, as far as it can be told. */
function EndTime({ progress }: { progress: ProgressView }) {
  const t = useT()
  const ends = progress.endsAt
  const left = useTicking((now) => (ends === null || ends <= now ? '' : formatDuration(ends - now)))
  if (ends === null) return <span>{t('run.counting')}</span>
  return (
    <span data-testid="end-time">
      {t('run.ends', { time: formatTime(ends) })}
      {left && ` · ${translate('run.ends_in', { time: left })}`}
    </span>
  )
}

/** GitHub's pause is a state, not an error. */
function Waiting({ until, left }: { until: number; left: number }) {
  const t = useT()
  return (
    <p className="tone-warn flex gap-1.5 font-medium" role="status" title={t('run.waiting_why')} data-testid="waiting">
      <span className="mt-0.5 flex-none">
        <Icon name="clock" />
      </span>
      {t('run.waiting', { time: formatTime(until), count: left })}
    </p>
  )
}

/** A run in motion: how far, until when, with what outcomes. */
export function LiveRun({ now: { run, progress } }: { now: RunNow }) {
  const t = useT()
  const done = progress?.done ?? 0
  const planned = progress?.planned ?? 0
  const until = progress?.waitingUntil ?? null
  const waiting = useTicking((now) => until !== null && until > now)
  return (
    <>
      <div className="caption">
        <h2 id="run-title">{t('run.title_live')}</h2>
        <span className="text-muted">{progress && !waiting && <EndTime progress={progress} />}</span>
      </div>
      <div className="flex items-baseline justify-between gap-3">
        <span className="text-xl font-semibold" data-testid="progress-words">
          {planned > 0 ? t('run.done_of', { done, planned }) : t(stepKey(progress))}
        </span>
        {progress !== null && progress.failed > 0 && (
          <span className="tone-bad text-sm font-medium">{t('run.failed_so_far', { n: progress.failed })}</span>
        )}
      </div>
      <LiveBar counts={run?.counts ?? null} done={done} planned={planned} />
      {waiting && until !== null ? (
        <Waiting until={until} left={Math.max(0, planned - done)} />
      ) : (
        <p className="flex min-h-5 min-w-0 items-baseline gap-2 text-sm text-muted">
          <span className="whitespace-nowrap">{t(stepKey(progress))}</span>
          {progress?.current && (
            <code className="cell" title={progress.current}>
              {progress.current}
            </code>
          )}
        </p>
      )}
      {run && totalOf(run.counts) > 0 && <OutcomeChips counts={run.counts} />}
    </>
  )
}
