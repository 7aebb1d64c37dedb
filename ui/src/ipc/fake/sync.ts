import type { Outcome, ProgressView, RecipientBranchRow, RecipientRow, RunStatus, RunView } from '../types'
import { fateOf, strongest } from './recipients'
import { note } from './history'
import { freeLease, heldLease, makeRun, type Who } from './make'
import type { FakeProject, World } from './world'

/** What happens before the first pull request, one step a tick. */
const BEFORE = ['collect', 'build', 'push_distribution', 'publish'] as const

/** A simulated sync: every tick does a little, tells it to the feed, and ends by itself. */
export class FakeSync {
  readonly run: string
  readonly #world: World
  readonly #project: FakeProject
  readonly #ids: readonly string[]
  readonly #perTick: number
  #tick = 0
  #done = 0
  ended = false

  constructor(world: World, project: FakeProject, ids: readonly string[], who: Who, perTick = 2) {
    this.#world = world
    this.#project = project
    this.#ids = ids
    this.#perTick = perTick
    const now = world.now()
    const { row } = project
    const free = row.lease.state === 'free' ? row.lease : freeLease(row.id, row.name, Number(row.lease.fence), now)
    this.run = `${row.id}-run-${Number(free.fence) + 1}`
    const lease = heldLease(free, who, this.run, now, now, now)
    world.setLease(project, lease)
    note(world, lease, 'claimed', who)
    world.setRun(project, makeRun(this.run, row.id, lease.fence, who, now))
    this.#tell([])
  }

  get planned(): number {
    return this.#ids.length * this.#project.row.ahead.length
  }

  get #view(): RunView {
    const run = this.#project.runs.find((one) => one.id === this.run)
    if (!run) throw new Error('the run is gone')
    return run
  }

  #progress(step: string, current: string): ProgressView {
    const left = this.#ids.length - this.#done
    const each = this.#project.row.ahead.length
    return {
      step,
      done: this.#done * each,
      planned: this.planned,
      failed: this.#view.counts.failed,
      current,
      waitingUntil: null,
      call: null,
      endsAt: step === 'pass' ? this.#world.now() + Math.round((left / this.#perTick) * 900) + 2_000 : null,
    }
  }

  #tell(rows: RecipientRow[], progress = this.#progress('collect', '')): void {
    const world = this.#world
    const project = this.#project
    world.setRun(project, { ...this.#view, progress })
    world.setLease(project, { ...project.row.lease, progress, heartbeatAt: this.#heartbeat() })
    world.emit({
      rows: rows.map((row) => ({ project: project.row.id, row })),
      leases: [project.row.lease],
      runs: [this.#view],
    })
  }

  /** A new heartbeat once in a while, as the real holder does it. */
  #heartbeat(): number {
    const now = this.#world.now()
    const last = this.#project.row.lease.heartbeatAt ?? now
    return now - last > 45_000 ? now : last
  }

  /** Does a little more. */
  tick(): void {
    if (this.ended) return
    const step = BEFORE[this.#tick]
    this.#tick += 1
    if (step !== undefined) {
      this.#tell([], this.#progress(step, ''))
      return
    }
    if (this.#project.row.lease.cancelBy !== null) {
      this.end('cancelled')
      return
    }
    const batch = this.#ids.slice(this.#done, this.#done + this.#perTick)
    const rows = batch.flatMap((id) => this.#deliver(id) ?? [])
    this.#done += batch.length
    this.#world.setRows(this.#project, rows)
    const counts = { ...this.#view.counts }
    for (const row of rows) if (row.outcome) counts[row.outcome] += 1
    const spent = this.#view.spent
    this.#world.setRun(this.#project, {
      ...this.#view,
      counts,
      spent: {
        graphql: spent.graphql + 1,
        rest: spent.rest + batch.length * 2,
        fetches: spent.fetches + batch.length,
        pushes: spent.pushes + batch.length,
      },
    })
    if (this.#done >= this.#ids.length) this.end(counts.failed > 0 ? 'incomplete' : 'succeeded', rows)
    else this.#tell(rows, this.#progress('pass', rows.at(-1)?.repo ?? ''))
  }

  /** Ticks until it is over, or until so many recipients are done. */
  runTo(recipients = Number.POSITIVE_INFINITY): void {
    while (!this.ended && this.#done < recipients) this.tick()
  }

  #deliver(id: string): RecipientRow | null {
    const row = this.#project.rows.find((one) => one.id === id)
    if (!row) return null
    const at = this.#project.rows.indexOf(row)
    const branches = row.branches.map((branch, place) => this.#deliverBranch(branch, place, at, row))
    const outcome = strongest(branches)
    return { ...row, branches, outcome, owed: outcome === 'failed', lastAt: this.#world.now() }
  }

  #deliverBranch(branch: RecipientBranchRow, place: number, at: number, row: RecipientRow): RecipientBranchRow {
    const fate = fateOf(at)
    const stays = fate?.reason === 'locked' ? row.locked : true
    if (fate && stays && (place === 0 || fate.outcome === 'skipped')) {
      return { ...branch, outcome: fate.outcome, reason: fate.reason, cause: fate.cause, step: null }
    }
    const news = this.#project.row.ahead[place]?.kind !== 'level'
    const open = branch.pull?.state === 'open'
    const outcome: Outcome = news ? (open ? 'updated' : 'opened') : open ? 'unchanged' : 'up_to_date'
    const pull =
      outcome === 'opened'
        ? {
            number: (branch.pull?.number ?? at) + 1,
            state: 'open' as const,
            mergeable: 'mergeable' as const,
            url: `${row.url}/pull/${(branch.pull?.number ?? at) + 1}`,
            openedAt: this.#world.now(),
            behind: false,
          }
        : branch.pull
    return { ...branch, outcome, reason: null, cause: '', step: null, pull }
  }

  /** Ends the run and gives the lease back. */
  end(status: RunStatus, rows: RecipientRow[] = []): void {
    if (this.ended) return
    this.ended = true
    const world = this.#world
    const project = this.#project
    const now = world.now()
    const calm = status === 'cancelled'
    const who = { ...project.row.lease }
    note(world, who, calm ? 'released' : 'finished', who, { status, code: calm ? 'cancelled' : null })
    world.setRun(project, {
      ...this.#view,
      status,
      endedAt: now,
      progress: this.#progress('finish', ''),
      error: calm ? 'cancelled' : null,
      retryable: calm,
      refId: calm ? '4f1d0c9a' : null,
      errorText: calm ? `${project.row.lease.cancelBy ?? 'Someone'} stopped it.` : '',
    })
    const ahead = calm
      ? project.row.ahead
      : project.row.ahead.map((view) =>
          view.kind === 'level'
            ? view
            : { ...view, kind: 'level' as const, number: 0, handedOut: view.seen, updateNumber: view.updateNumber + 1 },
        )
    project.pending = calm ? project.pending : []
    project.row = {
      ...project.row,
      ahead,
      lastSynced: now,
      lease: freeLease(project.row.id, project.row.name, Number(project.row.lease.fence), now),
    }
    world.count(project)
    const id = project.row.id
    world.emit({
      rows: rows.map((row) => ({ project: id, row })),
      leases: [project.row.lease],
      runs: [this.#view],
      stale: [{ kind: 'leases' }, { kind: 'project', id }, { kind: 'runs', project: id }, { kind: 'sources' }],
    })
  }
}

