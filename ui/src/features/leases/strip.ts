import { lateAfter } from '@/domain/lease'
import type { Beat } from '@/live/heartbeats'

/** One heartbeat in the strip. */
export interface Mark {
  /** Where it stands: 0 is the oldest instant shown, 1 is now. */
  at: number
  /** It came when the lease was late already. */
  late: boolean
  /** The first of a new holder. */
  first: boolean
}

/** How far back the strip goes, in windows of the lease. */
const WINDOWS = 5

export function spanOf(window: number): number {
  return WINDOWS * window
}

/** The heartbeats that stand in the strip now, oldest first. */
export function marksOf(beats: readonly Beat[], window: number, now: number): Mark[] {
  const span = spanOf(window)
  return beats.flatMap((beat, index) => {
    const before = beats[index - 1]
    const at = 1 - (now - beat.at) / span
    if (at < 0) return []
    const first = before === undefined || before.fence !== beat.fence
    return [{ at: Math.min(1, at), late: !first && beat.at - before.at > lateAfter(window), first }]
  })
}
