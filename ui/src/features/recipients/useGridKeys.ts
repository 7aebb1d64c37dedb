import { type KeyboardEvent, type MouseEvent, useCallback, useEffect, useRef, useState } from 'react'
import { CAUSE_ACTION, type Entry } from '@/domain/causes'
import type { Selection } from './selection'
import type { RecipientActions } from './useActions'

interface GridKeysOptions {
  entries: readonly Entry[]
  selection: Selection
  actions: RecipientActions
  canSend: boolean
  /** Shows everything about one recipient. */
  onDetails: (id: string) => void
  /** Scrolls a line into sight. */
  show: (at: number) => void
  /** How many lines fit on screen. */
  page: () => number
}

export function keyOf(entry: Entry): string {
  return entry.kind === 'group' ? `g-${entry.cause}` : entry.id
}

/** Recipients that a line stands for: itself, or its whole group. */
function idsOf(entry: Entry | undefined): readonly string[] {
  if (!entry) return []
  return entry.kind === 'group' ? entry.ids : [entry.id]
}

/**
 * Moving, choosing and acting in the table by keyboard; the pointer goes through the same selection. The active line is
 * kept by its key, so that live changes never lose it.
 */
export function useGridKeys(options: GridKeysOptions) {
  const [active, setActive] = useState<string | null>(null)
  /** Where a range begins. */
  const anchor = useRef<string | null>(null)
  const latest = useRef(options)
  useEffect(() => {
    latest.current = options
  })
  const { entries, selection, actions, canSend, onDetails, show, page } = options
  const indexOf = (key: string | null) => (key === null ? -1 : entries.findIndex((entry) => keyOf(entry) === key))
  const at = indexOf(active)
  const entry = entries[at]

  /** From where the range began to this line, whatever stood selected beside it. */
  const extendTo = useCallback((to: number, from: string | null) => {
    const all = latest.current.entries
    anchor.current ??= from
    const start = all.findIndex((one) => keyOf(one) === anchor.current)
    const between = all.slice(Math.min(start < 0 ? to : start, to), Math.max(start, to) + 1)
    const rows = between.flatMap((one) => (one.kind === 'row' ? [one.id] : []))
    const chosen = latest.current.selection
    chosen.set(new Set([...chosen.get(), ...rows]))
  }, [])

  const goTo = (wanted: number, extend: boolean) => {
    const to = Math.max(0, Math.min(entries.length - 1, wanted))
    const target = entries[to]
    if (!target) return
    if (extend) extendTo(to, active)
    else anchor.current = null
    setActive(keyOf(target))
    show(to)
  }

  /** The selected ones, or the line where the keyboard is. */
  const meant = (): readonly string[] => (selection.get().size > 0 ? [...selection.get()] : idsOf(entry))

  const toggle = () => {
    if (entry?.kind === 'row') selection.toggle(entry.id)
    else if (entry) {
      const all = entry.ids.every((id) => selection.has(id))
      const rest = [...selection.get()].filter((id) => !entry.ids.includes(id))
      selection.set(all ? rest : [...rest, ...entry.ids])
    }
  }

  const enter = () => {
    if (entry?.kind === 'row') actions.open(entry.id)
    else if (entry && canSend) {
      const action = CAUSE_ACTION[entry.cause]
      if (action) actions.remedy(action, entry.ids)
    }
  }

  const acts: Record<string, () => void> = {
    ' ': toggle,
    enter,
    p: () => entry?.kind === 'row' && actions.openPull(entry.id),
    i: () => entry?.kind === 'row' && onDetails(entry.id),
    l: () => meant().length > 0 && actions.toggleLock(meant()),
    r: () => canSend && meant().length > 0 && actions.send(meant()),
    escape: () => selection.clear(),
  }

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return
    const moves: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at < 0 ? 0 : at - 1,
      Home: 0,
      End: entries.length - 1,
      PageDown: at + page(),
      PageUp: at - page(),
    }
    const move = moves[event.key]
    const modified = event.ctrlKey || event.metaKey || event.altKey
    if (move !== undefined) goTo(move, event.shiftKey)
    else if (event.key.toLowerCase() === 'a' && (event.ctrlKey || event.metaKey)) {
      selection.set(entries.flatMap((one) => (one.kind === 'row' ? [one.id] : [])))
    } else {
      const act = modified ? undefined : acts[event.key.toLowerCase()]
      if (!act) return
      act()
    }
    event.preventDefault()
  }

  const onPoint = useCallback(
    (id: string, event: MouseEvent) => {
      if ((event.target as HTMLElement).closest('a,button,input')) return
      const now = latest.current
      if (event.shiftKey) {
        event.preventDefault()
        extendTo(now.entries.findIndex((one) => keyOf(one) === id), id)
      } else {
        anchor.current = id
        if (event.ctrlKey || event.metaKey) now.selection.toggle(id)
      }
      setActive(id)
    },
    [extendTo],
  )
  const onToggle = useCallback((id: string) => {
    anchor.current = id
    latest.current.selection.toggle(id)
  }, [])
  return { active, onKeyDown, onPoint, onToggle }
}
