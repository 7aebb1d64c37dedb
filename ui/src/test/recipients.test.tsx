import { act, render, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { arrange, PLAIN_VIEW } from '@/domain/causes'
import { Grid } from '@/features/recipients/Grid'
import { Selection } from '@/features/recipients/selection'
import type { RecipientActions } from '@/features/recipients/useActions'
import type { Fake } from '@/ipc/fake'
import { makeFake } from '@/ipc/fake'
import { RowStore } from '@/live/rows'
import { openWindow } from './open'

const P1 = '/project/p1'

async function openTable() {
  const { fake, user } = await openWindow('ahead', P1)
  const table = await screen.findByTestId('recipients')
  act(() => table.focus())
  return { fake, user, table }
}

const active = () => document.querySelector('[role="row"][data-active="true"]')
const selected = () => screen.queryByTestId('selected')?.textContent
const idOf = (line: Element | null) => (line?.id ?? '').replace('line-', '')

describe('The keyboard in the table of recipients', () => {
  it('moves with arrows, Home and End, and names the line to assistive tools', async () => {
    const { user, table } = await openTable()
    await user.keyboard('{ArrowDown}')
    expect(active()?.getAttribute('data-testid')).toBe('group')
    await user.keyboard('{ArrowDown}')
    expect(active()?.getAttribute('data-testid')).toBe('recipient')
    expect(table.getAttribute('aria-activedescendant')).toBe(active()?.id)
    await user.keyboard('{ArrowUp}{ArrowUp}{ArrowUp}')
    expect(active()?.getAttribute('aria-rowindex')).toBe('2')
    const scrolled = vi.spyOn(table, 'scrollTo')
    await user.keyboard('{End}')
    expect(scrolled).toHaveBeenCalled()
    expect(document.activeElement).toBe(table)
  })

  it('selects with Space, several with Shift and arrows, all with Ctrl A, none with Escape', async () => {
    const { user } = await openTable()
    await user.keyboard('{ArrowDown}{ArrowDown} ')
    expect(selected()).toBe('1 selected')
    await user.keyboard('{Shift>}{ArrowDown}{/Shift}')
    expect(selected()).toBe('2 selected')
    await user.keyboard('{Control>}a{/Control}')
    expect(selected()).toBe('30 selected')
    await user.keyboard('{Escape}')
    expect(selected()).toBeUndefined()
  })

  it('selects a whole group with Space on its head', async () => {
    const { user } = await openTable()
    await user.keyboard('{ArrowDown} ')
    expect(selected()).toBe('2 selected')
  })

  it('opens the repository with Enter, also while others are selected', async () => {
    const { fake, user } = await openTable()
    await user.keyboard('{ArrowDown}{ArrowDown} {ArrowDown}{Enter}')
    const row = fake.world.project('p1')?.rows.find((one) => one.id === idOf(active()))
    expect(fake.world.opened).toEqual([row?.url])
  })

  it('opens the pull request with P', async () => {
    const { fake, user } = await openTable()
    await user.keyboard('{End}p')
    const pull = fake.world.project('p1')?.rows.at(-1)?.branches.find((branch) => branch.pull)?.pull
    expect(fake.world.opened).toEqual([pull?.url])
  })

  it('locks and unlocks with L', async () => {
    const { fake, user } = await openTable()
    const row = () => fake.world.project('p1')?.rows.find((one) => one.id === idOf(active()))
    await user.keyboard('{ArrowDown}{ArrowDown}l')
    await waitFor(() => expect(row()?.locked).toBe(true))
    await user.keyboard('l')
    await waitFor(() => expect(row()?.locked).toBe(false))
  })

  it('retries exactly the selected with R', async () => {
    const { fake, user } = await openTable()
    await user.keyboard('{ArrowDown} r')
    await waitFor(() => expect(fake.syncs).toHaveLength(1))
    const [input] = fake.controls.heard.find((call) => call.name === 'syncStart')?.args as [{ selection: string; recipients: string[] }]
    expect(input.selection).toBe('these')
    expect(input.recipients).toHaveLength(2)
  })
})

describe('The table of recipients', () => {
  it('carries one action per cause', async () => {
    const { fake, user } = await openTable()
    const group = document.querySelector('[data-cause="locked"]') as HTMLElement
    await user.click(within(group).getByRole('button', { name: 'Unlock these 2' }))
    await waitFor(() => expect(fake.world.project('p1')?.rows.filter((row) => row.locked)).toEqual([]))
  })

  it('is searched with the slash key, and arrow down goes on to the list', async () => {
    const { user, table } = await openTable()
    act(() => table.blur())
    await user.keyboard('/student 18')
    await waitFor(() => expect(screen.getAllByTestId('recipient')).toHaveLength(1))
    expect(screen.getByTestId('shown').textContent).toBe('1 of 30')
    await user.keyboard('{ArrowDown}')
    expect(document.activeElement).toBe(table)
  })

  it('keeps selection, focus and places while rows change under a person, and offers to arrange again', async () => {
    const { fake, user, table } = await openTable()
    await user.keyboard('{ArrowDown}{ArrowDown} ')
    const id = idOf(active())
    const row = fake.world.project('p1')?.rows.find((one) => one.id === id)
    act(() =>
      fake.world.emit({
        rows: [{ project: 'p1', row: { ...row!, outcome: 'opened', branches: row!.branches.map((one) => ({ ...one, outcome: 'opened', reason: null })) } }],
      }),
    )
    await waitFor(() => expect(within(active() as HTMLElement).getAllByText('opened').length).toBeGreaterThan(0))
    expect(idOf(active())).toBe(id)
    expect(selected()).toBe('1 selected')
    expect(document.activeElement).toBe(table)
    expect((await screen.findByTestId('moved')).textContent).toMatch(/^1 row changed its place/)
  })

  it('draws a changed row alone', async () => {
    const { world } = makeFake()
    const rows = new RowStore()
    rows.replace(world.project('p1')!.rows, rows.mark())
    const drawn: string[] = []
    const actions = { remedy: vi.fn() } as unknown as RecipientActions
    const view = { ...PLAIN_VIEW, grouped: false }
    render(
      <Grid
        {...{ rows, view, actions, canSend: true, live: false, branches: ['main', 'hints'], onView: () => {}, onDetails: () => {} }}
        selection={new Selection()}
        onDraw={(id) => drawn.push(id)}
      />,
    )
    expect(new Set(drawn).size).toBeGreaterThan(10)
    drawn.length = 0
    const first = rows.row(arrangedFirst(rows))!
    act(() => rows.patch([{ ...first, label: 'somebody else' }]))
    expect(new Set(drawn)).toEqual(new Set([first.id]))
    expect(screen.getByText('somebody else')).toBeTruthy()
  })

  it('draws only what is on screen of ten thousand', async () => {
    await openWindow('huge', P1)
    await screen.findByTestId('recipients')
    expect(screen.getAllByTestId('recipient').length).toBeLessThan(80)
    expect(Number(screen.getByTestId('recipients').getAttribute('aria-rowcount'))).toBeGreaterThan(10_000)
  })
})

function arrangedFirst(rows: RowStore): string {
  const entry = arrange(rows.rows(), { ...PLAIN_VIEW, grouped: false })[0]
  return entry?.kind === 'row' ? entry.id : ''
}

describe('What was answered for a recipient', () => {
  it('is one key away: words of the reason, and the raw text below them', async () => {
    const { fake, user } = await openTable()
    await user.keyboard('{ArrowDown}{ArrowDown}i')
    const details = await screen.findByTestId('details')
    const row = fake.world.project('p1')?.rows.find((one) => one.id === idOf(active()))
    expect(details.textContent).toMatch(/Needs the workflows permission/)
    expect(within(details).getByTestId('raw').textContent).toContain(row?.branches[0]?.cause)
  })
})

describe('A live run', () => {
  async function finish(fake: Fake): Promise<void> {
    const sync = fake.syncs[0]
    while (sync && !sync.ended) act(() => sync.tick())
  }

  const order = () => screen.getAllByRole('row').map((line) => line.id)
  const causes = () => screen.getAllByTestId('group').map((line) => line.dataset['cause'])

  it('moves no line while it is under way, and groups anew by itself when it ends, with selection, focus and place kept', async () => {
    const { fake, user, table } = await openTable()
    const failed = fake.world.project('p1')?.rows.find((row) => row.outcome === 'opened' && row.branches[0]?.pull)
    // One that a run will bring back to order stands among the failed ones, chosen, with the keyboard on it.
    act(() =>
      fake.world.emit({
        rows: [{ project: 'p1', row: { ...failed!, outcome: 'failed', branches: failed!.branches.map((one) => ({ ...one, outcome: 'failed', reason: 'push_failed' })) } }],
      }),
    )
    await user.click(await screen.findByText('Arrange again'))
    expect(causes()).toContain('push_failed')
    act(() => table.focus())
    while (idOf(active()) !== failed!.id) await user.keyboard('{ArrowDown}')
    await user.keyboard(' ')
    const before = order()
    await user.keyboard('s')
    await waitFor(() => expect(fake.syncs).toHaveLength(1))
    const sync = fake.syncs[0]!
    act(() => sync.runTo(20))
    expect(await screen.findByTestId('moved')).toBeTruthy()
    expect(order()).toEqual(before)
    act(() => sync.runTo())
    await waitFor(() => expect(causes()).not.toContain('push_failed'))
    expect(screen.queryByTestId('moved')).toBeNull()
    expect(idOf(active())).toBe(failed!.id)
    expect(selected()).toBe('1 selected')
    expect(document.activeElement).toBe(table)
  })

  it('never counts backwards, ends by itself, and says so with its outcomes', async () => {
    const { fake, user } = await openWindow('ahead', P1)
    await screen.findByTestId('press')
    await user.keyboard('s')
    const bar = await screen.findByTestId('progress')
    const seen: number[] = []
    const sync = fake.syncs[0]!
    for (let at = 0; at < 12; at += 1) {
      act(() => sync.tick())
      seen.push(Number(bar.getAttribute('aria-valuenow')))
    }
    expect(seen).toEqual([...seen].sort((a, b) => a - b))
    expect(seen.at(-1)).toBeGreaterThan(0)
    await finish(fake)
    const run = await screen.findByTestId('run')
    await waitFor(() => expect(run.dataset['live']).toBe('false'))
    expect(await within(run).findByTestId('count-opened')).toBeTruthy()
    expect((await screen.findByTestId('toasts')).textContent).toMatch(/the sync ended/)
    await waitFor(() => expect(screen.getByTestId('press').dataset['press']).toBe('owed'))
  })

  it('is stopped once asked, in numbers', async () => {
    const { fake, user } = await openWindow('live', P1)
    await user.click(await screen.findByTestId('cancel'))
    expect((await screen.findByTestId('cancel-dialog')).textContent).toMatch(/28 of 60 are done, the other 32 stay owed/)
    await user.click(screen.getByTestId('cancel-confirm'))
    await waitFor(() => expect(fake.world.project('p1')?.row.lease.cancelBy).toBe('Alex Moreau'))
    await screen.findByText(/Asked to stop by Alex Moreau/)
    expect(screen.queryByTestId('cancel')).toBeNull()
  })
})
