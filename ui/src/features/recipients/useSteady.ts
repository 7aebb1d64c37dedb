import { type RefObject, useLayoutEffect, useRef } from 'react'
import type { Entry } from '@/domain/causes'
import { keyOf } from './useGridKeys'

interface SteadyOptions {
  entries: readonly Entry[]
  /** The line where the keyboard is. */
  active: string | null
  /** Height of a line in pixels. */
  row: number
  scroller: RefObject<HTMLElement | null>
}

/** When the lines are arranged anew, the line where the keyboard is stays where it was on screen. */
export function useSteady({ entries, active, row, scroller }: SteadyOptions): void {
  const before = useRef(entries)
  useLayoutEffect(() => {
    const old = before.current
    before.current = entries
    const box = scroller.current
    if (old === entries || active === null || !box) return
    const from = old.findIndex((entry) => keyOf(entry) === active)
    const to = entries.findIndex((entry) => keyOf(entry) === active)
    const onScreen = from * row >= box.scrollTop - row && from * row < box.scrollTop + box.clientHeight
    if (from >= 0 && to >= 0 && onScreen) box.scrollTop = Math.max(0, box.scrollTop + (to - from) * row)
  }, [entries, active, row, scroller])
}
