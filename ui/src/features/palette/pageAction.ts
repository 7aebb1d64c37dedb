import { useEffect, useRef } from 'react'
import { type Store, store } from '@/live/store'

/** What the page's primary button does, offered by the palette too. */
export interface PageAction {
  label: string
  act: () => void
}

export const pageAction: Store<PageAction | null> = store<PageAction | null>(null)

/** Offers the primary action of a page while the page is shown. */
export function usePageAction(label: string | null, act: () => void): void {
  const latest = useRef(act)
  useEffect(() => {
    latest.current = act
  })
  useEffect(() => {
    if (label === null) return
    const offered = { label, act: () => latest.current() }
    pageAction.set(offered)
    return () => {
      if (pageAction.get() === offered) pageAction.set(null)
    }
  }, [label])
}
