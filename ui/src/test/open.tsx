import { createMemoryHistory } from '@tanstack/react-router'
import { QueryClientProvider } from '@tanstack/react-query'
import { render } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import axe from 'axe-core'
import { queryClient } from '@/api/queries'
import { setBackend } from '@/ipc'
import type { Fake } from '@/ipc/fake'
import { makeScene, type Scene } from '@/ipc/fake/scenes'
import { makeRouter, type WindowRouter } from '@/routes/router'
import { StartUp } from '@/screens/StartUp'

/** Opens the whole window on a stand-in, at a place. */
export async function openWindow(scene: Scene, path = '/'): Promise<{ fake: Fake; user: ReturnType<typeof userEvent.setup>; router: WindowRouter }> {
  const fake = makeScene(scene)
  setBackend(fake.backend)
  const router = makeRouter(createMemoryHistory({ initialEntries: [path] }))
  render(
    <QueryClientProvider client={queryClient}>
      <StartUp router={router} />
    </QueryClientProvider>,
  )
  return { fake, user: userEvent.setup(), router }
}

/** What a checker of accessibility finds wrong, in words. Contrast needs real pixels and is checked on the tokens. */
export async function faults(): Promise<string[]> {
  const result = await axe.run(document.body, { rules: { 'color-contrast': { enabled: false }, region: { enabled: false } } })
  return result.violations.flatMap((violation) => violation.nodes.map((node) => `${violation.id}: ${node.html.slice(0, 160)}`))
}
