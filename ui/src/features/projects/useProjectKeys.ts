import { type KeyboardEvent, useRef } from 'react'
import type { ProjectRow } from '@/ipc'

interface ProjectKeys {
  rows: readonly ProjectRow[]
  selected: readonly ProjectRow[]
  onToggle: (id: string) => void
  onChoose: (ids: readonly string[]) => void
  onArchive: (rows: readonly ProjectRow[]) => void
  /** Presses all selected ones. */
  onSync: (rows: readonly ProjectRow[]) => void
}

/** Moving, choosing and acting in the list of projects by keyboard; what a single line does, the line hears itself. */
export function useProjectKeys({ rows, selected, onToggle, onChoose, onArchive, onSync }: ProjectKeys) {
  const body = useRef<HTMLTableSectionElement>(null)
  const lines = () => [...(body.current?.querySelectorAll<HTMLElement>('tr[data-testid="project"]') ?? [])]
  const focus = (at: number) => {
    const all = lines()
    all[Math.max(0, Math.min(all.length - 1, at))]?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const line = (event.target as HTMLElement).closest<HTMLElement>('tr[data-testid="project"]')
    if (!line) return
    const at = lines().indexOf(line)
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key]
    const id = line.dataset['id'] ?? ''
    const own = rows.filter((row) => row.id === id)
    const onLine = event.target === line
    const command = event.ctrlKey || event.metaKey
    const key = event.key.toLowerCase()
    if (to !== undefined) {
      if (event.shiftKey) onChoose([...new Set([...selected.map((row) => row.id), id, lines()[to]?.dataset['id'] ?? id])])
      focus(to)
    } else if (key === 'a' && command) onChoose(rows.map((row) => row.id))
    else if (command || event.altKey || !onLine) return
    else if (key === ' ') onToggle(id)
    else if (key === 'escape' && selected.length > 0) onChoose([])
    else if (key === 'a') onArchive(selected.length > 0 ? selected : own)
    else if (key === 's' && selected.length > 0) onSync(selected)
    else return
    event.preventDefault()
  }
  return { body, focus, onKeyDown }
}
