import type { RefObject } from 'react'
import { formatDateTime, formatDuration } from '@/domain/format'
import { totalOf } from '@/domain/outcome'
import { Trouble } from '@/features/errors'
import { ERRORS } from '@/errors/words'
import { OutcomeBar, OutcomeChips } from '@/features/outcomes/OutcomeBar'
import type { ApiError, ProjectView, RunView } from '@/ipc'
import { useTicking } from '@/live/hooks'
import { useT } from '@/messages'
import { Button } from '@/ui/Button'
import { LiveRun } from './LiveRun'
import type { RunNow } from './progress'
import { StatusChip } from './StatusChip'

interface LastProps {
  view: ProjectView
  /** The recipients whose last outcome is a failure. */
  failed: readonly string[]
  onRetryFailed: () => void
  onPress: () => void
}

interface RunSectionProps extends LastProps {
  now: RunNow
  sectionRef: RefObject<HTMLElement | null>
}

/** Codes that a person caused: told in a line, not as an error. */
const CALM: ReadonlySet<string> = new Set(['cancelled', 'quit'])

function errorOf(run: RunView): ApiError | null {
  if (run.error === null) return null
  const { error: code, errorText: message, retryable, refId } = run
  return { code, message, hint: '', retryable, refId, holder: null, waitMs: null }
}

function When({ run }: { run: RunView }) {
  const t = useT()
  const when = useTicking((now) => formatDateTime(run.startedAt, now))
  const { endedAt, startedAt } = run
  return (
    <span className="text-muted">
      {endedAt === null ? when : t('run.took', { when, time: formatDuration(endedAt - startedAt) })}
    </span>
  )
}

function spentWords(run: RunView) {
  const { graphql, rest, fetches, pushes } = run.spent
  return graphql + rest + fetches + pushes === 0 ? null : { graphql, rest, fetches, pushes }
}

/** What a run that ended early leaves to say. */
function Ended({ run, resumable, onPress }: { run: RunView; resumable: boolean; onPress: () => void }) {
  const t = useT()
  const error = errorOf(run)
  const progress = run.progress
  if (resumable && progress) {
    return (
      <p data-testid="resumable">{t('run.resume_text', { done: progress.done, planned: progress.planned })}</p>
    )
  }
  if (!error) return null
  if (CALM.has(error.code)) {
    const words = ERRORS[error.code]
    return (
      <p className="text-muted" title={error.message} data-testid="run-calm">
        {t(words.title)} {t(words.hint)}
      </p>
    )
  }
  return <Trouble error={error} onRetry={onPress} className="mt-1" />
}

function LastRun({ view, run, failed, onRetryFailed, onPress }: LastProps & { run: RunView }) {
  const t = useT()
  const { owed, state } = view.row
  const spent = spentWords(run)
  const resumable = view.row.resumable?.id === run.id
  return (
    <>
      <div className="caption">
        <h2 id="run-title">{t('run.title_last')}</h2>
        <When run={run} />
      </div>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <bdi className="min-w-0 wrap-anywhere">{t('run.by', { person: run.person, host: run.host })}</bdi>
        <StatusChip status={run.status} />
      </div>
      {totalOf(run.counts) > 0 && (
        <>
          <OutcomeBar counts={run.counts} />
          <OutcomeChips counts={run.counts} />
        </>
      )}
      <Ended run={run} resumable={resumable} onPress={onPress} />
      <div className="mt-auto flex min-h-[1.875rem] flex-wrap items-center justify-between gap-2">
        <span className="text-sm text-muted" title={spent ? t('run.spent_value', spent) : undefined} data-testid="owed">
          {owed > 0 ? t('run.owed', { count: owed }) : t('projects.owed_none')}
        </span>
        {failed.length > 0 && state !== 'archived' && !resumable && (
          <Button icon="refresh" onClick={onRetryFailed} data-testid="retry-failed">
            {t('run.retry_failed', { count: failed.length })}
          </Button>
        )}
      </div>
    </>
  )
}

/** The live run, or the last one: never both, in one place that does not jump when one becomes the other. */
export function RunSection({ now, sectionRef, ...last }: RunSectionProps) {
  const t = useT()
  return (
    <section ref={sectionRef} tabIndex={-1} aria-labelledby="run-title" data-testid="run" data-live={now.live}>
      {now.live ? (
        <LiveRun now={now} />
      ) : now.run ? (
        <LastRun {...last} run={now.run} />
      ) : (
        <>
          <div className="caption">
            <h2 id="run-title">{t('run.title_last')}</h2>
          </div>
          <p className="text-muted">{t('run.none')}</p>
        </>
      )}
    </section>
  )
}
