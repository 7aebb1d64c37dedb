import { screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { faults, openWindow } from './open'

describe('Projects', () => {
  it('shows each project with its branches, lease and outcomes, and Enter opens one', async () => {
    const { user } = await openWindow('ahead')
    const lines = await screen.findAllByTestId('project')
    expect(lines.length).toBeGreaterThan(1)
    expect(within(lines[1] as HTMLElement).getByText(/ahead/)).toBeTruthy()
    await user.keyboard('{ArrowDown}')
    expect(document.activeElement).toBe(lines[0])
    await user.keyboard('{ArrowDown}{Enter}')
    await screen.findByTestId('project-page')
  })

  it('is searched with the slash key', async () => {
    const { user } = await openWindow('ahead')
    await screen.findAllByTestId('project')
    await user.keyboard('/compilers')
    await waitFor(() => expect(screen.getAllByTestId('project')).toHaveLength(1))
  })

  it('speaks in full sentences when there is none', async () => {
    await openWindow('empty')
    expect(await screen.findByText(/A project hands one source repository out/)).toBeTruthy()
  })
})

describe('Project', () => {
  it('names in numbers what its one primary button will do, and S presses it', async () => {
    const { fake, user } = await openWindow('ahead', '/project/p1')
    const press = await screen.findByTestId('press')
    expect(press.textContent).toMatch(/Sync 3 commits to \d+ repositories, about/)
    await user.keyboard('s')
    await waitFor(() => expect(fake.syncs).toHaveLength(1))
    expect(await screen.findByTestId('progress')).toBeTruthy()
  })

  it('offers to watch when somebody else is live, and does not press', async () => {
    const { fake, user } = await openWindow('live', '/project/p1')
    const press = await screen.findByTestId('press')
    expect(press.textContent).toMatch(/^Watch /)
    const before = fake.syncs.length
    await user.keyboard('s')
    expect(fake.syncs).toHaveLength(before)
  })

  it('shows Reclaim only when the rule allows it', async () => {
    await openWindow('live', '/project/p1')
    await screen.findByTestId('lease')
    expect(screen.queryByTestId('reclaim')).toBeNull()
    expect(screen.getByTestId('cancel')).toBeTruthy()
  })

  it('shows Reclaim when the heartbeat is too old', async () => {
    await openWindow('reclaimable', '/project/p1')
    expect(await screen.findByTestId('reclaim')).toBeTruthy()
    expect(screen.queryByTestId('cancel')).toBeNull()
  })
})

describe('Everywhere', () => {
  it('opens the palette with Ctrl K and goes where one types', async () => {
    const { user } = await openWindow('ahead')
    await screen.findAllByTestId('project')
    await user.keyboard('{Control>}k{/Control}')
    await screen.findByTestId('palette')
    await user.keyboard('settings{Enter}')
    expect(await screen.findByTestId('settings')).toBeTruthy()
  })

  it('shows an error that keeps it from starting, with its remedy', async () => {
    await openWindow('error')
    const trouble = await screen.findAllByTestId('failure')
    expect(trouble[0]?.textContent?.length).toBeGreaterThan(20)
  })

  it('begins with the first start when nothing is connected', async () => {
    const { user } = await openWindow('first')
    const person = await screen.findByTestId('person')
    await user.clear(person)
    await user.keyboard('{Enter}')
    expect(await screen.findByText(/Write your name/)).toBeTruthy()
    await user.type(person, 'Ada{Enter}')
    expect(await screen.findByTestId('token')).toBeTruthy()
    await user.click(screen.getByTestId('connect'))
    expect(await screen.findByText('Paste a token.')).toBeTruthy()
  })
})

describe('Assistive tools find nothing wrong with', () => {
  const places: [Parameters<typeof openWindow>[0], string, string][] = [
    ['ahead', '/', 'projects'],
    ['ahead', '/project/p1', 'project-page'],
    ['live', '/project/p1', 'progress'],
    ['ahead', '/sources', 'sources'],
    ['ahead', '/settings', 'settings'],
    ['ahead', '/new', 'new-project'],
    ['first', '/', 'person'],
  ]
  it.each(places)('%s at %s', async (scene, path, there) => {
    await openWindow(scene, path)
    await screen.findByTestId(there)
    expect(await faults()).toEqual([])
  })
})
