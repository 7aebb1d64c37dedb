import type { RecipientRow } from '@/ipc'
import { equal } from './equal'
import { Keyed, type Store, store } from './store'

/**
 * The recipients of one project, outside React. A row that changes wakes only who shows it; `version` wakes who
 * arranges the whole list.
 */
export class RowStore {
  #rows = new Map<string, RecipientRow>()
  #ids: readonly string[] = []
  readonly #keyed = new Keyed()
  /** Counts the patches, so that a slow snapshot never overwrites what arrived while it was on its way. */
  #patches = 0
  readonly #patchedAt = new Map<string, number>()
  readonly version: Store<number> = store(0)

  ids(): readonly string[] {
    return this.#ids
  }

  row(id: string): RecipientRow | undefined {
    return this.#rows.get(id)
  }

  rows(): RecipientRow[] {
    return this.#ids.flatMap((id) => this.#rows.get(id) ?? [])
  }

  subscribeRow(id: string, listener: () => void): () => void {
    return this.#keyed.subscribe(id, listener)
  }

  /** To be asked before a snapshot is read; handed back to {@link replace}. */
  mark(): number {
    return this.#patches
  }

  /** Takes a snapshot that was read since `mark`. Rows patched after that keep what the feed said. */
  replace(rows: readonly RecipientRow[], mark: number): void {
    const next = new Map<string, RecipientRow>()
    const changed: string[] = []
    for (const row of rows) {
      const old = this.#rows.get(row.id)
      const newer = (this.#patchedAt.get(row.id) ?? -1) > mark
      const keep = old !== undefined && (newer || equal(old, row))
      next.set(row.id, keep ? old : row)
      if (!keep) changed.push(row.id)
    }
    const sameIds = next.size === this.#rows.size && rows.every((row, at) => this.#ids[at] === row.id)
    this.#rows = next
    if (!sameIds) this.#ids = rows.map((row) => row.id)
    for (const id of changed) this.#keyed.wake(id)
    if (changed.length > 0 || !sameIds) this.version.set(this.version.get() + 1)
  }

  /** Takes changed rows from the feed. */
  patch(rows: readonly RecipientRow[]): void {
    let touched = false
    for (const row of rows) {
      this.#patches += 1
      this.#patchedAt.set(row.id, this.#patches)
      const old = this.#rows.get(row.id)
      if (old && equal(old, row)) continue
      if (!old) this.#ids = [...this.#ids, row.id]
      this.#rows.set(row.id, row)
      this.#keyed.wake(row.id)
      touched = true
    }
    if (touched) this.version.set(this.version.get() + 1)
  }
}

const byProject = new Map<string, RowStore>()

/** The one store of a project's recipients. */
export function rowsOf(project: string): RowStore {
  let rows = byProject.get(project)
  if (!rows) {
    rows = new RowStore()
    byProject.set(project, rows)
  }
  return rows
}

/** For tests. */
export function forgetRows(): void {
  byProject.clear()
}
