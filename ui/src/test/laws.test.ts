import { describe, expect, it } from 'vitest'
import { arrange, CAUSE_ACTION, PLAIN_VIEW } from '@/domain/causes'
import { planColumns } from '@/features/recipients/columns'
import { leaseLife } from '@/domain/lease'
import { formatAge, formatDuration } from '@/domain/format'
import { glance } from '@/domain/roster'
import { ERRORS } from '@/errors/words'
import type { RecipientRow, RunView } from '@/ipc'
import { makeFake } from '@/ipc/fake'
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
        progress: { step: 'pass', done, planned: 30, failed: 0, current: '', waitingUntil: null, endsAt: null },
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
  it.each([
    [-180_001, 'reclaimable'],
    [-180_000, 'late'],
    [-70_001, 'late'],
    [-70_000, 'live'],
    [0, 'live'],
    [180_000, 'clock_ahead'],
    [180_001, 'reclaimable'],
  ])('with a heartbeat at now %i ms is %s', (offset, state) => {
    const now = 1_000_000_000_000
    expect(leaseLife(card(now + offset), now).state).toBe(state)
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
