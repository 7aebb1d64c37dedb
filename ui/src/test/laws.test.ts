import { describe, expect, it } from 'vitest'
import { arrange, CAUSE_ACTION, PLAIN_VIEW } from '@/domain/causes'
import { planColumns } from '@/features/recipients/columns'
import { cancelIsSlow, leaseLife } from '@/domain/lease'
import { formatAge, formatDuration } from '@/domain/format'
import { glance } from '@/domain/roster'
import { ERRORS } from '@/errors/words'
import type { RecipientRow, RunView } from '@/ipc'
import { makeFake } from '@/ipc/fake'
import { makeScene } from '@/ipc/fake/scenes'
import { arrange as arrangeLeases } from '@/features/leases/order'
import { marksOf } from '@/features/leases/strip'
import { Heartbeats } from '@/live/heartbeats'
import { RowStore } from '@/live/rows'
import { mergeRun } from '@/live/runs'
import { en } from '@/messages/en'
import { fr } from '@/messages/fr'

describe('Words', () => {
  it('exist in both languages, with the same values to fill in', () => {
    expect(Object.keys(fr).sort()).toEqual(Object.keys(en).sort())
    const holes = (text: string) => [...new Set(text.match(/\{\{\w+\}\}/g) ?? [])].sort()
    for (const [key, text] of Object.entries(en)) {
      expect([key, holes(fr[key as keyof typeof en])]).toEqual([key, holes(text)])
    }
  })
})

describe('Formats', () => {
  it('tell durations and ages in few characters', () => {
    expect([35_000, 232_000, 3_840_000].map(formatDuration)).toEqual(['35 s', '3 min 52', '1 h 04'])
    expect(formatAge(12_000)).toBe('12 s ago')
  })
})

describe('Recipients', () => {
  const rows = makeFake().world.project('p1')!.rows
  it('stand in groups by cause, what needs a person first, nobody twice and nobody lost', () => {
    const entries = arrange(rows, PLAIN_VIEW)
    const groups = entries.flatMap((entry) => (entry.kind === 'group' ? [entry.cause] : []))
    expect(groups[0]).toBe('needs_workflows_permission')
    expect(groups.at(-1)).toBe('delivered')
    const ids = entries.flatMap((entry) => (entry.kind === 'row' ? [entry.id] : []))
    expect([...ids].sort()).toEqual(rows.map((row) => row.id).sort())
  })
  it('are found by name or person whatever the accents', () => {
    const wanted = rows[3]!
    expect(arrange(rows, { ...PLAIN_VIEW, grouped: false, search: wanted.label.toUpperCase() }).length).toBeGreaterThan(0)
    expect(arrange(rows, { ...PLAIN_VIEW, search: 'nobody is called so' })).toEqual([])
  })
})

describe('The columns of recipients', () => {
  it.each([
    ['1280 px, two branches', 66.5, 2, 'words'],
    ['1440 px, two branches', 76.5, 2, 'words'],
    ['900 px, two branches', 52, 2, 'short'],
    ['1280 px, four branches', 66.5, 4, 'short'],
    ['900 px, four branches', 52, 4, 'short'],
    ['1280 px, ten branches', 66.5, 10, 'icon'],
    ['200 % text at 1280 px, two branches', 36, 2, 'short'],
  ])('fit at %s', (_, rem, branches, look) => {
    const plan = planColumns(rem, branches, 'repo')
    expect([plan.branch, plan.minRem <= rem]).toEqual([look, true])
  })
  it('never give up what the table is sorted by', () => {
    expect(planColumns(40, 4, 'last').last).toBe(true)
    expect(planColumns(40, 4, 'label').label).toBe(true)
  })
})

describe('A roster', () => {
  it('names the line of each problem', () => {
    const seen = glance('repository,label\na/b,"Smith, Ada"\nbad,x\na/b,again\n')
    expect(seen).toEqual({
      rows: 1,
      problems: [
        { line: 3, kind: 'no_slash', value: 'bad' },
        { line: 4, kind: 'twice', value: 'a/b' },
      ],
    })
  })
})

describe('The live store', () => {
  const row = (id: string, label: string) => ({ id, repo: `o/${id}`, label, branches: [] }) as unknown as RecipientRow

  it('wakes only who shows the row that changed', () => {
    const rows = new RowStore()
    rows.replace([row('a', 'A'), row('b', 'B')], rows.mark())
    const woken: string[] = []
    rows.subscribeRow('a', () => woken.push('a'))
    rows.subscribeRow('b', () => woken.push('b'))
    rows.patch([row('b', 'changed'), row('a', 'A')])
    expect(woken).toEqual(['b'])
  })

  it('keeps what the feed said when an older snapshot arrives late', () => {
    const rows = new RowStore()
    const mark = rows.mark()
    rows.patch([row('a', 'newer')])
    rows.replace([row('a', 'older')], mark)
    expect(rows.row('a')?.label).toBe('newer')
  })

  it('never lets a counter of a run go backwards', () => {
    const counts = { opened: 0, updated: 0, unchanged: 0, up_to_date: 0, handed_out: 0, skipped: 0, failed: 0, waiting: 0 }
    const run = (opened: number, done: number) =>
      ({
        id: 'r',
        status: 'running',
        counts: { ...counts, opened },
        progress: { step: 'pass', done, planned: 30, failed: 0, current: '', waitingUntil: null, endsAt: null, call: null },
      }) as unknown as RunView
    const merged = mergeRun(run(7, 12), run(5, 9))
    expect([merged.counts.opened, merged.progress?.done]).toEqual([7, 12])
  })
})

