import { isHeld } from '@/domain/lease'
import type { LeaseCard, LeaseState, ProgressView, RunView } from '@/ipc'
import { mergeProgress } from '@/live/runs'
import type { MessageKey } from '@/messages'

/** What the run section shows: a run in motion, one that ended, or none. */
export interface RunNow {
  live: boolean
  run: RunView | null
  progress: ProgressView | null
}

/** The lease says who runs; the run row may arrive a moment later, and neither may pull the other back. */
export function runNow(run: RunView | null, lease: LeaseCard, state: LeaseState): RunNow {
  const live = lease.run !== null && (isHeld(state) || (state === 'unknown' && lease.state !== 'free'))
  if (!live) {
    // A dead run is never shown as running.
    const dead = run !== null && run.status === 'running' && state === 'reclaimable'
    return { live: false, run: dead ? { ...run, status: 'interrupted' } : run, progress: run?.progress ?? null }
  }
  const same = run !== null && run.id === lease.run
  if (same && run.status !== 'running' && run.endedAt !== null) return { live: false, run, progress: run.progress }
  const progress = same ? mergeProgress(run.progress, lease.progress) : lease.progress
  return { live: true, run: same ? run : null, progress }
}

const STEPS: Record<string, MessageKey> = {
  collect: 'run.step.collect',
  build: 'run.step.build',
  push_distribution: 'run.step.push_distribution',
  publish: 'run.step.publish',
  pass: 'run.step.pass',
  finish: 'run.step.finish',
}

export function stepKey(progress: ProgressView | null): MessageKey {
  return (progress && STEPS[progress.step]) ?? 'run.step.start'
}
