import { type ApiFailure, type FeedBatch, type Tag, follow } from '@/ipc'
import { clock } from './clock'
import { rowsOf } from './rows'
import { liveRuns } from './runs'
import { store } from './store'

/** How the window stands to the database. */
export interface Link {
  state: 'connecting' | 'online' | 'offline'
  /** When the database last answered, by its clock. */
  lastHeard: number | null
}

export const link = store<Link>({ state: 'connecting', lastHeard: null })

export interface FeedEnds {
  /** Some data is stale. */
  onStale(tags: readonly Tag[]): void
  /** The link was broken and is back: read everything again. */
  onBack(): void
  onLost?(failure: ApiFailure): void
}

/** Puts a batch where it belongs: facts into the live stores at once, tags to whoever reads again. */
export function takeBatch(batch: FeedBatch, ends: FeedEnds): void {
  const before = link.get()
  if (!batch.online) {
    link.set({ state: 'offline', lastHeard: before.lastHeard })
    return
  }
  clock.read(batch.now)
  link.set({ state: 'online', lastHeard: batch.now })
  for (const card of batch.leases) liveRuns.takeLease(card)
  for (const run of batch.runs) liveRuns.takeRun(run)
  const rows = new Map<string, FeedBatch['rows'][number]['row'][]>()
  for (const { project, row } of batch.rows) {
    const list = rows.get(project)
    if (list) list.push(row)
    else rows.set(project, [row])
  }
  for (const [project, changed] of rows) rowsOf(project).patch(changed)
  if (before.state === 'offline') ends.onBack()
  else if (batch.stale.length > 0) ends.onStale(batch.stale)
}

const AGAIN_MS = 2_000

/** Follows the feed for as long as the window lives; a broken feed is followed again. */
export function followFeed(ends: FeedEnds): () => void {
  let stop: () => void = () => {}
  let timer: ReturnType<typeof setTimeout> | undefined
  let over = false
  const start = () => {
    stop = follow(
      (batch) => takeBatch(batch, ends),
      (failure) => {
        link.set({ state: 'offline', lastHeard: link.get().lastHeard })
        ends.onLost?.(failure)
        if (!over) timer = setTimeout(start, AGAIN_MS)
      },
    )
  }
  start()
  return () => {
    over = true
    clearTimeout(timer)
    stop()
  }
}
