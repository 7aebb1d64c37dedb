import { cleanup } from '@testing-library/react'
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
if (!Element.prototype.getAnimations) Element.prototype.getAnimations = () => []

// A page has a size; without one the table of recipients would draw no row.
Object.defineProperties(HTMLElement.prototype, {
  offsetHeight: { configurable: true, get: () => 600 },
  offsetWidth: { configurable: true, get: () => 1_000 },
})

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