describe('Reasons and causes', () => {
  it('have words in both languages, for every one that there is', () => {
    for (const cause of Object.keys(CAUSE_ACTION)) {
      const words = [en, fr].map((messages) => (messages as Record<string, string>)[`cause.${cause}`])
      expect(words.every(Boolean), cause).toBe(true)
    }
  })
})

describe('A lease', () => {
  const card = (heartbeatAt: number | null) => ({
    ...makeFake().world.project('p1')!.row.lease,
    state: 'live' as const,
    provenDead: false,
    windowMs: 180_000,
    heartbeatAt,
  })
  const now = 1_000_000_000_000
  it.each([
    [-180_001, 'reclaimable', 'too_old'],
    [-180_000, 'late', 'beat_late'],
    [-70_001, 'late', 'beat_late'],
    [-70_000, 'live', 'beating'],
    [0, 'live', 'beating'],
    [180_000, 'clock_ahead', 'beat_ahead'],
    [180_001, 'reclaimable', 'too_far_ahead'],
  ])('with a heartbeat at now %i ms is %s: %s', (offset, state, reason) => {
    expect(leaseLife(card(now + offset), now)).toMatchObject({ state, reason })
  })
  it('without a heartbeat, or of a dead process, can be taken and says why', () => {
    expect(leaseLife(card(null), now)).toMatchObject({ state: 'reclaimable', reason: 'never_beat' })
    const dead = { ...card(now), provenDead: true }
    expect(leaseLife({ ...dead, reason: 'process_gone' }, now)).toMatchObject({ state: 'reclaimable', reason: 'process_gone' })
    expect(leaseLife({ ...dead, reason: 'other_boot' }, now).reason).toBe('other_boot')
  })
  it('that is asked to stop is slow from thirty seconds on', () => {
    const asked = { ...card(now), cancelAt: now - 29_999 }
    expect([cancelIsSlow(asked, now), cancelIsSlow(asked, now + 1), cancelIsSlow(card(now), now)]).toEqual([false, true, false])
  })
  it('stands before others when it needs a person, and is found by who holds it', () => {
    const fake = makeScene('leases')
    const cards = [...fake.world.projects.values()].map(({ row }) => row.lease)
    const states = arrangeLeases(cards, '', 'all', fake.world.now()).map((one) => leaseLife(one, fake.world.now()).state)
    expect([states[0], states.at(-1)]).toEqual(['reclaimable', 'free'])
    const firstFree = states.indexOf('free')
    expect(states.slice(firstFree).every((state) => state === 'free')).toBe(true)
    expect(arrangeLeases(cards, 'build-server', 'all', fake.world.now()).map((one) => one.project)).toEqual(['l-late'])
    const attention = arrangeLeases(cards, '', 'attention', fake.world.now())
    expect(attention.map((one) => one.project).sort()).toEqual(['l-ahead', 'l-dead', 'l-far', 'l-late', 'l-old'])
  })
})

describe('Heartbeats', () => {
  const card = (fence: number, heartbeatAt: number | null) => ({ ...makeFake().world.project('p1')!.row.lease, fence: String(fence), heartbeatAt })
  it('are kept once each, in order, and never of an older fence', () => {
    const beats = new Heartbeats()
    for (const [fence, at] of [[7, 100], [7, 100], [7, 50], [8, 90], [7, 200], [8, null], [8, 300]] as const) beats.see(card(fence, at))
    expect(beats.of('p1').map((beat) => [beat.fence, beat.at])).toEqual([['7', 100], ['8', 90], ['8', 300]])
  })
  it('are bounded', () => {
    const beats = new Heartbeats()
    for (let at = 1; at < 500; at += 1) beats.see(card(1, at))
    expect(beats.of('p1')).toHaveLength(90)
    expect(beats.of('p1').at(-1)?.at).toBe(499)
  })
  it('stand in the strip by their age; a late one is marked, the first of a holder is not late', () => {
    const now = 1_000_000_000
    const beat = (ago: number, fence = '1') => ({ at: now - ago, fence })
    const marks = marksOf([beat(2_000_000), beat(400_000), beat(340_000), beat(200_000), beat(60_000, '2'), beat(0, '2')], 180_000, now)
    expect(marks.map((mark) => [mark.late, mark.first])).toEqual([[true, false], [false, false], [true, false], [false, true], [false, false]])
    expect(marks.at(-1)?.at).toBe(1)
  })
})

describe('Errors', () => {
  it('have words and a remedy in both languages, for every code', () => {
    for (const [code, words] of Object.entries(ERRORS)) {
      for (const messages of [en, fr] as Record<string, string>[]) {
        expect([code, messages[words.title], messages[words.hint], messages[`action.${words.remedy}`]].every(Boolean), code).toBe(true)
      }
    }
  })
})
