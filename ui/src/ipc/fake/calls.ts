import { ApiFailure, type Calls } from '..'
import type { ApiError, Code, LeaseCard, RecipientRow, SyncInput } from '../types'
import { freeLease, ME } from './make'
import { note, pageOf } from './history'
import { FakeSync } from './sync'
import type { FakeProject, World } from './world'

export function failure(code: Code, message: string, more: Partial<ApiError> = {}): ApiFailure {
  return new ApiFailure({
    code,
    message,
    hint: '',
    retryable: true,
    refId: '4f1d0c9a',
    holder: null,
    waitMs: null,
    ...more,
  })
}

/** What the stand-in is asked for by a test or a page. */
export interface FakeControls {
  /** Answers of these calls fail until they are taken out again. */
  readonly failing: Map<keyof Calls, ApiFailure>
  /** Every call that came, in order. */
  readonly heard: { name: string; args: unknown[] }[]
  /** Milliseconds until an answer; below zero: never. */
  delay: number
  /** Called with every sync that a press started. */
  onSync: (sync: FakeSync) => void
}

function held(lease: LeaseCard, now: number): boolean {
  return lease.state !== 'free' && lease.heartbeatAt !== null && Math.abs(now - lease.heartbeatAt) <= lease.windowMs
}

/** A live lease forbids it; the holder is named. */
function inTheWay(project: FakeProject, now: number): ApiFailure {
  const { lease, name } = project.row
  return failure('sync_in_progress', `${lease.person} on ${lease.host} is syncing ${name}. Nothing was changed.`, {
    holder: { ...lease, now },
    waitMs: lease.leftMs,
  })
}

function chosen(world: World, project: FakeProject, input: SyncInput): RecipientRow[] {
  if (input.selection === 'these') return project.rows.filter((row) => input.recipients.includes(row.id))
  if (input.selection === 'owed') return project.rows.filter((row) => row.owed)
  return input.resumes ? world.eligible(project).filter((row) => row.owed) : project.rows
}

