import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { arrange, causeOf, type Entry, shows, type View } from '@/domain/causes'
import type { RowStore } from '@/live/rows'

/** Rows are put in their new places at most this often while nobody is at the table. */
const SETTLE_MS = 700

interface Arrangement {
  entries: readonly Entry[]
  version: number
  rows: RowStore
  view: View
}

function arranged(rows: RowStore, view: View): Arrangement {
  return { entries: arrange(rows.rows(), view), version: rows.version.get(), rows, view }
}

/** How many rows would stand elsewhere if the table were arranged now. */
function movedIn(at: Arrangement): number {
  if (at.rows.version.get() === at.version) return 0
  let moved = 0
  const seen = new Set<string>()
  for (const entry of at.entries) {
    if (entry.kind === 'group') continue
    seen.add(entry.id)
    const row = at.rows.row(entry.id)
    if (!row || !shows(row, at.view) || (at.view.grouped && causeOf(row) !== entry.cause)) moved += 1
  }
  for (const row of at.rows.rows()) if (!seen.has(row.id) && shows(row, at.view)) moved += 1
  return moved
}

/** The last rows of a run may arrive a little after its end; so long they still belong to it. */
const RUN_TAIL_MS = 3_000

/**
 * The lines of the table. They are arranged anew when the person changes the view and once when a run ends. During a
 * run every line stays put, whatever becomes of its row; at other times they move by themselves only while nobody is at
 * the table: under a pointer, a selection or a scrolled list nothing moves, and the table offers to be arranged.
 */
export function useEntries(rows: RowStore, view: View, live: boolean, isTouched: () => boolean) {
  const version = useSyncExternalStore(rows.version.subscribe, rows.version.get)
  const [again, setAgain] = useState(0)
  const now = useMemo(() => arranged(rows, view), [rows, view, again])
  const moved = useMemo(() => (version === now.version ? 0 : movedIn(now)), [version, now])
  const rearrange = useCallback(() => setAgain((before) => before + 1), [])
  const first = now.entries.length === 0
  const touched = useRef(isTouched)
  useEffect(() => {
    touched.current = isTouched
  })
  const wasLive = useRef(live)
  const tailEnds = useRef(0)
  useEffect(() => {
    const ended = wasLive.current && !live
    wasLive.current = live
    if (!ended) return
    tailEnds.current = performance.now() + RUN_TAIL_MS
    rearrange()
  }, [live, rearrange])
  useEffect(() => {
    if (moved === 0) return
    if (first || (!live && performance.now() < tailEnds.current)) {
      rearrange()
      return
    }
    if (live) return
    const timer = setInterval(() => {
      if (!touched.current()) rearrange()
    }, SETTLE_MS)
    return () => clearInterval(timer)
  }, [moved, first, live, rearrange])
  return { entries: now.entries, moved, rearrange }
}
