import { failure } from './calls'
import { COLLEAGUE, type Fake, FakeSync, ME, makeFake } from '.'
import { makeLeases, makeManyLeases } from './leases'
import { heldLease, makeRun } from './make'

/** Pictures of the window that a page or a test can ask for by name. */
export const SCENES = [
  'ahead',
  'live',
  'mine',
  'throttled',
  'late',
  'reclaimable',
  'interrupted',
  'done',
  'level',
  'busy',
  'branches',
  'leases',
  'leases-many',
  'skewed',
  'huge',
  'empty',
  'first',
  'broken',
  'error',
  'offline',
  'loading',
] as const

export type Scene = (typeof SCENES)[number]

/** A run of somebody, some way through the recipients. */
function running(fake: Fake, id: string, who: typeof ME, recipients: number): FakeSync | null {
  const project = fake.world.project(id)
  if (!project) return null
  const sync = new FakeSync(fake.world, project, project.rows.map((row) => row.id), who, 2)
  sync.runTo(recipients)
  fake.syncs.push(sync)
  return sync
}

/** A holder whose last heartbeat is so old. */
function silent(fake: Fake, age: number): void {
  running(fake, 'p1', COLLEAGUE, 12)
  fake.syncs.length = 0
  const project = fake.world.project('p1')
  if (!project) return
  const now = fake.world.now()
  const { lease } = project.row
  fake.world.setLease(project, {
    ...lease,
    heartbeatAt: now - age,
    since: now - age - 95_000,
    state: age > lease.windowMs ? 'reclaimable' : 'late',
    leftMs: Math.max(0, lease.windowMs - age),
  })
}

function interrupted(fake: Fake): void {
  const project = fake.world.project('p1')
  if (!project) return
  const now = fake.world.now()
  const run = makeRun('p1-run-42', 'p1', '42', ME, now - 14 * 60_000)
  fake.world.setRun(project, {
    ...run,
    status: 'interrupted',
    endedAt: now - 12 * 60_000,
    error: 'quit',
    errorText: 'Lockstep was closed.',
    retryable: true,
    refId: '4f1d0c9a',
    counts: { ...run.counts, opened: 9, skipped: 2, failed: 1 },
    progress: { step: 'pass', done: 24, planned: 60, failed: 1, current: '', waitingUntil: null, endsAt: null, call: null },
  })
  fake.world.setLease(project, { ...project.row.lease, fence: '42' })
}

function throttled(fake: Fake): void {
  running(fake, 'p1', ME, 10)
  fake.syncs.length = 0
  const project = fake.world.project('p1')
  if (!project?.row.lease.progress) return
  const progress = { ...project.row.lease.progress, waitingUntil: fake.world.now() + 9 * 60_000, endsAt: null }
  fake.world.setLease(project, { ...project.row.lease, progress })
  const run = project.runs[0]
  if (run) fake.world.setRun(project, { ...run, progress })
}

/** Several projects live at once, for the list. */
function busy(fake: Fake): void {
  running(fake, 'p1', COLLEAGUE, 13)
  running(fake, 'p4', ME, 30)
  const project = fake.world.project('p3')
  if (!project) return
  const now = fake.world.now()
  const lease = heldLease(project.row.lease, COLLEAGUE, 'p3-run-89', now - 900_000, now - 260_000, now)
  fake.world.setLease(project, { ...lease, state: 'reclaimable', leftMs: 0 })
}

export function makeScene(scene: Scene): Fake {
  const fake = makeFake({ recipients: scene === 'huge' ? 10_000 : 30, branches: scene === 'branches' ? 4 : 2, empty: scene === 'empty' || scene === 'first' })
  const { world, controls } = fake
  switch (scene) {
    case 'live':
      running(fake, 'p1', COLLEAGUE, 13)
      break
    case 'mine':
      running(fake, 'p1', ME, 8)
      break
    case 'throttled':
      throttled(fake)
      break
    case 'late':
      silent(fake, 96_000)
      break
    case 'reclaimable':
      silent(fake, 260_000)
      break
    case 'interrupted':
      interrupted(fake)
      break
    case 'done':
      running(fake, 'p1', ME, Number.POSITIVE_INFINITY)
      break
    case 'level': {
      const project = world.project('p2')
      if (project) project.rows = project.rows.map((row) => ({ ...row, owed: false }))
      break
    }
    case 'busy':
      busy(fake)
      break
    case 'leases':
      running(fake, 'p1', COLLEAGUE, 13)
      running(fake, 'p4', ME, 30)
      makeLeases(world)
      break
    case 'leases-many':
      makeManyLeases(world, 1_000)
      break
    case 'skewed':
      running(fake, 'p1', COLLEAGUE, 13)
      world.info = { ...world.info, database: { ...world.info.database, kind: 'postgres', skewMs: 42_000 } }
      break
    case 'first':
      world.info = { ...world.info, firstStart: true }
      world.connections = []
      break
    case 'broken':
      controls.failing.set('appInfo', failure('database_unusable', 'The server at db.example does not answer.'))
      break
    case 'error':
      controls.failing.set('projectList', failure('database_unusable', 'The server at db.example does not answer.'))
      controls.failing.set('projectGet', failure('project_missing', 'There is no project p1.'))
      break
    default:
      break
  }
  return fake
}
