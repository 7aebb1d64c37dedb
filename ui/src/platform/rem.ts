import { useSyncExternalStore } from 'react'

const read = () => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16

function subscribe(listener: () => void): () => void {
  window.addEventListener('resize', listener)
  return () => window.removeEventListener('resize', listener)
}

/** Pixels of one rem, so that measured sizes grow with the person's text size. */
export function useRem(): number {
  return useSyncExternalStore(subscribe, read)
}
