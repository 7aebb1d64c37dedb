import { useNavigate } from '@tanstack/react-router'
import { useStartSync } from '@/api/actions'
import { asFailure } from '@/ipc'
import { liveRuns } from '@/live/runs'

export interface PressInput {
  project: string
  selection: 'all' | 'owed' | 'these'
  recipients?: readonly string[]
  resumes?: string | null
}

/**
 * Presses Sync. Who finds somebody else's run live is not refused but brought to that run: its lease is shown at once,
 * with the holder's name.
 */
export function usePress(onStarted?: (input: PressInput) => void) {
  const start = useStartSync()
  const navigate = useNavigate()
  const press = (input: PressInput) => {
    if (start.isPending) return
    start.mutate(
      {
        project: input.project,
        selection: input.selection,
        recipients: [...(input.recipients ?? [])],
        resumes: input.resumes ?? null,
      },
      {
        onSuccess: () => onStarted?.(input),
        onError: (error) => {
          const { holder, code } = asFailure(error).api
          if (code !== 'sync_in_progress') return
          if (holder) liveRuns.takeLease(holder)
          void navigate({ to: '/project/$id', params: { id: input.project } })
        },
      },
    )
  }
  const repeat = () => {
    const last = start.variables
    if (last) start.mutate(last)
  }
  return { press, busy: start.isPending, error: start.error, repeat, dismiss: start.reset }
}
