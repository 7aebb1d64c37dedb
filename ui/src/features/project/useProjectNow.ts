import { useEffect, useRef } from 'react'
import { readAgain } from '@/api/queries'
import { formatList } from '@/domain/format'
import { present } from '@/domain/outcome'
import { pressOf } from '@/domain/press'
import { useLeaseState } from '@/features/lease'
import { type RunNow, runNow, usePress } from '@/features/run'
import type { ProjectView, RunView } from '@/ipc'
import { useLease, useRun } from '@/live/hooks'
import { translate } from '@/messages'
import { say } from '@/ui/toasts'

function leftOf(run: RunView | null): number | null {
  const progress = run?.progress
  return progress ? Math.max(0, progress.planned - progress.done) : null
}

function tellEnd(project: string, run: RunView): void {
  const parts = present(run.counts).map(({ outcome, count }) => translate(`outcome.count_${outcome}`, { n: count }))
  const counts = parts.length > 0 ? formatList(parts) : translate(`status.${run.status}`)
  say(translate('run.ended_toast', { project, counts }), run.status === 'succeeded' ? 'ok' : 'info')
}

/** Says once in passing that the run that was watched has ended, and reads the page again. */
function useEnd(view: ProjectView, { live, run }: RunNow): void {
  const watched = useRef<string | null>(null)
  const project = view.row.id
  const name = view.row.name
  useEffect(() => {
    if (live) {
      watched.current = run?.id ?? watched.current
      return
    }
    if (watched.current === null || run === null || run.id !== watched.current || run.status === 'running') return
    watched.current = null
    readAgain([{ kind: 'project', id: project }, { kind: 'runs', project }, { kind: 'recipients', project }])
    tellEnd(name, run)
  }, [live, run, project, name])
}

/** The project as it is at this second: its lease, its run, and what the primary button would do. */
export function useProjectNow(view: ProjectView) {
  const lease = useLease(view.row.lease)
  const state = useLeaseState(lease)
  const run = useRun(view.run)
  const now = runNow(run, lease, state)
  const start = usePress()
  useEnd(view, now)
  const press = pressOf(view.press, lease, { state }, leftOf(view.row.resumable))
  const project = view.row.id
  const act = (onWatch: () => void) => {
    switch (press.kind) {
      case 'watch':
        return onWatch()
      case 'none':
        return
      case 'resume':
        return start.press({ project, selection: 'all', resumes: view.row.resumable?.id ?? null })
      case 'owed':
        return start.press({ project, selection: 'owed' })
      case 'sync':
      case 'again':
        return start.press({ project, selection: 'all' })
    }
  }
  return { lease, state, now, press, start, act }
}
