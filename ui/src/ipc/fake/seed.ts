import { makePast } from './history'
import type { AheadView, AppInfo, PendingBranch, RunView, SourceView } from '../types'
import { COLLEAGUE, countsOf, ME, makeProject, makeRun, type ProjectSeed } from './make'
import { random, sha } from './random'
import { DAY, makeRecipients } from './recipients'
import { type FakeProject, World } from './world'

const MINUTE = 60_000

function info(now: number): AppInfo {
  return {
    version: '0.1.0',
    person: ME.person,
    osUser: ME.osUser,
    host: ME.host,
    database: {
      kind: 'postgres',
      place: 'db.example, lockstep',
      engine: 'PostgreSQL 15.18',
      latencyMs: 38,
      now,
      skewMs: 240,
    },
    git: { ok: '2.47.1', problem: null },
    secrets: 'In the keychain of this computer.',
    firstStart: false,
    practice: true,
  }
}

function ahead(branch: string, kind: AheadView['kind'], number: number | null, seed: number, now: number): AheadView {
  const next = random(seed)
  const handedOut = kind === 'never_handed_out' ? null : sha(next)
  return {
    branch,
    kind,
    number,
    handedOut,
    seen: kind === 'level' ? handedOut : kind === 'branch_gone' ? null : sha(next),
    distHead: handedOut === null ? null : sha(next),
    updateNumber: kind === 'never_handed_out' ? 0 : 4,
    seenAt: now - 14_000,
  }
}

const SUBJECTS = [
  'Clarify how ties are broken in the scheduler exercise',
  'Add a test for graphs with one node',
  'Fix the time limit of the sorting benchmark on slow machines',
]

function pending(now: number): PendingBranch[] {
  const next = random(7)
  return [
    {
      branch: 'main',
      netFiles: 8,
      commits: SUBJECTS.map((subject, at) => ({
        short: sha(next).slice(0, 7),
        subject,
        author: at === 1 ? 'Sam Okafor' : 'Alex Moreau',
        at: now - (at * 3 + 1) * 47 * MINUTE,
      })),
    },
  ]
}

function pastRun(project: FakeProject, now: number): RunView {
  const started = project.row.lastSynced ?? now
  const run = makeRun(`${project.row.id}-run-${project.row.lease.fence}`, project.row.id, project.row.lease.fence, ME, started - 232_000)
  const counts = countsOf(project.rows)
  const items = project.rows.length * project.row.ahead.length
  return {
    ...run,
    status: counts.failed > 0 ? 'incomplete' : 'succeeded',
    endedAt: started,
    counts,
    spent: { graphql: 6, rest: project.rows.length * 3, fetches: project.rows.length, pushes: project.rows.length },
    progress: { step: 'finish', done: items, planned: items, failed: counts.failed, current: '', waitingUntil: null, endsAt: null, call: null },
  }
}

function olderRuns(project: FakeProject, now: number): RunView[] {
  const fence = Number(project.row.lease.fence)
  return [1, 2, 3].map((back): RunView => {
    const started = (project.row.lastSynced ?? now) - back * 6.3 * DAY
    const run = makeRun(`${project.row.id}-run-${fence - back}`, project.row.id, String(fence - back), back % 2 ? COLLEAGUE : ME, started)
    const counts = { ...run.counts, opened: project.rows.length - back * 2 - 1, updated: back, skipped: 1, failed: back === 2 ? 2 : 0 }
    const ended: RunView = { ...run, counts, endedAt: started + 190_000 + back * 21_000, status: back === 2 ? 'incomplete' : 'succeeded' }
    const built: RunView = { ...ended, kind: 'build', counts: run.counts, endedAt: started + 14_000 }
    return back === 3 ? built : ended
  })
}

interface Extra {
  recipients: number
  org?: string
  prefix: string
  distribution?: string | null
  sourceId: string
  note?: string
}

function addProject(world: World, seed: ProjectSeed, extra: Extra): FakeProject {
  const now = world.now()
  const row = makeProject(seed, now)
  const project: FakeProject = {
    row,
    rows: makeRecipients(
      extra.recipients,
      {
        org: extra.org ?? 'algo-2026',
        prefix: extra.prefix,
        branches: seed.ahead.map((view) => view.branch),
        deadline: seed.deadline,
        seed: seed.fence + 3,
        sent: seed.lastSynced !== null,
      },
      now,
    ),
    runs: [],
    pending: [],
    sourceUrl: `https://github.example/${seed.source}`,
    sourceId: extra.sourceId,
    distribution: extra.distribution === undefined ? `${extra.org ?? 'algo-2026'}/${extra.prefix}-distribution` : extra.distribution,
    note: extra.note ?? '',
    requests: Math.max(3, Math.ceil(extra.recipients / 10)),
  }
  world.projects.set(seed.id, project)
  world.count(project)
  if (seed.lastSynced !== null) project.runs = [pastRun(project, now), ...olderRuns(project, now)]
  return project
}

