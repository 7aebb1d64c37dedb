import { act, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { setLanguage } from '@/messages'
import { faults, openWindow } from './open'


const line = (name: string) => {
  const found = screen.getAllByTestId('lease-line').find((one) => one.textContent?.includes(name))
  if (!found) throw new Error(`no line of ${name}`)
  return found
}

async function choose(user: Awaited<ReturnType<typeof openWindow>>['user'], name: string) {
  await screen.findAllByTestId('lease-line')
  await user.click(line(name))
  return await screen.findByTestId('lease-detail')
}

describe('The leases', () => {
  it('stand in one list, what needs a person first, reached by a key', async () => {
    const { user } = await openWindow('leases')
    await screen.findByTestId('projects')
    await user.keyboard('3')
    const lines = await screen.findAllByTestId('lease-line')
    expect(lines[0]?.dataset['state']).toBe('reclaimable')
    expect(line('Networks').textContent).toMatch(/late.*build-server-eu-west-3b.*87 of 212/)
    expect(line('Seminar').textContent).toMatch(/free.*never held/)
    expect(line('Logic').textContent).toMatch(/last run incomplete/)
    expect(screen.getByTestId('database-clock').textContent).toMatch(/Database clock \d\d:\d\d:\d\d/)
  })

  it('tell the holder with machine, program, its start, fence and since when', async () => {
    const { user } = await openWindow('leases', '/leases')
    const detail = await choose(user, 'Networks')
    const facts = within(detail).getByTestId('lease-facts').textContent
    expect(facts).toMatch(/asgutierrez@build-server-eu-west-3b/)
    expect(facts).toMatch(/Lockstep 0\.1\.0, process 18432program started /)
    expect(facts).toMatch(/Fence13/)
    expect(within(detail).getByTestId('lease-why').textContent).toMatch(/heartbeat is late.*in 1 min 2/)
  })

  it.each([
    ['Databases', /too old: the holder is gone/],
    ['Graphics', /further ahead of the database’s clock/],
    ['Security', /no longer runs on this computer/],
  ])('can be taken where the rule allows it: %s', async (name, why) => {
    const { user } = await openWindow('leases', '/leases')
    const detail = await choose(user, name)
    expect(within(detail).getByTestId('lease-why').textContent).toMatch(why)
    expect(within(detail).getByTestId('reclaim')).toBeTruthy()
    expect(within(detail).queryByTestId('cancel')).toBeNull()
  })

  it.each(['Networks', 'Operating systems', 'lab 4'])('show a sentence in place of Reclaim where it does not: %s', async (name) => {
    const { user } = await openWindow('leases', '/leases')
    const detail = await choose(user, name)
    expect(within(detail).queryByTestId('reclaim')).toBeNull()
    expect(within(detail).getByTestId('lease-why').textContent).toMatch(/anyone may reclaim in \d/)
    expect(within(detail).getByTestId('cancel')).toBeTruthy()
  })

  it('are reclaimed by keyboard with the fence that was seen, and the history tells it', async () => {
    const { fake, user } = await openWindow('leases', '/leases')
    await screen.findAllByTestId('lease-line')
    await user.keyboard('{ArrowDown}')
    expect(document.activeElement).toBe(screen.getByTestId('lease-board'))
    expect((await screen.findByTestId('lease-detail')).textContent).toMatch(/Databases, project/)
    await user.keyboard('r')
    await user.click(await screen.findByTestId('reclaim-confirm'))
    await waitFor(() => expect(fake.controls.heard.find((call) => call.name === 'leaseReclaim')?.args).toEqual(['l-old', '13']))
    await waitFor(() => expect(line('Databases').dataset['state']).toBe('free'))
    const events = () => screen.getAllByTestId('lease-event').map((one) => one.dataset['event'])
    await waitFor(() => expect(events()).toEqual(['reclaimed', 'claimed']))
  })

  it('are asked to stop once, with a reason, and then say who asked', async () => {
    const { user } = await openWindow('leases', '/leases')
    await choose(user, 'lab 4')
    screen.getByTestId('lease-board').focus()
    await user.keyboard('c')
    await user.type(await screen.findByRole('textbox', { name: /Reason/ }), 'wrong file')
    await user.click(screen.getByTestId('cancel-confirm'))
    expect((await screen.findByTestId('cancel-asked')).textContent).toMatch(/Asked to stop by Alex Moreau/)
    expect(within(screen.getByTestId('lease-detail')).queryByTestId('cancel')).toBeNull()
    await waitFor(() => expect(screen.getAllByTestId('lease-event')[0]?.textContent).toMatch(/asked Sam Okafor on lab-desk-07: wrong file/))
  })

  it('name the call in flight and its end when a cancel does not bite', async () => {
    const { user } = await openWindow('leases', '/leases')
    const detail = await choose(user, 'Robotics')
    expect(within(detail).getByTestId('cancel-asked').textContent).toMatch(
      /still waits for git to push to robotics-26\/final-team-17; that ends by \d\d:\d\d at the latest/,
    )
  })

  it('follow what other machines do, without a reload, and show their heartbeats', async () => {
    const { fake, user } = await openWindow('leases', '/leases')
    const detail = await choose(user, 'Operating systems')
    expect(within(detail).getByTestId('strip-words').textContent).toMatch(/1 heartbeat seen/)
    const project = fake.world.project('l-ahead')!
    act(() => {
      fake.world.setLease(project, { ...project.row.lease, state: 'live', heartbeatAt: fake.world.now() + 60_000 })
      fake.world.emit({ leases: [project.row.lease] })
    })
    expect(within(detail).getByTestId('strip-words').textContent).toMatch(/2 heartbeats seen/)
  })

  it('are unknown while the database does not answer, with the age of what is shown and nothing to take', async () => {
    const { fake, user } = await openWindow('leases', '/leases')
    const detail = await choose(user, 'Databases')
    act(() => fake.world.setOnline(false))
    await waitFor(() => expect(line('Databases').dataset['state']).toBe('unknown'))
    expect(within(detail).getByTestId('lease-why').textContent).toMatch(/does not answer; this is from .*Nothing can be taken/)
    expect(within(detail).queryByTestId('reclaim')).toBeNull()
  })

  it('are filtered and searched, and the filter is remembered', async () => {
    const { user } = await openWindow('leases', '/leases')
    await screen.findAllByTestId('lease-line')
    await user.click(screen.getByRole('radio', { name: 'Need a look' }))
    expect(screen.getAllByTestId('lease-line')).toHaveLength(5)
    expect(localStorage.getItem('lockstep:leases')).toContain('attention')
    await user.keyboard('{Escape}/graphics')
    await waitFor(() => expect(screen.getAllByTestId('lease-line')).toHaveLength(1))
  })

  it('are drawn only as far as they are seen, however many there are', async () => {
    await openWindow('leases-many', '/leases')
    const board = await screen.findByTestId('lease-board')
    expect(Number(board.getAttribute('aria-rowcount'))).toBeGreaterThan(1_000)
    expect(screen.getAllByTestId('lease-line').length).toBeLessThan(60)
  })

  it('have a history that goes on where a page ended', async () => {
    const { fake, user } = await openWindow('ahead', '/leases')
    const shown = (await screen.findAllByTestId('lease-event')).length
    expect(fake.world.leaseEvents.length).toBeGreaterThan(shown)
    await user.click(screen.getByTestId('history-more'))
    await waitFor(() => expect(screen.getAllByTestId('lease-event')).toHaveLength(fake.world.leaseEvents.length))
    expect(screen.queryByTestId('history-more')).toBeNull()
  })

  it('tell a clock that is off', async () => {
    await openWindow('skewed', '/leases')
    expect((await screen.findByTestId('lease-skew')).textContent).toMatch(/42 s off the database’s/)
  })

  it('are told in French', async () => {
    const { user } = await openWindow('leases', '/leases')
    await choose(user, 'Networks')
    act(() => setLanguage('fr'))
    expect(screen.getByTestId('lease-why').textContent).toMatch(/Le battement est en retard/)
    expect(screen.getByTestId('lease-history').textContent).toMatch(/Histoire/)
  })

  it.each([
    ['leases', 'lease-board'],
    ['empty', 'empty'],
    ['skewed', 'lease-skew'],
  ] as const)('give assistive tools nothing to complain of: %s', async (scene, there) => {
    const { user } = await openWindow(scene, '/leases')
    await screen.findByTestId(there)
    if (scene === 'leases') await choose(user, 'Robotics')
    expect(await faults()).toEqual([])
  })
})

describe('What a live lease forbids', () => {
  it('names the holder and offers to ask it to stop', async () => {
    const { fake, user } = await openWindow('live', '/sources')
    await user.click(await screen.findByRole('button', { name: 'Retire course-staff/algo-labs' }))
    await user.click(await screen.findByTestId('retire-do'))
    const trouble = await screen.findByTestId('failure')
    expect(trouble.textContent).toMatch(/Sam Okafor.*lab-desk-07/)
    await user.click(within(trouble).getByTestId('ask-to-stop'))
    await user.click(await screen.findByTestId('cancel-confirm'))
    await waitFor(() => expect(fake.world.project('p1')?.row.lease.cancelBy).toBe('Alex Moreau'))
    await waitFor(() => expect(screen.queryByTestId('ask-to-stop')).toBeNull())
  })
})
