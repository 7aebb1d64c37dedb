import { useCallback, useSyncExternalStore } from 'react'
import { Keyed } from '@/live/store'

/** Which recipients are chosen, outside React: choosing one row renders that row and the toolbar, not the table. */
export class Selection {
  #ids: ReadonlySet<string> = new Set()
  readonly #keyed = new Keyed()

  get(): ReadonlySet<string> {
    return this.#ids
  }

  has(id: string): boolean {
    return this.#ids.has(id)
  }

  set(ids: Iterable<string>): void {
    const before = this.#ids
    const next = new Set(ids)
    this.#ids = next
    for (const id of before) if (!next.has(id)) this.#keyed.wake(id)
    for (const id of next) if (!before.has(id)) this.#keyed.wake(id)
    this.#keyed.wake('')
  }

  toggle(id: string): void {
    const next = new Set(this.#ids)
    if (!next.delete(id)) next.add(id)
    this.set(next)
  }

  clear(): void {
    if (this.#ids.size > 0) this.set([])
  }

  /** Forgets who is not there any more. */
  keep(known: (id: string) => boolean): void {
    const kept = [...this.#ids].filter(known)
    if (kept.length !== this.#ids.size) this.set(kept)
  }

  subscribe(id: string, listener: () => void): () => void {
    return this.#keyed.subscribe(id, listener)
  }
}

/** The whole selection. */
export function useSelection(selection: Selection): ReadonlySet<string> {
  const subscribe = useCallback((listener: () => void) => selection.subscribe('', listener), [selection])
  return useSyncExternalStore(subscribe, () => selection.get())
}

/** Whether one row is chosen. */
export function useIsSelected(selection: Selection, id: string): boolean {
  const subscribe = useCallback((listener: () => void) => selection.subscribe(id, listener), [selection, id])
  return useSyncExternalStore(subscribe, () => selection.has(id))
}