function answers(world: World, controls: FakeControls): Calls {
  const find = (id: string): FakeProject => {
    const project = world.project(id)
    if (!project) throw failure('project_missing', `There is no project ${id}.`)
    return project
  }
  const findSource = (id: string) => {
    const source = world.sources.find((one) => one.id === id)
    if (!source) throw failure('source_missing', 'That source was retired.')
    return source
  }
  return {
    appInfo: async () => ({ ...world.info, database: { ...world.info.database, now: world.now() } }),
    appQuit: async () => null,
    preferencesGet: async () => world.preferences,
    preferencesSet: async (input) => {
      world.preferences = {
        theme: input.theme ?? world.preferences.theme,
        person: input.person ?? world.preferences.person,
        language: input.language ?? world.preferences.language,
      }
      return world.preferences
    },
    connectionList: async () => world.connections,
    connectionAdd: async (input) => {
      const made = {
        id: `c${world.connections.length + 1}`,
        name: input.name || 'github.example',
        baseUrl: input.baseUrl,
        kind: input.appId ? ('app' as const) : ('token' as const),
        login: 'amoreau',
        state: 'usable' as const,
      }
      world.connections = [...world.connections, made]
      world.info = { ...world.info, firstStart: false }
      return made
    },
    practiceStart: async () => {
      const made = { id: 'c9', name: 'practice', baseUrl: 'http://127.0.0.1:4810', kind: 'token' as const, login: 'teacher', state: 'usable' as const }
      world.connections = [made]
      world.info = { ...world.info, firstStart: false }
      return made
    },
    practiceHint: async () => null,
    repoSearch: async () =>
      Array.from({ length: 24 }, (_, at) => ({ name: `algo-2026/lab5-${at + 1}`, private: true, archived: at === 7 })),
    branchList: async () => ['main', 'hints', 'solutions'],
    sourceList: async () => world.sources,
    sourceAdd: async (_, repo) => {
      const made = { ...findSource(world.sources[0]?.id ?? ''), id: `s${world.sources.length + 1}`, name: repo, projects: [] }
      world.sources = [...world.sources, made]
      return made
    },
    sourceCheck: async (id) => {
      const checked = { ...findSource(id), checkedAt: world.now() }
      world.sources = world.sources.map((one) => (one.id === id ? checked : one))
      return checked
    },
    sourceRetire: async (id) => {
      for (const project of world.projects.values()) {
        if (project.sourceId === id && held(project.row.lease, world.now())) throw inTheWay(project, world.now())
      }
      world.sources = world.sources.filter((one) => one.id !== id)
      return null
    },
    projectList: async () => [...world.projects.values()].map((project) => world.row(project)),
    projectGet: async (id) => world.view(find(id)),
    projectCreate: async () => ({ project: 'p1', run: 'p1-run-1' }),
    projectArchive: async (id, archived) => {
      const project = find(id)
      if (held(project.row.lease, world.now())) throw inTheWay(project, world.now())
      project.row = { ...project.row, state: archived ? 'archived' : 'published' }
      return null
    },
    projectDelete: async (id) => {
      const project = find(id)
      if (held(project.row.lease, world.now())) throw inTheWay(project, world.now())
      world.projects.delete(id)
      return null
    },
    recipientList: async (id) => find(id).rows,
    recipientImport: async () => ({ added: 24, updated: 0, unchanged: 0 }),
    recipientEdit: async (id, edit) => {
      const project = find(id)
      const now = world.now()
      const rows = project.rows
        .filter((row) => edit.recipients.includes(row.id))
        .map((row): RecipientRow => {
          const deadline = edit.clearDeadline ? project.row.deadline : (edit.deadline ?? row.deadline)
          return {
            ...row,
            locked: edit.locked ?? row.locked,
            deadline,
            ownDeadline: edit.clearDeadline ? false : edit.deadline !== null || row.ownDeadline,
            pastDeadline: deadline !== null && deadline < now,
          }
        })
      world.setRows(project, rows)
      world.count(project)
      world.emit({ rows: rows.map((row) => ({ project: id, row })) })
      return null
    },
    syncStart: async (input) => {
      const project = find(input.project)
      const { lease, name } = project.row
      if (held(lease, world.now())) {
        throw failure('sync_in_progress', `${lease.person} on ${lease.host} is syncing ${name}.`, {
          holder: { ...lease, now: world.now() },
          waitMs: lease.leftMs,
        })
      }
      const sync = new FakeSync(world, project, chosen(world, project, { ...input, resumes: input.resumes ?? null }).map((row) => row.id), ME)
      controls.onSync(sync)
      return { run: sync.run, fence: project.row.lease.fence }
    },
    runCancel: async (id, fence, reason) => {
      const project = find(id)
      if (project.row.lease.fence !== fence) throw failure('already_finished', 'That run has ended.')
      world.setLease(project, { ...project.row.lease, cancelBy: ME.person, cancelAt: world.now() })
      const { lease } = project.row
      note(world, lease, 'cancel_asked', ME, { otherPerson: lease.person, otherHost: lease.host, text: reason })
      world.emit({ leases: [lease], stale: [{ kind: 'leases' }] })
      return null
    },
    runList: async (id) => (id === null ? [...world.projects.values()].flatMap((one) => one.runs) : find(id).runs),
    runGet: async (id) => {
      const run = [...world.projects.values()].flatMap((one) => one.runs).find((one) => one.id === id)
      if (!run) throw failure('not_found', 'That run is not recorded.')
      return run
    },
    leaseList: async () => [...world.projects.values()].map(({ row }) => row.lease),
    leaseHistory: async (id, before, limit) => pageOf(world, id, before, limit),
    leaseReclaim: async (id, fence) => {
      const project = find(id)
      const { lease } = project.row
      const now = world.now()
      if (lease.fence !== fence) throw failure('already_finished', 'That lease has ended.')
      if (held(lease, now) && !lease.provenDead) {
        throw failure('not_reclaimable', `${lease.person} is alive.`, { waitMs: lease.leftMs })
      }
      const run = project.runs.find((one) => one.id === lease.run)
      if (run) world.setRun(project, { ...run, status: 'interrupted', endedAt: now })
      note(world, lease, 'reclaimed', ME, { otherPerson: lease.person, otherHost: lease.host, beatMs: now - (lease.heartbeatAt ?? now), provenDead: lease.provenDead })
      world.setLease(project, freeLease(id, project.row.name, Number(lease.fence), now))
      world.emit({ leases: [project.row.lease], stale: [{ kind: 'project', id }, { kind: 'leases' }] })
      return null
    },
    linkOpen: async (url) => {
      world.opened.push(url)
      return null
    },
  }
}

/** The commands over a world, with delay and failures as the controls say. */
export function fakeCalls(world: World, controls: FakeControls): Calls {
  const inner = answers(world, controls) as Record<string, (...args: never[]) => Promise<unknown>>
  const wrapped = Object.entries(inner).map(([name, call]) => [
    name,
    async (...args: never[]) => {
      controls.heard.push({ name, args })
      if (controls.delay < 0) await new Promise(() => {})
      if (controls.delay > 0) await new Promise((done) => setTimeout(done, controls.delay))
      const wrong = controls.failing.get(name as keyof Calls)
      if (wrong) throw wrong
      // What crosses a boundary is a copy.
      return structuredClone(await call(...args))
    },
  ])
  return Object.fromEntries(wrapped) as Calls
}
