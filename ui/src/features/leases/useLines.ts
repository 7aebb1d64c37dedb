import { type KeyboardEvent, useEffect, useState } from 'react'
import type { LeaseCard } from '@/ipc'

interface LinesOptions {
  lines: readonly LeaseCard[]
  /** Scrolls a line into sight. */
  show: (at: number) => void
  /** How many lines fit on screen. */
  page: () => number
  onOpen: (project: string) => void
  onCancel: () => void
  onReclaim: () => void
}

/** Moving and acting by keyboard. The active line is kept by its project, so that live changes never lose it. */
export function useLines({ lines, show, page, onOpen, onCancel, onReclaim }: LinesOptions) {
  const [active, setActive] = useState<string | null>(null)
  const at = lines.findIndex((card) => card.project === active)
  // What was chosen may be filtered away or deleted; then nothing is.
  useEffect(() => {
    if (active !== null && lines.every((card) => card.project !== active)) setActive(null)
  }, [active, lines])
  const goTo = (wanted: number) => {
    const to = Math.max(0, Math.min(lines.length - 1, wanted))
    const target = lines[to]
    if (!target) return
    setActive(target.project)
    show(to)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return
    const moves: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at < 0 ? 0 : at - 1,
      Home: 0,
      End: lines.length - 1,
      PageDown: at + page(),
      PageUp: at - page(),
    }
    const acts: Record<string, () => void> = {
      enter: () => active !== null && onOpen(active),
      c: onCancel,
      r: onReclaim,
      escape: () => setActive(null),
    }
    const move = moves[event.key]
    if (move !== undefined) goTo(move)
    else {
      const act = acts[event.key.toLowerCase()]
      if (!act) return
      act()
    }
    event.preventDefault()
  }
  return { active, setActive, onKeyDown, goTo }
}
