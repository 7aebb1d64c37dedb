import { cleanup, configure } from '@testing-library/react'
import { afterEach, beforeEach } from 'vitest'
import { queryClient } from '@/api/queries'
import { clock } from '@/live/clock'
import { liveRuns } from '@/live/runs'
import { forgetRows } from '@/live/rows'
import { setLanguage } from '@/messages'

// What jsdom lacks and the window asks for.
class NoObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}
globalThis.ResizeObserver ??= NoObserver as unknown as typeof ResizeObserver
window.matchMedia ??= ((query: string) => ({
  matches: false,
  media: query,
  addEventListener() {},
  removeEventListener() {},
})) as unknown as typeof window.matchMedia
Element.prototype.scrollIntoView ??= () => {}
window.scrollTo = () => {}
Element.prototype.scrollTo ??= () => {}
if (!Element.prototype.getAnimations) Element.prototype.getAnimations = () => []

// A page has a size; without one the table of recipients would draw no row.
Object.defineProperties(HTMLElement.prototype, {
  clientHeight: { configurable: true, get: () => 600 },
  clientWidth: { configurable: true, get: () => 1_000 },
  offsetHeight: { configurable: true, get: () => 600 },
  offsetWidth: { configurable: true, get: () => 1_000 },
})

/** To be called for every file of tests: a page of its own state, and hooks that keep it so between tests. */
export function prepare(): void {
  // A failure says what was missing, not the whole page; two busy cores may take a moment.
  configure({ getElementError: (message) => new Error(message ?? 'not found'), asyncUtilTimeout: 4_000 })
  beforeEach(() => {
    localStorage.clear()
    window.location.hash = ''
    queryClient.clear()
    forgetRows()
    liveRuns.forget()
    clock.reset()
    setLanguage('en')
  })
  afterEach(cleanup)
}