function source(world: World, id: string, name: string, branches: string[]): SourceView {
  const now = world.now()
  const next = random(name.length)
  return {
    id,
    name,
    url: `https://github.example/${name}`,
    connection: 'github.example',
    heads: branches.map((branch) => ({ branch, oid: sha(next), seenAt: now - 14_000 })),
    checkedAt: now - 14_000,
    trouble: null,
    projects: [...world.projects.values()]
      .filter((project) => project.sourceId === id)
      .map(({ row }) => ({ id: row.id, name: row.name, ahead: row.ahead })),
  }
}

/** A course with a few projects; the first has thirty recipients, or as many as asked for. */
export function makeWorld(options: { recipients?: number; branches?: number; now?: () => number; empty?: boolean } = {}): World {
  const clock = options.now ?? Date.now
  const now = clock()
  const world = new World(info(now), clock)
  world.connections = [
    { id: 'c1', name: 'github.example', baseUrl: 'https://github.example/api/v3', kind: 'app', login: 'lockstep-course', state: 'usable' },
  ]
  if (options.empty) return world
  const due = now + 4.3 * DAY
  const lab4 = addProject(
    world,
    {
      id: 'p1',
      name: 'Algorithms 2026, lab 4',
      source: 'course-staff/algo-labs',
      ahead: [
        ahead('main', 'ahead', 3, 11, now),
        ahead('hints', 'level', 0, 12, now),
        ...Array.from({ length: (options.branches ?? 2) - 2 }, (_, at) => ahead(`bonus/part-${at + 1}`, 'level', 0, 13 + at, now)),
      ],
      deadline: due,
      lastSynced: now - 3.2 * DAY,
      fence: 41,
    },
    { recipients: options.recipients ?? 30, prefix: 'lab4', sourceId: 's1' },
  )
  lab4.pending = pending(now)
  addProject(
    world,
    { id: 'p2', name: 'Algorithms 2026, lab 3', source: 'course-staff/algo-labs', ahead: [ahead('main', 'level', 0, 21, now)], deadline: now - 9 * DAY, lastSynced: now - 9.4 * DAY, fence: 17 },
    { recipients: 30, prefix: 'lab3', sourceId: 's1' },
  )
  addProject(
    world,
    { id: 'p3', name: 'Compilers, term project', source: 'course-staff/compilers', ahead: [ahead('main', 'ahead', 12, 31, now), ahead('grammar/next', 'rewritten', null, 32, now)], deadline: now + 40 * DAY, lastSynced: now - 26 * 3_600_000, fence: 88, strategy: 'whole' },
    { recipients: 18, org: 'compilers-26', prefix: 'term', sourceId: 's2' },
  )
  addProject(
    world,
    { id: 'p4', name: 'Platform service template', source: 'platform/service-template', ahead: [ahead('main', 'level', 0, 41, now)], deadline: null, lastSynced: now - 52 * MINUTE, fence: 203 },
    { recipients: 64, org: 'platform', prefix: 'svc', sourceId: 's3' },
  )
  addProject(
    world,
    { id: 'p5', name: 'Data structures 2027', source: 'course-staff/data-structures', ahead: [ahead('main', 'never_handed_out', null, 51, now)], deadline: null, lastSynced: null, fence: 0, state: 'draft' },
    { recipients: 0, org: 'ds-2027', prefix: 'ds', distribution: null, sourceId: 's4' },
  )
  addProject(
    world,
    { id: 'p6', name: 'Algorithms 2025, lab 4', source: 'course-staff/algo-labs', ahead: [ahead('main', 'level', 0, 61, now)], deadline: now - 360 * DAY, lastSynced: now - 361 * DAY, fence: 30, state: 'archived' },
    { recipients: 30, org: 'algo-2025', prefix: 'old4', sourceId: 's1' },
  )
  world.sources = [
    source(world, 's1', 'course-staff/algo-labs', ['main', 'hints']),
    source(world, 's2', 'course-staff/compilers', ['main', 'grammar/next']),
    source(world, 's3', 'platform/service-template', ['main']),
    source(world, 's4', 'course-staff/data-structures', ['main']),
  ]
  makePast(world)
  return world
}
