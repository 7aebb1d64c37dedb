import { useCallback, useMemo, useSyncExternalStore } from 'react'
import type { LeaseCard, RecipientRow, RunView } from '@/ipc'
import { clock } from './clock'
import { type Beat, heartbeats } from './heartbeats'
import type { RowStore } from './rows'
import { liveRuns } from './runs'
import type { Store } from './store'

export function useStore<T>(source: Store<T>): T {
  return useSyncExternalStore(source.subscribe, source.get)
}

/** A text (or number) worked out from the clock; the component renders again only when the result differs. */
export function useTicking<T extends string | number | boolean | null>(read: (now: number) => T): T {
  return useSyncExternalStore(clock.subscribe, () => read(clock.now()))
}

/** The database's time, whole seconds. */
export function useNow(): number {
  return useTicking((now) => Math.floor(now / 1_000) * 1_000)
}

export function useRow(rows: RowStore, id: string): RecipientRow | undefined {
  const subscribe = useCallback((listener: () => void) => rows.subscribeRow(id, listener), [rows, id])
  return useSyncExternalStore(subscribe, () => rows.row(id))
}

/**
 * Something worked out from all rows, anew when any of them changed. Here and not in a component: the rows live in one
 * object, which memoised code would take for unchanged. `work` must keep its identity.
 */
export function useRowsFact<T>(rows: RowStore, work: (rows: RecipientRow[]) => T): T {
  const version = useSyncExternalStore(rows.version.subscribe, rows.version.get)
  return useMemo(() => work(rows.rows()), [rows, version, work])
}

/** The newest known lease of a project; what a query said is only the start. */
export function useLease(initial: LeaseCard): LeaseCard {
  const project = initial.project
  const subscribe = useCallback((listener: () => void) => liveRuns.subscribe(project, listener), [project])
  return useSyncExternalStore(subscribe, () => liveRuns.lease(project)) ?? initial
}

/** The newest known leases of these cards. Renders again when the result of `read` differs, which is asked at every change
 * and every second: states change by time alone. */
export function useLeasesFact<T extends string | number>(cards: readonly LeaseCard[], read: (cards: readonly LeaseCard[], now: number) => T): T {
  const subscribe = useCallback((listener: () => void) => {
    const stops = [liveRuns.leasesChanged.subscribe(listener), clock.subscribe(listener)]
    return () => {
      for (const stop of stops) stop()
    }
  }, [])
  return useSyncExternalStore(subscribe, () => read(newest(cards), clock.now()))
}

/** What the feed said last of each of these leases. */
export function newest(cards: readonly LeaseCard[]): LeaseCard[] {
  return cards.map((card) => liveRuns.lease(card.project) ?? card)
}

/** The heartbeats of a project that this window has seen. */
export function useBeats(project: string): readonly Beat[] {
  const subscribe = useCallback((listener: () => void) => heartbeats.subscribe(project, listener), [project])
  return useSyncExternalStore(subscribe, () => heartbeats.of(project))
}

/** The newest known view of a run. */
export function useRun(initial: RunView | null): RunView | null {
  const id = initial?.id ?? ''
  const subscribe = useCallback((listener: () => void) => liveRuns.subscribe(id, listener), [id])
  return useSyncExternalStore(subscribe, () => liveRuns.run(id)) ?? initial
}
