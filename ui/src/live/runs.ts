import type { LeaseCard, ProgressView, RunView } from '@/ipc'
import { equal } from './equal'
import { heartbeats } from './heartbeats'
import { Keyed, type Store, store } from './store'

const RANK: Record<RunView['status'], number> = {
  running: 0,
  interrupted: 1,
  succeeded: 2,
  incomplete: 2,
  failed: 2,
  cancelled: 2,
}

/** Progress of the same run, merged so that no counter ever goes backwards, whatever order the news comes in. */
export function mergeProgress(old: ProgressView | null, next: ProgressView | null): ProgressView | null {
  if (!old || !next) return next ?? old
  if (next.done < old.done) return old
  return {
    ...next,
    planned: Math.max(old.planned, next.planned),
    failed: Math.max(old.failed, next.failed),
  }
}

/** The newer of two views of one run. An ended run stays ended; counts only grow while it lives. */
export function mergeRun(old: RunView | undefined, next: RunView): RunView {
  if (!old || old.id !== next.id) return next
  if (RANK[next.status] < RANK[old.status] && next.status === 'running') return old
  if (RANK[next.status] > RANK[old.status]) return next
  const counts = { ...next.counts }
  for (const key of Object.keys(counts) as (keyof typeof counts)[]) {
    // Waiting items leave that state again: it is the one count that may fall.
    if (key !== 'waiting') counts[key] = Math.max(counts[key], old.counts[key])
  }
  return { ...next, counts, progress: mergeProgress(old.progress, next.progress) }
}

/** The newer of two views of one lease: a higher fence, else a later reading of the database's clock. */
export function mergeLease(old: LeaseCard | undefined, next: LeaseCard): LeaseCard {
  if (!old) return next
  const before = BigInt(old.fence || '0')
  const after = BigInt(next.fence || '0')
  if (after < before || (after === before && next.now < old.now)) return old
  if (after > before || next.run !== old.run) return next
  return { ...next, progress: next.progress && mergeProgress(old.progress, next.progress) }
}

/** Leases by project and runs by id, outside React. */
export class LiveRuns {
  readonly #leases = new Map<string, LeaseCard>()
  readonly #runs = new Map<string, RunView>()
  readonly #keyed = new Keyed()
  /** Counts the changes of leases, for who arranges all of them. */
  readonly leasesChanged: Store<number> = store(0)

  lease(project: string): LeaseCard | undefined {
    return this.#leases.get(project)
  }

  run(id: string): RunView | undefined {
    return this.#runs.get(id)
  }

  subscribe(key: string, listener: () => void): () => void {
    return this.#keyed.subscribe(key, listener)
  }

  takeLease(card: LeaseCard): void {
    const old = this.#leases.get(card.project)
    const next = mergeLease(old, card)
    if (old && equal(old, next)) return
    this.#leases.set(card.project, next)
    heartbeats.see(next)
    this.#keyed.wake(card.project)
    this.leasesChanged.set(this.leasesChanged.get() + 1)
  }

  takeRun(view: RunView): void {
    const old = this.#runs.get(view.id)
    const next = mergeRun(old, view)
    if (old && equal(old, next)) return
    this.#runs.set(view.id, next)
    this.#keyed.wake(view.id)
  }

  /** For tests. */
  forget(): void {
    this.#leases.clear()
    this.#runs.clear()
    heartbeats.forget()
    this.#keyed.wakeAll()
  }
}

export const liveRuns = new LiveRuns()
