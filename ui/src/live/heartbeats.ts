import type { LeaseCard } from '@/ipc'
import { Keyed } from './store'

/** One heartbeat as this window saw it. */
export interface Beat {
  /** When it was written, by the database's clock. */
  at: number
  fence: string
}

/** Enough for an hour of the ordinary pace. */
const KEPT = 90
const NONE: readonly Beat[] = []

/** The heartbeats that this window has seen, by project; nothing is asked for, and nothing is kept after it closes. */
export class Heartbeats {
  readonly #beats = new Map<string, readonly Beat[]>()
  readonly #keyed = new Keyed()

  of(project: string): readonly Beat[] {
    return this.#beats.get(project) ?? NONE
  }

  subscribe(project: string, listener: () => void): () => void {
    return this.#keyed.subscribe(project, listener)
  }

  /** Takes what a card says of its last heartbeat; the same one is kept once, an older one not at all. */
  see(card: LeaseCard): void {
    if (card.heartbeatAt === null) return
    const known = this.of(card.project)
    const last = known.at(-1)
    const older = last && (BigInt(card.fence) < BigInt(last.fence) || (card.fence === last.fence && card.heartbeatAt <= last.at))
    if (older) return
    this.#beats.set(card.project, [...known.slice(1 - KEPT), { at: card.heartbeatAt, fence: card.fence }])
    this.#keyed.wake(card.project)
  }

  /** For tests. */
  forget(): void {
    this.#beats.clear()
    this.#keyed.wakeAll()
  }
}

export const heartbeats = new Heartbeats()
