import { act, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { failure } from '@/ipc/fake'
import { setLanguage } from '@/messages'
import { fr } from '@/messages/fr'
import { faults, openWindow } from './open'

const P1 = '/project/p1'

describe('Without the database', () => {
  it('the window keeps what it showed and tells its age; the lease becomes unknown', async () => {
    const { fake } = await openWindow('live', P1)
    await screen.findByTestId('progress')
    fake.controls.failing.set('projectGet', failure('database_unusable', 'It does not answer.'))
    act(() => fake.world.setOnline(false))
    expect((await screen.findByTestId('offline')).textContent).toMatch(/What you see is from/)
    expect(screen.getByTestId('lease-state').textContent).toBe('unknown')
    expect(screen.getByTestId('progress')).toBeTruthy()
    fake.controls.failing.clear()
    act(() => fake.world.setOnline(true))
    await waitFor(() => expect(screen.queryByTestId('offline')).toBeNull())
    await waitFor(() => expect(screen.getByTestId('lease-state').textContent).toBe('live'))
  })

  it('the window does not open, and opens with Try again', async () => {
    const { fake, user } = await openWindow('broken')
    const trouble = await screen.findByTestId('failure')
    expect(trouble.dataset['code']).toBe('database_unusable')
    fake.controls.failing.clear()
    await user.click(within(trouble).getByTestId('error-remedy'))
    await screen.findByTestId('projects')
  })
})

describe('An error', () => {
  it('has words, a hint, one button and a reference', async () => {
    const { user } = await openWindow('error', P1)
    const trouble = await screen.findByTestId('failure')
    expect(trouble.textContent).toMatch(/does not exist any more/)
    expect(within(trouble).getByTestId('error-reference').textContent).toBe('Reference 4f1d0c9a')
    await user.click(within(trouble).getByTestId('error-remedy'))
    await screen.findByTestId('projects')
  })

  it('speaks French to who reads French, and keeps the raw text one click away', async () => {
    const { fake, user } = await openWindow('ahead', P1)
    fake.world.preferences = { ...fake.world.preferences, language: 'fr' }
    await screen.findByTestId('press')
    act(() => setLanguage('fr'))
    fake.controls.failing.set('syncStart', failure('bad_input', 'No recipient was chosen.', { hint: 'Choose one.' }))
    await user.keyboard('s')
    const trouble = await screen.findByTestId('failure')
    expect(trouble.textContent).not.toMatch(/recipient was chosen|Choose one/)
    expect(trouble.textContent).toContain(fr['error.bad_input'])
    await user.click(within(trouble).getByTestId('error-details'))
    expect(within(trouble).getByTestId('error-message').textContent).toBe('No recipient was chosen. Choose one.')
  })

  it('of a press stays on the page and can be repeated', async () => {
    const { fake, user } = await openWindow('ahead', P1)
    await screen.findByTestId('press')
    fake.controls.failing.set('syncStart', failure('forge_unreachable', 'github.example does not answer.'))
    await user.keyboard('s')
    const trouble = await screen.findByTestId('failure')
    fake.controls.failing.clear()
    await user.click(within(trouble).getByTestId('error-remedy'))
    await waitFor(() => expect(fake.syncs).toHaveLength(1))
    await waitFor(() => expect(screen.queryByTestId('failure')).toBeNull())
  })
})

describe('A press that comes second', () => {
  it('shows the run of the other with the holder’s name', async () => {
    const { fake, user } = await openWindow('ahead', P1)
    await screen.findByTestId('press')
    const project = fake.world.project('p1')!
    const now = fake.world.now()
    const lease = { ...project.row.lease, state: 'live' as const, person: 'Sam Okafor', host: 'lab-desk-07', fence: '42', run: 'p1-run-42', since: now, heartbeatAt: now }
    fake.world.setLease(project, lease)
    await user.keyboard('s')
    await waitFor(() => expect(screen.getByTestId('press').textContent).toMatch(/^Watch Sam Okafor’s sync/))
    expect(fake.syncs).toHaveLength(0)
  })
})

describe('An interrupted run', () => {
  it('is offered for resuming in the list and on its page', async () => {
    const { fake, user } = await openWindow('interrupted')
    const line = await screen.findByTestId('interrupted')
    expect(line.textContent).toMatch(/24 of 60 were done/)
    await user.click(within(line).getByRole('button', { name: 'Resume' }))
    await waitFor(() => expect(fake.syncs).toHaveLength(1))
    const [input] = fake.controls.heard.find((call) => call.name === 'syncStart')?.args as [{ resumes: string }]
    expect(input.resumes).toBe('p1-run-42')
    await waitFor(() => expect(screen.queryByTestId('interrupted')).toBeNull())
  })
})

describe('GitHub’s pause', () => {
  it('is told as waiting and not as an error', async () => {
    await openWindow('throttled', P1)
    expect((await screen.findByTestId('waiting')).textContent).toMatch(/Waiting for GitHub until \d\d:\d\d, 40 left/)
    expect(screen.queryByTestId('failure')).toBeNull()
  })
})

describe('The list of projects', () => {
  it('presses from a row with S and stays', async () => {
    const { fake, user } = await openWindow('ahead')
    const lines = await screen.findAllByTestId('project')
    await user.keyboard('{ArrowDown}{ArrowDown}s')
    await waitFor(() => expect(fake.syncs).toHaveLength(1))
    expect(within(lines[1]!).getByTestId('lease-state').textContent).toBe('live')
  })

  it('remembers its filter', async () => {
    const { user } = await openWindow('ahead')
    await screen.findAllByTestId('project')
    await user.click(screen.getByRole('radio', { name: 'Archived' }))
    await waitFor(() => expect(screen.getAllByTestId('project')).toHaveLength(1))
    expect(localStorage.getItem('lockstep:projects')).toContain('archived')
  })
})

describe('Several projects', () => {
  it('are synced together, each under its own lease, and who refuses is named with the holder', async () => {
    const { fake, user } = await openWindow('live')
    await screen.findAllByTestId('project')
    await user.keyboard('{ArrowDown}{Control>}a{/Control}s')
    const refusals = await screen.findByTestId('refusals')
    // One is held by a colleague, one has no distribution yet; the others started, each with a lease of its own.
    expect(within(refusals).getAllByTestId('failure').map((one) => one.dataset['code'])).toContain('sync_in_progress')
    expect(refusals.textContent).toMatch(/Sam Okafor on lab-desk-07 holds it/)
    const asked = fake.controls.heard.filter((call) => call.name === 'syncStart').map((call) => (call.args[0] as { project: string }).project)
    expect(new Set(asked).size).toBe(asked.length)
    expect(asked.length).toBeGreaterThan(2)
    expect(fake.syncs.length + within(refusals).getAllByTestId('failure').length).toBeGreaterThanOrEqual(asked.length)
  })

  it('stand in groups by state, what wants somebody’s eyes first', async () => {
    const { user } = await openWindow('live')
    await screen.findAllByTestId('project')
    await user.click(screen.getByTestId('group-projects'))
    const heads = await screen.findAllByTestId('project-group')
    expect(heads[0]?.dataset['group']).toBe('running')
    expect(heads.map((one) => one.dataset['group'])).toContain('draft')
  })

  it('are archived once asked, in numbers; a live holder forbids it and is named', async () => {
    const { fake, user } = await openWindow('live')
    await screen.findAllByTestId('project')
    await user.keyboard('{ArrowDown}{ArrowDown}a')
    const dialog = await screen.findByTestId('archive-dialog')
    expect(dialog.textContent).toMatch(/30 recipients/)
    await user.click(within(dialog).getByTestId('archive-do'))
    const refusals = await screen.findByTestId('refusals')
    expect(refusals.textContent).toMatch(/Sam Okafor/)
    expect(fake.world.project('p1')?.row.state).toBe('published')
    await waitFor(() => expect(screen.queryByTestId('archive-dialog')).toBeNull())
  })

  it('come out of the archive from their own page', async () => {
    const { fake, user } = await openWindow('ahead', '/project/p6')
    await user.click(await screen.findByTestId('archive'))
    await user.click(await screen.findByTestId('archive-do'))
    await waitFor(() => expect(fake.world.project('p6')?.row.state).toBe('published'))
  })
})

describe('The address', () => {
  it('keeps tab, filter and sort of a project over Back and Forward', async () => {
    const { user, router } = await openWindow('ahead', P1)
    await screen.findByTestId('recipients')
    await user.click(screen.getByRole('button', { name: 'Group by cause' }))
    await waitFor(() => expect(router.state.location.search).toEqual({ flat: true }))
    await user.click(screen.getByRole('button', { name: /Person or team/ }))
    await waitFor(() => expect(router.state.location.search).toEqual({ flat: true, sort: 'label' }))
    await user.click(screen.getByRole('tab', { name: /Runs/ }))
    await screen.findByTestId('runs')
    expect(router.state.location.search).toEqual({ flat: true, sort: 'label', tab: 'runs' })
    act(() => router.history.back())
    await screen.findByTestId('recipients')
    expect(screen.getByRole('columnheader', { name: /Person or team/ }).getAttribute('aria-sort')).toBe('ascending')
    act(() => router.history.back())
    await waitFor(() =>
      expect(screen.getByRole('columnheader', { name: /Repository/ }).getAttribute('aria-sort')).toBe('ascending'),
    )
  })

  it('opens a project as it was left, from a reload and from the list', async () => {
    await openWindow('ahead', `${P1}?outcome=failed&q=lab4-12`)
    await waitFor(() => expect(screen.getAllByTestId('recipient')).toHaveLength(1))
    expect((screen.getByRole('searchbox') as HTMLInputElement).value).toBe('lab4-12')
  })
})

describe('Closing the window during a run', () => {
  it('asks once and says what it does', async () => {
    const { fake } = await openWindow('mine')
    await screen.findAllByTestId('project')
    act(() => fake.askToQuit(1))
    expect((await screen.findByTestId('quit')).textContent).toMatch(/1 run is under way here/)
  })
})

describe('Assistive tools find nothing wrong with', () => {
  const places: [Parameters<typeof openWindow>[0], string, string][] = [
    ['busy', '/', 'projects'],
    ['empty', '/', 'empty'],
    ['interrupted', P1, 'resumable'],
    ['reclaimable', P1, 'reclaim'],
    ['throttled', P1, 'waiting'],
    ['error', P1, 'failure'],
  ]
  it.each(places)('%s at %s', async (scene, path, there) => {
    await openWindow(scene, path)
    await screen.findByTestId(there)
    expect(await faults()).toEqual([])
  })

  it('the runs and the palette', async () => {
    const { user } = await openWindow('done', P1)
    await user.click(await screen.findByRole('tab', { name: /Runs/ }))
    await screen.findByTestId('runs')
    await user.keyboard('{Control>}k{/Control}')
    await screen.findByTestId('palette')
    expect(await faults()).toEqual([])
  })
})
