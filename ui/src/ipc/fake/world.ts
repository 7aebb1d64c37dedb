import type {
  AppInfo,
  ConnectionView,
  FeedBatch,
  LeaseCard,
  LeaseEventView,
  PendingBranch,
  Preferences,
  PressForecast,
  ProjectRow,
  ProjectView,
  RecipientRow,
  RunView,
  SourceView,
  Tag,
} from '../types'
import { countsOf, pullsOf } from './make'

export interface FakeProject {
  row: ProjectRow
  rows: RecipientRow[]
  runs: RunView[]
  pending: PendingBranch[]
  sourceUrl: string
  sourceId: string
  distribution: string | null
  note: string
  /** How many requests a press without news costs. */
  requests: number
}

export type FeedListener = (batch: FeedBatch) => void

const SECONDS_EACH = 1.05

/** Everything the stand-in knows, and who follows it. */
export class World {
  readonly projects = new Map<string, FakeProject>()
  sources: SourceView[] = []
  connections: ConnectionView[] = []
  /** What happened to leases, newest first. */
  leaseEvents: LeaseEventView[] = []
  preferences: Preferences = { theme: 'light', person: 'Alex Moreau', language: 'en' }
  info: AppInfo
  online = true
  readonly now: () => number
  readonly opened: string[] = []
  readonly #listeners = new Set<FeedListener>()
  #cursor = 0

  constructor(info: AppInfo, now: () => number) {
    this.info = info
    this.now = now
  }

  project(id: string): FakeProject | undefined {
    return this.projects.get(id)
  }

  follow(listener: FeedListener): () => void {
    this.#listeners.add(listener)
    queueMicrotask(() => this.#listeners.has(listener) && listener(this.#batch({})))
    return () => this.#listeners.delete(listener)
  }

  #batch(part: Partial<FeedBatch>): FeedBatch {
    this.#cursor += 1
    return {
      cursor: String(this.#cursor),
      now: this.now(),
      online: this.online,
      stale: [],
      rows: [],
      leases: [],
      runs: [],
      ...part,
    }
  }

  emit(part: Partial<FeedBatch>): void {
    const batch = this.#batch(part)
    for (const listener of [...this.#listeners]) listener(batch)
  }

  /** The database stops answering, or answers again. */
  setOnline(online: boolean): void {
    this.online = online
    this.emit({})
  }

  stale(...tags: Tag[]): void {
    this.emit({ stale: tags })
  }

  /** Counts of a project's row, as its recipients are now. */
  count(project: FakeProject): void {
    project.row = {
      ...project.row,
      counts: countsOf(project.rows),
      pulls: pullsOf(project.rows),
      recipients: project.rows.length,
      owed: project.rows.filter((row) => row.owed).length,
    }
  }

  setLease(project: FakeProject, lease: LeaseCard): void {
    project.row = { ...project.row, lease: { ...lease, now: this.now() } }
  }

  setRun(project: FakeProject, run: RunView): void {
    project.runs = [run, ...project.runs.filter((one) => one.id !== run.id)].sort((a, b) => b.startedAt - a.startedAt)
  }

  setRows(project: FakeProject, rows: readonly RecipientRow[]): void {
    const byId = new Map(rows.map((row) => [row.id, row]))
    project.rows = project.rows.map((row) => byId.get(row.id) ?? row)
  }

  eligible(project: FakeProject): RecipientRow[] {
    return project.rows.filter((row) => row.state === 'live' && !row.locked && !row.pastDeadline)
  }

  forecast(project: FakeProject): PressForecast {
    const { row } = project
    const commits = row.ahead.reduce((sum, view) => sum + (view.number ?? 0), 0)
    const news = row.ahead.some((view) => ['ahead', 'ahead_unknown', 'never_handed_out', 'rewritten'].includes(view.kind))
    const eligible = this.eligible(project).length
    const forecast = (kind: PressForecast['kind'], recipients: number): PressForecast => ({
      kind,
      commits,
      recipients,
      requests: kind === 'again' ? project.requests : recipients * 5 + project.requests,
      seconds: Math.round(recipients * SECONDS_EACH) + 8,
    })
    if (row.state === 'archived' || project.distribution === null) return forecast('none', 0)
    if (row.lease.state !== 'free') return forecast('watch', eligible)
    if (project.runs[0]?.status === 'interrupted') return forecast('resume', eligible)
    if (news) return forecast('sync', eligible)
    const owed = this.eligible(project).filter((one) => one.owed).length
    return owed > 0 ? forecast('owed', owed) : forecast('again', 0)
  }

  row(project: FakeProject): ProjectRow {
    const newest = project.runs[0] ?? null
    const free = project.row.lease.state === 'free'
    return {
      ...project.row,
      lease: { ...project.row.lease, now: this.now() },
      press: this.forecast(project).kind,
      resumable: newest?.status === 'interrupted' && free ? newest : null,
    }
  }

  view(project: FakeProject): ProjectView {
    const newest = project.runs[0] ?? null
    const source = this.sources.find((one) => one.id === project.sourceId)
    return {
      row: this.row(project),
      connection: this.connections[0]?.id ?? null,
      distribution: project.distribution,
      distributionUrl: project.distribution && `https://github.example/${project.distribution}`,
      sourceUrl: project.sourceUrl,
      sourceId: project.sourceId,
      sourceCheckedAt: source?.checkedAt ?? null,
      sourceTrouble: source?.trouble ?? null,
      pending: project.pending,
      note: project.note,
      press: this.forecast(project),
      run: newest,
    }
  }
}
