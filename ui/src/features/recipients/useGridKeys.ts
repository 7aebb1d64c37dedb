import { type KeyboardEvent, type MouseEvent, useCallback, useRef, useState } from 'react'
import type { Entry } from '@/domain/causes'
import type { Selection } from './selection'
import type { RecipientActions } from './useActions'

interface GridKeysOptions {
  entries: readonly Entry[]
  selection: Selection
  actions: RecipientActions
  canSend: boolean
  /** Scrolls a line into sight. */
  show: (at: number) => void
}

const PAGE = 12

function keyOf(entry: Entry | undefined): string | null {
  if (!entry) return null
  return entry.kind === 'group' ? `g-${entry.cause}` : entry.id
}

/** Recipients that a line stands for: itself, or its whole group. */
function idsOf(entry: Entry | undefined): readonly string[] {
  if (!entry) return []
  return entry.kind === 'group' ? entry.ids : [entry.id]
}

/** Moving, choosing and acting in the table by keyboard; the pointer goes through the same selection. */
export function useGridKeys({ entries, selection, actions, canSend, show }: GridKeysOptions) {
  const [active, setActive] = useState<string | null>(null)
  const latest = useRef({ entries, active })
  latest.current = { entries, active }

  const indexOf = (key: string | null) => latest.current.entries.findIndex((entry) => keyOf(entry) === key)
  const goTo = (at: number, extend: boolean) => {
    const all = latest.current.entries
    const to = Math.max(0, Math.min(all.length - 1, at))
    const key = keyOf(all[to])
    if (key === null) return
    if (extend) {
      const from = indexOf(latest.current.active)
      const between = from < 0 ? [all[to]] : all.slice(Math.min(from, to), Math.max(from, to) + 1)
      selection.set(new Set([...selection.get(), ...between.flatMap(idsOf)]))
    }
    setActive(key)
    show(to)
  }
  const chosen = (): readonly string[] => {
    if (selection.get().size > 0) return [...selection.get()]
    return idsOf(latest.current.entries[indexOf(latest.current.active)])
  }

  /** The recipient under the cursor; a group line is none. */
  const rowHere = (): string | null => {
    const entry = latest.current.entries[indexOf(latest.current.active)]
    return entry?.kind === 'row' ? entry.id : null
  }

  const acts: Record<string, () => void> = {
    ' ': () => idsOf(latest.current.entries[indexOf(latest.current.active)]).forEach((id) => selection.toggle(id)),
    Enter: () => rowHere() !== null && actions.open(rowHere() ?? ''),
    p: () => rowHere() !== null && actions.openPull(rowHere() ?? ''),
    l: () => chosen().length > 0 && actions.toggleLock(chosen()),
    r: () => canSend && chosen().length > 0 && actions.send(chosen()),
    Escape: () => selection.clear(),
  }

  const onKeyDown = (event: KeyboardEvent) => {
    const at = indexOf(latest.current.active)
    const moves: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at < 0 ? 0 : at - 1,
      Home: 0,
      End: latest.current.entries.length - 1,
      PageDown: at + PAGE,
      PageUp: at - PAGE,
    }
    const move = moves[event.key]
    if (move !== undefined) goTo(move, event.shiftKey)
    else if (event.key.toLowerCase() === 'a' && (event.ctrlKey || event.metaKey)) {
      selection.set(latest.current.entries.flatMap((entry) => (entry.kind === 'row' ? [entry.id] : [])))
    } else {
      const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : acts[event.key]
      if (!act || event.target !== event.currentTarget) return
      act()
    }
    event.preventDefault()
  }

  const onPoint = useCallback(
    (id: string, event: MouseEvent) => {
      if ((event.target as HTMLElement).closest('a,button,input')) return
      if (event.ctrlKey || event.metaKey) selection.toggle(id)
      setActive(id)
    },
    [selection],
  )
  const onToggle = useCallback((id: string) => selection.toggle(id), [selection])
  return { active, onKeyDown, onPoint, onToggle }
}
