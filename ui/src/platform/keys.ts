import { useEffect, useRef } from 'react'

/** Whether the keyboard belongs to a field or to something that floats above the page. */
export function isBusyElsewhere(target: EventTarget | null): boolean {
  if (document.querySelector('[role="dialog"],[role="alertdialog"],[role="menu"]')) return true
  if (!(target instanceof HTMLElement)) return false
  const field = target.closest('input,textarea,select,[contenteditable="true"]')
  return field !== null && !(field instanceof HTMLInputElement && ['checkbox', 'radio'].includes(field.type))
}

type KeyMap = Record<string, (event: KeyboardEvent) => void>

/**
 * Single-key commands of a screen, by `event.key` in lower case. They sleep while somebody types, a dialog is open or a
 * modifier is held.
 */
export function useKeys(keys: KeyMap): void {
  const latest = useRef(keys)
  useEffect(() => {
    latest.current = keys
  })
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
      const act = latest.current[event.key.toLowerCase()]
      if (!act || isBusyElsewhere(event.target)) return
      event.preventDefault()
      act(event)
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
}
